package job

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/fields"
)

// Each question is a request to Flink: a look asks for what its moment needs, and for no more.
func TestWhatIsAskedOfFlink(t *testing.T) {
	const created, running, failed = v1beta1.FlinkJobCreated, v1beta1.FlinkJobRunning, v1beta1.FlinkJobFailed
	known := func(s *Seen) { s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a"} }
	changed := func(s *Seen) { known(s); s.Resource.Spec.Image, s.Resource.Generation = "another", 2 }
	stateless := func(s *Seen) {
		s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
		if err != nil {
			t.Fatal(err)
		}
		s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
		s.Resource.Status.ReconciliationStatus.LastStableSpec = text
	}
	rows := map[string]struct {
		was, is v1beta1.FlinkJobState // as status has it, and as Flink lists it; empty: not listed
		then    func(s *Seen)
		want    string
	}{
		"it runs":                                {running, running, known, ""},
		"it runs, stateless":                     {running, running, stateless, ""},
		"it runs, no checkpoint is known":        {running, running, func(*Seen) {}, "Checkpoints"},
		"its tasks begin, no checkpoint is":      {created, created, func(*Seen) {}, "Checkpoints Graph"},
		"its tasks begin":                        {created, created, known, ""},
		"its tasks begin, stateless":             {created, created, stateless, ""},
		"it began to run":                        {created, running, known, "Facts"},
		"it is not listed":                       {running, "", known, ""},
		"it is not listed, and no checkpoint is": {running, "", func(*Seen) {}, ""},
		"it is not listed, and to be changed":    {running, "", changed, ""},
		"it is to be changed":                    {running, running, changed, "Checkpoints Retention"},
		"it is to be changed, its tasks begin":   {created, created, changed, "Checkpoints Retention Graph"},
		"it has failed":                          {running, failed, known, "Facts Failure Checkpoints Retention Graph"},
		"it has failed, to be changed":           {failed, failed, changed, "Failure Checkpoints Retention Graph"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) {
				status := &s.Resource.Status
				status.ReconciliationStatus.LastStableSpec = status.ReconciliationStatus.LastReconciledSpec
				status.JobManagerDeploymentStatus, status.JobStatus.State = v1beta1.JobManagerReady, row.was
				row.then(s)
				var jobs []Job
				if row.is != "" {
					jobs = []Job{{ID: "a", State: row.is, EndTime: noon.Add(-time.Hour)}}
				}
				s.Flink.Jobs = plan.Present(jobs)
			})
			more := AskMore(v)
			if more.Exceptions = 0; fields.Set(more) != row.want {
				t.Errorf("asked for %q, want %q", fields.Set(more), row.want)
			}
		})
	}
}
