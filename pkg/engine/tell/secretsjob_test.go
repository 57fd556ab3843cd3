package tell_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// hostedSecrets are what secretive and the rows below hide in texts: of the job's configuration and arguments, of its
// cluster's configuration, and what looks like one.
var hostedSecrets = []string{"kQx", "hunt", "mNp4", "swordfish", "urlpass"}

// hostedSecretive is a session job that runs, and whose secrets nothing in a text gives away by itself.
func hostedSecretive(t *testing.T, change func(*v1beta1.FlinkSessionJobSpec)) *enginetest.SessionJob {
	t.Helper()
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster("s3.secret-key", "mNp4Rt"))
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.Job.Args = []string{"--db-password", "hunter2", "--in", "a"}
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"fs.azure.account.key.mine":"kQx7Zw"}`)
		if change != nil {
			change(s)
		}
	})
	w.UntilSteady()
	return w
}

// tellsOfTheJob is everything that people can read of what the world has come to. What is stored for programs alone is
// left out.
func tellsOfTheJob(w *enginetest.SessionJob) string {
	w.T.Helper()
	status := w.Snapshot.Resource.Status.DeepCopy()
	status.ReconciliationStatus, status.Intent = v1beta1.ReconciliationStatus{}, nil
	status.JobStatus.UpgradeSavepointPath, status.JobStatus.Checkpoint = "", nil
	text := &strings.Builder{}
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(status); err != nil {
		w.T.Fatal(err)
	}
	return fmt.Sprintf("%s\n%+v\n%s", text, w.Events, strings.Join(w.Log, "\n"))
}

// tellsNoSecret holds that no secret is told, and that the rest of the text is.
func tellsNoSecret(w *enginetest.SessionJob, says string) {
	w.T.Helper()
	told := tellsOfTheJob(w)
	for _, secret := range hostedSecrets {
		if strings.Contains(told, secret) {
			w.T.Errorf("%s is told: %s", secret, told)
		}
	}
	if !strings.Contains(told, says) {
		w.T.Errorf("%q is not told: %s", says, told)
	}
}

func TestSecretsAreNotToldOfASessionJob(t *testing.T) {
	const (
		said   = "cannot log in with kQx7Zw, hunter2 and mNp4Rt at https://a:urlpass@h/x, password=swordfish"
		hidden = "cannot log in with ******, ****** and ****** at https://a:******@h/x, password=******"
	)
	edits := func(change func(s *v1beta1.FlinkSessionJobSpec)) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) { w.Edit(change) }
	}
	upgrades := edits(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for name, row := range map[string]struct {
		comes func(w *enginetest.SessionJob)
		says  string // part of what is told all the same
	}{
		"the cause of a failure": {func(w *enginetest.SessionJob) {
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Failure = plan.Present(said)
		}, hidden},
		"a failure in the job's history": {func(w *enginetest.SessionJob) {
			w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{{
				At: w.Snapshot.Now, StackTrace: said + "\n\tat a.B.c(B.java:1)", Labels: map[string]string{"why": "hunter2"},
			}})
		}, hidden},
		"a secret that a bound cuts": {func(w *enginetest.SessionJob) {
			w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{
				{At: w.Snapshot.Now, StackTrace: strings.Repeat("x", 997) + " mNp4Rt"},
			})
		}, "xx **"},
		"the cause of a failure, cut within a secret": {func(w *enginetest.SessionJob) {
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Failure = plan.Present("cannot log in with hunte…")
		}, "cannot log in with ******…"},
		"arguments that changed": {edits(func(s *v1beta1.FlinkSessionJobSpec) {
			s.Job.Args = []string{"--db-password", "swordfish", "--in", "b", "--url", "http://u:urlpass@h"}
		}), "job.args.3 : a -> b"},
		"one argument that changed": {edits(func(s *v1beta1.FlinkSessionJobSpec) {
			s.Job.Args = []string{"--db-password", "swordfish", "--in", "a"}
		}), "job.args"},
		"a jar at a signed address": {edits(func(s *v1beta1.FlinkSessionJobSpec) {
			s.Job.JarURI = "https://u:urlpass@h/j.jar?sig=swordfish"
		}), "https://u:******@h/j.jar?sig=******"},
		"options that changed": {edits(enginetest.HostedOptions(`{"fs.azure.account.key.mine":"swordfish"}`)),
			"flinkConfiguration.fs.azure.account.key.mine : ****** -> ******"},
		"a spec that is refused": {edits(func(s *v1beta1.FlinkSessionJobSpec) {
			s.Job.JarURI = "hunter2://h/j.jar"
		}), "jarURI scheme '******' is not in the allowlist"},
		"a savepoint that fails": {func(w *enginetest.SessionJob) { upgrades(w); w.Saves, w.Because = false, said }, hidden},
		"a savepoint that fails, cut within a secret": {func(w *enginetest.SessionJob) {
			upgrades(w)
			w.Saves, w.Because = false, "cannot log in with kQx7Z…"
		}, "cannot log in with ******…"},
		"a run that is refused":      {func(w *enginetest.SessionJob) { upgrades(w); w.Refuses = said }, hidden},
		"a run that is not answered": {func(w *enginetest.SessionJob) { upgrades(w); w.Unsaid = said }, hidden},
		"Flink that cannot be asked": {func(w *enginetest.SessionJob) {
			upgrades(w)
			w.Silent, w.Because = true,
				said
		}, hidden},
		"a job that is lost, with what it was started from": {func(w *enginetest.SessionJob) {
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath, w.Jobs = "https://u:urlpass@h/s", nil
		}, "https://u:******@h/s"},
		"a job that is lost, with a checkpoint": {func(w *enginetest.SessionJob) {
			w.Checkpointed("https://u:urlpass@h/chk-7")
			w.Run()
			w.Snapshot.Flink.Checkpoints, w.Jobs = plan.Absent[world.Checkpoints](), nil
		}, "checkpoint that is known is https://u:******@h/chk-7"},
	} {
		t.Run(name, func(t *testing.T) {
			w := hostedSecretive(t, nil)
			w.Events = nil
			row.comes(w)
			for range 2 {
				w.Run()
				w.Sleep(20 * time.Second)
			}
			w.Run()
			tellsNoSecret(w, row.says)
		})
	}
}

func TestAnEffectThatFailsTellsNoSecretOfASessionJob(t *testing.T) {
	for name, failed := range map[string]plan.Action{
		"an upload": plan.UploadJar{}, "a run": plan.RunJar{}, "any other": plan.CancelJob{},
	} {
		t.Run(name, func(t *testing.T) {
			w := hostedSecretive(t, nil)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.RestartNonce = new(int64) })
			for w.Status().Intent == nil {
				w.Round()
			}
			w.Fails(failed, "JarNotFound", "https://u:urlpass@h/j.jar with hunter2 and mNp4Rt: response 404")
			tellsNoSecret(w, "https://u:******@h/j.jar with ****** and ******: response 404")
		})
	}
}

func TestAStartFromAPathTellsNoSecretOfASessionJob(t *testing.T) {
	const path = "https://u:urlpass@h/s?sig=swordfish"
	w := hostedSecretive(t, func(s *v1beta1.FlinkSessionJobSpec) { s.Job.InitialSavepointPath = path })
	tellsNoSecret(w, "Starting deployment from https://u:******@h/s?sig=****** (InitialSavepointPath)")
	if from := w.Status().JobStatus.StartedFrom; from == nil || from.Path != "https://u:******@h/s?sig=******" {
		t.Errorf("started from %+v", from)
	}
	if w.Runs[0].SavepointPath != path {
		t.Errorf("the job does not start from its path but from %q", w.Runs[0].SavepointPath)
	}
}

func TestStackTraceAndLabelsOfAFailureOfASessionJob(t *testing.T) {
	const prefix = "kubernetes.operator.exception."
	for want, installation := range map[string]flinkconf.Config{
		`"message":"IOException: disk full","additionalMetadata":{},"throwableList":[]}`: nil,
		`"stackTrace":"java.io.IOException: disk full password=******\n\tat a.B.c"`: {
			prefix + "stacktrace.enabled": "true",
		},
		`"stackTrace":"java.io"`: {prefix + "stacktrace.enabled": "true", prefix + "stacktrace.max.length": "7"},
		`{"labels":["Disk"]}`:    {prefix + "label.mapper": "disk.*full:Disk,network:Net"},
	} {
		w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
		w.Snapshot.Operator = flinkconf.NewOperator(installation)
		w.UntilSteady()
		w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
		w.Snapshot.Flink.Failure = plan.Present("IOException: disk full")
		w.Snapshot.Flink.FailureTrace = "java.io.IOException: disk full password=hunter2\n\tat a.B.c"
		w.Run()
		if !strings.Contains(w.Status().Error, want) {
			t.Errorf("%s: %s", installation, w.Status().Error)
		}
	}
}
