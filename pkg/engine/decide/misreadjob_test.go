package decide_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
)

// A session job whose option cannot be read is left as it is, whatever becomes of it, until the option can be read.
func TestAnOptionThatCannotBeReadHoldsEverythingBackOfASessionJob(t *testing.T) {
	const option = "kubernetes.operator.job.restart.failed"
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Edit(enginetest.HostedOptions(`{"` + option + `":"on"}`))
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 6 })
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
	for range 3 {
		w.Run()
	}
	if len(w.Runs) != 1 {
		t.Errorf("the job was run %d times", len(w.Runs))
	}
	told := false
	for _, c := range w.Status().Conditions {
		told = told || c.Type == summary.SpecAccepted && c.Status == "False" && strings.Contains(c.Message, option)
	}
	if !told {
		t.Errorf("it is not told: %+v", w.Status().Conditions)
	}
}
