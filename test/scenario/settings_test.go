package scenario

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// switches are options that a person changes while the job runs, each with the value that it is given and taken away
// from. The order is that by which scripts number them.
var switches = []struct{ key, value string }{
	{"kubernetes.operator.snapshot.resource.enabled", "false"},
	{"kubernetes.operator.periodic.savepoint.interval", "2 min"},
	{"kubernetes.operator.periodic.checkpoint.interval", "1 min"},
	{"kubernetes.operator.savepoint.history.max.count", "2"},
	{"kubernetes.operator.deployment.rollback.enabled", "true"},
	{"kubernetes.operator.deployment.readiness.timeout", "30 s"},
	{"kubernetes.operator.job.savepoint-on-deletion", "true"},
	{"kubernetes.operator.job.restart.failed", "true"},
	{"kubernetes.operator.job.upgrade.last-state.job-cancel.enabled", "true"},
	{"kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age", "20 s"},
	{"kubernetes.operator.savepoint.dispose-on-delete", "true"},
	{"kubernetes.operator.job.upgrade.ignore-pending-savepoint", "true"},
	{"kubernetes.operator.savepoint.cleanup.enabled", "false"},
}

// settingVerbs change how a job is run.
var settingVerbs = map[string]func(r *run, n int){
	"switch": func(r *run, n int) {
		s := switches[n%len(switches)]
		r.editIfThere(func(spec map[string]any) {
			configuration := spec["flinkConfiguration"].(map[string]any)
			if configuration[s.key] != nil {
				delete(configuration, s.key)
				return
			}
			configuration[s.key] = s.value
		})
	},
	"upgrade-mode": func(r *run, n int) {
		if !r.stateful() || !r.there() {
			return
		}
		mode := []string{"savepoint", "last-state", "stateless"}[n%3]
		r.states.givenUp = r.states.givenUp || mode == "stateless"
		r.edit(demo, upgradeMode(mode))
	},
	// What is kept in one store is not in another: switched from ZooKeeper to Kubernetes, a job that waits for its last
	// state is a person's.
	"high-availability": func(r *run, n int) {
		switch {
		case !r.stateful() || strings.HasSuffix(r.mode, "on ZooKeeper"):
		case n%3 == 2:
			_, answers := r.w.Flink.Reach(flinksim.Host(namespace, demo))
			if r.there() && (r.status(demo).Situation != "Steady" || !answers) {
				r.excuse("its last state may be in the high-availability data that it no longer uses")
			}
			r.editIfThere(withoutHighAvailability)
		default:
			r.editIfThere(highlyAvailable)
		}
	},
	"jobmanagers": func(r *run, n int) {
		r.editIfThere(func(spec map[string]any) {
			if spec["flinkConfiguration"].(map[string]any)["high-availability.type"] != nil {
				spec["jobManager"].(map[string]any)["replicas"] = int64(1 + n%2)
			}
		})
	},
	"redeploy": func(r *run, n int) {
		if !r.there() {
			return
		}
		path := fmt.Sprintf("s3://mine/savepoint-%d-%d", r.redeploys, n)
		r.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true, Progress: int64(n)})
		r.redeploys++
		r.states.chosen[path], r.states.owed[path], r.states.named[path] = r.redeploys, true, true
		r.edit(demo, jobField("initialSavepointPath", path), jobField("savepointRedeployNonce", int64(r.redeploys)))
	},
}
