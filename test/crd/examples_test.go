package crd

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The policies of the examples say what their files say, and leave alone what is stored.
func TestPoliciesOfTheExamples(t *testing.T) {
	const job = "job: {jarURI: local:///a.jar, parallelism: 1, upgradeMode: "
	for name, row := range map[string]struct{ file, spec, want string }{
		"stateless": {"state", job + "stateless}", "upgraded with savepoint"},
		"no mode":   {"state", "job: {jarURI: local:///a.jar}", "upgraded with savepoint"},
		"no place": {
			"state", job + "savepoint}\nflinkConfiguration: {a: b}", "needs execution.checkpointing.savepoint-dir",
		},
		"state":        {"state", job + "last-state}\nflinkConfiguration: {state.savepoints.dir: 's3://b'}", ""},
		"a session":    {"state", "flinkVersion: v2_2", ""},
		"much CPU":     {"resources", "taskManager: {resource: {cpu: 9, memory: 1g}}", "8 at the most"},
		"no CPU":       {"resources", "taskManager: {resource: {memory: 1g}}", "8 at the most"},
		"a fraction":   {"resources", "taskManager: {resource: {cpu: 0.5}}", ""},
		"as Flink has": {"resources", "flinkVersion: v2_2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			policies, bindings := loadPolicies(t, "../../examples/policies/"+row.file+".yaml")
			if len(policies) != 1 || len(bindings) != 1 || bindings[0].Spec.PolicyName != policies[0].source.Name {
				t.Fatalf("%d policies, %d bindings", len(policies), len(bindings))
			}
			object := map[string]any{
				"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
				"metadata": map[string]any{"namespace": "a", "name": "demo"},
			}
			spec := map[string]any{}
			if err := yaml.Unmarshal([]byte(row.spec), &spec); err != nil {
				t.Fatal(err)
			}
			object["spec"] = spec
			if got := denial(t, policies, object, nil); !strings.Contains(got, row.want) || (row.want == "") != (got == "") {
				t.Errorf("told %q, want %q", got, row.want)
			}
			if got := denial(t, policies, object, object); got != "" {
				t.Errorf("what is stored is refused: %s", got)
			}
		})
	}
}
