package v1beta1

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// testdata/golden holds FlinkDeployments with the status that the Java operator
// gave them on a real cluster.

func goldenCRs(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.yaml")
	if err != nil || len(files) < 15 {
		t.Fatalf("golden resources: %d files, %v", len(files), err)
	}
	all := map[string]map[string]any{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".yaml")] = readYAML(t, file)
	}
	return all
}

func readYAML(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]any{}
	if err := yaml.Unmarshal(text, &content); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return content
}

// generic is a value as plain JSON data.
func generic(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustDecode(t *testing.T, content map[string]any) FlinkDeployment {
	t.Helper()
	deployment, specErr, err := DecodeDeployment(content)
	if specErr != nil || err != nil {
		t.Fatalf("decode: spec %v, rest %v", specErr, err)
	}
	return deployment
}

// A recorded text that the reference wrote is printed again byte for byte, so
// taking over a resource changes nothing in it.
func TestGoldenRecordedTextsSurviveParsing(t *testing.T) {
	texts := 0
	for name, content := range goldenCRs(t) {
		status := mustDecode(t, content).Status.ReconciliationStatus
		for field, text := range map[string]string{
			"lastReconciledSpec": status.LastReconciledSpec, "lastStableSpec": status.LastStableSpec,
		} {
			if text == "" {
				continue
			}
			texts++
			record, err := ParseReconciledDeployment(text)
			if err != nil {
				t.Errorf("%s %s: %v", name, field, err)
				continue
			}
			got, err := record.Text()
			if diff := cmp.Diff(text, got); diff != "" || err != nil {
				t.Errorf("%s %s: %v\n%s", name, field, err, diff)
			}
		}
	}
	if texts < 20 {
		t.Errorf("only %d texts compared", texts)
	}
}

// The text made from the resource's own spec is the text that the reference
// recorded, but for what it rewrites on purpose: the job's state, its upgrade
// mode, and the nonces it keeps.
func TestGoldenRecordedTextsFollowFromTheSpec(t *testing.T) {
	changedSince := map[string]string{
		"suspended":                "was never deployed",
		"live-ha-7-invalid-update": "has an invalid spec that was not recorded",
	}
	for name, content := range goldenCRs(t) {
		if changedSince[name] != "" {
			continue
		}
		deployment := mustDecode(t, content)
		recorded, err := ParseReconciledDeployment(deployment.Status.ReconciliationStatus.LastReconciledSpec)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		spec := *deployment.Spec.DeepCopy()
		if spec.Job != nil {
			spec.Job.State, spec.Job.UpgradeMode = recorded.Spec.Job.State, recorded.Spec.Job.UpgradeMode
			spec.Job.SavepointTriggerNonce = recorded.Spec.Job.SavepointTriggerNonce
		}
		got, err := ReconciledDeployment{Spec: spec, Meta: recorded.Meta}.Text()
		if diff := cmp.Diff(deployment.Status.ReconciliationStatus.LastReconciledSpec, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// Status is read and written back without losing a field. Only the fraction of
// a condition's transition time goes: Kubernetes times have seconds.
func TestGoldenStatusRoundTrip(t *testing.T) {
	for name, content := range goldenCRs(t) {
		deployment := mustDecode(t, content)
		want := generic(t, content["status"])
		if want == nil {
			want = map[string]any{}
		}
		dropFractions(want)
		if diff := cmp.Diff(want, generic(t, deployment.Status)); diff != "" {
			t.Errorf("%s (-reference +ours):\n%s", name, diff)
		}
	}
}

func dropFractions(status any) {
	conditions, _ := status.(map[string]any)["conditions"].([]any)
	for _, c := range conditions {
		condition := c.(map[string]any)
		whole, _, _ := strings.Cut(condition["lastTransitionTime"].(string), ".")
		condition["lastTransitionTime"] = whole + "Z"
	}
}

// A status with every field that the Java operator can write, for each kind.
func TestFullStatusRoundTrip(t *testing.T) {
	rows := map[string]struct {
		reason string
		status string
		into   any
	}{
		"deployment": {
			reason: "savepoint and checkpoint records in flight, empty map and list, zero times, cleared selector",
			status: `{"jobStatus":{"jobName":"j","jobId":"00","state":"RUNNING","startTime":"1","updateTime":"2",
				"upgradeSavepointPath":"KUBERNETES_OPERATOR_LAST_STATE",
				"savepointInfo":{"lastSavepoint":{"timeStamp":1,"location":"s3://b/s","triggerType":"MANUAL",
					"formatType":"NATIVE","triggerNonce":3},
					"triggerId":"","triggerTimestamp":0,"triggerType":"PERIODIC","formatType":"CANONICAL",
					"savepointHistory":[{"timeStamp":0,"triggerType":"UNKNOWN","formatType":"UNKNOWN"}],
					"lastPeriodicSavepointTimestamp":0},
				"checkpointInfo":{"lastCheckpoint":{"timeStamp":1,"triggerType":"MANUAL","formatType":"FULL","triggerNonce":0},
					"triggerId":"a","triggerTimestamp":5,"triggerType":"MANUAL","formatType":"INCREMENTAL",
					"lastPeriodicCheckpointTimestamp":9}},
				"error":"{}","observedGeneration":4,"lifecycleState":"STABLE","clusterInfo":{},
				"jobManagerDeploymentStatus":"READY",
				"reconciliationStatus":{"reconciliationTimestamp":7,"lastReconciledSpec":"{}",
					"lastStableSpec":"{}","state":"ROLLED_BACK"},
				"taskManager":{"labelSelector":"","replicas":0},"conditions":[]}`,
			into: &FlinkDeploymentStatus{},
		},
		"session job": {
			reason: "has no cluster fields",
			status: `{"jobStatus":{"jobId":"00","state":"FINISHED",
				"savepointInfo":{"savepointHistory":[],"lastPeriodicSavepointTimestamp":0}},
				"error":"Job Not Found","observedGeneration":1,"lifecycleState":"UPGRADING",
				"reconciliationStatus":{"lastReconciledSpec":"{}","state":"UPGRADING"}}`,
			into: &FlinkSessionJobStatus{},
		},
		"snapshot": {
			reason: "an empty path says that the path of a checkpoint could not be learned",
			status: `{"error":"e","failures":0,"path":"","resultTimestamp":"2026-01-01T00:00:00Z","state":"COMPLETED",` +
				`"triggerId":"t","triggerTimestamp":"2026-01-01T00:00:00.1Z"}`,
			into: &FlinkStateSnapshotStatus{},
		},
		"blue/green": {
			reason: "times are text, 1970 is a value",
			status: `{"jobStatus":{"state":"RECONCILING"},"blueGreenState":"TRANSITIONING_TO_GREEN","lastReconciledSpec":"{}",
				"lastReconciledTimestamp":"2026-01-01T00:00:00.000001Z","abortTimestamp":"1970-01-01T00:00:00Z",
				"deploymentReadyTimestamp":"1970-01-01T00:00:00Z","savepointTriggerId":"x","error":"e"}`,
			into: &FlinkBlueGreenDeploymentStatus{},
		},
	}
	for name, row := range rows {
		if err := json.Unmarshal([]byte(row.status), row.into); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(generic(t, json.RawMessage(row.status)), generic(t, row.into)); diff != "" {
			t.Errorf("%s (%s):\n%s", name, row.reason, diff)
		}
	}
}
