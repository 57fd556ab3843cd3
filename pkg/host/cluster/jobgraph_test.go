package cluster_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
)

// A start that would run an unreadable job graph beside its own job is not made, unless it is known that there is none.
func TestWhenNoJobGraphIsLeft(t *testing.T) {
	type status = v1beta1.JobStatus
	stops := func(how v1beta1.StopKind, ended bool) *v1beta1.Intent {
		return &v1beta1.Intent{Step: v1beta1.StepStopping, Stop: how, Ended: ended}
	}
	rows := map[string]struct {
		status status
		intent *v1beta1.Intent
		want   bool
	}{
		"it was seen to go": {
			status{JobID: clustertest.JobX, JobGraphRemoved: clustertest.JobX},
			nil,
			true,
		},
		"that of an earlier job was": {status{JobID: clustertest.JobX, JobGraphRemoved: "earlier"}, nil, false},
		"nothing is recorded":        {status{JobID: clustertest.JobX}, nil, false},
		"no job is recorded":         {status{}, nil, false},
		"it is being given up":       {status{JobID: clustertest.JobX}, stops(v1beta1.StopStateless, false), false},
		"it was given up":            {status{JobID: clustertest.JobX}, stops(v1beta1.StopStateless, true), true},
		"it was, in other words":     {status{JobID: clustertest.JobX}, stops("", true), true},
		"its savepoint was taken":    {status{JobID: clustertest.JobX}, stops(v1beta1.StopSavepoint, true), false},
		"it never began":             {status{JobID: clustertest.JobX}, stops(v1beta1.StopNone, false), true},
		"it began, and is not there": {
			status{JobID: clustertest.JobX, StartTime: "1"},
			stops(v1beta1.StopNone, false),
			false,
		},
		"it ended, and nobody saw when": {status{State: v1beta1.FlinkJobFailed}, stops(v1beta1.StopNone, false), false},
		"its start is not released": {
			status{JobID: clustertest.JobX},
			&v1beta1.Intent{Step: v1beta1.StepStarting},
			true,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				s.Resource.Status.JobStatus, s.Resource.Status.Intent = row.status, row.intent
			})
			if got := cluster.LeftNoGraph(v); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}
