package specdiff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

func TestEqual(t *testing.T) {
	for name, row := range map[string]struct {
		reason string
		change func(*v1beta1.FlinkDeploymentSpec)
		want   bool
	}{
		"copy":            {"nothing differs", func(*spec) {}, true},
		"default written": {"it says what was meant before", func(s *spec) { s.Job.State = "" }, true},
		"ignored field": {
			"everything counts, also what needs no restart",
			func(s *spec) { s.Job.AllowNonRestoredState = ptr(true) },
			false,
		},
		"nonce taken away": {
			"it is a difference, though no change",
			func(s *spec) { s.RestartNonce = nil },
			false,
		},
		"ignored key": {
			"everything counts",
			func(s *spec) { put(t, &s.FlinkConfiguration, "kubernetes.operator.x", "y") },
			false,
		},
		"nested spelling": {
			"another object with the same keys",
			func(s *spec) { s.FlinkConfiguration = []byte(`{"taskmanager":{"numberOfTaskSlots":"2"}}`) },
			false,
		},
		"number for text": {
			"another object with the same text",
			func(s *spec) { s.FlinkConfiguration = []byte(`{"taskmanager.numberOfTaskSlots":2}`) },
			false,
		},
		"blanks": {
			"JSON does not know them",
			func(s *spec) { s.FlinkConfiguration = []byte(` { "taskmanager.numberOfTaskSlots" : "2" } `) },
			true,
		},
		"unreadable": {
			"text is all there is",
			func(s *spec) { s.FlinkConfiguration = []byte(`{`) },
			false,
		},
		"no job":          {"a session cluster is no application", func(s *spec) { s.Job = nil }, false},
		"part of the job": {"it differs", func(s *spec) { s.Job.Parallelism++ }, false},
		"template leftover": {
			"Kubernetes does not read it",
			func(s *spec) { s.PodTemplate = loose(t, `{"kind":"Pod","spec":{"hostname":"h"}}`) },
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			was, now := application(t), application(t)
			for _, s := range []*spec{was, now} {
				s.RestartNonce = ptr(int64(1))
				if name == "template leftover" {
					s.PodTemplate = loose(t, `{"spec":{"hostname":"h"}}`)
				}
			}
			row.change(now)
			if specdiff.Equal(was, now) != row.want || specdiff.Equal(now, was) != row.want {
				t.Errorf("%s: want %v", row.reason, row.want)
			}
		})
	}
}

// TestUnreadableTextIsNoZeroValue: what cannot be read equals nothing but itself.
func TestUnreadableTextIsNoZeroValue(t *testing.T) {
	none, some := application(t), application(t)
	none.TaskManager.Resource.Memory, some.TaskManager.Resource.Memory = "0", "much"
	if specdiff.Equal(none, some) || specdiff.Equal(some, none) {
		t.Error("memory: an unreadable quantity equals 0")
	}
	null, broken := application(t), application(t)
	null.FlinkConfiguration, broken.FlinkConfiguration = []byte("null"), []byte("{")
	if specdiff.Equal(null, broken) || specdiff.Equal(broken, null) {
		t.Error("flinkConfiguration: an unreadable one equals null")
	}
}

func TestEqualSessionJobs(t *testing.T) {
	was, now := sessionJob(t), sessionJob(t)
	if !specdiff.Equal(was, now) {
		t.Error("a session job differs from its copy")
	}
	now.DeploymentName = "other"
	if specdiff.Equal(was, now) {
		t.Error("another cluster is no difference")
	}
	if specdiff.Equal(nil, now) || !specdiff.Equal[v1beta1.FlinkSessionJobSpec](nil, nil) {
		t.Error("nil equals nil and nothing else")
	}
}

func TestComparingLeavesTheSpecsAlone(t *testing.T) {
	was, now := application(t), application(t)
	now.PodTemplate = loose(t, `{"kind":"Pod","status":{},"spec":{"hostname":"h"}}`)
	now.JobManager.Replicas = nil
	before := now.DeepCopy()
	specdiff.Classify(was, now, "")
	specdiff.Equal(was, now)
	if diff := cmp.Diff(before, now, cmp.AllowUnexported(v1beta1.PodTemplate{})); diff != "" {
		t.Errorf("the wanted spec was changed: %s", diff)
	}
	if diff := cmp.Diff(application(t), was, cmp.AllowUnexported(v1beta1.PodTemplate{})); diff != "" {
		t.Errorf("the old spec was changed: %s", diff)
	}
}
