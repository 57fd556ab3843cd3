package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// rareVerbs are all rare commands.
var rareVerbs = map[string]func(r *run, n int){
	"wait-hour":      func(r *run, _ int) { letPass(r.w, time.Hour, r.steps) },
	"setting":        (*run).setting,
	"status-restore": (*run).restoreStatus,
	"fixed-id": func(r *run, n int) {
		r.turn("$internal.pipeline.job-id", pick(n, "0123456789abcdef0123456789abcdef", ""))
	},
	"claim-mode": func(r *run, n int) {
		r.turn("execution.state-recovery.claim-mode", pick(n, job.Legacy, job.Claimed, job.NoClaim, ""))
	},
	"few-checkpoints": (*run).fewCheckpoints,
	"health":          (*run).health,
	"interval-in-code": func(r *run, n int) {
		r.rescript(func(s *job.Script) { s.Interval = pick(n, 6*time.Hour, time.Second, 0) })
	},
	"batch":          func(r *run, n int) { r.turn("execution.runtime-mode", pick(n, "BATCH", "")) },
	"skew-wide":      (*run).skewWide,
	"refused":        func(r *run, n int) { r.policies.forGood(n) },
	"hang":           (*run).hang,
	"label":          (*run).label,
	"unwatched":      func(r *run, n int) { r.unwatched(n) },
	"unfinalized":    (*run).unfinalized,
	"storage-remove": (*run).storageRemove,
	"odd-snapshot":   (*run).oddSnapshot,
	"lose-retired":   (*run).loseRetired,
}

// rarities say how they are drawn.
var rarities = map[string]rarity{
	"wait-hour":        {},
	"setting":          {before: true, then: []string{"restart", "parallelism", "suspend", "setting"}},
	"status-restore":   {then: []string{"wait-more", "parallelism", "crash", "suspend"}},
	"fixed-id":         {before: true},
	"claim-mode":       {before: true, then: []string{"redeploy", "parallelism"}},
	"few-checkpoints":  {before: true, then: []string{"wait-hour", "wait-long", "savepoint-nonce"}},
	"health":           {before: true, then: []string{"wait-hour", "fail-over", "wait-long"}},
	"batch":            {before: true},
	"interval-in-code": {before: true, then: []string{"health", "wait-hour"}},
	"skew-wide":        {before: true, then: []string{"kubelet-dead", "node-down", "parallelism"}},
	"refused":          {then: []string{"parallelism", "wait-hour", "snapshot", "savepoint-nonce"}},
	"hang":             {then: []string{"wait-hour", "parallelism"}},
	"label":            {then: []string{"parallelism", "fail-job", "delete"}},
	"unwatched":        {then: []string{"parallelism", "lose-deployment", "delete"}},
	"unfinalized":      {then: []string{"delete", "parallelism"}},
	"storage-remove":   {then: []string{"fail-over", "resume", "crash-jobmanager", "parallelism"}},
	"odd-snapshot":     {then: []string{"drop-snapshot", "parallelism"}},
	"lose-retired":     {then: []string{"parallelism", "restart", "suspend"}},
}

// settingsOf are what the installation says besides what a resource says, each switched on and off again. The order is
// that by which scripts number them.
var settingsOf = []flinkconf.Config{
	{"high-availability.type": "kubernetes", "high-availability.storageDir": "s3://ha"},
	{"rest.port": "8082"},
	{"execution.checkpointing.savepoint-dir": "s3://elsewhere"},
	{"kubernetes.operator.snapshot.resource.enabled": "false"},
	{key.NamespaceDefaultPrefix + namespace + ".high-availability.type": "kubernetes",
		key.NamespaceDefaultPrefix + namespace + ".high-availability.storageDir": "s3://ha"},
	{key.VersionDefaultPrefix + "v1_20.rest.port": "8083"},
	{"jobmanager.scheduler": "adaptive"},
	{"execution.state-recovery.claim-mode": job.Legacy},
	{key.NamespaceDefaultPrefix + namespace + ".execution.checkpointing.dir": "s3://other-checkpoints"},
	{"kubernetes.operator.savepoint.history.max.count": "1"},
}

// setting changes what the installation says: the functions start afresh with it.
func (r *run) setting(n int) { r.install(settingsOf[n%len(settingsOf)]) }

// install takes settings into those of the installation, or out of them.
func (h *harness) install(changed flinkconf.Config) {
	now := h.installed.Operator.Base()
	for name, value := range changed {
		if now[name] != "" {
			delete(now, name)
		} else {
			now[name] = value
		}
	}
	h.installed.Operator = flinkconf.NewOperator(now)
	h.restart()
}

// earlierStatus is what a resource had stored.
type earlierStatus struct {
	uid    types.UID
	status map[string]any
}

// keepsStatus keeps what is stored now, for restoreStatus.
func (r *run) keepsStatus() {
	u := r.resource(demo)
	if u == nil {
		return
	}
	if status, is := u.Object["status"].(map[string]any); is {
		r.statuses = append(r.statuses, earlierStatus{u.GetUID(), runtime.DeepCopyJSON(status)})
	}
}

// restoreStatus stores the status of some commands ago again, as a backup does; also of an earlier resource.
func (r *run) restoreStatus(n int) {
	u := r.resource(demo)
	if u == nil || u.GetDeletionTimestamp() != nil {
		return
	}
	own := slices.DeleteFunc(slices.Clone(r.statuses), func(s earlierStatus) bool {
		return (s.uid == u.GetUID()) == (n%5 == 4)
	})
	if len(own) == 0 {
		return
	}
	old := own[max(0, len(own)-2-n)]
	r.excuse("somebody stored an old status")
	r.watch.restores(u.GetUID())
	status := runtime.DeepCopyJSON(old.status)
	if _, err := r.w.Kube.UpdateStatus(kubesim.FlinkDeployments, namespace, demo, status); err != nil {
		r.t.Error(err)
	}
	r.states.restored(r.status(demo))
	r.watch.skip(r.resource(demo))
}

// fewCheckpoints is a job that lives by its savepoints: it makes hardly a checkpoint, and its history is short.
func (r *run) fewCheckpoints(n int) {
	interval := "6 h"
	if !strings.HasPrefix(r.mode, "last-state") {
		interval = pick(n, "6 h", "")
	}
	r.turn("execution.checkpointing.interval", interval)
	r.turn("kubernetes.operator.savepoint.history.max.count", "1")
	r.turn("kubernetes.operator.periodic.savepoint.interval", pick(n/2, "2 min", ""))
	r.turn("kubernetes.operator.savepoint.dispose-on-delete", pick(n/3, "true", ""))
	r.turn("kubernetes.operator.snapshot.resource.enabled", pick(n/4, "false", ""))
}

func (r *run) health(n int) {
	r.turn("kubernetes.operator.cluster.health-check.enabled", pick(n, "true", "true", "true", ""))
	r.turn("kubernetes.operator.cluster.health-check.checkpoint-progress.enabled", pick(n/2, "", "true"))
	r.turn("kubernetes.operator.cluster.health-check.restarts.threshold", pick(n/4, "", "1"))
}

// skewWide sets a clock far off: that of all machines of Flink before the first process starts, or that of one node
// without a JobManager.
func (r *run) skewWide(n int) {
	ahead := pick(n, -80*time.Second, 80*time.Second, -10*time.Minute, 10*time.Minute, 0)
	switch none := r.w.Flink.JobManagers(namespace, demo) == 0; {
	case none && n%2 == 0:
		r.w.Flink.Skew(ahead)
	case none:
		r.w.Flink.SkewNode("node-1", ahead)
	default:
		r.w.Flink.SkewNode("node-2", ahead)
	}
}

// hang has the JobManager answer nobody, until somebody deletes its pod.
func (r *run) hang(int) { r.w.Flink.Hang(namespace, demo) }

// endsHang does what status asks of a person whose JobManager answers nobody, once it does.
func (r *run) endsHang() {
	if !r.w.Flink.Hangs(flinksim.Host(namespace, demo)) || !strings.HasPrefix(r.condition(demo, "Stalled"), "True") {
		return
	}
	r.losesEnd()
	if !r.highlyAvailable() {
		r.excuse("its JobManager hung and was deleted")
		r.states.crash()
	}
	for _, pod := range r.w.Kube.List(kubesim.Pods, namespace, map[string]string{
		"app": demo, "component": "jobmanager",
	}) {
		if err := r.w.Kube.Delete(kubesim.Pods, namespace, pod.GetName(), kubesim.DeleteOptions{}); err != nil {
			r.t.Error(err)
		}
	}
}

// forGood has a kind of object refused until the end.
func (p *policies) forGood(n int) {
	const ever = 1000 * time.Hour
	kind := pick(n, kubesim.FlinkStateSnapshots, kubesim.Events, kubesim.FlinkStateSnapshots, kubesim.ConfigMaps,
		kubesim.Deployments)
	p.refusals()
	p.all = append(p.all, policy{
		until:     p.h.w.Clock.Now().Add(ever),
		forOthers: kind == kubesim.FlinkStateSnapshots || kind == kubesim.Events,
		refuses: func(w kubesim.Write) error {
			if w.Verb != "create" || w.Resource != kind {
				return nil
			}
			return kubesim.OverQuota(w)
		},
	})
}

// label puts a label on the resource that means something to the functions, or takes it off.
func (r *run) label(n int) {
	if !r.there() {
		return
	}
	if _, err := r.w.Kube.Update(kubesim.FlinkDeployments, namespace, demo, func(u *unstructured.Unstructured) {
		labels := u.GetLabels()
		if n%3 == 2 {
			delete(labels, v1beta1.LabelCanary)
		} else {
			labels = map[string]string{v1beta1.LabelCanary: "true"}
		}
		u.SetLabels(labels)
	}); err != nil {
		r.t.Error(err)
	}
}

// unwatched has the functions look at other namespaces alone, or at all of them again.
func (h *harness) unwatched(n int) {
	if h.installed.Namespaces = nil; n%2 == 0 {
		h.installed.Namespaces = []string{"other"}
	}
	h.restart()
}

// unfinalized takes the finalizer away.
func (r *run) unfinalized(int) {
	if r.resource(demo) == nil {
		return
	}
	r.excuse("somebody took its finalizer away")
	r.left, r.unheld = true, true
	if _, err := r.w.Kube.Update(kubesim.FlinkDeployments, namespace, demo, func(u *unstructured.Unstructured) {
		u.SetFinalizers(nil)
	}); err != nil {
		r.t.Error(err)
	}
}

// storageRemove deletes files of the job's: of one of its snapshots, or of what it started from.
func (r *run) storageRemove(n int) {
	all := r.states.made()
	if len(all) == 0 {
		return
	}
	path := all[(len(all)-1)-n%len(all)]
	r.excuse("somebody deleted files of its job")
	r.states.removed[path] = true
	r.w.Storage.Dispose(path)
}

// oddSnapshot makes a FlinkStateSnapshot that refers to nothing, or to what it should not.
func (r *run) oddSnapshot(n int) {
	spec := of(demo, map[string]any{"backoffLimit": int64(1)})
	path := "s3://s/savepoint-nowhere"
	if all := r.states.made(); len(all) > 0 {
		path = all[len(all)-1]
	}
	spec["savepoint"] = map[string]any{"disposeOnDelete": n%2 == 0}
	switch n % 6 {
	case 0, 1:
		spec["savepoint"] = map[string]any{"disposeOnDelete": n%2 == 0, "alreadyExists": true, "path": path}
	case 2:
		delete(spec, "jobReference")
	case 3:
		spec["jobReference"].(map[string]any)["name"] = "nowhere"
	case 4:
		spec["jobReference"] = map[string]any{"kind": v1beta1.KindFlinkDeployment, "name": "nowhere"}
		spec["savepoint"] = map[string]any{"disposeOnDelete": true, "alreadyExists": true, "path": path}
	case 5:
		spec["checkpoint"] = map[string]any{}
	}
	r.taken.made++
	r.taken.takeOdd(fmt.Sprintf("odd-%d", r.taken.made), spec)
}

// loseRetired has the next Deployment of the JobManager that is retired deleted by somebody at that moment, as the
// function dies.
func (r *run) loseRetired(n int) {
	r.excuse("its Deployment was deleted as it was retired")
	r.disturbed()
	r.fault(wire.Fault{
		Match: func(q wire.Request) bool {
			u := r.w.Kube.Peek(kubesim.Deployments, namespace, demo)
			if q.Agent != "reconcile" || q.Resource != "deployments" || q.Verb == "create" || u == nil {
				return false
			}
			replicas, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
			return replicas == 0
		},
		Effective: true, After: true, Nth: 1, Kill: n%3 != 2,
		Do: func() {
			if r.w.Kube.Peek(kubesim.Deployments, namespace, demo) != nil {
				r.loseDeployment(demo)
				r.lost = r.w.Clock.Now()
			}
		},
	})
}
