package crd

import (
	"context"
	"slices"
	"testing"

	celgo "github.com/google/cel-go/cel"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/admission"
	admissioncel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

const webhookFile = "../../config/knative/830-webhooks.yaml"

// validating is the webhook that validates.
func validating(t *testing.T) admissionregistrationv1.ValidatingWebhook {
	t.Helper()
	configuration := admissionregistrationv1.ValidatingWebhookConfiguration{}
	for kind, document := range documents(t, webhookFile) {
		if kind == "ValidatingWebhookConfiguration" {
			if err := yaml.UnmarshalStrict(document, &configuration); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(configuration.Webhooks) != 1 {
		t.Fatalf("%s has %d webhooks that validate, want 1", webhookFile, len(configuration.Webhooks))
	}
	return configuration.Webhooks[0]
}

// asks tells whether the API server asks the webhook about an update of a resource, as it decides that itself.
func asks(
	t *testing.T, webhook admissionregistrationv1.ValidatingWebhook, old, current *unstructured.Unstructured,
) bool {
	t.Helper()
	var conditions []admissioncel.ExpressionAccessor
	for _, c := range webhook.MatchConditions {
		conditions = append(conditions, expression{c.Name, c.Expression, celgo.BoolType})
	}
	evaluator := admissioncel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())).
		CompileCondition(
			conditions, admissioncel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.NewExpressions,
		)
	for _, err := range evaluator.CompilationErrors() {
		t.Fatal(err)
	}
	gvk := v1beta1.GroupVersion.WithKind(current.GetKind())
	gvr := v1beta1.GroupVersion.WithResource(resources[gvk.Kind])
	attributes := admission.NewAttributesRecord(
		current, old, gvk, "flink", "demo", gvr, "", admission.Update, nil, false, nil,
	)
	results, _, err := evaluator.ForInput(context.Background(),
		&admission.VersionedAttributes{
			Attributes: attributes, VersionedKind: gvk, VersionedObject: current, VersionedOldObject: old,
		},
		&admissionv1.AdmissionRequest{
			Operation: admissionv1.Update, Name: "demo", Namespace: "flink",
			Kind:     metav1.GroupVersionKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
			UserInfo: authenticationv1.UserInfo{Username: "somebody"},
		}, admissioncel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudgetMatchConditions)
	if err != nil {
		t.Fatal(err)
	}
	return !slices.ContainsFunc(results, func(r admissioncel.EvaluationResult) bool {
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		return r.EvalResult.Value() != true
	})
}

// resourceOf is a resource of a kind with a spec.
func resourceOf(t *testing.T, kind string, spec any) *unstructured.Unstructured {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": kind,
		"metadata": map[string]any{"name": "demo", "namespace": "flink"}, "spec": spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func job(t *testing.T, text string) v1beta1.FlinkDeploymentSpec {
	t.Helper()
	spec := v1beta1.FlinkDeploymentSpec{}
	if err := yaml.UnmarshalStrict([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// An edit that nobody is asked about passes validation exactly as the spec before it did.
func TestWhichEditsAreAskedAbout(t *testing.T) {
	const (
		valid = "{image: 'flink:1.20', flinkVersion: v1_20, serviceAccount: flink, jobManager: {resource: {memory: 1g}}, " +
			"taskManager: {resource: {memory: 1g}}, " +
			"job: {jarURI: 'local:///a.jar', args: [a], entryClass: A, parallelism: 2, state: running, upgradeMode: " +
			"stateless}}"
		invalid = "{flinkVersion: v1_20, serviceAccount: flink, flinkConfiguration: " +
			"{kubernetes.operator.deployment.rollback.enabled: 'true'}, " +
			"jobManager: {replicas: 2}, job: {parallelism: 2, upgradeMode: savepoint, savepointTriggerNonce: 1}}"
	)
	n := int64(7)
	yes := true
	rows := map[string]struct {
		edit   func(*v1beta1.FlinkDeploymentSpec)
		asked  bool
		reason string
	}{
		"suspend": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }, false,
			"the schema knows the states",
		},
		"no state": {func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = "" }, false, "empty is running"},
		"rescale": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 }, false, "any that is at least 1 will do",
		},
		"parallelism 0": {func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 }, true, "it needs replicas"},
		"too much parallelism": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 1 << 30 }, false, "it is a number",
		},
		"parallelism below 0": {func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 }, true, "it is refused"},
		"restart":             {func(s *v1beta1.FlinkDeploymentSpec) { s.RestartNonce = &n }, false, "any number will do"},
		"another image": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }, false, "only a registry can judge it",
		},
		"no image": {func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "" }, false, "then the operator's is taken"},
		"pull policy": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "Always" }, false, "only Kubernetes can judge it",
		},
		"jar, class": {func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.JarURI, s.Job.EntryClass = "local:///b.jar", ""
		}, false, "only Flink can judge them"},
		"arguments": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Args = []string{"#"} }, true, "flink-conf.yaml does not hold all",
		},
		"what may be dropped": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AllowNonRestoredState = &yes }, true,
			"with last-state there is a warning",
		},
		"a checkpoint": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.CheckpointTriggerNonce = &n }, false,
			"it needs no directory of its own",
		},
		"a savepoint": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.SavepointTriggerNonce = &n }, true, "it needs a directory",
		},
		"upgrade mode": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeLastState }, true,
			"it needs directories",
		},
		"redeploy": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.SavepointRedeployNonce = &n }, true, "it needs a path",
		},
		"no job": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job = nil }, true, "an application is not made a session cluster",
		},
		"Flink version": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = v1beta1.FlinkV2_0 }, true, "not after each suspension",
		},
		"account": {func(s *v1beta1.FlinkDeploymentSpec) { s.ServiceAccount = "" }, true, "there must be one"},
		"configuration": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkConfiguration = []byte(`{"a":"b"}`) }, true, "most rules read it",
		},
		"JobManager": {func(s *v1beta1.FlinkDeploymentSpec) { s.JobManager = nil }, true, "it needs memory"},
		"pod template": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.PodTemplate = &v1beta1.PodTemplate{} }, true, "it is not named",
		},
		"one of each": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Image, s.Mode = "flink:2", v1beta1.ModeStandalone }, true,
			"one is enough",
		},
		"nothing": {func(*v1beta1.FlinkDeploymentSpec) {}, false, "the spec is the same"},
	}
	webhook := validating(t)
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{valid, invalid} {
				before := job(t, text)
				after := *before.DeepCopy()
				row.edit(&after)
				const kind = v1beta1.KindFlinkDeployment
				got := asks(t, webhook, resourceOf(t, kind, before), resourceOf(t, kind, after))
				if got != row.asked {
					t.Fatalf("asked: %t, want %t: %s", got, row.asked, row.reason)
				}
				if row.asked {
					continue
				}
				was, is := judge(before), judge(after)
				if was != is {
					t.Errorf("nobody is asked, and validation said %q before and says %q now", was, is)
				}
			}
		})
	}
	for kind, text := range map[string]string{"valid": valid, "invalid": invalid} {
		if found := judge(job(t, text)); (found == "") != (kind == "valid") {
			t.Errorf("the %s spec: %q", kind, found)
		}
	}
}

// What is left out for a FlinkDeployment is not for a session job: whatever changes its spec is asked about.
func TestEveryEditOfASessionJobIsAskedAbout(t *testing.T) {
	n, yes := int64(7), true
	rows := map[string]struct {
		edit  func(*v1beta1.FlinkSessionJobSpec)
		asked bool
	}{
		"what may be dropped": {func(s *v1beta1.FlinkSessionJobSpec) { s.Job.AllowNonRestoredState = &yes }, true},
		"rescale":             {func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 }, true},
		"suspend":             {func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended }, true},
		"restart":             {func(s *v1beta1.FlinkSessionJobSpec) { s.RestartNonce = &n }, true},
		"jar":                 {func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI = "https://repo/b.jar" }, true},
		"a checkpoint":        {func(s *v1beta1.FlinkSessionJobSpec) { s.Job.CheckpointTriggerNonce = &n }, true},
		"another cluster":     {func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "other" }, true},
		"nothing":             {func(*v1beta1.FlinkSessionJobSpec) {}, false},
	}
	webhook := validating(t)
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			before := v1beta1.FlinkSessionJobSpec{DeploymentName: "session", Job: &v1beta1.JobSpec{
				JarURI: "https://repo/a.jar", Parallelism: 2, State: v1beta1.JobStateRunning,
				UpgradeMode: v1beta1.UpgradeModeLastState,
			}}
			after := *before.DeepCopy()
			row.edit(&after)
			const kind = v1beta1.KindFlinkSessionJob
			if got := asks(t, webhook, resourceOf(t, kind, before), resourceOf(t, kind, after)); got != row.asked {
				t.Errorf("asked: %t, want %t", got, row.asked)
			}
		})
	}
}

// A spec that was a canary's was never judged: it is asked about when the label goes. Other labels wake nobody.
func TestWhichLabelsAreAskedAbout(t *testing.T) {
	webhook := validating(t)
	labelled := func(key, value string) *unstructured.Unstructured {
		u := resourceOf(t, v1beta1.KindFlinkDeployment, job(t, "{job: {parallelism: 2}}"))
		if key != "" {
			u.SetLabels(map[string]string{key: value})
		}
		return u
	}
	for name, row := range map[string]struct {
		before, after *unstructured.Unstructured
		asked         bool
	}{
		"canary taken off": {labelled(v1beta1.LabelCanary, "true"), labelled("", ""), true},
		"canary in place":  {labelled(v1beta1.LabelCanary, "true"), labelled(v1beta1.LabelCanary, "true"), false},
		"canary to false":  {labelled(v1beta1.LabelCanary, "true"), labelled(v1beta1.LabelCanary, "false"), true},
		"canary put on":    {labelled("", ""), labelled(v1beta1.LabelCanary, "true"), true},
		"another label":    {labelled("", ""), labelled("team", "a"), false},
	} {
		if got := asks(t, webhook, row.before, row.after); got != row.asked {
			t.Errorf("%s: asked %t, want %t", name, got, row.asked)
		}
	}
}

func judge(spec v1beta1.FlinkDeploymentSpec) string {
	return validation.Deployment(validation.DeploymentInput{
		Namespace: "flink", Name: "demo", Spec: spec, Operator: flinkconf.Operator{},
	}).Error()
}
