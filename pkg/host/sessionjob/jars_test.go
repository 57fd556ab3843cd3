package sessionjob_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestAnUndeletableJarHoldsUpNothing(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.KeepsJars = true
	w.UntilSteady()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	w.Sleep(time.Minute)
	w.Run()
	if w.Deleted != 1 {
		t.Errorf("Flink was asked %d times to delete it, want once", w.Deleted)
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.UntilSteady()
	if last := w.Runs[len(w.Runs)-1]; last.Parallelism != 4 {
		t.Errorf("%+v", last)
	}
}

func TestNoJarIsLeft(t *testing.T) {
	rows := map[string]func(w *enginetest.SessionJob){
		"of a start that was carried out": func(*enginetest.SessionJob) {},
		"of one that gave way to a newer spec": func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		},
		"of one that was suspended": func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
		},
		"of one that was deleted":          (*enginetest.SessionJob).Delete,
		"of one that Flink refuses to run": func(w *enginetest.SessionJob) { w.Refuses = "no such class" },
	}
	for name, then := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			for len(w.Jars) == 0 {
				w.Round()
			}
			then(w)
			w.Run()
			w.Sleep(2 * time.Second)
			w.Run()
			if len(w.Jars) != 0 {
				t.Errorf("left: %v; %q", w.Jars, w.Log)
			}
		})
	}
}
