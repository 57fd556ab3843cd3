package v1beta1

import (
	"math"
	"strings"
	"testing"
)

func contentOf(spec, status any) map[string]any {
	return map[string]any{
		"apiVersion": APIVersion, "kind": "Any",
		"metadata": map[string]any{"name": "n", "namespace": "ns", "generation": int64(3), "finalizers": []any{"f"}},
		"spec":     spec, "status": status,
	}
}

// A resource whose spec cannot be read must stay deletable: its metadata and
// status are there, its spec is zero, and the error names the field.
func TestUnreadableSpecLeavesTheRestReadable(t *testing.T) {
	rows := map[string]struct {
		reason string
		spec   any
		path   string
	}{
		"wrong type": {
			"text where a number belongs", map[string]any{"job": map[string]any{"parallelism": "two"}},
			"spec.job.parallelism",
		},
		"not an object": {"the whole spec is a text", "spec", "spec"},
		"quantity": {
			"a quantity is text or a number",
			map[string]any{
				"jobManager": map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": true}}},
			},
			"spec",
		},
		"pod quantity": {
			"pod templates are typed",
			map[string]any{"podTemplate": map[string]any{"spec": map[string]any{"overhead": map[string]any{"cpu": "abc"}}}},
			"spec",
		},
		"number too large": {
			"a replica count has 32 bits", map[string]any{"taskManager": map[string]any{"replicas": int64(math.MaxInt64)}},
			"spec.taskManager.replicas",
		},
		"readable beside it": {
			"one field makes the whole spec unreadable: half a spec is worse than none",
			map[string]any{"image": "i", "restartNonce": "x"}, "spec.restartNonce",
		},
	}
	for name, row := range rows {
		status := map[string]any{"error": "e", "jobStatus": map[string]any{"jobId": "j"}}
		deployment, specErr, err := DecodeDeployment(contentOf(row.spec, status))
		if err != nil || deployment.Name != "n" || deployment.Generation != 3 || deployment.Status.JobStatus.JobID != "j" {
			t.Errorf("%s (%s): rest not readable: %+v, %v", name, row.reason, deployment.ObjectMeta, err)
		}
		if specErr == nil || !strings.HasPrefix(specErr.Error(), row.path) || strings.ContainsAny(specErr.Error(), "\n") {
			t.Errorf("%s (%s): spec error %v", name, row.reason, specErr)
		}
		if deployment.Spec.Image != "" || deployment.Spec.Job != nil {
			t.Errorf("%s: half a spec came back: %+v", name, deployment.Spec)
		}
	}
}

func TestUnreadableStatusOrMetadataIsAnError(t *testing.T) {
	rows := map[string]struct {
		content map[string]any
		path    string
	}{
		"status":   {contentOf(nil, map[string]any{"jobStatus": "x"}), "status.jobStatus"},
		"metadata": {map[string]any{"metadata": map[string]any{"generation": "x"}}, "metadata.generation"},
		"not JSON": {contentOf(nil, math.NaN()), "status"},
		"bad time": {contentOf(nil, map[string]any{"paceSince": "yesterday"}), "status"},
	}
	for name, row := range rows {
		if _, _, err := DecodeDeployment(row.content); err == nil || !strings.HasPrefix(err.Error(), row.path) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestUnknownTextIsDecoded(t *testing.T) {
	content := contentOf(
		map[string]any{
			"mode": "hybrid", "flinkVersion": "v9_9", "unknownField": int64(1),
			"job": map[string]any{"state": "paused", "upgradeMode": "magic"},
		},
		map[string]any{
			"lifecycleState": "NEW", "jobStatus": map[string]any{"state": "ODD"}, "somethingNew": map[string]any{},
		},
	)
	deployment, specErr, err := DecodeDeployment(content)
	if specErr != nil || err != nil {
		t.Fatalf("spec %v, rest %v", specErr, err)
	}
	if deployment.Spec.Mode.Known() || deployment.Spec.FlinkVersion != "v9_9" || deployment.Spec.Job.State != "paused" ||
		deployment.Status.LifecycleState != "NEW" {
		t.Errorf("decoded %+v", deployment)
	}
}

func TestEveryKindDecodes(t *testing.T) {
	bad := map[string]any{"metadata": []any{}}
	t.Run("session job", func(t *testing.T) {
		job, specErr, err := DecodeSessionJob(contentOf(
			map[string]any{"deploymentName": "d", "job": map[string]any{"jarURI": "u"}},
			map[string]any{"situation": "S", "pace": "fast"},
		))
		if specErr != nil || err != nil || job.Name != "n" || job.Spec.Job.JarURI != "u" || job.Status.Pace != PaceFast {
			t.Errorf("%+v, %v, %v", job, specErr, err)
		}
		if _, _, err := DecodeSessionJob(bad); err == nil {
			t.Error("unreadable metadata is no error")
		}
	})
	t.Run("snapshot", func(t *testing.T) {
		snapshot, specErr, err := DecodeStateSnapshot(contentOf(
			map[string]any{"checkpoint": map[string]any{}, "backoffLimit": int64(0)},
			map[string]any{"state": "FAILED", "failures": int64(2)},
		))
		if specErr != nil || err != nil || snapshot.Spec.Checkpoint == nil || snapshot.Spec.Savepoint != nil ||
			snapshot.Status.Failures != 2 {
			t.Errorf("%+v, %v, %v", snapshot, specErr, err)
		}
		if _, specErr, _ := DecodeStateSnapshot(contentOf(map[string]any{"checkpoint": "yes"}, nil)); specErr == nil {
			t.Error("an unreadable snapshot spec is no error")
		}
	})
	t.Run("blue/green", func(t *testing.T) {
		parent, specErr, err := DecodeBlueGreen(contentOf(
			map[string]any{"template": map[string]any{"spec": map[string]any{"image": "i"}}},
			map[string]any{"blueGreenState": "ACTIVE_BLUE"},
		))
		if specErr != nil || err != nil || parent.Spec.Template.Spec.Image != "i" ||
			parent.Status.BlueGreenState != BlueGreenActiveBlue {
			t.Errorf("%+v, %v, %v", parent, specErr, err)
		}
		if _, specErr, _ := DecodeBlueGreen(contentOf([]any{}, nil)); specErr == nil {
			t.Error("an unreadable parent spec is no error")
		}
	})
}

func TestDecodedTextKeepsItsCharacters(t *testing.T) {
	deployment, specErr, err := DecodeDeployment(contentOf(
		map[string]any{"flinkConfiguration": map[string]any{"a": "<&>"}}, nil,
	))
	if specErr != nil || err != nil || deployment.Spec.FlinkConfiguration.String() != `{"a":"<&>"}` {
		t.Errorf("%s, %v, %v", deployment.Spec.FlinkConfiguration, specErr, err)
	}
}
