package scenario

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/preview"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// foresight compares, for each edit, what a preview says with what the next pass does: row C3 of the plugin.
type foresight struct {
	h      *harness
	gather *gather.Gatherer
	// edits are how many were compared, verdicts how many had which.
	edits    int
	verdicts map[preview.Verdict]int
	// wrong are those that differed.
	wrong []string
	// shown, unless nil, takes each view.
	shown func(preview.View)
	// stored is called with each status that is stored.
	stored func(*v1beta1.FlinkDeployment)
}

// foresees has each edit of a harness compared.
func foresees(h *harness) *foresight {
	f := &foresight{h: h, verdicts: map[preview.Verdict]int{}, gather: &gather.Gatherer{
		Kube: h.kube("planner"), Flink: h.connect("planner"), ZooKeeper: h.w.ZooKeeper("planner"),
		Operator: h.installed.Operator, LogFiles: h.installed.LogFiles, Now: h.w.Clock.Now,
	}}
	h.foresight = f
	before := h.watch.stored
	h.watch.stored = func(d *v1beta1.FlinkDeployment) {
		if before != nil {
			before(d)
		}
		if f.stored != nil {
			f.stored(d)
		}
	}
	return f
}

// edited is a resource as the API server would answer a dry run of an edit.
func edited(u *unstructured.Unstructured, changes []change) *unstructured.Unstructured {
	next := u.DeepCopy()
	spec := next.Object["spec"].(map[string]any)
	for _, c := range changes {
		c(spec)
	}
	kind, _ := kinds.Of(next.GetKind())
	if finalizer := kind.Finalizer(); next.GetDeletionTimestamp() == nil && len(next.GetFinalizers()) == 0 {
		next.SetFinalizers([]string{finalizer})
	}
	next.SetGeneration(next.GetGeneration() + 1)
	return next
}

// view is what a preview says of a resource as it was edited.
func (f *foresight) view(u *unstructured.Unstructured) (preview.View, error) {
	ctx := f.h.t.Context()
	if u.GetKind() == v1beta1.KindFlinkSessionJob {
		i, err := f.gather.SessionJob(ctx, u)
		if err != nil {
			return preview.View{}, err
		}
		return preview.SessionJob(preview.Asked{}, i), nil
	}
	i, err := f.gather.Deployment(ctx, gather.Read{Resource: u})
	if err != nil {
		return preview.View{}, err
	}
	return preview.Deployment(preview.Asked{}, i), nil
}

// edit carries an edit out, lets the next pass run, and compares.
func (f *foresight) edit(gvr schema.GroupVersionResource, name string, changes []change, store func()) {
	u := f.h.w.Kube.Peek(gvr, namespace, name)
	if u == nil || gvr == kubesim.FlinkBlueGreenDeployments || gvr == kubesim.FlinkStateSnapshots {
		store()
		return
	}
	f.h.flush() // what was done before is no part of it
	before := f.h.w.Kube.Peek(gvr, namespace, name)
	if before == nil {
		return
	}
	was, err := f.h.decode(before)
	if err != nil {
		return
	}
	v, failed := f.view(edited(before, changes))
	var next *v1beta1.FlinkDeployment
	f.stored = func(d *v1beta1.FlinkDeployment) {
		if d.UID == before.GetUID() && next == nil && d.Status.ObservedGeneration > was.Status.ObservedGeneration {
			next = d.DeepCopy()
		}
	}
	store()
	if now := f.h.w.Kube.Peek(gvr, namespace, name); now == nil || now.GetGeneration() == before.GetGeneration() {
		f.stored = nil
		return // it changes nothing
	}
	f.h.flush()
	f.stored = nil
	f.edits++
	f.verdicts[v.Verdict]++
	if f.shown != nil {
		f.shown(v)
	}
	if why := differs(v, failed, was.Status, next); why != "" {
		f.wrong = append(f.wrong, fmt.Sprintf("%s: %s\n%s", name, why, v.Text()))
	}
}

// differs says how a preview differs from the first status that was stored after the edit; empty when it does not.
func differs(
	v preview.View, failed error, was v1beta1.FlinkDeploymentStatus, next *v1beta1.FlinkDeployment,
) string {
	switch {
	case failed != nil:
		return "no preview: " + failed.Error()
	case next == nil && v.Operation == nil:
		return ""
	case next == nil:
		return "an operation was foreseen, and no status was stored"
	}
	s := next.Status
	begun := s.Intent
	if begun != nil && was.Intent != nil && begun.OperationID == was.Intent.OperationID {
		begun = nil
	}
	switch o := v.Operation; {
	case o == nil && begun == nil:
		if string(s.Situation) != v.Situation {
			return fmt.Sprintf("situation %s was foreseen, and it was %s", v.Situation, s.Situation)
		}
		return ""
	case o == nil:
		return fmt.Sprintf(
			"no operation was foreseen, and %s began: stop %s, from %+v", begun.Purpose, begun.Stop, begun.From,
		)
	case begun == nil && s.Refused != nil && strings.Contains(strings.Join(v.DependsOn, " "), "Kubernetes"):
		return "" // which the preview says
	case begun == nil:
		return fmt.Sprintf("%s was foreseen, and nothing began: %s", o.Purpose, s.Situation)
	default:
		stop := begun.Stop
		if begun.Step == v1beta1.StepStopping && stop == "" {
			stop = v1beta1.StopStateless
		}
		got := fmt.Sprint(begun.Purpose, " stop ", stop, " restore ", begun.Restore, " from ", pointOf(begun.From))
		want := fmt.Sprint(o.Purpose, " stop ", o.Stop, " restore ", o.Restore, " from ", pointOf(o.From))
		if begun.Step != v1beta1.StepStopping {
			got = fmt.Sprint(begun.Purpose, " stop  restore ", begun.Restore, " from ", pointOf(begun.From))
		}
		if got != want {
			return fmt.Sprintf("%s was foreseen, and it was %s", want, got)
		}
		return ""
	}
}

func pointOf(p *v1beta1.StartPoint) string {
	if p == nil {
		return "what the stop leaves"
	}
	return fmt.Sprint(p.Kind, " ", p.Path, " ", p.Reason)
}

// drawnEdits are the edits that are drawn.
var drawnEdits = []func(n int) []change{
	func(n int) []change { return []change{parallelism(int64(1 + n%5))} },
	func(n int) []change { return []change{jobState([]string{"suspended", "running"}[n%2])} },
	func(n int) []change { return []change{field("restartNonce", int64(n))} },
	func(n int) []change {
		return []change{upgradeMode([]string{"stateless", "savepoint", "last-state"}[n%3])}
	},
	func(n int) []change { return []change{field("flinkVersion", []string{"v1_20", "v2_0"}[n%2])} },
	func(n int) []change { return []change{parallelism(0)} },
	func(n int) []change {
		return []change{option("execution.checkpointing.interval", fmt.Sprintf("%d s", 10+n))}
	},
	func(n int) []change {
		return []change{option("kubernetes.operator.reconcile.interval", fmt.Sprintf("%d s", 10+n))}
	},
	func(n int) []change { return []change{jobField("allowNonRestoredState", n%2 == 0)} },
	func(n int) []change { return []change{jobField("savepointTriggerNonce", int64(n))} },
	func(n int) []change {
		return []change{jobField("initialSavepointPath", "s3://s/chosen"), jobField("savepointRedeployNonce", int64(n))}
	},
	func(n int) []change { return []change{jobField("savepointRedeployNonce", int64(n))} },
	func(n int) []change {
		return []change{upgradeMode("savepoint"), func(spec map[string]any) {
			delete(spec["flinkConfiguration"].(map[string]any), "execution.checkpointing.savepoint-dir")
		}}
	},
	func(n int) []change { return []change{[]change{highlyAvailable, withoutHighAvailability}[n%2]} },
	func(n int) []change {
		return []change{
			highlyAvailable, option("kubernetes.operator.deployment.rollback.enabled", fmt.Sprint(n%2 == 0)),
		}
	},
	func(n int) []change {
		return []change{option("kubernetes.operator.job.upgrade.last-state-fallback.enabled", fmt.Sprint(n%2 == 0))}
	},
	func(n int) []change {
		return []change{option("kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age", "20 s")}
	},
	func(n int) []change { return []change{jobField("args", []any{"--n", fmt.Sprint(n)})} },
	func(n int) []change { return []change{parallelism(int64(2 + n%3)), jobState("suspended")} },
}

// valid repairs what an earlier edit has made invalid.
func valid(spec map[string]any) {
	if job, is := spec["job"].(map[string]any); is && job["parallelism"] == int64(0) {
		job["parallelism"] = int64(2)
	}
	configuration := spec["flinkConfiguration"].(map[string]any)
	configuration["execution.checkpointing.savepoint-dir"] = "s3://s"
	configuration["execution.checkpointing.dir"] = "s3://c"
	if configuration["high-availability.type"] == nil {
		delete(configuration, "kubernetes.operator.deployment.rollback.enabled")
	}
}

// between is what happens to the world between two edits.
var between = []string{
	"wait", "wait", "wait", "wait-more", "wait-more", "wait-long", "wait-long", "crash-jobmanager", "fail-job",
	"finish-job", "fail-as-it-ends", "fail-over", "lose-deployment", "savepoints-fail", "savepoints-slow",
	"savepoints-right", "pods-end-slowly", "node-down", "node-up", "break-image", "fix-image", "retention",
	"savepoint-nonce", "snapshot", "suspend", "resume", "delete", "apply", "apply",
}

// perWorld is how many edits a world sees.
const perWorld = 24

// foresee lets edits be made in one drawn world, of a job with a cluster, or of a session job.
func foresee(t testing.TB, seed, n uint64) (f *foresight, failure string) {
	draw := rand.New(rand.NewPCG(seed, n))
	failure = tried(t, func(one *trial) {
		world, events := deploymentWorld, between
		if n%3 == 0 {
			world, events = sessionWorld, betweenHosted
		}
		edit, do := world(one, draw, &f)
		do("apply")
		for range perWorld {
			do(events[draw.IntN(len(events))])
			for range 1 + draw.IntN(3) {
				if c := drawnEdits[draw.IntN(len(drawnEdits))](draw.IntN(13)); !edit(append([]change{valid}, c...)) {
					do("apply")
					do("wait-long")
				}
			}
		}
	})
	return f, failure
}

// deploymentWorld is one with a FlinkDeployment.
func deploymentWorld(
	one *trial, draw *rand.Rand, f **foresight,
) (edit func([]change) bool, do func(verb string)) {
	r := newRun(one)
	r.watch.stored = nil // what is right of a run is the business of random runs
	*f = foresees(r.harness)
	return func(c []change) bool {
			if !r.there() {
				return false
			}
			r.editOf(kubesim.FlinkDeployments, demo, c...)
			return true
		}, func(verb string) {
			verbs[verb](r, draw.IntN(13))
			r.flush()
		}
}

// betweenHosted is what happens to the world of a session job between two edits.
var betweenHosted = []string{
	"wait", "wait", "wait", "wait-more", "wait-more", "wait-long", "wait-long", "crash-jobmanager", "fail-job",
	"lose-deployment", "node-down", "node-up", "savepoint-nonce", "snapshot", "suspend", "resume", "apply",
	"delete-cluster", "make-cluster", "make-cluster", "cluster-slots",
}

// sessionWorld is one with a FlinkSessionJob.
func sessionWorld(
	one *trial, draw *rand.Rand, f **foresight,
) (edit func([]change) bool, do func(verb string)) {
	r := newSessionRun(one)
	r.watch.stored = nil
	*f = foresees(r.harness)
	clusters := func(spec map[string]any) { delete(spec, "flinkVersion") } // which a session job has not
	return func(c []change) bool {
			if !r.there(etl) {
				return false
			}
			r.editOf(kubesim.FlinkSessionJobs, etl, append(c, clusters)...)
			return true
		}, func(verb string) {
			sessionVerbs[verb](r, draw.IntN(13))
			r.flush()
		}
}

// TestC3ThePreviewIsWhatThePassDoes makes KNFLINK_PLAN_EDITS drawn edits, 1,000 if unset, in worlds that are drawn from
// KNFLINK_SCENARIO_SEED. What the preview of each says is what the next pass begins, or the preview says what it
// depends on.
func TestC3ThePreviewIsWhatThePassDoes(t *testing.T) {
	wanted, seed := int64(setting("KNFLINK_PLAN_EDITS", 1000)), uint64(setting("KNFLINK_SCENARIO_SEED", 1))
	var edits, world atomic.Int64
	var mu sync.Mutex
	verdicts, others := map[preview.Verdict]int{}, 0
	t.Cleanup(func() { t.Logf("%d edits, %v; %d worlds ended early", edits.Load(), verdicts, others) })
	for worker := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprintf("worker %d", worker+1), func(t *testing.T) {
			t.Parallel()
			for edits.Load() < wanted && !t.Failed() {
				n := uint64(world.Add(1))
				f, failure := foresee(t, seed, n)
				edits.Add(int64(f.edits))
				mu.Lock()
				for v, n := range f.verdicts {
					verdicts[v] += n
				}
				if failure != "" {
					others++
				}
				mu.Unlock()
				for _, w := range f.wrong {
					t.Errorf("world %d of seed %d: %s", n, seed, w)
				}
				if strings.Contains(failure, "panic") {
					t.Errorf("world %d of seed %d: %s", n, seed, failure)
				}
			}
		})
	}
}
