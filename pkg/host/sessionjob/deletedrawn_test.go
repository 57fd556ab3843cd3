package sessionjob

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// delete marks the resource for deletion.
func (w *fixture) delete() {
	w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
	w.bump()
}

// savesFirst is a job that runs, and is to take a savepoint before its deletion.
func savesFirst(t *testing.T) *fixture {
	t.Helper()
	w := newWorld(t, stateful("savepoint"))
	w.edit(options(`{"kubernetes.operator.job.savepoint-on-deletion":"true"}`))
	w.untilSteady()
	return w
}

// keepsOn lets the job go on as if nobody had stopped it with a savepoint.
func (w *fixture) keepsOn() {
	clear(w.stops)
	for i := range w.jobs {
		w.jobs[i].State = v1beta1.FlinkJobRunning
	}
}

// brings is a session cluster that brings its jobs back.
func (w *fixture) brings() {
	w.s.Cluster = plan.Present(sessionCluster(
		"high-availability.type", "kubernetes", "high-availability.storageDir", "file:///h",
	))
}

// X10 is the end after the timeout, and what it tells
func TestDeletingIsAsDrawn(t *testing.T) {
	const overdue = 6 * time.Minute
	runs := func(t *testing.T) *fixture {
		w := newWorld(t, stateless)
		w.untilSteady()
		return w
	}
	begins := func(t *testing.T) *fixture { return newWorld(t, stateless) }
	silent := func(w *fixture) { w.silent = true }
	unlisted := func(w *fixture) {
		w.brings()
		w.jobs = nil
	}
	ended := func(t *testing.T) *fixture {
		w := newWorld(t, stateless)
		w.brings()
		w.untilSteady()
		w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
		return w
	}
	// graphs lets the high-availability data hold the job graph of another job and, if it is left, of this one.
	graphs := func(left string) func(w *fixture) {
		return func(w *fixture) {
			ids := []string{strings.Repeat("f", 32)}
			if left != "" {
				ids = append(ids, w.status().JobStatus.JobID)
			}
			w.s.HAData = plan.Present([]hadata.ConfigMap{{Graphs: ids}})
		}
	}
	onlyFlinkLooks := func(w *fixture) {
		w.s.Cluster = plan.Present(sessionCluster(
			"high-availability.type", "zookeeper", "high-availability.storageDir", "file:///h",
			"high-availability.zookeeper.quorum", "zk:2181", "high-availability.zookeeper.client.acl", "creator",
		))
	}
	saving := func(w *fixture) {
		w.run()
		w.keepsOn()
	}
	looked := func(w *fixture) { w.run() }
	upgrades := func(t *testing.T) *fixture {
		w := newWorld(t, stateful("savepoint"))
		w.untilSteady()
		w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		w.round()
		w.round()
		return w
	}
	goes := func(w *fixture) {
		d := sessionCluster("kubernetes.operator.session.deletion.block-on-session-jobs", "false")
		d.DeletionTimestamp = &metav1.Time{Time: start}
		w.s.Cluster = plan.Present(d)
	}
	stays := func(in v1beta1.FlinkJobState) func(w *fixture) {
		return func(w *fixture) {
			w.run()
			w.set(w.status().JobStatus.JobID, in)
		}
	}
	rows := map[string]struct {
		// row is the way through the drawing, see package drawing.
		row    string
		from   func(t *testing.T) *fixture
		before func(w *fixture)
		then   func(w *fixture)
		after  time.Duration
	}{
		"never looked at":                                  {"X1", begins, nil, nil, 0},
		"asked to run":                                     {"X3", begins, (*fixture).asks, nil, 0},
		"asked to run, and main runs":                      {"X3", begins, (*fixture).asks, nil, 4 * time.Minute},
		"asked to run, for long":                           {"X2", begins, (*fixture).asks, nil, overdue},
		"asked to run, for as long as a clean-up may take": {"X3", begins, (*fixture).asks, nil, 5 * time.Minute},
		"asked to run, and its JobManager is gone": {"J6/X6", begins, (*fixture).asks, func(w *fixture) {
			w.s.JobManager = plan.Absent[*appsv1.Deployment]()
		}, 0},
		"asked to run, and its cluster goes": {"J6/X6", begins, (*fixture).asks, goes, 0},
		"asked to run, and its cluster cannot be read": {"X3", begins, (*fixture).asks, func(w *fixture) {
			w.s.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("forbidden")
		}, 0},
		"asked to run, as long ago as a submission takes": {"J6/X6", begins, (*fixture).asks, nil, 10 * time.Minute},
		"asked of before, for long": {
			"J6/X6",
			begins,
			(*fixture).asks,
			(*fixture).replaces,
			overdue,
		},
		"saves": {"X4", savesFirst, nil, saving, 0},
		"saves, and nobody answers": {"X5", savesFirst, nil, func(w *fixture) {
			saving(w)
			silent(w)
		}, overdue},
		"saves for an upgrade": {"X5", upgrades, nil, func(w *fixture) {
			w.taking = true
			w.keepsOn()
		}, overdue},
		"saved for an upgrade": {"X5", upgrades, nil, nil, time.Hour},
		"is about to save for an upgrade": {"J4/X14", upgrades, nil, func(w *fixture) {
			w.keepsOn()
		}, 0},
		"saves for an upgrade, for too long": {"J4/X14", upgrades, nil, func(w *fixture) {
			w.taking = true
			w.keepsOn()
		}, 11 * time.Minute},
		"not started": {"J1/X6", begins, func(w *fixture) { w.round() }, nil, 0},
		"not started where jobs come back": {"J1/X6", begins, func(w *fixture) {
			w.brings()
			for w.status().Intent == nil {
				w.round()
			}
		}, nil, 0},
		"its jar is sent": {"J1/X6", begins, func(w *fixture) { w.uploads = false; w.run() }, nil, 0},
		"has ended": {"J3/X6", runs, func(w *fixture) {
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFinished)
		}, nil, 0},
		"was cancelled": {"J3/X6", runs, nil, func(w *fixture) { w.run() }, 0},
		"told not to save, and ended": {"J3/X6", savesFirst, nil, func(w *fixture) {
			saving(w)
			w.edit(options(`{}`))
			w.run()
		}, 0},
		"its savepoint took too long, and ended": {"J3/X6", savesFirst, nil, func(w *fixture) {
			saving(w)
			w.sleep(11 * time.Minute)
			w.run()
		}, 0},
		"ended long ago": {"J5/X6", runs, func(w *fixture) {
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.run()
			w.sleep(2 * time.Minute)
			w.jobs = nil
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
			func(w *fixture) { w.run() },
			func(w *fixture) {
				w.s.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("forbidden")
			},
			2 * time.Minute,
		},
		"ended, and nobody answers, and it is left": {"J2/X9", ended, func(w *fixture) {
			w.run()
			w.silent = true
		}, graphs("left"), 0},
		"ended, and nobody answers, and it is gone": {"J5/X6", ended, func(w *fixture) {
			w.run()
			w.silent = true
		}, graphs(""), 0},
		"lost":                           {"J6/X6", runs, func(w *fixture) { w.jobs = nil }, nil, 0},
		"its cluster goes":               {"J4/X7", runs, goes, nil, 0},
		"nobody answered":                {"J7/X10", runs, silent, looked, overdue},
		"nobody answered, and saves":     {"J7/X10", savesFirst, silent, looked, overdue},
		"nobody answers":                 {"J7/X11", runs, silent, nil, 0},
		"nobody answers, and saves":      {"J7/X11", savesFirst, silent, nil, 0},
		"nobody answers, at a late look": {"J7/X11", runs, silent, nil, overdue},
		"cancelled for a change, then nobody answers": {"J7/X11", runs, func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			for w.status().JobStatus.State != v1beta1.FlinkJobCancelling {
				w.round()
			}
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobCancelling)
			w.sleep(overdue)
			w.silent = true
		}, nil, overdue},
		"nobody answered, then somebody": {"J4/X14", runs, silent, func(w *fixture) {
			looked(w)
			w.sleep(overdue)
			w.silent = false
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
		"told to end, then nobody answers": {"J7/X10", runs, nil, func(w *fixture) {
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
			w.delete()
			if row.then != nil {
				row.then(w)
			}
			w.sleep(row.after)
			if err := drawn.Holds(row.row, w.ending()); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
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
func (w *fixture) ending() drawing.Row {
	w.t.Helper()
	answer := drawing.Row{"finalizer": "stays", "Flink is asked for": "nothing", "tells": "nothing"}
	held := len(w.s.Resource.Finalizers) > 0
	p := w.round()
	switch {
	case !held:
		answer["finalizer"] = "-"
	case len(w.s.Resource.Finalizers) == 0:
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
	gone := func(w *fixture) { w.s.JobManager = plan.Absent[*appsv1.Deployment]() }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		then func(w *fixture)
	}{
		"listed":          {"Y1", func(*fixture) {}},
		"listed as ended": {"Y1", func(w *fixture) { w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed) }},
		"may come back":   {"Y2", func(w *fixture) { w.brings(); w.jobs = nil }},
		"may have, for as long as it takes": {"Y2", func(w *fixture) {
			w.brings()
			w.jobs = nil
			w.sleep(10 * time.Minute)
		}},
		"may have, for long": {"Y3", func(w *fixture) {
			w.brings()
			w.jobs = nil
			w.sleep(11 * time.Minute)
		}},
		"never taken": {"Y3", func(w *fixture) {
			w.brings()
			w.refuses = "no such class"
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
			for len(w.runs) < 2 {
				w.run()
			}
		}},
		"not listed": {"Y3", func(w *fixture) { w.jobs = nil }},
		"no cluster": {"Y4", func(w *fixture) {
			w.s.Cluster = plan.Absent[*v1beta1.FlinkDeployment]()
			gone(w)
		}},
		"no JobManager":       {"Y5", gone},
		"no JobManager, data": {"Y6", func(w *fixture) { w.brings(); gone(w) }},
		"no cluster, but a JobManager": {"Y6", func(w *fixture) {
			w.s.Cluster, w.silent = plan.Absent[*v1beta1.FlinkDeployment](), true
		}},
		"no answer": {"Y6", func(w *fixture) { w.silent = true }},
	}
	names := map[world.Standing]string{world.There: "There", world.Gone: "Gone", world.StandingUnknown: "Unknown"}
	drawn := drawing.Read(t, "../session/host.go", "Standing")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			w.untilSteady()
			row.then(w)
			w.look()
			standing, why := Open(w.s).view.Standing()
			if err := drawn.Holds(row.row, drawing.Row{"the job is": names[standing]}); err != nil {
				t.Errorf("%v; rounds %q", err, w.log)
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
