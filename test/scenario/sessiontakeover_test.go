package scenario

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func init() {
	for name, s := range sessionTakeoverScenarios {
		scenarios[name] = s
	}
}

// theirID is a job ID of the Java operator's.
const theirID = "0123456789abcdef0123456789abcdef"

// recordedBy rewrites a record of a session job as the Java operator leaves it in the middle of an upgrade.
func (h *harness) recordedBy(text string, edit func(s *v1beta1.JobSpec)) string {
	h.t.Helper()
	record, err := v1beta1.ParseReconciledSessionJob(text)
	if err != nil {
		h.t.Fatal(err)
	}
	edit(record.Spec.Job)
	record.Meta = &v1beta1.ReconciledMetadata{APIVersion: v1beta1.APIVersion}
	text, err = record.Text()
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

// upgrading has a session job in the middle of an upgrade by last-state to parallelism 4, as the Java operator leaves
// it: its job is CANCELED, and edit makes the rest of the status.
func (h *harness) upgrading(edit func(status, job, reconciliation map[string]any, checkpoint string)) {
	h.t.Helper()
	h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster())
	h.checkpoints("etl")
	h.edit("etl", parallelism(4))
	h.w.Kube.Feed.Take() // we are not there yet
	h.flink("etl", func(j *job.Job) { j.Cancel(h.w.Clock.Now()) })
	h.w.Step()
	checkpoint := h.job("etl").Latest(false).Path
	h.leftByAnother("etl", func(status map[string]any) {
		reconciliation := status["reconciliationStatus"].(map[string]any)
		reconciliation["state"], status["lifecycleState"] = "UPGRADING", "UPGRADING"
		edit(status, status["jobStatus"].(map[string]any), reconciliation, checkpoint)
	})
}

// submitting is the record of an upgrade whose job was stopped: the new one is about to be submitted, or was.
func (h *harness) submitting(status, job, reconciliation map[string]any, checkpoint string) {
	job["state"], job["jobId"], job["upgradeSavepointPath"] = "RECONCILING", theirID, checkpoint
	status["observedGeneration"] = int64(2)
	reconciliation["lastReconciledSpec"] = h.recordedBy(reconciliation["lastReconciledSpec"].(string),
		func(s *v1beta1.JobSpec) {
			s.State, s.UpgradeMode, s.Parallelism = v1beta1.JobStateSuspended, v1beta1.UpgradeModeSavepoint, 4
		})
}

// submits runs a job as the Java operator does.
func (h *harness) submits(cluster, name, id, from string) {
	h.t.Helper()
	client, err := h.connect("person")(plan.Endpoint{URL: "http://" + flinksim.Host(namespace, cluster)})
	if err != nil {
		h.t.Fatal(err)
	}
	jar, err := client.JarUpload(h.t.Context(), "mine.jar", strings.NewReader("PK"))
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = client.JarRun(h.t.Context(), jar, flinkrest.RunRequest{
		Version: flinkrest.Version{Major: 1, Minor: 20}, JobID: id, Parallelism: 4, SavepointPath: from,
		Configuration: map[string]string{"pipeline.name": name, "execution.checkpointing.interval": "10 s",
			"execution.checkpointing.dir": "s3://c"},
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// sessionTakeoverScenarios begin with what the Java operator left of a session job (lifecycle.md A.4).
var sessionTakeoverScenarios = map[string]scenario{
	"a running session job is taken over, and handed back": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.leftByAnother("etl", func(map[string]any) {})
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
		h.edit("etl", parallelism(4))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
		s := h.status("etl")
		record, err := v1beta1.ParseReconciledSessionJob(s.ReconciliationStatus.LastReconciledSpec)
		if err != nil || record.Spec.DeploymentName != "session" || record.Spec.Job.Parallelism != 4 ||
			s.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || s.JobStatus.JobID != h.job("etl").ID {
			h.t.Errorf("what is handed back: %+v, %v", s.ReconciliationStatus, err)
		}
		h.leftByAnother("etl", func(map[string]any) {})
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "neither way restarts a job, and the next change carries its state"},

	"a session job that was autoscaled is taken over": {func(h *harness) {
		autoscaled := option("job.autoscaler.enabled", "true")
		h.runs("etl", sessionJob("session", stateful("savepoint"), autoscaled), sessionCluster())
		h.keepsWhatWasScaled("etl")
	}, "it keeps its parallelism until the autoscaler is switched off"},

	"a session job whose finalizer is the Java operator's": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.leftByAnother("etl", func(map[string]any) {})
		h.untilStable("etl")
		h.remove("etl")
		h.untilGone("etl")
		expect(h.t, "the job", h.running("etl"), "CANCELED")
	}, "the same finalizer is taken away in the end"},

	"a session job that another operator cancels is taken over": {func(h *harness) {
		h.upgrading(func(_, job, reconciliation map[string]any, _ string) {
			job["state"] = "CANCELLING"
			reconciliation["lastReconciledSpec"] = h.recordedBy(reconciliation["lastReconciledSpec"].(string),
				func(s *v1beta1.JobSpec) { s.UpgradeMode = v1beta1.UpgradeModeSavepoint })
		})
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(checkpoint)")
		expect(h.t, "parallelism", h.job("etl").Parallelism, 4)
	}, "the upgrade goes on from the last checkpoint"},

	"a session job that another operator was about to submit is taken over": {func(h *harness) {
		h.upgrading(h.submitting)
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(checkpoint)")
		expect(h.t, "parallelism", h.job("etl").Parallelism, 4)
	}, "the submission that did not come through is made"},

	"a session job that another operator has just submitted is taken over": {func(h *harness) {
		h.upgrading(func(status, job, reconciliation map[string]any, checkpoint string) {
			h.submits("session", "etl", theirID, checkpoint)
			h.submitting(status, job, reconciliation, checkpoint)
		})
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(checkpoint)")
		expect(h.t, "the job", h.status("etl").JobStatus.JobID, theirID)
	}, "it is not submitted again"},
}
