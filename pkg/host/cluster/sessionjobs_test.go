package cluster

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// A run of a jar may be on its way from when its release was stored; when it is known that Flink was to be asked, from
// then on.
func TestUntilWhenARunMayBeOnItsWay(t *testing.T) {
	stored := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	asked := metav1.NewTime(stored.Add(time.Minute))
	rows := map[string]struct {
		step    v1beta1.IntentStep
		release *v1beta1.Release
		from    *metav1.Time // nil: it is not
	}{
		"not released":          {v1beta1.StepStarting, &v1beta1.Release{At: &stored, RunAt: &asked}, nil},
		"released":              {v1beta1.StepReleased, &v1beta1.Release{At: &stored}, &stored},
		"asked to run":          {v1beta1.StepReleased, &v1beta1.Release{At: &stored, RunAt: &asked}, &asked},
		"nobody knows since":    {v1beta1.StepReleased, &v1beta1.Release{}, nil},
		"nobody knows anything": {v1beta1.StepReleased, nil, nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			var want time.Time
			if row.from != nil {
				want = row.from.Add(callTakes)
			}
			if got := CallUntil(&v1beta1.Intent{Step: row.step, Release: row.release}); !got.Equal(want) {
				t.Errorf("until %s, want %s", got, want)
			}
		})
	}
}

// What a job ended with counts as unknown where its session job keeps its state, and status does not say which that is.
func TestWhoseStateIsUnknown(t *testing.T) {
	keeps := &v1beta1.JobSpec{UpgradeMode: v1beta1.UpgradeModeSavepoint}
	none := &v1beta1.JobSpec{UpgradeMode: v1beta1.UpgradeModeStateless}
	const last, read = v1beta1.LastStatePlaceholder, "file:///c/chk-7"
	ended, runs := v1beta1.FlinkJobFailed, v1beta1.FlinkJobRunning
	rows := map[string]struct {
		spec *v1beta1.JobSpec
		job  v1beta1.JobStatus
		want bool
	}{
		"ended, not read":         {keeps, v1beta1.JobStatus{State: ended, LastStateUnread: true}, true},
		"ended, to be looked for": {keeps, v1beta1.JobStatus{State: ended, UpgradeSavepointPath: last}, true},
		"ended, read":             {keeps, v1beta1.JobStatus{State: ended, UpgradeSavepointPath: read}, false},
		"runs":                    {keeps, v1beta1.JobStatus{State: runs, LastStateUnread: true}, false},
		"of a spec without a job": {nil, v1beta1.JobStatus{State: ended, LastStateUnread: true}, true},
		"stateless":               {none, v1beta1.JobStatus{State: ended, LastStateUnread: true}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j := &v1beta1.FlinkSessionJob{Spec: v1beta1.FlinkSessionJobSpec{Job: row.spec}}
			j.Name, row.job.JobID = "etl", "ff"
			j.Status.JobStatus = row.job
			want := SessionJob{Name: "etl", JobID: "ff", Ended: row.job.State == ended, StateUnknown: row.want}
			if got := HostedJob(j, nil); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}
