package deployment

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// moves makes rounds as run does, and reports whether one of them wakes somebody.
func (w *fixture) moves(wakes func(cluster.Snapshot, plan.Plan) bool) bool {
	moved := false
	for range 10 {
		w.look()
		seen := w.s
		resource := *seen.Resource.DeepCopy()
		seen.Resource = &resource
		p := w.round()
		moved = moved || wakes(seen, p)
		if p.Requeue != plan.RequeueNow {
			break
		}
	}
	return moved
}

// wakeRow is something that happens, and whether somebody is woken by it.
type wakeRow struct {
	begin  func(t *testing.T) *fixture
	act    func(w *fixture)
	want   bool
	reason string
}

// wakes holds rows to who decides whether somebody is woken.
func wakes(t *testing.T, rows map[string]wakeRow, decides func(cluster.Snapshot, plan.Plan) bool) {
	t.Helper()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.begin(t)
			row.act(w)
			if got := w.moves(decides); got != row.want {
				t.Errorf("wakes %t, %s: %q", got, row.reason, w.log)
			}
		})
	}
}

func TestAJobThatMovesWakesItsSnapshots(t *testing.T) {
	running := func(t *testing.T) *fixture { return stable(t, application) }
	rows := map[string]wakeRow{
		"nothing happens": {running, func(*fixture) {}, false, "a quiet world is quiet"},
		"its figures move": {
			running, func(w *fixture) { w.s.Flink.Facts = plan.Present(world.ClusterFacts{TaskManagers: 7}) }, false,
			"no snapshot waits for those",
		},
		"it fails":            {running, func(w *fixture) { w.serveJob(v1beta1.FlinkJobFailed) }, true, "stopped"},
		"it restarts":         {running, func(w *fixture) { w.serveJob(v1beta1.FlinkJobRestarting) }, true, "stopped"},
		"its JobManager goes": {running, func(w *fixture) { w.terminate(); w.s.Flink = world.Flink{} }, true, "replaced"},
		"its spec changes":    {running, func(w *fixture) { w.edit(upgradeImage) }, true, "stopped"},
		"its start is prepared": {func(t *testing.T) *fixture {
			w := running(t)
			w.edit(upgradeImage)
			w.run()
			return w
		}, func(w *fixture) { w.terminate() }, true, "replaced"},
		"it runs again": {func(t *testing.T) *fixture {
			w := newWorld(t, application)
			w.run()
			return w
		}, func(w *fixture) { w.serveJob(v1beta1.FlinkJobRunning) }, true, "RUNNING again"},
		"it is marked for deletion": {running, func(w *fixture) { w.delete() }, true, "being stopped"},
		"it is gone": {func(t *testing.T) *fixture {
			w := running(t)
			w.delete()
			w.run()
			return w
		}, func(w *fixture) { w.terminate(); w.s.Flink = world.Flink{} }, true, "deleted"},
		"a session cluster comes up": {func(t *testing.T) *fixture {
			w := newWorld(t, session)
			w.run()
			return w
		}, func(w *fixture) { w.serveJob(""); w.s.Flink.Jobs = plan.Present([]world.Job{}) }, false,
			"it has no job of its own"},
	}
	wakes(t, rows, func(s cluster.Snapshot, p plan.Plan) bool { return Open(s).MovesJob(p) })
}

// A session job waits for its cluster, and runs nothing there that a change of the cluster would take away: it is told
// of each change, and of nothing else.
func TestAClusterThatMovesWakesItsJobs(t *testing.T) {
	running := func(t *testing.T) *fixture { return stable(t, session) }
	stopping := func(t *testing.T) *fixture {
		w := running(t)
		w.edit(upgradeImage)
		w.run()
		return w
	}
	rows := map[string]wakeRow{
		"nothing happens": {running, func(*fixture) {}, false, "a quiet world is quiet"},
		"its figures move": {
			running, func(w *fixture) { w.s.Flink.Facts = plan.Present(world.ClusterFacts{TaskManagers: 7}) }, false,
			"no job waits for those",
		},
		"its edit is invalid": {
			running, func(w *fixture) {
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"random": "x"} })
			}, false, "it goes on as it is",
		},
		"it comes up": {func(t *testing.T) *fixture {
			w := newWorld(t, session)
			w.run()
			return w
		}, func(w *fixture) { w.serve(1, plan.Present([]world.Job{})) }, true, "jobs wait for it"},
		"it is edited": {running, func(w *fixture) { w.edit(upgradeImage) }, true, "it takes no job from now on"},
		"its start is prepared": {
			stopping, func(w *fixture) { w.terminate() }, true, "there is another JobManager, which has none of their jobs",
		},
		"its change is there": {func(t *testing.T) *fixture {
			w := stopping(t)
			w.terminate()
			w.run()
			return w
		}, func(w *fixture) { w.serve(1, plan.Present([]world.Job{})) }, true, "it takes jobs again"},
		"it does not answer": {
			running, func(w *fixture) { w.serve(1, plan.Unknown[[]world.Job]("connection refused")) }, true,
			"nobody looks at jobs there",
		},
		"its JobManager goes": {
			running, func(w *fixture) { w.terminate(); w.s.Flink = world.Flink{} }, true, "its jobs go with it",
		},
		"it is marked for deletion": {running, func(w *fixture) { w.delete() }, true, "it takes no job from now on"},
		"it is gone": {func(t *testing.T) *fixture {
			w := running(t)
			w.delete()
			w.run()
			return w
		}, func(w *fixture) { w.terminate(); w.s.Flink = world.Flink{} }, true, "the deletions of its jobs end"},
		"an application is edited": {
			func(t *testing.T) *fixture { return stable(t, application) }, func(w *fixture) { w.edit(upgradeImage) }, false,
			"it has no session jobs",
		},
	}
	wakes(t, rows, func(s cluster.Snapshot, p plan.Plan) bool { return Open(s).MovesCluster(p) })
}

func TestWhoIsWoken(t *testing.T) {
	w := stable(t, application)
	of := func(name, job string, state v1beta1.SnapshotState, deleting bool) v1beta1.FlinkStateSnapshot {
		s := v1beta1.FlinkStateSnapshot{}
		s.Namespace, s.Name, s.Status.State = "default", name, state
		s.Spec.JobReference = &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: job}
		if deleting {
			s.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		return s
	}
	w.s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{
		of("z-taking", "demo", v1beta1.SnapshotInProgress, false), of("done", "demo", v1beta1.SnapshotCompleted, false),
		of("going", "demo", v1beta1.SnapshotCompleted, true), of("new", "demo", "", false),
		of("others", "another", v1beta1.SnapshotInProgress, false),
	})
	var names []string
	for _, d := range Open(w.s).Dependants(w.s.Snapshots) {
		names = append(names, d.Kind+"/"+d.Name)
	}
	if got := strings.Join(names, " "); got != "FlinkStateSnapshot/going FlinkStateSnapshot/new "+
		"FlinkStateSnapshot/z-taking" {
		t.Errorf("woken: %s", got)
	}
	w.s.Snapshots = plan.Unknown[[]v1beta1.FlinkStateSnapshot]("time-out")
	if got := Open(w.s).Dependants(w.s.Snapshots); len(got) != 0 {
		t.Errorf("nobody is known: %v", got)
	}
}
