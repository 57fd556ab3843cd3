package deployment_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// moves makes rounds as run does, and reports whether one of them wakes somebody.
func moves(w *enginetest.Deployment, wakes func(cluster.Snapshot, plan.Plan) bool) bool {
	moved := false
	for range 10 {
		w.Look()
		seen := w.Snapshot
		resource := *seen.Resource.DeepCopy()
		seen.Resource = &resource
		p := w.Round()
		moved = moved || wakes(seen, p)
		if p.Requeue != plan.RequeueNow {
			break
		}
	}
	return moved
}

// wakeRow is something that happens, and whether somebody is woken by it.
type wakeRow struct {
	begin  func(t *testing.T) *enginetest.Deployment
	act    func(w *enginetest.Deployment)
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
			if got := moves(w, decides); got != row.want {
				t.Errorf("wakes %t, %s: %q", got, row.reason, w.Log)
			}
		})
	}
}

func TestAJobThatMovesWakesItsSnapshots(t *testing.T) {
	running := func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Application) }
	rows := map[string]wakeRow{
		"nothing happens": {running, func(*enginetest.Deployment) {}, false, "a quiet world is quiet"},
		"its figures move": {
			running, func(w *enginetest.Deployment) {
				w.Snapshot.Flink.Facts = plan.Present(world.ClusterFacts{TaskManagers: 7})
			}, false,
			"no snapshot waits for those",
		},
		"it fails": {
			running,
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobFailed) },
			true,
			"stopped",
		},
		"it restarts": {
			running,
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobRestarting) },
			true,
			"stopped",
		},
		"its JobManager goes": {
			running,
			func(w *enginetest.Deployment) { w.Terminate(); w.Snapshot.Flink = world.Flink{} },
			true,
			"replaced",
		},
		"its spec changes": {
			running,
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) },
			true,
			"stopped",
		},
		"its start is prepared": {func(t *testing.T) *enginetest.Deployment {
			w := running(t)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.Terminate() }, true, "replaced"},
		"it runs again": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobRunning) }, true, "RUNNING again"},
		"it is marked for deletion": {running, func(w *enginetest.Deployment) { w.Delete() }, true, "being stopped"},
		"it is gone": {func(t *testing.T) *enginetest.Deployment {
			w := running(t)
			w.Delete()
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.Terminate(); w.Snapshot.Flink = world.Flink{} }, true, "deleted"},
		"a session cluster comes up": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.Session)
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.ServeJob(""); w.Snapshot.Flink.Jobs = plan.Present([]world.Job{}) }, false,
			"it has no job of its own"},
	}
	wakes(t, rows, func(s cluster.Snapshot, p plan.Plan) bool { return deployment.Open(s).MovesJob(p) })
}

// A session job waits for its cluster, and runs nothing there that a change of the cluster would take away: it is told
// of each change, and of nothing else.
func TestAClusterThatMovesWakesItsJobs(t *testing.T) {
	running := func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Session) }
	stopping := func(t *testing.T) *enginetest.Deployment {
		w := running(t)
		w.Edit(enginetest.UpgradeImage)
		w.Run()
		return w
	}
	rows := map[string]wakeRow{
		"nothing happens": {running, func(*enginetest.Deployment) {}, false, "a quiet world is quiet"},
		"its figures move": {
			running, func(w *enginetest.Deployment) {
				w.Snapshot.Flink.Facts = plan.Present(world.ClusterFacts{TaskManagers: 7})
			}, false,
			"no job waits for those",
		},
		"its edit is invalid": {
			running, func(w *enginetest.Deployment) {
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"random": "x"} })
			}, false, "it goes on as it is",
		},
		"it comes up": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.Session)
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.Serve(1, plan.Present([]world.Job{})) }, true, "jobs wait for it"},
		"it is edited": {
			running,
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) },
			true,
			"it takes no job from now on",
		},
		"its start is prepared": {
			stopping, func(w *enginetest.Deployment) { w.Terminate() }, true,
			"there is another JobManager, which has none of their jobs",
		},
		"its change is there": {func(t *testing.T) *enginetest.Deployment {
			w := stopping(t)
			w.Terminate()
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.Serve(1, plan.Present([]world.Job{})) }, true, "it takes jobs again"},
		"it does not answer": {
			running, func(w *enginetest.Deployment) { w.Serve(1, plan.Unknown[[]world.Job]("connection refused")) }, true,
			"nobody looks at jobs there",
		},
		"its JobManager goes": {
			running, func(w *enginetest.Deployment) { w.Terminate(); w.Snapshot.Flink = world.Flink{} }, true,
			"its jobs go with it",
		},
		"it is marked for deletion": {
			running,
			func(w *enginetest.Deployment) { w.Delete() },
			true,
			"it takes no job from now on",
		},
		"it is gone": {func(t *testing.T) *enginetest.Deployment {
			w := running(t)
			w.Delete()
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.Terminate(); w.Snapshot.Flink = world.Flink{} }, true,
			"the deletions of its jobs end"},
		"an application is edited": {
			func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Application) },
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) }, false,
			"it has no session jobs",
		},
	}
	wakes(t, rows, func(s cluster.Snapshot, p plan.Plan) bool { return deployment.Open(s).MovesCluster(p) })
}

func TestWhoIsWoken(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	of := func(name, job string, state v1beta1.SnapshotState, deleting bool) v1beta1.FlinkStateSnapshot {
		s := v1beta1.FlinkStateSnapshot{}
		s.Namespace, s.Name, s.Status.State = "default", name, state
		s.Spec.JobReference = &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: job}
		if deleting {
			s.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		return s
	}
	w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{
		of("z-taking", "demo", v1beta1.SnapshotInProgress, false), of("done", "demo", v1beta1.SnapshotCompleted, false),
		of("going", "demo", v1beta1.SnapshotCompleted, true), of("new", "demo", "", false),
		of("others", "another", v1beta1.SnapshotInProgress, false),
	})
	var names []string
	for _, d := range deployment.Open(w.Snapshot).Dependants(w.Snapshot.Snapshots) {
		names = append(names, d.Kind+"/"+d.Name)
	}
	if got := strings.Join(names, " "); got != "FlinkStateSnapshot/going FlinkStateSnapshot/new "+
		"FlinkStateSnapshot/z-taking" {
		t.Errorf("woken: %s", got)
	}
	w.Snapshot.Snapshots = plan.Unknown[[]v1beta1.FlinkStateSnapshot]("time-out")
	if got := deployment.Open(w.Snapshot).Dependants(w.Snapshot.Snapshots); len(got) != 0 {
		t.Errorf("nobody is known: %v", got)
	}
}
