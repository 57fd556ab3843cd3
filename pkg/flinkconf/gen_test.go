package flinkconf_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// specOf reads a FlinkDeployment spec written as YAML over the smallest valid one.
func specOf(t *testing.T, text string) *v1beta1.FlinkDeploymentSpec {
	t.Helper()
	spec := &v1beta1.FlinkDeploymentSpec{
		FlinkVersion: v1beta1.FlinkV1_20, ServiceAccount: "flink",
		JobManager: &v1beta1.JobManagerSpec{}, TaskManager: &v1beta1.TaskManagerSpec{},
	}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(asJSON, spec)
	}
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// input is a start of a spec with every fact that an application needs.
func input(t *testing.T, text string) flinkconf.DeployInput {
	t.Helper()
	return flinkconf.DeployInput{
		Namespace: "ns1", Name: "demo", UID: "uid-1", Spec: specOf(t, text),
		Start: flinkconf.Start{JobID: "jobid", JobResultStoreDir: "dir"},
	}
}

func deploy(t *testing.T, in flinkconf.DeployInput) flinkconf.Deployed {
	t.Helper()
	deployed, err := flinkconf.Deploy(in)
	if err != nil {
		t.Fatal(err)
	}
	return deployed
}

// has fails unless the configuration has these entries; the text "-" means that the key must not be there.
func has(t *testing.T, c flinkconf.Config, want map[string]string, reason string) {
	t.Helper()
	got := map[string]string{}
	for key := range want {
		got[key] = "-"
		if text, ok := c[key]; ok {
			got[key] = text
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}
