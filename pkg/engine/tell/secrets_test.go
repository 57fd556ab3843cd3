package tell_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// secretive is an application whose configuration and arguments hold secrets that nothing in a text gives away by
// itself.
func secretive(t *testing.T) *enginetest.Deployment {
	t.Helper()
	w := enginetest.Stable(
		t,
		enginetest.With(
			enginetest.With(enginetest.Stateful, `"flinkConfiguration":{`, `"flinkConfiguration":{"s3.secret-key":"kQx7Zw",`),
			`"job":{`,
			`"job":{"args":["--db-password","hunter2","--in","a"],`,
		),
	)
	w.Events = nil
	return w
}

// secrets are what secretive and the rows below hide in texts.
var secrets = []string{"kQx", "hunt", "swordfish", "urlpass"}

// tells is everything that people can read of what the world has come to.
func tells(w *enginetest.Deployment) string {
	w.T.Helper()
	status := w.Status()
	conditions, err := json.Marshal(status.Conditions)
	if err != nil {
		w.T.Fatal(err)
	}
	retry, from := "", ""
	if status.Retry != nil {
		retry = status.Retry.Message
	}
	if status.JobStatus.StartedFrom != nil {
		from = status.JobStatus.StartedFrom.Path
	}
	if status.LostProgress != nil {
		from += " " + status.LostProgress.From
	}
	return fmt.Sprintf("%+v\n%s\n%s\n%s\n%s\n%v\n%s",
		w.Events, status.Error, conditions, retry, from, status.ClusterInfo, strings.Join(w.Log, "\n"))
}

// down is a JobManager that is not available, with one pod.
func down(w *enginetest.Deployment, pod corev1.Pod) {
	jm := w.Deployment().DeepCopy()
	jm.Status.AvailableReplicas, jm.Status.ReadyReplicas = 0, 0
	w.Snapshot.JobManager, w.Snapshot.Flink, w.Snapshot.Pods = plan.Present(
		jm,
	), world.Flink{}, plan.Present(
		[]corev1.Pod{pod},
	)
}

// crashes lets the JobManager's process end with an error.
func crashes(w *enginetest.Deployment) {
	pod := enginetest.WaitingPod("CrashLoopBackOff", "back-off", false)
	pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1}
	down(w, pod)
}

// waitsForVolumes lets its pod wait for a volume.
func waitsForVolumes(w *enginetest.Deployment) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}
	for _, name := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodReady} {
		pod.Status.Conditions = append(
			pod.Status.Conditions,
			corev1.PodCondition{Type: name, Status: corev1.ConditionFalse},
		)
	}
	down(w, pod)
}

func TestSecretsAreNotTold(t *testing.T) {
	said := "cannot log in with kQx7Zw and hunter2 at https://a:urlpass@h/x, password=swordfish"
	for name, row := range map[string]struct {
		comes func(w *enginetest.Deployment)
		// says is part of what is told all the same.
		says string
	}{
		"the cause of a failure": {func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Failure = plan.Present(said)
		}, "cannot log in with ****** and ****** at https://a:******@h/x, password=******"},
		"a failure in the job's history": {func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{{
				At: w.Snapshot.Now, StackTrace: said + "\n\tat a.B.c(B.java:1)", Labels: map[string]string{"why": "hunter2"},
			}})
		}, "cannot log in with ******"},
		"a secret that a bound cuts": {func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{
				{At: w.Snapshot.Now, StackTrace: strings.Repeat("x", 997) + " kQx7Zw"},
			})
		}, "xx **"},
		"arguments that changed": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.Job.Args = []string{"--db-password", "swordfish", "--in", "b", "--url", "http://u:urlpass@h"}
			})
		}, "job.args.3 : a -> b"},
		"one argument that changed": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Args = []string{"--db-password", "swordfish", "--in", "a"} })
		}, "job.args"},
		"a jar at a signed address": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.JarURI = "https://u:urlpass@h/j.jar?sig=swordfish" })
		}, "https://u:******@h/j.jar?sig=******"},
		"an address in the configuration": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(enginetest.With(
					string(s.FlinkConfiguration), `{`, `{"env.java.opts.all":"-Dx.password=swordfish",`,
				))
			})
		}, "env.java.opts.all : null -> -Dx.password=******"},
		"a spec that is refused": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"hunter2": "x"} })
		}, "Invalid log config key"},
		"a savepoint that fails": {func(w *enginetest.Deployment) {
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopFailed, Cause: said})
			w.Run()
		}, "cannot log in with ******"},
		"a container that cannot start": {func(w *enginetest.Deployment) {
			down(w, enginetest.WaitingPod("ImagePullBackOff", said, false))
		}, "cannot log in with ******"},
		"what the log of a JobManager ends with": {func(w *enginetest.Deployment) {
			crashes(w)
			w.Snapshot.CrashCause = plan.Present("IllegalConfigurationException: " + said)
		}, "cannot log in with ******"},
		"the same, cut within a secret": {func(w *enginetest.Deployment) {
			crashes(w)
			w.Snapshot.CrashCause = plan.Present("IllegalConfigurationException: cannot log in with hunt…")
		}, "cannot log in with ******…"},
		"a volume that cannot be mounted": {func(w *enginetest.Deployment) {
			waitsForVolumes(w)
			w.Snapshot.MountFailures = plan.Present([]string{"MountVolume.SetUp failed: " + said})
		}, "cannot log in with ******"},
		"the same, as its log line or Kubernetes cuts it": {func(w *enginetest.Deployment) {
			waitsForVolumes(w)
			w.Snapshot.MountFailures = plan.Present([]string{"MountVolume.SetUp failed: kQx... and so on"})
		}, "SetUp failed: ******... and so on"},
		"the cause of a failure, cut within a secret": {func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Failure = plan.Present("cannot log in with hunte…")
		}, "cannot log in with ******…"},
		"a savepoint that fails, cut within a secret": {func(w *enginetest.Deployment) {
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "cannot log in with kQx7Z…"})
			w.Run()
		}, "cannot log in with ******…"},
		"progress that is lost since a start from a path": {func(w *enginetest.Deployment) {
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = "https://u:urlpass@h/s"
			w.BeginsAnew()
		}, "the job began again from https://u:******@h/s"},
		"Flink that cannot be asked": {func(w *enginetest.Deployment) {
			w.Snapshot.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job](said)}
		}, "cannot log in with ******"},
	} {
		t.Run(name, func(t *testing.T) {
			w := secretive(t)
			row.comes(w)
			w.Run()
			told := tells(w)
			for _, secret := range secrets {
				if strings.Contains(told, secret) {
					t.Errorf("%s is told: %s", secret, told)
				}
			}
			if !strings.Contains(told, row.says) {
				t.Errorf("%q is not told: %s", row.says, told)
			}
			if p := w.Run(); p.Status != nil && w.Status().Intent == nil {
				t.Errorf("a second look writes again: %s", p)
			}
		})
	}
}

func TestAnEffectThatFailsTellsNoSecret(t *testing.T) {
	w := secretive(t)
	p := enginetest.Denied(w.Snapshot, plan.Retire{}, "quota of hunter2 exceeded")
	status, _ := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if status == nil || len(p.Events) != 1 || strings.Contains(status.Error+p.Events[0].Message, "hunter2") {
		t.Errorf("told %+v, status %+v", p.Events, status)
	}
}

func TestAStartFromAPathTellsNoSecret(t *testing.T) {
	spec := enginetest.With(enginetest.HighlyAvailable, `"job":{`, `"job":{"allowNonRestoredState":true,`+
		`"initialSavepointPath":"https://u:urlpass@h/s?sig=swordfish",`)
	w := enginetest.NewDeployment(t, strings.Replace(spec, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`, 1))
	w.Run()
	told := tells(w)
	for _, want := range []string{
		"Starting deployment from https://u:******@h/s?sig=****** (InitialSavepointPath)", "Reason:StateMayBeDropped",
		"\nhttps://u:******@h/s?sig=******",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
	if strings.Contains(told, "urlpass") || strings.Contains(told, "swordfish") {
		t.Errorf("a secret is told: %s", told)
	}
	if jm := w.Deployment(); !strings.Contains(
		fmt.Sprint(jm.Spec.Template.Spec, w.Status().JobStatus.UpgradeSavepointPath), "urlpass",
	) {
		t.Error("the job does not start from its path")
	}
}

func TestADisposalThatIsRefusedTellsNoSecret(t *testing.T) {
	w := secretive(t)
	at := plan.DisposeSavepoint{Path: "https://u:urlpass@h/s"}
	p := enginetest.RefusedByFlink(w.Snapshot, at, "no access with hunter2 to "+at.Path)
	const want = "the savepoint at https://u:******@h/s is too old or too many and was not disposed of: " +
		"no access with ****** to https://u:******@h/s"
	if len(p.Events) != 1 || p.Events[0].Message != want {
		t.Errorf("told %+v, want %s", p.Events, want)
	}
}

func TestStackTraceAndLabelsOfAFailure(t *testing.T) {
	const prefix = "kubernetes.operator.exception."
	for want, installation := range map[string]flinkconf.Config{
		`"message":"IOException: disk full","additionalMetadata":{},"throwableList":[]}`: nil,
		`"stackTrace":"java.io.IOException: disk full password=******\n\tat a.B.c"`: {
			prefix + "stacktrace.enabled": "true",
		},
		`"stackTrace":"java.io"`: {
			prefix + "stacktrace.enabled": "true", prefix + "stacktrace.max.length": "7",
		},
		`"additionalMetadata":{"labels":["Disk"]}`: {prefix + "label.mapper": "disk.*full:Disk,network:Net"},
	} {
		w := enginetest.StableIn(t, installation, enginetest.Application)
		w.ServeJob(v1beta1.FlinkJobFailed)
		w.Snapshot.Flink.Failure = plan.Present("IOException: disk full")
		w.Snapshot.Flink.FailureTrace = "java.io.IOException: disk full password=hunter2\n\tat a.B.c"
		w.Run()
		if !strings.Contains(w.Status().Error, want) {
			t.Errorf("%s: %s", installation, w.Status().Error)
		}
	}
}
