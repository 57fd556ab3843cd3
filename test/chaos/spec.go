package chaos

import "strings"

// Resource is a FlinkDeployment and the commands that changed it.
type Resource struct {
	// Spec is the resource's.
	Spec map[string]any
	// Redeploys counts the states that a person chose.
	Redeploys int
	// Hosted says that the job runs on a session cluster, see Objects.
	Hosted bool
	// Paired says that a blue/green deployment has the job, whose changes move it to another cluster.
	Paired bool

	place Place
}

// Place says where a job's files are.
type Place struct {
	// Volume is a directory of this machine that every pod has at the same place, and Data one in it: for
	// checkpoints, savepoints and high-availability data.
	Volume, Data string
	// Ledger is the file in which the job tells of itself.
	Ledger string
	// Jars is the address of a server that has the directory jars of Volume: jars of Flink's examples below its version.
	Jars string
	// Java are options for a JVM; COMPONENT in it stands for jobmanager or taskmanager, VERSION for Flink's.
	Java string
}

var (
	retentions = []string{"RETAIN_ON_CANCELLATION", "DELETE_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"}
	strategies = []string{"none", "fixed-delay", "exponential-delay"}
	refreshes  = []string{"", "500", "10000"}
	versions   = []struct{ image, version string }{
		{"flink:1.20", "v1_20"}, {"flink:2.2", "v2_2"}, {"flink:1.20", "v1_19"},
	}
	modes      = []string{"savepoint", "last-state", "stateless"}
	claimModes = []string{"", "CLAIM", "NO_CLAIM", "LEGACY"}
	// switches are options that are given their value, and taken away the next time.
	switches = []struct{ key, value string }{
		{"kubernetes.operator.snapshot.resource.enabled", "false"},
		{"kubernetes.operator.deployment.rollback.enabled", "true"},
		{"kubernetes.operator.job.restart.failed", "true"},
		{"kubernetes.operator.job.upgrade.last-state.job-cancel.enabled", "true"},
		{"kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age", "2 s"},
		{"kubernetes.operator.periodic.savepoint.interval", "5 s"},
		{"kubernetes.operator.job.savepoint-on-deletion", "true"},
		{savepoints, "file://DATA/savepoints"},
	}
)

const (
	broken     = "flink:broken"
	retention  = "execution.checkpointing.externalized-checkpoint-retention"
	savepoints = "execution.checkpointing.savepoint-dir"
)

// NewResource is a small job: a checkpoint each 300 ms, failures that Flink notices in a second or two, and JVMs that
// start fast.
func NewResource(p Place) *Resource {
	r := &Resource{place: p, Spec: map[string]any{
		"serviceAccount": "flink",
		"flinkConfiguration": map[string]any{
			"taskmanager.numberOfTaskSlots":                               "4",
			"taskmanager.memory.managed.size":                             "0m",
			"execution.checkpointing.interval":                            "300 ms",
			"execution.checkpointing.timeout":                             "20 s",
			"execution.checkpointing.dir":                                 "file://" + p.Data + "/checkpoints",
			savepoints:                                                    "file://" + p.Data + "/savepoints",
			"high-availability.storageDir":                                "file://" + p.Data + "/ha",
			"restart-strategy.fixed-delay.attempts":                       "2",
			"restart-strategy.fixed-delay.delay":                          "300 ms",
			"heartbeat.interval":                                          "1000",
			"heartbeat.timeout":                                           "8000",
			"kubernetes.operator.deployment.readiness.timeout":            "60 s",
			"restart-strategy.exponential-delay.initial-backoff":          "300 ms",
			"restart-strategy.exponential-delay.max-backoff":              "2 s",
			"high-availability.kubernetes.leader-election.lease-duration": "6 s",
			"high-availability.kubernetes.leader-election.renew-deadline": "6 s",
			"high-availability.kubernetes.leader-election.retry-period":   "1 s",
			"kubernetes.operator.job.upgrade.last-state-fallback.enabled": "true",
		},
		"jobManager":  map[string]any{"resource": map[string]any{"memory": "832m", "cpu": 0.1}},
		"taskManager": map[string]any{"resource": map[string]any{"memory": "832m", "cpu": 0.1}},
		"podTemplate": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{
				"name":         "flink-main-container",
				"volumeMounts": []any{map[string]any{"name": "data", "mountPath": p.Volume}},
			}},
			"volumes": []any{map[string]any{
				"name": "data", "hostPath": map[string]any{"path": p.Volume, "type": "Directory"},
			}},
		}},
		"job": map[string]any{
			"jarURI":      "local:///opt/flink/examples/streaming/StateMachineExample.jar",
			"parallelism": int64(2), "upgradeMode": "savepoint",
			"args": []any{"--rps", "200", "--checkpoints", "300", "--ledger", p.Ledger},
		},
	}}
	r.version(0)
	return r
}

// version sets one of versions.
func (r *Resource) version(n int) {
	v := versions[n%len(versions)]
	r.setVersion(v.image, v.version)
}

// setVersion sets an image, its version, and what differs from one Flink to another.
func (r *Resource) setVersion(image, version string) {
	r.Spec["image"], r.Spec["flinkVersion"] = image, version
	if (r.Spec["mode"] == "standalone" || r.Paired) && r.Spec["job"] != nil {
		// What is in the image of this machine's node has another path in each container, and the job graph names it.
		r.job()["jarURI"] = "local://" + r.place.Volume + "/jars" + r.jar()
	}
	for _, component := range []string{"jobmanager", "taskmanager"} {
		words := strings.NewReplacer("COMPONENT", component, "VERSION", strings.TrimPrefix(image, "flink:"))
		r.configuration()["env.java.opts."+component] = words.Replace(r.place.Java)
	}
}

func (r *Resource) job() map[string]any { return r.Spec["job"].(map[string]any) }
func (r *Resource) configuration() map[string]any {
	return r.Spec["flinkConfiguration"].(map[string]any)
}

// Stateless says that the spec gives the job's state up.
func (r *Resource) Stateless() bool { return r.job()["upgradeMode"] == "stateless" }

// Suspended says that the spec wants no job to run.
func (r *Resource) Suspended() bool { return r.job()["state"] == "suspended" }

// Edits are the verbs that change the spec.
var Edits = map[string]func(r *Resource, n int){
	"apply":           func(*Resource, int) {}, // what the commands before it have made of the spec
	"parallelism":     func(r *Resource, n int) { r.job()["parallelism"] = int64(1 + n%4) },
	"suspend":         func(r *Resource, _ int) { r.job()["state"] = "suspended" },
	"resume":          func(r *Resource, _ int) { r.job()["state"] = "running" },
	"restart":         func(r *Resource, n int) { r.Spec["restartNonce"] = int64(n) },
	"break-image":     func(r *Resource, _ int) { r.Spec["image"] = broken },
	"fix-image":       func(r *Resource, _ int) { r.fixImage() },
	"savepoint-nonce": func(r *Resource, n int) { r.job()["savepointTriggerNonce"] = int64(1 + n) },
	"upgrade-mode":    func(r *Resource, n int) { r.job()["upgradeMode"] = modes[n%len(modes)] },
	"retention":       func(r *Resource, n int) { r.configuration()[retention] = retentions[n%len(retentions)] },
	"restart-strategy": func(r *Resource, n int) {
		r.configuration()["restart-strategy.type"] = strategies[n%len(strategies)]
	},
	"version": func(r *Resource, n int) { r.version(n) },
	// Any minor version: 120 is 1.20, 202 is 2.2.
	"release": func(r *Resource, n int) { r.release(n) },
	"adaptive": func(r *Resource, n int) {
		delete(r.configuration(), "jobmanager.scheduler")
		if n%2 == 1 {
			r.configuration()["jobmanager.scheduler"] = "adaptive"
		}
	},
	"retention-in-code": func(r *Resource, n int) {
		args := r.job()["args"].([]any)[:6:6]
		if n%4 < len(retentions) {
			args = append(args, "--retention", retentions[n%4])
		}
		r.job()["args"] = args
	},
	"high-availability": func(r *Resource, n int) {
		if n%3 == 2 {
			delete(r.configuration(), "high-availability.type")
			return
		}
		r.configuration()["high-availability.type"] = "kubernetes"
	},
	// How long Flink's answers may be old; a third of the values is its default.
	"statistics": func(r *Resource, n int) {
		delete(r.configuration(), "web.refresh-interval")
		if ms := refreshes[n%len(refreshes)]; ms != "" {
			r.configuration()["web.refresh-interval"] = ms
		}
	},
	"switch": func(r *Resource, n int) {
		s, c := switches[n%len(switches)], r.configuration()
		if c[s.key] != nil {
			delete(c, s.key)
			return
		}
		c[s.key] = strings.ReplaceAll(s.value, "DATA", r.place.Data)
	},
	// Standalone, once and before the first start: the mode of a resource cannot change.
	"standalone": func(r *Resource, _ int) { r.Spec["mode"] = "standalone" },
	// A session cluster and a session job, once and before the first start.
	"hosted": func(r *Resource, _ int) { r.Hosted = true },
	// A blue/green deployment with handover, once and before the first start.
	"paired": func(r *Resource, _ int) {
		r.Paired = true
		r.job()["entryClass"] = "org.apache.flink.streaming.examples.statemachine.StateMachineExample"
	},
	// How many TaskManagers; only a standalone cluster is asked for a number.
	"task-managers": func(r *Resource, n int) {
		if r.Spec["mode"] == "standalone" {
			r.Spec["taskManager"].(map[string]any)["replicas"] = int64(1 + n%2)
		}
	},
	// In reactive mode a job uses all TaskManagers that there are; only a standalone cluster has it.
	"reactive": func(r *Resource, n int) {
		delete(r.configuration(), "scheduler-mode")
		if n%2 == 1 && r.Spec["mode"] == "standalone" {
			r.configuration()["scheduler-mode"] = "reactive"
		}
	},
	// What Flink does with the state that it starts from, by the option's name of Flink 1.19, which all know.
	"claim-mode": func(r *Resource, n int) {
		delete(r.configuration(), "execution.savepoint-restore-mode")
		if mode := claimModes[n%len(claimModes)]; mode != "" {
			r.configuration()["execution.savepoint-restore-mode"] = mode
		}
	},
	// The state that a person chose has been set as its path.
	"redeploy": func(r *Resource, _ int) {
		r.Redeploys++
		r.job()["savepointRedeployNonce"] = int64(r.Redeploys)
	},
}

func (r *Resource) fixImage() { r.Spec["image"] = r.image() }

// Choose makes a path the state that the next redeployment begins with.
func (r *Resource) Choose(path string) { r.job()["initialSavepointPath"] = path }

// Settle takes back what would keep a job from coming to rest, and options that the API server refuses together.
func (r *Resource) Settle() {
	r.fixImage()
	r.job()["state"] = "running"
	delete(r.configuration(), "kubernetes.operator.periodic.savepoint.interval")
}

// Legal makes a valid spec of it: what needs something that is switched off is switched off, too.
func (r *Resource) Legal() {
	c := r.configuration()
	if r.Paired { // a handover has nothing to move without state, and needs high availability
		c["high-availability.type"] = "kubernetes"
		if r.Stateless() {
			r.job()["upgradeMode"] = "last-state"
		}
	}
	if c["high-availability.type"] == nil {
		delete(c, "kubernetes.operator.deployment.rollback.enabled")
	}
	if c[savepoints] != nil {
		return
	}
	delete(r.job(), "savepointTriggerNonce")
	delete(c, "kubernetes.operator.periodic.savepoint.interval")
	delete(c, "kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age")
	if r.job()["upgradeMode"] == "savepoint" {
		r.job()["upgradeMode"] = "last-state"
	}
}
