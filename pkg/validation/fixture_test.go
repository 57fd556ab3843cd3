package validation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"knative.dev/pkg/apis"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

const (
	checkpointDir = "execution.checkpointing.dir"
	savepointDir  = "execution.checkpointing.savepoint-dir"
	haFactory     = "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory"
)

const applicationYAML = `
image: flink:1.20
flinkVersion: v1_20
serviceAccount: flink
job: {jarURI: local:///opt/flink/job.jar, parallelism: 1, upgradeMode: stateless, state: running}
flinkConfiguration:
  taskmanager.numberOfTaskSlots: "2"
  high-availability.type: ` + haFactory + `
  high-availability.storageDir: test
  execution.checkpointing.savepoint-dir: test-savepoint-dir
  execution.checkpointing.dir: test-checkpoint-dir
jobManager:
  replicas: 1
  resources: &size
    requests: {cpu: "1", memory: 2048m, ephemeral-storage: 2G}
    limits: {ephemeral-storage: 2G}
taskManager:
  resources: *size
`

// deployment is a valid application.
func deployment(t testing.TB) validation.DeploymentInput {
	return validation.DeploymentInput{
		Namespace: "flink-operator-test", Name: "test-cluster",
		Spec: *parse[v1beta1.FlinkDeploymentSpec](t, applicationYAML),
	}
}

// sessionCluster is a valid session cluster with its name.
func sessionCluster(t testing.TB) *v1beta1.FlinkDeployment {
	in := deployment(t)
	cluster := &v1beta1.FlinkDeployment{Spec: in.Spec}
	cluster.Namespace, cluster.Name, cluster.Spec.Job = in.Namespace, in.Name, nil
	return cluster
}

// sessionJob is a valid session job, its cluster not looked up.
func sessionJob(t testing.TB) validation.SessionJobInput {
	return validation.SessionJobInput{
		Namespace: "flink-operator-test",
		Spec: *parse[v1beta1.FlinkSessionJobSpec](t, `
deploymentName: test-cluster
job: {jarURI: https://example.com/sample.jar, parallelism: 1, upgradeMode: stateless}
`),
	}
}

func parse[S any](t testing.TB, text string) *S {
	t.Helper()
	spec := new(S)
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// conf is a configuration of the keys and values given in turn.
func conf(pairs ...string) v1beta1.FlinkConfiguration {
	return add(nil, pairs...)
}

// add sets keys over a configuration.
func add(c v1beta1.FlinkConfiguration, pairs ...string) v1beta1.FlinkConfiguration {
	flat, err := flinkconf.Flatten(c)
	if err != nil {
		panic(err) // a fixture of ours
	}
	for i := 0; i < len(pairs); i += 2 {
		flat[pairs[i]] = pairs[i+1]
	}
	return write(flat)
}

// without removes keys of a configuration.
func without(c v1beta1.FlinkConfiguration, keys ...string) v1beta1.FlinkConfiguration {
	flat, err := flinkconf.Flatten(c)
	if err != nil {
		panic(err) // a fixture of ours
	}
	for _, key := range keys {
		delete(flat, key)
	}
	return write(flat)
}

func write(flat flinkconf.Config) v1beta1.FlinkConfiguration {
	text, err := json.Marshal(flat)
	if err != nil {
		panic(err) // a fixture of ours
	}
	return text
}

func operator(pairs ...string) flinkconf.Operator {
	base := flinkconf.Config{}
	for i := 0; i < len(pairs); i += 2 {
		base[pairs[i]] = pairs[i+1]
	}
	return flinkconf.NewOperator(base)
}

// reconciled is the status of a deployment whose last spec is the one given.
func reconciled(t testing.TB, spec v1beta1.FlinkDeploymentSpec) v1beta1.FlinkDeploymentStatus {
	t.Helper()
	text, err := v1beta1.ReconciledDeployment{Spec: spec}.Text()
	if err != nil {
		t.Fatal(err)
	}
	return v1beta1.FlinkDeploymentStatus{ReconciliationStatus: v1beta1.ReconciliationStatus{LastReconciledSpec: text}}
}

func ptr[T any](v T) *T { return &v }

// finding is one expected problem: its field and a part of its text.
type finding struct {
	path, text string
}

// check compares all findings; the first one must be the headline.
func check(t *testing.T, reason string, got *apis.FieldError, want ...finding) {
	t.Helper()
	if len(want) == 0 {
		if got != nil {
			t.Errorf("%s: refused: %s", reason, validation.Message(got))
		}
		return
	}
	if got == nil {
		t.Fatalf("%s: accepted, want %v", reason, want)
	}
	if headline := validation.Headline(got); !strings.Contains(headline, want[0].text) {
		t.Errorf("%s: headline %q does not contain %q", reason, headline, want[0].text)
	}
	found := 0
	for _, e := range got.WrappedErrors() {
		found += len(e.Paths)
		if e.Details == "" || e.Message == "" || len(e.Paths) == 0 {
			t.Errorf("%s: %+v does not say what, where and what to do", reason, e)
		}
	}
	if found != len(want) {
		t.Errorf("%s: %d findings, want %d: %s", reason, found, len(want), validation.Message(got))
	}
	for _, w := range want {
		if !has(got, w) {
			t.Errorf("%s: nothing at %s says %q: %s", reason, w.path, w.text, validation.Message(got))
		}
	}
}

func has(got *apis.FieldError, want finding) bool {
	for _, e := range got.WrappedErrors() {
		for _, path := range e.Paths {
			if path == want.path && strings.Contains(e.Message, want.text) {
				return true
			}
		}
	}
	return false
}

func confPath(key string) string { return `spec.flinkConfiguration["` + key + `"]` }
