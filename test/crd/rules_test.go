package crd

import (
	"strings"
	"testing"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// rule is one row: a spec, and the rules that refuse it.
type rule struct {
	reason string
	kind   string
	spec   string // YAML of spec
	says   string // part of the message; empty means accepted
}

func ruleRows() map[string]rule {
	const deployment, job, snapshot, blueGreen = v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob,
		v1beta1.KindFlinkStateSnapshot, v1beta1.KindFlinkBlueGreenDeployment
	return map[string]rule{
		"Flink 1.13": {
			"the Java operator dropped it", deployment, `flinkVersion: v1_13`,
			"spec.flinkVersion: Invalid value: Flink version v1_13 is not supported by this operator version",
		},
		"Flink 1.14": {
			"the Java operator dropped it", deployment, `flinkVersion: v1_14`,
			"use Flink 1.15 or newer and set flinkVersion to match the image",
		},
		"Flink 1.15":       {"the oldest supported one", deployment, `flinkVersion: v1_15`, ""},
		"Flink 2.4":        {"the newest", deployment, `flinkVersion: v2_4`, ""},
		"no Flink version": {"a canary needs none; the policy asks for it", deployment, `image: i`, ""},
		"Flink 9.9": {
			"not in the enumeration", deployment, `flinkVersion: v9_9`, "Unsupported value",
		},
		"ingress without template": {
			"there is no default", deployment, `ingress: {className: nginx}`,
			"spec.ingress.template: Invalid value: Ingress template must be defined",
		},
		"empty ingress": {
			"there is no default", deployment, `ingress: {}`, "Ingress template must be defined",
		},
		"ingress with template": {"host and path", deployment, `ingress: {template: "/{{name}}"}`, ""},
		"ingress null":          {"is no ingress", deployment, `ingress: null`, ""},
		"log4j and logback": {
			"both known files", deployment, `logConfiguration: {log4j-console.properties: a, logback-console.xml: b}`, "",
		},
		"one log file": {
			"one known file", deployment, `logConfiguration: {logback-console.xml: b}`, "",
		},
		"no log file": {"an empty map", deployment, `logConfiguration: {}`, ""},
		"another log file": {
			"Flink would not read it", deployment, `logConfiguration: {random: a}`,
			"spec.logConfiguration: Invalid value: Invalid log config key. Allowed keys are [log4j-console.properties, " +
				"logback-console.xml]",
		},
		"a log file too many": {
			"Flink would not read it", deployment, `logConfiguration: {log4j-console.properties: a, random: b}`,
			"move the content of the others",
		},
		"JobManager replicas 0": {
			"suspending is done by state", deployment, `jobManager: {replicas: 0}`,
			"spec.jobManager.replicas: Invalid value: JobManager replicas should not be configured less than one.",
		},
		"JobManager replicas negative": {
			"no such number", deployment, `jobManager: {replicas: -1}`, "to stop a job set job.state to suspended",
		},
		"JobManager replicas 1": {"the default", deployment, `jobManager: {replicas: 1}`, ""},
		"JobManager replicas 3": {
			"high availability is for admit to check", deployment, `jobManager: {replicas: 3}`, "",
		},
		"TaskManager replicas 0": {
			"suspending is done by state", deployment, `taskManager: {replicas: 0}`,
			"spec.taskManager.replicas: Invalid value: TaskManager replicas should not be configured less than one.",
		},
		"TaskManager replicas 0, of a job": {
			"the Java operator's words differ", deployment, `{taskManager: {replicas: 0}, job: {}}`,
			"spec.taskManager.replicas: Invalid value: TaskManager replicas must be larger than 0",
		},
		"TaskManager replicas 1": {"of a session cluster, too", deployment, `taskManager: {replicas: 1}`, ""},
		"parallelism 0": {
			"left to validation: running resources have it", deployment, `job: {parallelism: 0}`, "",
		},
		"mode": {"not in the enumeration", deployment, `mode: hybrid`, "Unsupported value"},
		"job state": {
			"not in the enumeration", deployment, `job: {state: paused}`, "Unsupported value",
		},
		"quantity as a fraction": {
			"text or a whole number", deployment, `jobManager: {resources: {requests: {cpu: 0.5}}}`,
			"spec.jobManager.resources.requests.cpu",
		},
		"quantity as a number": {
			"text or a whole number", deployment, `jobManager: {resources: {requests: {cpu: 1}}}`, "",
		},
		"unreadable quantity": {
			"left to validation, which knows memory text", deployment, `taskManager: {resources: {limits: {memory: abc}}}`,
			"",
		},
		"blue/green child": {
			"the child would be refused", blueGreen, `template: {spec: {flinkVersion: v1_13}}`,
			"spec.template.spec.flinkVersion: Invalid value: Flink version v1_13",
		},
		"blue/green child's JobManager": {
			"the child would be refused", blueGreen, `template: {spec: {jobManager: {replicas: 0}}}`,
			"spec.template.spec.jobManager.replicas",
		},
		"blue/green ingress":         {"the Java operator accepts it", blueGreen, `ingress: {className: nginx}`, ""},
		"session cluster's name":     {"as that of a FlinkDeployment", job, `deploymentName: session-1`, ""},
		"session cluster's name, 45": {"the longest", job, `deploymentName: ` + strings.Repeat("a", 45), ""},
		"session cluster's name, 46": {
			"no FlinkDeployment can have it", job, `deploymentName: ` + strings.Repeat("a", 46),
			"spec.deploymentName: Invalid value: The FlinkDeployment name: " + strings.Repeat("a", 46) + " is invalid",
		},
		"session cluster's name, dot": {
			"no FlinkDeployment can have it", job, `deploymentName: session.1`,
			"The FlinkDeployment name: session.1 is invalid",
		},
		"session cluster's name, digit": {
			"no FlinkDeployment can have it", job, `deploymentName: 1session`, "beginning with a letter",
		},
		"session cluster's name, capital": {
			"no FlinkDeployment can have it", job, `deploymentName: Session`, "The FlinkDeployment name: Session is invalid",
		},
		"session cluster's name, dash": {
			"no FlinkDeployment can have it", job, `deploymentName: session-`, "ending with a letter or digit",
		},
		"session cluster's name, empty": {
			"no FlinkDeployment can have it", job, `deploymentName: ""`, "The FlinkDeployment name:  is invalid",
		},
		"no session cluster": {"the policy asks for it", job, `job: {parallelism: 1}`, ""},
		"savepoint": {
			"with a job", snapshot, `{savepoint: {}, jobReference: {kind: FlinkDeployment, name: a}}`, "",
		},
		"checkpoint": {
			"with a job", snapshot, `{checkpoint: {}, jobReference: {kind: FlinkDeployment, name: a}}`, "",
		},
		"neither": {
			"it says nothing", snapshot, `{jobReference: {kind: FlinkDeployment, name: a}}`,
			"spec: Invalid value: Exactly one of checkpoint or savepoint configurations has to be set.",
		},
		"both": {
			"which one?", snapshot, `{savepoint: {}, checkpoint: {}, jobReference: {kind: FlinkDeployment, name: a}}`,
			"Exactly one of checkpoint or savepoint configurations has to be set.",
		},
		"existing savepoint": {"needs no job", snapshot, `{savepoint: {alreadyExists: true, path: p}}`, ""},
		"savepoint without job": {
			"of what?", snapshot, `{savepoint: {alreadyExists: false}}`,
			"spec.jobReference: Invalid value: Job reference must be supplied for this snapshot",
		},
		"savepoint, nothing said": {
			"of what?", snapshot, `{savepoint: {}}`, "Job reference must be supplied for this snapshot",
		},
		"checkpoint without job": {
			"of what?", snapshot, `{checkpoint: {}}`, "Job reference must be supplied for this snapshot",
		},
	}
}

func TestRules(t *testing.T) {
	definitions := map[string]definition{}
	for kind := range resources {
		definitions[kind] = loadDefinition(t, kind)
	}
	for name, row := range ruleRows() {
		content := resourceWith(t, row.kind, row.spec)
		_, err := definitions[row.kind].create(content)
		switch {
		case row.says == "" && err != nil:
			t.Errorf("%s (%s) is refused: %v", name, row.reason, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s (%s): want %q, got %v", name, row.reason, row.says, err)
		}
	}
}

func resourceWith(t *testing.T, kind, spec string) map[string]any {
	t.Helper()
	indented := "  " + strings.ReplaceAll(spec, "\n", "\n  ")
	return readResource(
		t, []byte("apiVersion: flink.apache.org/v1beta1\nkind: "+kind+"\nmetadata:\n  name: x\nspec:\n"+indented+"\n"),
	)
}

// Every rule that a spec breaks is told at once, in the words of validation.
func TestRulesAreAllTold(t *testing.T) {
	wrong := "{flinkVersion: v1_13, ingress: {}, logConfiguration: {b: x, a: x}, jobManager: {replicas: 0}, " +
		"taskManager: {replicas: -1}, job: {parallelism: 1}}"
	_, err := loadDefinition(t, v1beta1.KindFlinkDeployment).create(resourceWith(t, v1beta1.KindFlinkDeployment, wrong))
	if err == nil {
		t.Fatal("it is accepted")
	}
	for _, path := range []string{
		"spec.flinkVersion", "spec.ingress.template", "spec.logConfiguration", "spec.jobManager.replicas",
		"spec.taskManager.replicas",
	} {
		if !strings.Contains(err.Error(), path+": Invalid value: ") {
			t.Errorf("%s is not told: %v", path, err)
		}
	}
	said := 0
	for _, finding := range validation.Deployment(validation.DeploymentInput{
		Name: "x", Spec: job(t, wrong),
	}).WrappedErrors() {
		if strings.Contains(err.Error(), finding.Message) {
			said++
		}
	}
	if said != 4 { // a rule that names the keys of a map would cost more than the API server allows
		t.Errorf("%d findings have the words of validation, want those of all rules but of the log files: %v", said, err)
	}
}

// A resource that was stored before the rules existed stays editable: what a row
// refuses on create is accepted on an update that leaves the spec as it is.
func TestStoredResourcesStayEditable(t *testing.T) {
	for name, row := range ruleRows() {
		if row.says == "" || row.says == "Unsupported value" || strings.HasPrefix(row.says, "spec.jobManager.resources") {
			continue
		}
		d := loadDefinition(t, row.kind)
		stored := resourceWith(t, row.kind, row.spec)
		changed := runtime.DeepCopyJSON(stored)
		changed["metadata"].(map[string]any)["finalizers"] = []any{"x/y"}
		changed["status"] = map[string]any{"error": "e"}
		if _, err := d.update(changed, stored); err != nil {
			t.Errorf("%s (%s): an update of metadata and status is refused: %v", name, row.reason, err)
		}
	}
}

// The name of the session cluster is kept once the job was deployed, in the words of validation. The Java operator lets
// it be chosen until then, too.
func TestTheNameOfASessionClusterIsKept(t *testing.T) {
	const deployed = `{"spec":{"deploymentName":"a"},"resource_metadata":{}}`
	rows := map[string]struct {
		recorded, problem, from, to string
		says                        string
	}{
		"unchanged":              {deployed, "", "a", "a", ""},
		"not deployed yet":       {"", "", "a", "b", ""},
		"deployed":               {deployed, "", "a", "b", "spec.deploymentName: Invalid value: "},
		"taken away":             {deployed, "", "a", "", "The deploymentName can't be changed"},
		"changed, and left so":   {deployed, "The deploymentName can't be changed", "b", "b", ""},
		"changed, and set back":  {deployed, `{"message":"The deploymentName can't be changed: set it back"}`, "b", "a", ""},
		"chosen where none was":  {deployed, "", "", "a", ""},
		"another problem, moved": {deployed, "The job spec should not be empty", "a", "b", "set it back"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			d := loadDefinition(t, v1beta1.KindFlinkSessionJob)
			of := func(name string) map[string]any {
				spec := map[string]any{"restartNonce": int64(1)}
				if name != "" {
					spec["deploymentName"] = name
				}
				r := resourceWith(t, v1beta1.KindFlinkSessionJob, "restartNonce: 1")
				r["spec"] = spec
				r["status"] = map[string]any{
					"error": row.problem, "reconciliationStatus": map[string]any{"lastReconciledSpec": row.recorded},
				}
				return r
			}
			_, err := d.update(of(row.to), of(row.from))
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v, want %q", err, row.says)
			}
		})
	}
}

// Limits of the API server for one rule and for one CRD
// (apiextensions-apiserver, pkg/apis/apiextensions/validation).
const (
	ruleCostLimit = 10_000_000
	crdCostLimit  = 100_000_000
)

// Every rule compiles, speaks, and is cheap enough for the API server to take
// the CRD. The only one at the root, which is held against every update, and the
// only one that looks at the old value, is that of the name of a session
// cluster: it holds of whatever leaves the name as it is.
func TestRulesAreTakenByTheServer(t *testing.T) {
	found := 0
	for kind := range resources {
		d := loadDefinition(t, kind)
		total := uint64(0)
		visit(d.structural, "", func(path string, s *structuralschema.Structural) {
			if len(s.XValidations) == 0 {
				return
			}
			results, err := schemacel.Compile(s, model.SchemaDeclType(s, false), celconfig.PerCallLimit,
				environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), schemacel.NewExpressionsEnvLoader())
			if err != nil {
				t.Errorf("%s %s: %v", kind, path, err)
				return
			}
			for i, result := range results {
				found++
				text := s.XValidations[i]
				if result.Error != nil || result.MessageExpressionError != nil {
					t.Errorf("%s %s, %q: %v, %v", kind, path, text.Rule, result.Error, result.MessageExpressionError)
				}
				if max(result.MaxCost, result.MessageExpressionMaxCost) > ruleCostLimit/2 {
					t.Errorf(
						"%s %s, %q may cost %d, its message %d, more than half of the limit", kind, path, text.Rule, result.MaxCost,
						result.MessageExpressionMaxCost,
					)
				}
				if text.Message == "" {
					t.Errorf("%s %s, %q: has no message", kind, path, text.Rule)
				}
				kept := text.FieldPath == ".spec.deploymentName"
				if strings.Contains(text.Rule, "oldSelf") != kept || (path == "") != kept {
					t.Errorf("%s %s, %q: looks at the old value, or is held against every update", kind, path, text.Rule)
				}
				total += result.MaxCost + result.MessageExpressionMaxCost
			}
		})
		if total > crdCostLimit/2 {
			t.Errorf("%s: rules may cost %d together, more than half of the limit", kind, total)
		}
	}
	if found < 10 {
		t.Errorf("only %d rules found", found)
	}
}

// visit walks a schema; path is empty at the root.
func visit(s *structuralschema.Structural, path string, do func(string, *structuralschema.Structural)) {
	do(path, s)
	for name := range s.Properties {
		below := s.Properties[name]
		visit(&below, strings.TrimPrefix(path+"."+name, "."), do)
	}
	if s.Items != nil {
		visit(s.Items, path+"[]", do)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		visit(s.AdditionalProperties.Structural, path+"{}", do)
	}
}
