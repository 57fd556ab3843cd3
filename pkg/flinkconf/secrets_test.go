package flinkconf_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// variable is a pod template in YAML with one environment variable of the main container.
func variable(name, value string) string {
	return `{spec: {containers: [{name: flink-main-container, env: [{name: ` + name + `, value: ` + value + `}]}]}}`
}

// main begins a pod template with what the main container has.
const main = `podTemplate: {spec: {containers: [{name: flink-main-container, `

func TestSecrets(t *testing.T) {
	operator := flinkconf.NewOperator(flinkconf.Config{"s3.secret-key": "hunter-operator"})
	for name, row := range map[string]struct {
		reason       string
		spec         string
		told, silent []string
	}{
		"configuration": {"keys name secrets", `flinkConfiguration: {s3: {secret-key: hunter2-a}, s3.access: plain-text}`,
			[]string{"plain-text"}, []string{"hunter2-a"}},
		"configuration that is none": {"validation says so", `flinkConfiguration: [hunter2-a]`, []string{"hunter2-a"}, nil},
		"arguments": {"options name secrets", `job: {args: ["--password", "hunter2-a", "--user", "me-myself"]}`,
			[]string{"me-myself"}, []string{"hunter2-a"}},
		"a pod template": {"environment variables name secrets", `podTemplate: ` + variable("DB_PASSWORD", "hunter2-a"),
			nil, []string{"hunter2-a"}},
		"a variable that names none": {"it helps to find a mistake", `podTemplate: ` + variable("DB_USER", "me-myself"),
			[]string{"me-myself"}, nil},
		"an init container": {"it has secrets, too",
			`podTemplate: {spec: {initContainers: [{name: a, env: [{name: TOKEN, value: hunter2-a}]}]}}`,
			nil, []string{"hunter2-a"}},
		"commands": {"options name secrets, in a shell, too", main + `command: [sh, -c, "run --token hunter2-a"],
			args: [--password, hunter2-b, me-myself]}]}}`, []string{"me-myself"}, []string{"hunter2-a", "hunter2-b"}},
		"probes": {"headers name secrets", main + `livenessProbe: {httpGet: {port: 1, httpHeaders: [
			{name: X-Api-Key, value: hunter2-a}, {name: Authorization, value: hunter2-b}, {name: Host, value: me-myself}]}},
			startupProbe: {exec: {command: [ask, --secret=hunter2-c]}}}]}}`,
			[]string{"me-myself"}, []string{"hunter2-a", "hunter2-b", "hunter2-c"}},
		"handlers": {"as probes", main + `lifecycle: {preStop: {httpGet: {port: 1, httpHeaders: [
			{name: cookie, value: hunter2-a}]}}, postStart: {exec: {command: [tell, --secret, hunter2-b]}}}}]}}`,
			nil, []string{"hunter2-a", "hunter2-b"}},
		"volumes": {"attributes name secrets", `podTemplate: {spec: {volumes: [{name: a, csi: {driver: b,
			volumeAttributes: {secretKey: hunter2-a, share: me-myself}}}]}}`, []string{"me-myself"}, []string{"hunter2-a"}},
		"annotations of pods": {"their keys name secrets",
			`podTemplate: {metadata: {annotations: {example.com/token: hunter2-a}}}`, nil, []string{"hunter2-a"}},
		"annotations of the Ingress": {"the same", `ingress: {annotations: {example.com/token: hunter2-a}}`,
			nil, []string{"hunter2-a"}},
		"addresses of the job": {"they may have credentials",
			`job: {jarURI: "https://me-myself:hunter2-a@h/j.jar?sig=hunter2-b", initialSavepointPath: "s3://u:hunter2-c@s"}`,
			[]string{"me-myself"}, []string{"hunter2-a", "hunter2-b", "hunter2-c"}},
		"log configurations": {"appenders log in",
			`logConfiguration: {log4j-console.properties: "a.http.password = hunter2-a\nb = me-myself"}`,
			[]string{"me-myself"}, []string{"hunter2-a"}},
		"a variable of each template": {
			"TaskManagers, JobManagers and what both have differ", `
podTemplate: ` + variable("DB_PASSWORD", "hunter2-a") + `
jobManager: {podTemplate: ` + variable("DB_PASSWORD", "hunter2-b") + `}
taskManager: {podTemplate: ` + variable("DB_PASSWORD", "hunter2-c") + `}`,
			nil, []string{"hunter2-a", "hunter2-b", "hunter2-c"},
		},
		"no component": {"nothing to look at", `{jobManager: null, taskManager: null}`, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			hidden := flinkconf.Secrets(operator, nil, specOf(t, row.spec))
			for _, word := range row.told {
				if got := hidden.Text("it says " + word + " and more"); !strings.Contains(got, word) {
					t.Errorf("%s: %q is hidden: %s", row.reason, word, got)
				}
			}
			for _, word := range append(row.silent, "hunter-operator") {
				if got := hidden.Text("it says " + word + " and more"); strings.Contains(got, word) {
					t.Errorf("%s: %q is told: %s", row.reason, word, got)
				}
			}
		})
	}
}

// A status records specs that the resource does not have any more, and their secrets are secret still.
func TestSecretsOfRecordedSpecs(t *testing.T) {
	configuration := func(password string) v1beta1.FlinkConfiguration {
		return v1beta1.FlinkConfiguration(`{"db.password": "` + password + `"}`)
	}
	d, j := &v1beta1.FlinkDeployment{}, &v1beta1.FlinkSessionJob{}
	d.Spec.FlinkConfiguration, j.Spec.FlinkConfiguration = configuration("hunter2-a"), configuration("hunter2-b")
	recorded := func(password string) string {
		text, err := v1beta1.ReconciledDeployment{
			Spec: v1beta1.FlinkDeploymentSpec{FlinkConfiguration: configuration(password)},
		}.Text()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	recordedJob := func(password string) string {
		text, err := v1beta1.ReconciledSessionJob{
			Spec: v1beta1.FlinkSessionJobSpec{FlinkConfiguration: configuration(password)},
		}.Text()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	d.Status.ReconciliationStatus.LastReconciledSpec = recorded("hunter2-c")
	d.Status.ReconciliationStatus.LastStableSpec = recorded("hunter2-d")
	j.Status.ReconciliationStatus.LastReconciledSpec = recordedJob("hunter2-e")
	j.Status.ReconciliationStatus.LastStableSpec = recordedJob("hunter2-f")
	for name, row := range map[string]struct {
		deployment *v1beta1.FlinkDeployment
		job        *v1beta1.FlinkSessionJob
		hidden     string
	}{
		"of neither": {nil, nil, ""}, "of a FlinkDeployment": {d, nil, "acd"}, "of a session job": {nil, j, "bef"},
		"of both": {d, j, "abcdef"},
	} {
		secrets := flinkconf.SecretsOf(flinkconf.NewOperator(nil), row.deployment, row.job)
		for _, last := range "abcdef" {
			word := "hunter2-" + string(last)
			told := strings.Contains(secrets.Text("it says "+word+" and more"), word)
			if told == strings.ContainsRune(row.hidden, last) {
				t.Errorf("secrets %s: %q is told: %v", name, word, told)
			}
		}
	}
}

func TestSecretsOfAResourceAsItIsSent(t *testing.T) {
	const job = `{"args": ["--password", "hunter2-a"]}`
	for name, row := range map[string]struct{ kind, resource string }{
		"a FlinkDeployment": {v1beta1.KindFlinkDeployment, `{"spec": {"job": ` + job + `}}`},
		"a FlinkSessionJob": {v1beta1.KindFlinkSessionJob, `{"spec": {"job": ` + job + `}}`},
		"a FlinkBlueGreenDeployment": {v1beta1.KindFlinkBlueGreenDeployment,
			`{"spec": {"template": {"spec": {"job": ` + job + `}}}}`},
		"a FlinkStateSnapshot": {v1beta1.KindFlinkStateSnapshot,
			`{"spec": {"savepoint": {"path": "s3://u:hunter2-a@s"}}}`},
	} {
		secrets := flinkconf.SecretsIn(row.kind, []byte(row.resource), "https://u:hunter2-b@h")
		for _, word := range []string{"hunter2-a", "hunter2-b"} {
			if got := secrets.Text("it says " + word); strings.Contains(got, word) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	for name, resource := range map[string]string{"nothing": "", "no template": `{"spec": {}}`, "no object": `[]`} {
		for _, kind := range []string{v1beta1.KindFlinkBlueGreenDeployment, v1beta1.KindFlinkStateSnapshot, "Pod"} {
			if got := flinkconf.SecretsIn(kind, []byte(resource)).Text("it says hunter2-a"); got != "it says hunter2-a" {
				t.Errorf("%s %s: %s", kind, name, got)
			}
		}
	}
}
