package cluster

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestWhenNoJobGraphIsKnownToBeLeft(t *testing.T) {
	const id = "000000000000000000000000000000bb"
	const runs, gone = v1beta1.FlinkJobRunning, v1beta1.FlinkJobReconciling
	stops := func(how v1beta1.StopKind, ended bool) *v1beta1.Intent {
		return &v1beta1.Intent{Step: v1beta1.StepStopping, Stop: how, Ended: ended}
	}
	for name, row := range map[string]struct {
		removed string
		started string
		state   v1beta1.FlinkJobState
		intent  *v1beta1.Intent
		want    bool
	}{
		"nothing is under way":                   {"", "1", runs, nil, false},
		"it was seen to go":                      {id, "1", runs, nil, true},
		"another job's was":                      {"other", "1", runs, nil, false},
		"the state was given up, and it ended":   {"", "1", runs, stops(v1beta1.StopStateless, true), true},
		"the same, in an older record":           {"", "1", runs, stops("", true), true},
		"the state was given up":                 {"", "1", runs, stops(v1beta1.StopStateless, false), false},
		"it ended with its state":                {"", "1", runs, stops(v1beta1.StopSavepoint, true), false},
		"no job began":                           {"", "", gone, stops(v1beta1.StopNone, false), true},
		"one began":                              {"", "1", gone, stops(v1beta1.StopNone, false), false},
		"one has ended":                          {"", "", v1beta1.FlinkJobFailed, stops(v1beta1.StopNone, false), false},
		"none is known to have begun, by a stop": {"", "", gone, stops(v1beta1.StopSavepoint, false), false},
		"a start is prepared": {
			"", "1", runs, &v1beta1.Intent{Step: v1beta1.StepStarting, Stop: v1beta1.StopSavepoint}, true,
		},
	} {
		v := hosting(t, "", row.state, nil)
		v.Want.JobStatus.JobID, v.Want.JobStatus.JobGraphRemoved = id, row.removed
		v.Want.JobStatus.StartTime, v.Want.Intent = row.started, row.intent
		if got := leftNoGraph(v); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
	if v := hosting(t, "", v1beta1.FlinkJobRunning, nil); leftNoGraph(v) {
		t.Error("a job without an ID counts as one whose graph is gone")
	}
}
