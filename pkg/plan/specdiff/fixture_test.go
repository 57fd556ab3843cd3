package specdiff_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

const applicationYAML = `
image: flink:1.20
serviceAccount: flink
flinkVersion: v1_20
ingress: {template: template}
podTemplate:
  metadata: {labels: {app: test}}
  spec:
    hostname: localhost
    containers:
    - name: flink-main-container
      env: [{name: DB_PASSWORD, value: hunter2}, {name: LEVEL, value: info}]
jobManager:
  resource: {cpu: 1, memory: 2048m}
  replicas: 1
taskManager:
  resource: {cpu: 1, memory: 2048m}
job:
  jarURI: local:///opt/flink/job.jar
  parallelism: 1
  upgradeMode: stateless
  state: running
flinkConfiguration:
  taskmanager.numberOfTaskSlots: "2"
`

const sessionJobYAML = `
deploymentName: test-cluster
job: {jarURI: https://example.com/job.jar, parallelism: 1}
flinkConfiguration:
  kubernetes.operator.user.artifacts.http.header: a:b
`

func parse[S any](t testing.TB, text string) *S {
	t.Helper()
	spec := new(S)
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func application(t testing.TB) *v1beta1.FlinkDeploymentSpec {
	return parse[v1beta1.FlinkDeploymentSpec](t, applicationYAML)
}

func sessionJob(t testing.TB) *v1beta1.FlinkSessionJobSpec {
	return parse[v1beta1.FlinkSessionJobSpec](t, sessionJobYAML)
}

// put sets flat keys of a configuration, in the order given: key, value, key, value.
func put(t testing.TB, c *v1beta1.FlinkConfiguration, pairs ...string) {
	t.Helper()
	flat := map[string]any{}
	if err := yaml.Unmarshal([]byte(c.String()), &flat); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		flat[pairs[i]] = pairs[i+1]
	}
	text, err := yaml.Marshal(flat)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	*c = asJSON
}

func ptr[T any](v T) *T { return &v }
