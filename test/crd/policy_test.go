package crd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	admissioncel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

const policyFile = "../../config/knative/090-forbidden-keys-policy.yaml"

// policy is a ValidatingAdmissionPolicy compiled as the API server does.
type policy struct {
	source     admissionregistrationv1.ValidatingAdmissionPolicy
	conditions admissioncel.ConditionEvaluator
	rules      admissioncel.ConditionEvaluator
	// messages are what the rules say, in their order.
	messages admissioncel.ConditionEvaluator
}

// expression is one CEL expression of a policy.
type expression struct {
	name, text string
	result     *celgo.Type
}

func (e expression) GetName() string            { return e.name }
func (e expression) GetExpression() string      { return e.text }
func (e expression) ReturnTypes() []*celgo.Type { return []*celgo.Type{e.result} }

func loadPolicies(
	t *testing.T, file string,
) (policies []policy, bindings []admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	t.Helper()
	for kind, document := range documents(t, file) {
		switch kind {
		case "ValidatingAdmissionPolicy":
			source := admissionregistrationv1.ValidatingAdmissionPolicy{}
			if err := yaml.UnmarshalStrict(document, &source); err != nil {
				t.Fatal(err)
			}
			policies = append(policies, compile(t, source))
		case "ValidatingAdmissionPolicyBinding":
			binding := admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
			if err := yaml.UnmarshalStrict(document, &binding); err != nil {
				t.Fatal(err)
			}
			bindings = append(bindings, binding)
		default:
			t.Fatalf("%s holds a %q", file, kind)
		}
	}
	return policies, bindings
}

// documents are those of a YAML file, in order, by kind.
func documents(t *testing.T, file string) iter.Seq2[string, []byte] {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	return func(yield func(string, []byte) bool) {
		for {
			document, err := reader.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			meta := struct {
				Kind string `json:"kind"`
			}{}
			if err := yaml.Unmarshal(document, &meta); err != nil {
				t.Fatal(err)
			}
			if !yield(meta.Kind, document) {
				return
			}
		}
	}
}

func compile(t *testing.T, source admissionregistrationv1.ValidatingAdmissionPolicy) policy {
	t.Helper()
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	compiler, err := admissioncel.NewCompositedCompiler(base)
	if err != nil {
		t.Fatal(err)
	}
	options := admissioncel.OptionalVariableDeclarations{HasAuthorizer: true}
	for _, variable := range source.Spec.Variables {
		result := compiler.CompileAndStoreVariable(
			expression{variable.Name, variable.Expression, celgo.AnyType}, options, environment.NewExpressions,
		)
		if result.Error != nil {
			t.Errorf("%s, variable %s: %v", source.Name, variable.Name, result.Error)
		}
	}
	var conditions, rules, messages []admissioncel.ExpressionAccessor
	for _, condition := range source.Spec.MatchConditions {
		conditions = append(conditions, expression{condition.Name, condition.Expression, celgo.BoolType})
	}
	for _, validation := range source.Spec.Validations {
		rules = append(rules, expression{validation.Message, validation.Expression, celgo.BoolType})
		messages = append(
			messages,
			expression{
				validation.Message, cmp.Or(validation.MessageExpression, strconv.Quote(validation.Message)), celgo.StringType,
			},
		)
	}
	p := policy{
		source: source,
		// Match conditions see no variables.
		conditions: admissioncel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())).
			CompileCondition(conditions, options, environment.NewExpressions),
		rules:    compiler.CompileCondition(rules, options, environment.NewExpressions),
		messages: compiler.CompileCondition(messages, options, environment.NewExpressions),
	}
	for _, err := range slices.Concat(
		p.conditions.CompilationErrors(), p.rules.CompilationErrors(), p.messages.CompilationErrors(),
	) {
		t.Errorf("%s: %v", source.Name, err)
	}
	return p
}

// refuses returns the message of the first rule that is not met, as the API
// server does; empty when the policy is met or does not apply.
func (p policy) refuses(t *testing.T, object, old map[string]any) string {
	t.Helper()
	operation := admission.Create
	current := &unstructured.Unstructured{Object: object}
	var before runtime.Object
	if old != nil {
		operation = admission.Update
		before = &unstructured.Unstructured{Object: old}
	}
	gvk := v1beta1.GroupVersion.WithKind(current.GetKind())
	gvr := v1beta1.GroupVersion.WithResource(resources[current.GetKind()])
	if !p.matches(gvr, operation) {
		return ""
	}
	attributes := admission.NewAttributesRecord(
		current, before, gvk, current.GetNamespace(), current.GetName(), gvr, "", operation, nil, false, nil,
	)
	versioned := &admission.VersionedAttributes{
		Attributes: attributes, VersionedKind: gvk, VersionedObject: current, VersionedOldObject: before,
	}
	request := &admissionv1.AdmissionRequest{
		Operation: admissionv1.Operation(operation), Name: current.GetName(), Namespace: current.GetNamespace(),
	}
	evaluate := func(evaluator admissioncel.ConditionEvaluator) []admissioncel.EvaluationResult {
		results, _, err := evaluator.ForInput(
			context.Background(), versioned, request, admissioncel.OptionalVariableBindings{}, nil,
			celconfig.RuntimeCELCostBudget,
		)
		if err != nil {
			t.Fatalf("%s: %v", p.source.Name, err)
		}
		return results
	}
	for _, result := range evaluate(p.conditions) {
		if result.Error != nil {
			return "match condition fails: " + result.Error.Error()
		}
		if result.EvalResult.Value() != true {
			return ""
		}
	}
	messages := evaluate(p.messages)
	for i, result := range evaluate(p.rules) {
		switch {
		case result.Error != nil:
			return "rule fails: " + result.Error.Error()
		case result.EvalResult.Value() != true:
			return fmt.Sprint(messages[i].EvalResult.Value())
		}
	}
	return ""
}

// matches tells whether the policy is asked at all.
func (p policy) matches(gvr schema.GroupVersionResource, operation admission.Operation) bool {
	return slices.ContainsFunc(p.source.Spec.MatchConstraints.ResourceRules,
		func(rule admissionregistrationv1.NamedRuleWithOperations) bool {
			return slices.Contains(rule.APIGroups, gvr.Group) && slices.Contains(rule.APIVersions, gvr.Version) &&
				slices.Contains(rule.Resources, gvr.Resource) &&
				slices.Contains(rule.Operations, admissionregistrationv1.OperationType(operation))
		})
}

const wellFormed = "flinkVersion: v2_2\nserviceAccount: flink\n"

func TestForbiddenKeys(t *testing.T) {
	const words = "Forbidden Flink config key: "
	const namespace, cluster, highAvailability = words + "kubernetes.namespace", words + "kubernetes.cluster-id",
		words + "high-availability.cluster-id"
	rows := map[string]struct {
		reason        string
		configuration string // YAML of flinkConfiguration
		says          string // empty means accepted
	}{
		"none":              {"the usual configuration", `{taskmanager.numberOfTaskSlots: 2}`, ""},
		"empty":             {"nothing is set", `{}`, ""},
		"namespace, flat":   {"the usual form", `{kubernetes.namespace: x}`, namespace},
		"namespace, nested": {"means the same", `{kubernetes: {namespace: x}}`, namespace},
		"cluster ID, flat":  {"the usual form", `{kubernetes.cluster-id: x}`, cluster},
		"cluster ID, nested": {
			"means the same", `{kubernetes: {cluster-id: x, rest-service: {exposed: {type: NodePort}}}}`, cluster,
		},
		"HA cluster ID, flat": {"the usual form", `{high-availability.cluster-id: x}`, highAvailability},
		"HA cluster ID, nested": {
			"means the same", `{high-availability: {type: kubernetes, cluster-id: x}}`, highAvailability,
		},
		"empty text":   {"is a value", `{kubernetes.namespace: ""}`, namespace},
		"null":         {"is the text null", `{kubernetes.namespace: null}`, namespace},
		"null, nested": {"is the text null", `{kubernetes: {namespace: null}}`, namespace},
		"number":       {"is a value", `{kubernetes.cluster-id: 5}`, cluster},
		"false":        {"is a value", `{high-availability: {cluster-id: false}}`, highAvailability},
		"list":         {"is a value", `{kubernetes.namespace: [a, b]}`, namespace},
		"empty list":   {"is no entry", `{kubernetes.namespace: [], kubernetes: {cluster-id: []}}`, ""},
		"empty map": {
			"is no entry", `{kubernetes.namespace: {}, high-availability: {cluster-id: {}}}`, "",
		},
		"deeper key": {
			"another key that begins so", `{kubernetes.namespace: {x: 1}, kubernetes: {cluster-id: {y: 2}}}`, "",
		},
		"longer key": {
			"another key that begins so", `{kubernetes.namespaced: x, kubernetes: {cluster-ids: x}}`, "",
		},
		"key below another": {
			"only the top level counts", `{x: {kubernetes.namespace: y, kubernetes: {namespace: z}}}`, "",
		},
		"parent is no map":        {"has nothing below", `{kubernetes: x, high-availability: zookeeper}`, ""},
		"parent is a list":        {"has nothing below", `{kubernetes: [namespace]}`, ""},
		"operator option":         {"is for the operator", `{kubernetes.operator.savepoint.history.max.age: 1 h}`, ""},
		"configuration is a text": {"validation reports it", `text`, ""},
		"configuration is null":   {"is absent", `null`, ""},
		"other spelling":          {"keys are case-sensitive", `{Kubernetes.Namespace: x}`, ""},
		"forbidden key among a few": {
			"the order does not count", `{a: 1, kubernetes.operator.x: 2, z: {y: 3}, kubernetes.cluster-id: 4}`, cluster,
		},
		"both forms, one of no weight": {
			"the other one counts", `{kubernetes.namespace: {}, kubernetes: {namespace: x}}`, namespace,
		},
	}
	policies, _ := loadPolicies(t, policyFile)
	for name, row := range rows {
		content := resourceWith(t, v1beta1.KindFlinkDeployment, wellFormed+"flinkConfiguration: "+row.configuration)
		expect(t, fmt.Sprintf("%s (%s)", name, row.reason), denial(t, policies, content, nil), row.says)
	}
}

// denial is what the API server tells: the message of the first policy that
// refuses.
func denial(t *testing.T, policies []policy, object, old map[string]any) string {
	t.Helper()
	for _, p := range policies {
		if message := p.refuses(t, object, old); message != "" {
			return message
		}
	}
	return ""
}

func expect(t *testing.T, row, message, says string) {
	t.Helper()
	switch {
	case says == "" && message != "":
		t.Errorf("%s is refused: %v", row, message)
	case says != "" && (!strings.Contains(message, says) || problems(message) != 1):
		t.Errorf("%s: want one problem with %q, got %q", row, says, message)
	}
}

// problems counts those that a message names, each with its path.
func problems(message string) int {
	return strings.Count(message, " (spec.") + strings.Count(message, " (metadata.name)")
}

func TestRequiredFields(t *testing.T) {
	const deployment, job = v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob
	rows := map[string]struct {
		reason, kind, name, spec, says string
	}{
		"well formed": {"all there", deployment, "app", wellFormed, ""},
		"no Flink version": {
			"Flink differs by version", deployment, "app", "serviceAccount: flink",
			"Flink Version must be defined. (spec.flinkVersion)",
		},
		"no service account": {
			"JobManagers start pods", deployment, "app", "flinkVersion: v2_2",
			"spec.serviceAccount must be defined. (spec.serviceAccount)",
		},
		"empty service account": {
			"is that of the namespace", deployment, "app", "flinkVersion: v2_2\nserviceAccount: \"\"", "",
		},
		"name with a dot": {
			"Services could not have it", deployment, "session-cluster-1.13", wellFormed,
			" is invalid (metadata.name): use 1 to 45 characters",
		},
		"name of 45": {"the longest", deployment, strings.Repeat("a", 45), wellFormed, ""},
		"name of 46": {
			"derived names would be too long", deployment, strings.Repeat("a", 46), wellFormed,
			" is invalid (metadata.name): use 1 to 45 characters",
		},
		"name begins with a digit": {
			"Services could not have it", deployment, "1app", wellFormed, "The FlinkDeployment name: 1app is invalid",
		},
		"name of one letter": {"the shortest", deployment, "a", wellFormed, ""},
		"session job":        {"all there", job, "job.1", "deploymentName: x\njob: {}", ""},
		"session job without cluster": {
			"where to?", job, "job", "job: {}", "The FlinkDeployment name:  is invalid (spec.deploymentName)",
		},
		"session job without job": {
			"what?", job, "job", "deploymentName: x", "The job spec should not be empty (spec.job)",
		},
		"long session job name": {"no rule for it", job, strings.Repeat("a", 60), "deploymentName: x\njob: {}", ""},
		"snapshot":              {"its CRD has the rules", v1beta1.KindFlinkStateSnapshot, "s", "{}", ""},
		"blue/green":            {"its child is judged", v1beta1.KindFlinkBlueGreenDeployment, "Odd.Name", "{}", ""},
	}
	policies, _ := loadPolicies(t, policyFile)
	for name, row := range rows {
		content := resourceWith(t, row.kind, row.spec)
		content["metadata"].(map[string]any)["name"] = row.name
		expect(t, fmt.Sprintf("%s (%s)", name, row.reason), denial(t, policies, content, nil), row.says)
	}
	for _, kind := range []string{deployment, job} {
		bare := map[string]any{"apiVersion": v1beta1.APIVersion, "kind": kind, "metadata": map[string]any{"name": "a"}}
		if message := denial(t, policies, bare, nil); problems(message) != 2 {
			t.Errorf("a %s without spec lacks two fields: %q", kind, message)
		}
	}
	generated := resourceWith(t, deployment, wellFormed)
	generated["metadata"] = map[string]any{"generateName": "app-"}
	expect(t, "a name still to be generated", denial(t, policies, generated, nil), "")
}

// Whatever the policy refuses, it says in the words of validation, and all of it
// at once.
func TestThePolicySpeaksAsValidationDoes(t *testing.T) {
	const wrong = "flinkConfiguration: {kubernetes.namespace: x, kubernetes.cluster-id: x, high-availability: " +
		"{cluster-id: x}}"
	policies, _ := loadPolicies(t, policyFile)
	object := resourceWith(t, v1beta1.KindFlinkDeployment, wrong)
	object["metadata"].(map[string]any)["name"] = "1.x"
	message := denial(t, policies, object, nil)
	said := 0
	for _, finding := range validation.Deployment(validation.DeploymentInput{
		Name: "1.x", Spec: job(t, wrong),
	}).WrappedErrors() {
		if strings.Contains(message, finding.Message+" ("+finding.Paths[0]+"): ") {
			said++
		}
	}
	if said != 6 || problems(message) != 6 {
		t.Errorf("%d problems have the words and the path of validation, want 6: %q", said, message)
	}
}

// Canaries, deletions and updates that leave the spec alone are never refused.
func TestPoliciesLetPass(t *testing.T) {
	bad := func(metadata map[string]any) map[string]any {
		content := resourceWith(t, v1beta1.KindFlinkDeployment, "image: i\nflinkConfiguration: {kubernetes.namespace: x}")
		metadata["name"] = "Not.A.Name"
		content["metadata"] = metadata
		return content
	}
	label := func(value string) map[string]any {
		return map[string]any{"labels": map[string]any{v1beta1.LabelCanary: value}}
	}
	edited := bad(map[string]any{})
	edited["spec"].(map[string]any)["image"] = "j"
	dying := bad(map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z"})
	dying["spec"] = edited["spec"]
	withStatus := bad(map[string]any{"finalizers": []any{"f"}})
	withStatus["status"] = map[string]any{"error": "e"}
	noSpec := bad(map[string]any{})
	delete(noSpec, "spec")
	rows := map[string]struct {
		reason      string
		object, old map[string]any
		refused     int
	}{
		"new":                {"everything is wrong", bad(map[string]any{}), nil, 4},
		"canary":             {"is neither validated nor deployed", bad(label("true")), nil, 0},
		"canary, other case": {"the value's case does not count", bad(label("TRUE")), nil, 0},
		"no canary":          {"only true makes one", bad(label("yes")), nil, 4},
		"other labels": {
			"only that label counts", bad(map[string]any{"labels": map[string]any{"a": "true"}}), nil, 4,
		},
		"unchanged spec": {"a stored resource stays editable", withStatus, bad(map[string]any{}), 0},
		"edited spec": {
			"a new spec is judged, but not the name, which cannot be changed", edited, bad(map[string]any{}), 3,
		},
		"a canary that is one no more": {
			"what it asks for is judged for the first time", bad(map[string]any{}), bad(label("true")), 3,
		},
		"a resource that becomes a canary": {"is not deployed from now on", bad(label("true")), bad(map[string]any{}), 0},
		"another label": {
			"changes nothing that is judged", bad(map[string]any{"labels": map[string]any{"a": "b"}}), bad(map[string]any{}), 0,
		},
		"edited while deleting": {"a resource must stay deletable", dying, bad(map[string]any{}), 0},
		"spec added":            {"a new spec is judged", bad(map[string]any{}), noSpec, 3},
		"still no spec":         {"nothing is new", noSpec, noSpec, 0},
		"spec removed":          {"nothing is left to judge", noSpec, bad(map[string]any{}), 0},
	}
	policies, _ := loadPolicies(t, policyFile)
	for name, row := range rows {
		message := denial(t, policies, row.object, row.old)
		if problems(message) != row.refused || strings.Contains(message, "fails: ") {
			t.Errorf("%s (%s): %d problems, want %d: %q", name, row.reason, problems(message), row.refused, message)
		}
	}
}

// Every policy is bound, denies, fails closed and exempts nobody.
func TestPolicyObjects(t *testing.T) {
	policies, bindings := loadPolicies(t, policyFile)
	if len(policies) != 1 || len(bindings) != 1 { // of two that refuse, the API server tells one
		t.Fatalf("%d policies, %d bindings", len(policies), len(bindings))
	}
	for i, p := range policies {
		spec := p.source.Spec
		if spec.FailurePolicy == nil || *spec.FailurePolicy != admissionregistrationv1.Fail || spec.ParamKind != nil {
			t.Errorf("%s: does not fail closed, or takes parameters", p.source.Name)
		}
		for _, text := range spec.MatchConditions {
			if strings.Contains(text.Expression, "userInfo") {
				t.Errorf("%s: %s exempts someone", p.source.Name, text.Name)
			}
		}
		for _, validation := range spec.Validations {
			if validation.Message == "" || strings.Contains(validation.Expression, "userInfo") {
				t.Errorf("%s: rule %q has no message or exempts someone", p.source.Name, validation.Expression)
			}
		}
		b := bindings[i]
		if b.Spec.PolicyName != p.source.Name ||
			!slices.Equal(
				b.Spec.ValidationActions, []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			) ||
			b.Spec.MatchResources != nil {
			t.Errorf("binding %s: %+v", b.Name, b.Spec)
		}
	}
}
