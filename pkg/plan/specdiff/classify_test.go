package specdiff_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// step is one accumulating change of the Java operator's own test, with what it classifies as afterwards.
type step struct {
	reason             string
	change             func(*v1beta1.FlinkDeploymentSpec)
	native, standalone specdiff.Kind
	fields             int
}

func TestChangesAddUp(t *testing.T) {
	was, now := application(t), application(t)
	ignoredKeys := []string{"kubernetes.operator.reconcile.interval", "100 SECONDS", "parallelism.default", "100"}
	more := append([]string{
		"kubernetes.operator.metrics.scope.k8soperator.resource", "foo.bar", "job.autoscaler.metrics.window", "1234m",
	}, ignoredKeys...)
	configured := func(pairs ...string) func(*v1beta1.FlinkDeploymentSpec) {
		return func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = application(t).FlinkConfiguration
			put(t, &s.FlinkConfiguration, pairs...)
		}
	}
	steps := []step{
		{"a copy is no change", func(*v1beta1.FlinkDeploymentSpec) {}, specdiff.None, specdiff.None, 0},
		{"four fields that steer the operator and four keys that the cluster never sees are ignored",
			func(s *v1beta1.FlinkDeploymentSpec) {
				s.Job.UpgradeMode = v1beta1.UpgradeModeLastState
				s.Job.AllowNonRestoredState = ptr(true)
				s.Job.InitialSavepointPath = "local:///tmp"
				s.Job.SavepointTriggerNonce = ptr(int64(123))
				configured(more...)(s)
			}, specdiff.Ignore, specdiff.Ignore, 8},
		{"a key that is taken back is no change any more", configured(ignoredKeys...), specdiff.Ignore, specdiff.Ignore, 6},
		{"parallelism restarts native jobs and scales standalone ones",
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 100 },
			specdiff.Upgrade, specdiff.Scale, 7},
		{"what the pods are made from upgrades", func(s *v1beta1.FlinkDeploymentSpec) {
			s.Image, s.ImagePullPolicy, s.ServiceAccount = "flink:greatest", "never:pull", "anonymous"
			s.FlinkVersion, s.Mode = v1beta1.FlinkV1_13, v1beta1.ModeStandalone
			s.LogConfiguration = map[string]string{"foo": "bar"}
		}, specdiff.Upgrade, specdiff.Upgrade, 13},
		{"JobManager, TaskManager, pod template and ingress upgrade", func(s *v1beta1.FlinkDeploymentSpec) {
			s.JobManager.Resource.Memory = "999m"
			s.TaskManager.Replicas = ptr(int32(999))
			s.PodTemplate.Labels = nil
			s.Ingress.Template = "none"
		}, specdiff.Upgrade, specdiff.Upgrade, 17},
		{"what the job is upgrades", func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.JarURI, s.Job.EntryClass, s.Job.Args = "missing.jar", "missing.Class", []string{"foo", "bar"}
			s.Job.State = v1beta1.JobStateSuspended
		}, specdiff.Upgrade, specdiff.Upgrade, 21},
		{"any other Flink key upgrades", configured(append(ignoredKeys, "env.java.opts.taskmanager", "-Dfoo=bar")...),
			specdiff.Upgrade, specdiff.Upgrade, 22},
	}
	for _, s := range steps {
		s.change(now)
		for mode, want := range map[v1beta1.Mode]specdiff.Kind{
			v1beta1.ModeNative: s.native, v1beta1.ModeStandalone: s.standalone,
		} {
			got := specdiff.Classify(was, now, mode)
			if got.Kind != want || len(got.Fields) != s.fields {
				t.Errorf(
					"%s (%s): %s with %d fields, want %s with %d\n%s", s.reason, mode, got.Kind, len(got.Fields), want, s.fields,
					got.Text,
				)
			}
		}
	}
}

// deploymentRow changes one field of the application fixture.
type deploymentRow struct {
	reason             string
	before, change     func(*v1beta1.FlinkDeploymentSpec)
	native, standalone specdiff.Kind
	fields             []string
}

func TestDeploymentFields(t *testing.T) {
	for name, row := range deploymentRows(t) {
		t.Run(name, func(t *testing.T) {
			was, now := application(t), application(t)
			if row.before != nil {
				row.before(was)
				row.before(now)
			}
			row.change(now)
			for mode, want := range map[v1beta1.Mode]specdiff.Kind{
				"": row.native, v1beta1.ModeNative: row.native, v1beta1.ModeStandalone: row.standalone,
			} {
				checkChange(t, row.reason, specdiff.Classify(was, now, mode), want, row.fields)
			}
		})
	}
}

func checkChange(t *testing.T, reason string, got specdiff.Change, want specdiff.Kind, fields []string) {
	t.Helper()
	if got.Kind != want || len(got.Fields) != len(fields) {
		t.Fatalf("%s: %s %v, want %s %v", reason, got.Kind, got.Fields, want, fields)
	}
	for i, path := range fields {
		if got.Fields[i].Path != path {
			t.Errorf("%s: field %d is %s, want %s", reason, i, got.Fields[i].Path, path)
		}
	}
	if (got.Text == "") != (len(fields) == 0) {
		t.Errorf("%s: text %q does not fit %d fields", reason, got.Text, len(fields))
	}
}

func TestSessionJobFields(t *testing.T) {
	type spec = v1beta1.FlinkSessionJobSpec
	for name, row := range map[string]struct {
		reason             string
		change             func(*spec)
		native, standalone specdiff.Kind
		fields             int
	}{
		"nothing": {"a copy is no change", func(*spec) {}, specdiff.None, specdiff.None, 0},
		"ignored fields and the jar's headers": {"they steer the operator, the running job does not see them", ignoreJob(t),
			specdiff.Ignore, specdiff.Ignore, 5},
		"and parallelism": {"as for an application, by the cluster's mode", func(s *spec) {
			ignoreJob(t)(s)
			s.Job.Parallelism = 100
		}, specdiff.Upgrade, specdiff.Scale, 6},
		"and what the job is": {"all of it needs another submission", func(s *spec) {
			ignoreJob(t)(s)
			s.Job.Parallelism, s.DeploymentName = 100, "missing"
			s.Job.JarURI, s.Job.EntryClass, s.Job.Args = "missing.jar", "missing.Class", []string{"foo"}
			s.Job.State = v1beta1.JobStateSuspended
		}, specdiff.Upgrade, specdiff.Upgrade, 11},
		"deploymentName": {"validation refuses it, the diff still says what it would be",
			func(s *spec) { s.DeploymentName = "x" },
			specdiff.Upgrade, specdiff.Upgrade, 1},
		"restartNonce": {
			"asks for a restart",
			func(s *spec) { s.RestartNonce = ptr(int64(1)) },
			specdiff.Upgrade,
			specdiff.Upgrade,
			1,
		},
		"job removed": {
			"one entry for the whole object",
			func(s *spec) { s.Job = nil },
			specdiff.Upgrade,
			specdiff.Upgrade,
			1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			was, now := sessionJob(t), sessionJob(t)
			row.change(now)
			for mode, want := range map[v1beta1.Mode]specdiff.Kind{
				v1beta1.ModeNative: row.native, v1beta1.ModeStandalone: row.standalone,
			} {
				if got := specdiff.Classify(was, now, mode); got.Kind != want || len(got.Fields) != row.fields {
					t.Errorf("%s (%s): %s %v, want %s with %d fields", row.reason, mode, got.Kind, got.Fields, want, row.fields)
				}
			}
		})
	}
}

func ignoreJob(t *testing.T) func(*v1beta1.FlinkSessionJobSpec) {
	return func(s *v1beta1.FlinkSessionJobSpec) {
		s.Job.UpgradeMode, s.Job.AllowNonRestoredState = v1beta1.UpgradeModeLastState, ptr(true)
		s.Job.InitialSavepointPath, s.Job.SavepointTriggerNonce = "local:///tmp", ptr(int64(1))
		put(t, &s.FlinkConfiguration, "kubernetes.operator.user.artifacts.http.header", "changed")
	}
}

func TestNilSpecsAreEmptyOnes(t *testing.T) {
	if got := specdiff.Classify[v1beta1.FlinkDeploymentSpec](nil, nil, ""); got.Kind != specdiff.None ||
		got.Fields != nil || got.Text != "" {
		t.Errorf("two nil specs differ: %+v", got)
	}
	empty := &v1beta1.FlinkSessionJobSpec{}
	if got := specdiff.Classify(nil, empty, ""); got.Kind != specdiff.None {
		t.Errorf("a nil and an empty spec differ: %+v", got)
	}
	if got := specdiff.Classify(nil, sessionJob(t), ""); got.Kind != specdiff.Upgrade {
		t.Errorf("from nothing to a job is %s", got.Kind)
	}
}
