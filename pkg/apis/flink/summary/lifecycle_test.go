package summary

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

const (
	runningSpec   = `{"spec":{"job":{"state":"running"}},"resource_metadata":{}}`
	otherSpec     = `{"spec":{"job":{"state":"running","parallelism":2}},"resource_metadata":{}}`
	suspendedSpec = `{"spec":{"job":{"state":"suspended"}},"resource_metadata":{}}`
	sessionSpec   = `{"spec":{"job":null},"resource_metadata":{}}`
)

// world is a row's status; zero values are what a healthy deployment has.
type world struct {
	stored     v1beta1.LifecycleState
	desired    v1beta1.JobState
	last       string // default runningSpec
	stable     string // default as last
	state      v1beta1.ReconciliationState
	job        v1beta1.FlinkJobState
	jobManager v1beta1.JobManagerDeploymentStatus
	err        string
}

const none = "none"

func orElse(text, otherwise string) string {
	switch text {
	case "":
		return otherwise
	case none:
		return ""
	default:
		return text
	}
}

func (w world) reconciliation() v1beta1.ReconciliationStatus {
	last := orElse(w.last, runningSpec)
	return v1beta1.ReconciliationStatus{
		LastReconciledSpec: last,
		LastStableSpec:     orElse(w.stable, last),
		State:              v1beta1.ReconciliationState(orElse(string(w.state), "DEPLOYED")),
	}
}

func (w world) deployment() *v1beta1.FlinkDeployment {
	return &v1beta1.FlinkDeployment{
		Spec: v1beta1.FlinkDeploymentSpec{Job: &v1beta1.JobSpec{State: w.desired}},
		Status: v1beta1.FlinkDeploymentStatus{
			LifecycleState:             w.stored,
			Error:                      w.err,
			JobStatus:                  v1beta1.JobStatus{State: v1beta1.FlinkJobState(orElse(string(w.job), "RUNNING"))},
			JobManagerDeploymentStatus: v1beta1.JobManagerDeploymentStatus(orElse(string(w.jobManager), "READY")),
			ReconciliationStatus:       w.reconciliation(),
		},
	}
}

func (w world) sessionJob() *v1beta1.FlinkSessionJob {
	return &v1beta1.FlinkSessionJob{
		Spec: v1beta1.FlinkSessionJobSpec{Job: &v1beta1.JobSpec{State: w.desired}},
		Status: v1beta1.FlinkSessionJobStatus{
			LifecycleState:       w.stored,
			Error:                w.err,
			JobStatus:            v1beta1.JobStatus{State: v1beta1.FlinkJobState(orElse(string(w.job), "RUNNING"))},
			ReconciliationStatus: w.reconciliation(),
		},
	}
}

func TestLifecycle(t *testing.T) {
	rows := map[string]struct {
		reason string
		world  world
		want   v1beta1.LifecycleState
		// job is the answer for a session job; empty means the same.
		job v1beta1.LifecycleState
	}{
		"new": {
			"nothing was done yet", world{last: none, stable: none, state: none}, "CREATED", "",
		},
		"first spec refused": {
			"nothing runs and nothing will", world{last: none, stable: none, err: "e"}, "FAILED", "",
		},
		"starts suspended": {
			"the reference leaves the field empty here", world{last: none, stable: none, desired: "suspended"}, "SUSPENDED",
			"",
		},
		"starts suspended, refused": {
			"the error is what counts", world{last: none, stable: none, desired: "suspended", err: "e"}, "FAILED", "",
		},
		"before the first deployment": {
			"recorded as suspended, but on the way up", world{last: suspendedSpec, stable: none, state: "UPGRADING"},
			"UPGRADING", "",
		},
		"deployed": {
			"started, not yet seen running", world{stable: none, job: "RECONCILING", jobManager: "DEPLOYING"}, "DEPLOYED", "",
		},
		"deployed over a stable one": {"the stable spec is an older one", world{stable: otherSpec}, "DEPLOYED", ""},
		"stable":                     {"the spec that runs is known to be good", world{}, "STABLE", ""},
		"stable with an error": {
			"a refused new spec does not disturb the old one", world{err: "errr"}, "STABLE", "",
		},
		"stable session cluster": {"it has no job", world{last: sessionSpec, job: none}, "STABLE", ""},
		"job failed":             {"for good", world{job: "FAILED"}, "FAILED", ""},
		"job finished":           {"is what a batch job does", world{job: "FINISHED"}, "STABLE", ""},
		"finished and cleaned up": {
			"the JobManager of an ended job is not missed", world{job: "FINISHED", jobManager: "MISSING"}, "STABLE", "",
		},
		"upgrading": {
			"hides everything below", world{state: "UPGRADING", job: "FAILED", err: "e"}, "UPGRADING", "",
		},
		"rolling back": {
			"although the job failed", world{state: "ROLLING_BACK", stable: otherSpec, job: "FAILED"}, "ROLLING_BACK", "",
		},
		"rolled back": {
			"runs again, with the older spec", world{state: "ROLLED_BACK", stable: otherSpec, job: "RECONCILING"},
			"ROLLED_BACK", "",
		},
		"rolled back and failed": {
			"the older spec failed, too", world{state: "ROLLED_BACK", stable: otherSpec, job: "FAILED"}, "FAILED", "",
		},
		"suspended": {
			"as recorded", world{last: suspendedSpec, job: "FINISHED", jobManager: "MISSING"}, "SUSPENDED", "",
		},
		"suspended wins over failed": {
			"its job is not wanted", world{last: suspendedSpec, job: "FAILED"}, "SUSPENDED", "",
		},
		"JobManager dead": {
			"ours: not stable while it is down", world{jobManager: "ERROR"}, "DEPLOYED", "STABLE",
		},
		"JobManager missing": {"recovery is due", world{jobManager: "MISSING", stable: none}, "DEPLOYED", ""},
		"JobManager not ready": {
			"ours: not stable while it is down", world{jobManager: "DEPLOYED_NOT_READY"}, "DEPLOYED", "STABLE",
		},
		"JobManager status not known":  {"not known to be ready", world{jobManager: none}, "DEPLOYED", "STABLE"},
		"JobManager back, job not yet": {"ours: the job is being recovered", world{job: "INITIALIZING"}, "DEPLOYED", ""},
		"tasks wait for slots":         {"ours: no TaskManager is there yet", world{job: "CREATED"}, "DEPLOYED", ""},
		"tasks restart":                {"ours: nothing is done meanwhile", world{job: "RESTARTING"}, "DEPLOYED", ""},
		"job not seen":                 {"ours: nobody knows that it runs", world{job: "RECONCILING"}, "DEPLOYED", ""},
		"job cancelled by somebody":    {"ours: nothing runs", world{job: "CANCELED"}, "DEPLOYED", ""},
		"HA data gone": {
			"cannot go on by itself", world{jobManager: "ERROR", err: "x HA metadata is not available y"}, "FAILED", "STABLE",
		},
		"HA config maps deleted": {
			"cannot go on by itself", world{jobManager: "MISSING", err: "finished, or the configmaps have been deleted."},
			"FAILED", "STABLE",
		},
		"manual restore": {
			"a person has to decide", world{jobManager: "MISSING", err: "Manual restore required."}, "FAILED", "STABLE",
		},
		"manual restore, JobManager": {
			"it is there after all", world{jobManager: "DEPLOYING", err: "Manual restore required."}, "DEPLOYED", "STABLE",
		},
		"deleting": {
			"stored as such, it stays", world{stored: "DELETING", job: "FAILED"}, "DELETING", "",
		},
		"deleted":                      {"stored as such, it stays", world{stored: "DELETED", last: none}, "DELETED", ""},
		"another stored value":         {"is derived anew", world{stored: "FAILED"}, "STABLE", ""},
		"reconciliation state unknown": {"nothing is known to be deployed", world{state: "ODD"}, "UPGRADING", ""},
		"reconciliation state missing": {"its initial value is UPGRADING", world{state: none}, "UPGRADING", ""},
		"recorded text broken":         {"is not suspended; texts are equal", world{last: "{"}, "STABLE", ""},
	}
	for name, row := range rows {
		if got := DeploymentLifecycle(row.world.deployment()); got != row.want {
			t.Errorf("deployment, %s (%s): %s, want %s", name, row.reason, got, row.want)
		}
		want := row.want
		if row.job != "" {
			want = row.job
		}
		if got := SessionJobLifecycle(row.world.sessionJob()); got != want {
			t.Errorf("session job, %s (%s): %s, want %s", name, row.reason, got, want)
		}
	}
	fresh := &v1beta1.FlinkDeployment{}
	if got := DeploymentLifecycle(fresh); got != v1beta1.LifecycleCreated {
		t.Errorf("a session cluster nobody looked at yet: %s", got)
	}
}

// On resources that the Java operator left behind we say what it said.
func TestLifecycleOfRecordedResources(t *testing.T) {
	differs := map[string]v1beta1.LifecycleState{
		"suspended.yaml": v1beta1.LifecycleSuspended, // never deployed: empty there
	}
	files, err := filepath.Glob("../v1beta1/testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded resources: %v", err)
	}
	for _, file := range files {
		deployment := readDeployment(t, file)
		want := deployment.Status.LifecycleState
		if ours, ok := differs[filepath.Base(file)]; ok {
			want = ours
		}
		if got := DeploymentLifecycle(&deployment); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func readDeployment(t *testing.T, file string) v1beta1.FlinkDeployment {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]any{}
	if err := yaml.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	deployment, specErr, err := v1beta1.DecodeDeployment(content)
	if specErr != nil || err != nil {
		t.Fatalf("%s: %v, %v", file, specErr, err)
	}
	return deployment
}
