package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// savesFirst is a job that runs, and is to take a savepoint before its deletion.
func savesFirst(t *testing.T) *enginetest.SessionJob {
	t.Helper()
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.job.savepoint-on-deletion":"true"}`))
	w.UntilSteady()
	return w
}

// keepsOn lets the job go on as if nobody had stopped it with a savepoint.
func keepsOn(w *enginetest.SessionJob) {
	clear(w.Stops)
	for i := range w.Jobs {
		w.Jobs[i].State = v1beta1.FlinkJobRunning
	}
}

// brings is a session cluster that brings its jobs back.
func brings(w *enginetest.SessionJob) {
	w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster(
		"high-availability.type", "kubernetes", "high-availability.storageDir", "file:///h",
	))
}

// X10 is the end after the timeout, and what it tells
func TestDeletingIsAsDrawn(t *testing.T) {
	const overdue = 6 * time.Minute
	runs := func(t *testing.T) *enginetest.SessionJob {
		w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
		w.UntilSteady()
		return w
	}
	begins := func(t *testing.T) *enginetest.SessionJob {
		return enginetest.NewSessionJob(t, enginetest.HostedStateless)
	}
	silent := func(w *enginetest.SessionJob) { w.Silent = true }
	unlisted := func(w *enginetest.SessionJob) {
		brings(w)
		w.Jobs = nil
	}
	ended := func(t *testing.T) *enginetest.SessionJob {
		w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
		brings(w)
		w.UntilSteady()
		w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
		return w
	}
	// graphs lets the high-availability data hold the job graph of another job and, if it is left, of this one.
	graphs := func(left string) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) {
			ids := []string{strings.Repeat("f", 32)}
			if left != "" {
				ids = append(ids, w.Status().JobStatus.JobID)
			}
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{{Graphs: ids}})
		}
	}
	onlyFlinkLooks := func(w *enginetest.SessionJob) {
		w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster(
			"high-availability.type", "zookeeper", "high-availability.storageDir", "file:///h",
			"high-availability.zookeeper.quorum", "zk:2181", "high-availability.zookeeper.client.acl", "creator",
		))
	}
	saving := func(w *enginetest.SessionJob) {
		w.Run()
		keepsOn(w)
	}
	looked := func(w *enginetest.SessionJob) { w.Run() }
	upgrades := func(t *testing.T) *enginetest.SessionJob {
		w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
		w.UntilSteady()
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		w.Round()
		w.Round()
		return w
	}
	goes := func(w *enginetest.SessionJob) {
		d := enginetest.SessionCluster("kubernetes.operator.session.deletion.block-on-session-jobs", "false")
		d.DeletionTimestamp = &metav1.Time{Time: enginetest.Start}
		w.Snapshot.Cluster = plan.Present(d)
	}
	stays := func(in v1beta1.FlinkJobState) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) {
			w.Run()
			w.Set(w.Status().JobStatus.JobID, in)
		}
	}
	rows := map[string]struct {
		// row is the way through the drawing, see package drawing.
		row    string
		from   func(t *testing.T) *enginetest.SessionJob
		before func(w *enginetest.SessionJob)
		then   func(w *enginetest.SessionJob)
		after  time.Duration
	}{
		"never looked at": {"X1", begins, nil, nil, 0},
		"asked to run":    {"X3", begins, (*enginetest.SessionJob).Asks, nil, 0},
		"asked to run, and main runs": {
			"X3",
			begins,
			(*enginetest.SessionJob).Asks,
			nil,
			4 * time.Minute,
		},
		"asked to run, for long": {"X2", begins, (*enginetest.SessionJob).Asks, nil, overdue},
		"asked to run, for as long as a clean-up may take": {
			"X3",
			begins,
			(*enginetest.SessionJob).Asks,
			nil,
			5 * time.Minute,
		},
		"asked to run, and its JobManager is gone": {
			"J6/X6",
			begins,
			(*enginetest.SessionJob).Asks,
			func(w *enginetest.SessionJob) {
				w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]()
			},
			0,
		},
		"asked to run, and its cluster goes": {"J6/X6", begins, (*enginetest.SessionJob).Asks, goes, 0},
		"asked to run, and its cluster cannot be read": {
			"X3",
			begins,
			(*enginetest.SessionJob).Asks,
			func(w *enginetest.SessionJob) {
				w.Snapshot.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("forbidden")
			},
			0,
		},
		"asked to run, as long ago as a submission takes": {
			"J6/X6",
			begins,
			(*enginetest.SessionJob).Asks,
			nil,
			10 * time.Minute,
		},
		"asked of before, for long": {
			"J6/X6",
			begins,
			(*enginetest.SessionJob).Asks,
			(*enginetest.SessionJob).Replaces,
			overdue,
		},
		"saves": {"X4", savesFirst, nil, saving, 0},
		"saves, and nobody answers": {"X5", savesFirst, nil, func(w *enginetest.SessionJob) {
			saving(w)
			silent(w)
		}, overdue},
		"saves for an upgrade": {"X5", upgrades, nil, func(w *enginetest.SessionJob) {
			w.Taking = true
			keepsOn(w)
		}, overdue},
		"saved for an upgrade": {"X5", upgrades, nil, nil, time.Hour},
		"is about to save for an upgrade": {"J4/X14", upgrades, nil, func(w *enginetest.SessionJob) {
			keepsOn(w)
		}, 0},
		"saves for an upgrade, for too long": {"J4/X14", upgrades, nil, func(w *enginetest.SessionJob) {
			w.Taking = true
			keepsOn(w)
		}, 11 * time.Minute},
		"not started": {"J1/X6", begins, func(w *enginetest.SessionJob) { w.Round() }, nil, 0},
		"not started where jobs come back": {"J1/X6", begins, func(w *enginetest.SessionJob) {
			brings(w)
			for w.Status().Intent == nil {
				w.Round()
			}
		}, nil, 0},
		"its jar is sent": {"J1/X6", begins, func(w *enginetest.SessionJob) { w.Uploads = false; w.Run() }, nil, 0},
		"has ended": {"J3/X6", runs, func(w *enginetest.SessionJob) {
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFinished)
		}, nil, 0},
		"was cancelled": {"J3/X6", runs, nil, func(w *enginetest.SessionJob) { w.Run() }, 0},
		"told not to save, and ended": {"J3/X6", savesFirst, nil, func(w *enginetest.SessionJob) {
			saving(w)
			w.Edit(enginetest.HostedOptions(`{}`))
			w.Run()
		}, 0},
		"its savepoint took too long, and ended": {"J3/X6", savesFirst, nil, func(w *enginetest.SessionJob) {
			saving(w)
			w.Sleep(11 * time.Minute)
			w.Run()
		}, 0},
		"ended long ago": {"J5/X6", runs, func(w *enginetest.SessionJob) {
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Run()
			w.Sleep(2 * time.Minute)
			w.Jobs = nil
		}, nil, 0},
		"ended, and its job graph is left":              {"J2/X9", ended, nil, graphs("left"), 0},
		"ended, and its job graph is gone":              {"J3/X6", ended, nil, graphs(""), 0},
		"ended, and its job graph is left for long":     {"J2/X8", ended, nil, graphs("left"), overdue},
		"ended, and its job graph cannot be read":       {"J2/X9", ended, nil, nil, 0},
		"ended, and its job graph cannot be read, late": {"J2/X9", ended, nil, nil, 2 * time.Minute},
		"ended, and its job graph is never read":        {"J2/X8", ended, nil, nil, overdue},
		"ended, and only Flink can look":                {"J2/X9", ended, onlyFlinkLooks, nil, 0},
		"ended, and only Flink can look, late":          {"J3/X6", ended, onlyFlinkLooks, nil, time.Minute},
		"ended, and its session cluster cannot be read": {
			"J2/X9",
			ended,
			func(w *enginetest.SessionJob) { w.Run() },
			func(w *enginetest.SessionJob) {
				w.Snapshot.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("forbidden")
			},
			2 * time.Minute,
		},
		"ended, and nobody answers, and it is left": {"J2/X9", ended, func(w *enginetest.SessionJob) {
			w.Run()
			w.Silent = true
		}, graphs("left"), 0},
		"ended, and nobody answers, and it is gone": {"J5/X6", ended, func(w *enginetest.SessionJob) {
			w.Run()
			w.Silent = true
		}, graphs(""), 0},
		"lost":                           {"J6/X6", runs, func(w *enginetest.SessionJob) { w.Jobs = nil }, nil, 0},
		"its cluster goes":               {"J4/X7", runs, goes, nil, 0},
		"nobody answered":                {"J7/X10", runs, silent, looked, overdue},
		"nobody answered, and saves":     {"J7/X10", savesFirst, silent, looked, overdue},
		"nobody answers":                 {"J7/X11", runs, silent, nil, 0},
		"nobody answers, and saves":      {"J7/X11", savesFirst, silent, nil, 0},
		"nobody answers, at a late look": {"J7/X11", runs, silent, nil, overdue},
		"cancelled for a change, then nobody answers": {"J7/X11", runs, func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			for w.Status().JobStatus.State != v1beta1.FlinkJobCancelling {
				w.Round()
			}
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobCancelling)
			w.Sleep(overdue)
			w.Silent = true
		}, nil, overdue},
		"nobody answered, then somebody": {"J4/X14", runs, silent, func(w *enginetest.SessionJob) {
			looked(w)
			w.Sleep(overdue)
			w.Silent = false
		}, 0},
		"is to save":                    {"J4/X12", savesFirst, nil, nil, 0},
		"is to save, at a late look":    {"J4/X12", savesFirst, nil, nil, time.Hour},
		"may come back, for long":       {"J7/X10", runs, unlisted, looked, overdue},
		"may come back":                 {"J7/X11", runs, unlisted, nil, 0},
		"may come back, at a late look": {"J7/X11", runs, unlisted, nil, overdue},
		"runs":                          {"J4/X14", runs, nil, nil, 0},
		"runs, at a late look":          {"J4/X14", runs, nil, nil, time.Hour},
		"does not end":                  {"J4/X13", runs, nil, stays(v1beta1.FlinkJobCancelling), overdue},
		"cannot be cancelled":           {"J4/X13", runs, nil, stays(v1beta1.FlinkJobRunning), overdue},
		"cannot be cancelled, of late":  {"J4/X14", runs, nil, stays(v1beta1.FlinkJobRunning), time.Minute},
		"told to end, then nobody answers": {"J7/X10", runs, nil, func(w *enginetest.SessionJob) {
			stays(v1beta1.FlinkJobCancelling)(w)
			silent(w)
		}, overdue},
	}
	drawn := drawing.Read(t, "../session/cancel/delete.go", "Deleting", "jobLeft")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			if row.before != nil {
				row.before(w)
			}
			w.Delete()
			if row.then != nil {
				row.then(w)
			}
			w.Sleep(row.after)
			if err := drawn.Holds(row.row, ending(w)); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
			if left, way, is := strings.Cut(row.row, "/"); is {
				answer := map[bool]string{true: "no", false: "yes"}[way == "X6"]
				if err := drawn.Holds(left, drawing.Row{"left": answer}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, declaration := range []string{"deleting", "jobLeft"} {
		if err := drawn.Shown(declaration, shown...); err != nil {
			t.Error(err)
		}
	}
}

// ending makes one round of a deletion, and is that in the words of the drawing.
func ending(w *enginetest.SessionJob) drawing.Row {
	w.T.Helper()
	answer := drawing.Row{"finalizer": "stays", "Flink is asked for": "nothing", "tells": "nothing"}
	held := len(w.Snapshot.Resource.Finalizers) > 0
	p := w.Round()
	switch {
	case !held:
		answer["finalizer"] = "-"
	case len(w.Snapshot.Resource.Finalizers) == 0:
		answer["finalizer"] = "goes"
	}
	for _, a := range p.Actions {
		switch a.(type) {
		case plan.StopWithSavepoint:
			answer["Flink is asked for"] = "a savepoint"
		case plan.CancelJob:
			answer["Flink is asked for"] = "a cancellation"
		}
	}
	for _, e := range p.Events {
		if e.Reason == plan.ReasonJobLeftRunning {
			answer["tells"] = "that it may run"
		}
	}
	return answer
}

func TestStandingIsAsDrawn(t *testing.T) {
	gone := func(w *enginetest.SessionJob) { w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]() }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		then func(w *enginetest.SessionJob)
	}{
		"listed": {"Y1", func(*enginetest.SessionJob) {}},
		"listed as ended": {
			"Y1",
			func(w *enginetest.SessionJob) { w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed) },
		},
		"may come back": {"Y2", func(w *enginetest.SessionJob) { brings(w); w.Jobs = nil }},
		"may have, for as long as it takes": {"Y2", func(w *enginetest.SessionJob) {
			brings(w)
			w.Jobs = nil
			w.Sleep(10 * time.Minute)
		}},
		"may have, for long": {"Y3", func(w *enginetest.SessionJob) {
			brings(w)
			w.Jobs = nil
			w.Sleep(11 * time.Minute)
		}},
		"never taken": {"Y3", func(w *enginetest.SessionJob) {
			brings(w)
			w.Refuses = "no such class"
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
			for len(w.Runs) < 2 {
				w.Run()
			}
		}},
		"not listed": {"Y3", func(w *enginetest.SessionJob) { w.Jobs = nil }},
		"no cluster": {"Y4", func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster = plan.Absent[*v1beta1.FlinkDeployment]()
			gone(w)
		}},
		"no JobManager":       {"Y5", gone},
		"no JobManager, data": {"Y6", func(w *enginetest.SessionJob) { brings(w); gone(w) }},
		"no cluster, but a JobManager": {"Y6", func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster, w.Silent = plan.Absent[*v1beta1.FlinkDeployment](), true
		}},
		"no answer": {"Y6", func(w *enginetest.SessionJob) { w.Silent = true }},
	}
	names := map[world.Standing]string{world.There: "There", world.Gone: "Gone", world.StandingUnknown: "Unknown"}
	drawn := drawing.Read(t, "../session/host.go", "Standing")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			row.then(w)
			w.Look()
			standing, why := session.New(w.Snapshot).Standing()
			if err := drawn.Holds(row.row, drawing.Row{"the job is": names[standing]}); err != nil {
				t.Errorf("%v; rounds %q", err, w.Log)
			}
			if (why != "") != (standing == world.StandingUnknown) {
				t.Errorf("%s, and why: %q", names[standing], why)
			}
		})
	}
	if err := drawn.Shown("Standing", shown...); err != nil {
		t.Error(err)
	}
}
