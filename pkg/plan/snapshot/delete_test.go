package snapshot

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// done is a world whose savepoint is complete.
func done(t *testing.T, spec v1beta1.FlinkStateSnapshotSpec) *fixture {
	t.Helper()
	return newWorld(t, spec).runJob().run().answer(completedAt("savepoint_0")).run()
}

func TestDeletionInEachState(t *testing.T) {
	keep := savepoint()
	keep.Savepoint.DisposeOnDelete = yes(false)
	rows := map[string]struct {
		fixture  func() *fixture
		gone     bool
		disposed int
		warned   int
		reason   string
	}{
		"new": {
			func() *fixture { return newWorld(t, savepoint()).runJob() }, false, 0, 0,
			"it has no finalizer of ours: nothing holds it",
		},
		"waiting": {func() *fixture { return newWorld(t, savepoint()).run() }, true, 0, 0, "there is nothing yet"},
		"backing off": {
			func() *fixture { return newWorld(t, savepoint()).runJob().run().answer(failedWith("x")).run() }, true, 0, 0,
			"there is nothing",
		},
		"failed": {func() *fixture {
			s := savepoint()
			s.BackoffLimit = limit(0)
			return newWorld(t, s).runJob().run().answer(failedWith("x")).run()
		}, true, 0, 0, "there is nothing"},
		"abandoned": {
			func() *fixture { w := newWorld(t, savepoint()).runJob().run(); w.removeJob(); return w.run() }, true, 0, 0,
			"there is nothing",
		},
		"in progress": {
			func() *fixture { return newWorld(t, savepoint()).runJob().run() }, false, 0, 0,
			"Flink is at it: it would be left behind",
		},
		"just completed": {
			func() *fixture { return newWorld(t, savepoint()).runJob().run().answer(completedAt("s")) }, true, 1, 0,
			"recorded, then disposed of",
		},
		"just failed": {
			func() *fixture { return newWorld(t, savepoint()).runJob().run().answer(failedWith("x")) }, true, 0, 0,
			"recorded, then released",
		},
		"to be kept": {func() *fixture { return done(t, keep) }, true, 0, 0, "disposeOnDelete is false"},
		"completed":  {func() *fixture { return done(t, savepoint()) }, true, 1, 0, "the JobManager disposes"},
		"job does not run": {
			func() *fixture { w := done(t, savepoint()); w.live.State = v1beta1.FlinkJobRestarting; return w }, true, 1, 0,
			"B15: a JobManager that answers is enough",
		},
		"job not listed": {
			func() *fixture { w := done(t, savepoint()); w.unlisted = true; return w }, true, 1, 0, "as above",
		},
		"Flink is away": {
			func() *fixture { w := done(t, savepoint()); w.down = true; return w }, false, 0, 1, "waited for, and told",
		},
		"job is gone": {
			func() *fixture { w := done(t, savepoint()); w.removeJob(); return w }, true, 0, 1,
			"B15: nobody can do it, so it ends and says so",
		},
		"checkpoint": {
			func() *fixture { return newWorld(t, checkpoint()).runJob().run().answer(completedAt("")).run() }, true, 0, 0,
			"Flink owns checkpoints",
		},
		"flying checkpoint": {func() *fixture { return newWorld(t, checkpoint()).runJob().run() }, true, 0, 0, "as above"},
		"no readable spec": {
			func() *fixture { w := done(t, savepoint()); w.s.SpecProblem = "spec.savepoint: a string"; return w }, true, 0, 0,
			"an invalid one can be deleted",
		},
		"needed": {func() *fixture {
			w := done(t, savepoint())
			w.job(func(d *v1beta1.FlinkDeployment) {
				d.Status.JobStatus.UpgradeSavepointPath, d.Status.JobStatus.State = "savepoint_0", v1beta1.FlinkJobFinished
			})
			return w
		}, true, 0, 1, "the next start of the job is from it"},
		"what the running job goes back to": {func() *fixture {
			w := done(t, savepoint())
			w.job(func(d *v1beta1.FlinkDeployment) {
				d.Status.JobStatus.StartedFrom = &v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "savepoint_0"}
			})
			return w
		}, true, 0, 1, "it has no checkpoint of its own, for all that is known"},
		"what another job reads": {func() *fixture {
			w := done(t, savepoint())
			w.readers = plan.Present(snapshots.Readers{"savepoint_0": "FlinkSessionJob other"})
			return w
		}, true, 0, 1, "a resource of the namespace names it"},
		"others cannot be read": {func() *fixture {
			w := done(t, savepoint())
			w.readers = plan.Unknown[snapshots.Readers]("503")
			return w
		}, false, 0, 1, "waited for, and told"},
		"LEGACY": {func() *fixture {
			w := done(t, savepoint())
			w.deploy(v1beta1.FlinkV1_20, map[string]string{"execution.savepoint-restore-mode": "LEGACY"})
			return w
		}, true, 0, 1, "checkpoints may share its files"},
		"CLAIM": {func() *fixture {
			w := done(t, savepoint())
			w.deploy(v1beta1.FlinkV1_20, map[string]string{"execution.state-recovery.claim-mode": "CLAIM"})
			return w
		}, true, 0, 1, "Flink owns what it started from"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.fixture()
			w.events = nil
			w.delete().run()
			if w.gone != row.gone || len(w.disposed) != row.disposed || len(w.eventsOf("CleanupFailed")) != row.warned {
				t.Errorf(
					"%s: gone %t, disposed of %v, told %q; rounds %q", row.reason, w.gone, w.disposed,
					w.eventsOf("CleanupFailed"), w.log,
				)
			}
			if !w.gone && len(w.s.Resource.Finalizers) > 0 {
				w.wantQuiet()
			}
		})
	}
}

func TestDeletionEnds(t *testing.T) {
	w := done(t, savepoint())
	w.down = true
	w.delete().run()
	w.later(5*time.Minute - time.Second).run()
	if w.gone {
		t.Error("gone before the clean-up timeout")
	}
	if w.later(time.Second).run(); !w.gone || len(w.disposed) != 0 {
		t.Errorf("gone %t, disposed of %v; after the clean-up timeout it goes and leaves the files", w.gone, w.disposed)
	}
	w.wantEvents("CleanupFailed", "no JobManager can be reached", "savepoint_0 was not disposed of")
	w = newWorld(t, savepoint()).runJob().run().delete()
	if w.later(15*time.Minute - time.Second).run(); w.gone {
		t.Error("gone while Flink is at it")
	}
	if w.later(time.Second).run(); !w.gone {
		t.Error("still there after checkpoint timeout and clean-up timeout")
	}
}

func TestARefusedDisposalIsToldAndEnds(t *testing.T) {
	w := done(t, savepoint()).delete()
	w.look()
	p, shown := MakeFailed(w.s, w.status(), plan.DisposeSavepoint{}, "no access to the bucket")
	if !shown {
		t.Fatal("not shown")
	}
	w.carry(p)
	w.wantEvents("CleanupFailed", "no access to the bucket")
	w.later(5 * time.Minute).look()
	p, _ = MakeFailed(w.s, w.status(), plan.DisposeSavepoint{}, "no access to the bucket")
	if w.carry(p); !w.gone {
		t.Errorf("rounds %q", w.log)
	}
}

func TestRefusedDisposalsBackOff(t *testing.T) {
	w := done(t, savepoint()).delete()
	attempts := 0
	for range 140 { // a look each two seconds, to a little before the clean-up timeout
		w.look()
		p := Make(w.s)
		for _, a := range p.Actions {
			if _, disposes := a.(plan.DisposeSavepoint); disposes {
				attempts++
				p, _ = MakeFailed(w.s, w.status(), a, "no access to the bucket")
			}
		}
		w.carry(p)
		w.later(2 * time.Second)
	}
	if attempts > 6 || attempts < 4 {
		t.Errorf("%d attempts in 280 s, want 10 s, 20 s, 40 s and so on between them", attempts)
	}
	if r := w.status().Retry; r == nil || int(r.Attempts) != attempts {
		t.Errorf("status.retry %+v after %d attempts", r, attempts)
	}
	if w.later(20 * time.Second).run(); !w.gone {
		t.Errorf("it stays after the clean-up timeout, rounds %q", w.log)
	}
}

// TestWhateverHappens drives a snapshot through random events and checks what must hold after each round.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom([]v1beta1.FlinkStateSnapshotSpec{savepoint(), checkpoint(), {}}).Draw(rt, "spec")
		if rapid.Bool().Draw(rt, "bounded") {
			spec.BackoffLimit = limit(int32(rapid.IntRange(0, 2).Draw(rt, "limit")))
		}
		w := newWorld(t, spec)
		events := map[string]func(){
			"run the job": func() { w.runJob() }, "remove the job": w.removeJob,
			"make it again": func() {
				if w.s.Deployment.IsPresent() {
					w.job(func(d *v1beta1.FlinkDeployment) { d.UID += "x" })
				}
			},
			"unreadable":   func() { w.s.Deployment = plan.Unknown[*v1beta1.FlinkDeployment]("timeout") },
			"restart":      func() { w.live.State = v1beta1.FlinkJobRestarting },
			"end":          func() { w.live.State = v1beta1.FlinkJobFinished },
			"fail over":    func() { w.live.StartTime += "0"; w.flink = map[string]snapshots.Operation{} },
			"down":         func() { w.down = !w.down },
			"lose":         func() { w.lossy = !w.lossy },
			"complete":     func() { w.answer(completedAt("savepoint_0")) },
			"fail":         func() { w.answer(failedWith("disk full")) },
			"a little":     func() { w.later(2 * time.Second) },
			"a long while": func() { w.later(7 * time.Minute) },
		}
		names := []string{
			"run the job", "remove the job", "make it again", "unreadable", "restart", "end", "fail over", "down", "lose",
			"complete", "fail", "a little", "a long while",
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			events[rapid.SampledFrom(names).Draw(rt, "event")]()
			before := w.status()
			w.run()
			after := w.status()
			switch {
			case snapshots.IsFinal(before.State) && after.State != before.State:
				rt.Fatalf("%s became %s; rounds %q", before.State, after.State, w.log)
			case after.Failures < before.Failures:
				rt.Fatalf("failures went from %d to %d", before.Failures, after.Failures)
			case after.State == v1beta1.SnapshotCompleted && after.Path == nil:
				rt.Fatal("completed without a path")
			case after.Pace == v1beta1.PaceFast && after.PaceSince == nil:
				rt.Fatal("fast since nobody knows when")
			}
			w.look()
			if p := Make(w.s); p.Status != nil && p.Situation != Taking && p.Situation != Triggering {
				rt.Fatalf("a second look writes: %s after %q", p, w.log)
			}
		}
		w.delete()
		for range 20 {
			w.later(time.Minute).run()
		}
		if len(w.s.Resource.Finalizers) > 0 {
			rt.Fatalf("deletion does not end: %q, conditions %+v", w.log, w.status().Conditions)
		}
	})
}

// Nobody looked for longer than a clean-up may take; that is no reason to leave the files of a JobManager that answers.
func TestALateLookDisposesAllTheSame(t *testing.T) {
	w := done(t, savepoint()).delete()
	w.later(time.Hour).run()
	if !w.gone || len(w.disposed) != 1 {
		t.Errorf("gone %t, disposed of %v, rounds %q", w.gone, w.disposed, w.log)
	}
}
