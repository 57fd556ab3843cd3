package validation_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// brokenRules are mistakes that do not touch one another, in the order in which the Java operator evaluates its rules.
func brokenRules() []struct {
	rule    string
	mistake func(*input)
	want    finding
} {
	set := func(key, value string) func(*input) {
		return func(in *input) { in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, key, value) }
	}
	const health, recovery = "kubernetes.operator.cluster.health-check.enabled",
		"kubernetes.operator.jm-deployment-recovery.enabled"
	return []struct {
		rule    string
		mistake func(*input)
		want    finding
	}{
		{"V1", func(in *input) { in.Name = "-" }, finding{"metadata.name", "The FlinkDeployment name: - is invalid"}},
		{
			"V2b",
			func(in *input) { in.Spec.FlinkVersion = v1beta1.FlinkV1_13 },
			finding{"spec.flinkVersion", "Flink version v1_13 is not supported"},
		},
		{
			"V3a",
			set("kubernetes.cluster-id", "x"),
			finding{confPath("kubernetes.cluster-id"), "Forbidden Flink config key: kubernetes.cluster-id"},
		},
		{
			"V3c",
			both(set(health, "true"), set(recovery, "false")),
			finding{confPath(health), "Deployment recovery (" + recovery + ")"},
		},
		{
			"V4a",
			func(in *input) { in.Spec.Ingress = &v1beta1.IngressSpec{} },
			finding{"spec.ingress.template", "Ingress template must be defined"},
		},
		{
			"V5",
			func(in *input) { in.Spec.LogConfiguration = files("random") },
			finding{`spec.logConfiguration["random"]`, "Invalid log config key: random"},
		},
		{
			"V6a",
			func(in *input) {
				in.Spec.Job.UpgradeMode = v1beta1.UpgradeModeLastState
				in.Spec.FlinkConfiguration = without(in.Spec.FlinkConfiguration, checkpointDir)
			},
			finding{confPath(checkpointDir), "Checkpoint directory[" + checkpointDir + "]"},
		},
		{
			"V6c",
			func(in *input) {
				in.Spec.Job.SavepointTriggerNonce = ptr(int64(1))
				in.Spec.FlinkConfiguration = without(in.Spec.FlinkConfiguration, savepointDir)
			},
			finding{"spec.job.savepointTriggerNonce", "Savepoint could not be manually triggered"},
		},
		{
			"V6g",
			func(in *input) { in.Spec.Job.Parallelism = 0 },
			finding{"spec.job.parallelism", "Job parallelism must be larger than 0"},
		},
		{
			"V7b",
			func(in *input) { in.Spec.JobManager.Resource = &v1beta1.Resource{Memory: "x"} },
			finding{"spec.jobManager.resource.memory", "JobManager resource memory parse error"},
		},
		{
			"V7d",
			func(in *input) { in.Spec.JobManager.Replicas = ptr(int32(0)) },
			finding{"spec.jobManager.replicas", "JobManager replicas should not be configured less than one."},
		},
		{
			"V8c",
			func(in *input) { in.Spec.TaskManager.Resources.Requests["cpu"] = "0" },
			finding{
				"spec.taskManager.resources.requests.cpu", "TaskManager resource requirements requests cpu must be positive: 0",
			},
		},
		{
			"V9c",
			func(in *input) { in.Spec.Mode = v1beta1.ModeStandalone },
			finding{"spec.mode", "Cannot switch from native kubernetes to standalone kubernetes cluster"},
		},
		{
			"V9e",
			func(in *input) { in.Spec.Job.SavepointRedeployNonce = ptr(int64(1)) },
			finding{"spec.job.initialSavepointPath", "InitialSavepointPath must not be empty for savepoint redeployment"},
		},
		{
			"V10",
			func(in *input) { in.Spec.ServiceAccount = "" },
			finding{"spec.serviceAccount", "spec.serviceAccount must be defined."},
		},
		{
			"V11",
			scaled("memory.heap-usage.threshold", "2"),
			finding{
				confPath(autoscaler + "memory.heap-usage.threshold"),
				"is invalid, it should be a value within the range [0.0, 1.0]",
			},
		},
	}
}

// Any set of mistakes is told in full, and the one that the Java operator would have told alone comes first.
func TestFindingsAddUp(t *testing.T) {
	rules := brokenRules()
	rapid.Check(t, func(rt *rapid.T) {
		in := deployment(t)
		in.Status = reconciled(t, in.Spec)
		var want []finding
		for _, rule := range rules {
			if rapid.Bool().Draw(rt, rule.rule) {
				rule.mistake(&in)
				want = append(want, rule.want)
			}
		}
		got := validation.Deployment(in)
		if len(want) == 0 {
			if got != nil {
				rt.Fatalf("refused: %s", validation.Message(got))
			}
			return
		}
		if headline := validation.Headline(got); !strings.Contains(headline, want[0].text) {
			rt.Fatalf("headline %q, want %q", headline, want[0].text)
		}
		if found := got.WrappedErrors(); len(found) != len(want) {
			rt.Fatalf("%d findings, want %d: %s", len(found), len(want), validation.Message(got))
		}
		for _, w := range want {
			if !has(got, w) {
				rt.Fatalf("nothing at %s says %q: %s", w.path, w.text, validation.Message(got))
			}
		}
	})
}

// The advice names who has to correct a value: the owner of the resource or that of the operator.
func TestAdviceNamesThePlace(t *testing.T) {
	const rollback = "kubernetes.operator.deployment.rollback.enabled"
	for name, row := range map[string]struct {
		reason string
		change func(*input)
		want   string
	}{
		"own value": {
			"the owner of the resource wrote it",
			replace(rollback, "x"),
			"correct it in spec.flinkConfiguration",
		},
		"default value": {
			"the owner of the resource cannot correct it",
			func(in *input) { in.Operator = operator(rollback, "x") },
			"correct it where it is set: the operator's default configuration",
		},
		"own forbidden key": {
			"the owner of the resource wrote it",
			replace("kubernetes.namespace", "x"),
			"remove it in spec.flinkConfiguration",
		},
		"forbidden default": {
			"the owner of the resource cannot remove it",
			func(in *input) { in.Operator = operator("kubernetes.namespace", "x") },
			"remove it where it is set: the operator's default configuration",
		},
		"own bound": {
			"the owner of the resource wrote it",
			scaled("scale-up.max-factor", "-1"),
			"it is -1.0, correct it in spec.flinkConfiguration",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := deployment(t)
			row.change(&in)
			if got := validation.Message(validation.Deployment(in)); !strings.Contains(got, row.want) {
				t.Errorf("%s: %q does not say %q", row.reason, got, row.want)
			}
		})
	}
}

// Judging leaves the resource alone: the same object is stored afterwards.
func TestJudgingChangesNothing(t *testing.T) {
	in := deployment(t)
	for _, rule := range brokenRules() {
		rule.mistake(&in)
	}
	before := in.Spec.DeepCopy()
	validation.Deployment(in)
	if in.Spec.FlinkConfiguration.String() != before.FlinkConfiguration.String() ||
		in.Spec.Job.Parallelism != before.Job.Parallelism ||
		len(in.Spec.LogConfiguration) != len(before.LogConfiguration) ||
		*in.Spec.JobManager.Replicas != *before.JobManager.Replicas {
		t.Errorf("changed to %+v", in.Spec)
	}
}
