package sessionjob

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// A session job whose option cannot be read is left as it is, whatever becomes of it, until the option can be read.
func TestAnOptionThatCannotBeReadHoldsEverythingBack(t *testing.T) {
	const option = "kubernetes.operator.job.restart.failed"
	w := newWorld(t, stateless)
	w.untilSteady()
	w.edit(options(`{"` + option + `":"on"}`))
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 6 })
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
	for range 3 {
		w.run()
	}
	if len(w.runs) != 1 {
		t.Errorf("the job was run %d times", len(w.runs))
	}
	told := false
	for _, c := range w.status().Conditions {
		told = told || c.Type == summary.SpecAccepted && c.Status == "False" && strings.Contains(c.Message, option)
	}
	if !told {
		t.Errorf("it is not told: %+v", w.status().Conditions)
	}
}
