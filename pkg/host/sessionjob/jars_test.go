package sessionjob

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestAnUndeletableJarHoldsUpNothing(t *testing.T) {
	w := newWorld(t, stateless)
	w.keepsJars = true
	w.untilSteady()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	w.sleep(time.Minute)
	w.run()
	if w.deleted != 1 {
		t.Errorf("Flink was asked %d times to delete it, want once", w.deleted)
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.untilSteady()
	if last := w.runs[len(w.runs)-1]; last.Parallelism != 4 {
		t.Errorf("%+v", last)
	}
}

func TestNoJarIsLeft(t *testing.T) {
	rows := map[string]func(w *fixture){
		"of a start that was carried out": func(*fixture) {},
		"of one that gave way to a newer spec": func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		},
		"of one that was suspended": func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
		},
		"of one that was deleted":          (*fixture).delete,
		"of one that Flink refuses to run": func(w *fixture) { w.refuses = "no such class" },
	}
	for name, then := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			for len(w.jars) == 0 {
				w.round()
			}
			then(w)
			w.run()
			w.sleep(2 * time.Second)
			w.run()
			if len(w.jars) != 0 {
				t.Errorf("left: %v; %q", w.jars, w.log)
			}
		})
	}
}
