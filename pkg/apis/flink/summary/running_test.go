package summary

import (
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestMakeRunning(t *testing.T) {
	rows := map[string]struct {
		reason     string
		last       string
		job        v1beta1.FlinkJobState
		jobManager v1beta1.JobManagerDeploymentStatus
		status     metav1.ConditionStatus
		why        string
		message    string
	}{
		"application runs": {
			"the job decides", runningSpec, "RUNNING", "ERROR", "True", "Running", "Job status RUNNING",
		},
		"application fails": {
			"one capital", runningSpec, "FAILED", "READY", "False", "Failed", "Job status FAILED",
		},
		"application reconciles": {
			"not known is not running", runningSpec, "RECONCILING", "READY", "False", "Reconciling", "Job status RECONCILING",
		},
		"application cancels": {
			"one capital", runningSpec, "CANCELLING", "READY", "False", "Cancelling", "Job status CANCELLING",
		},
		"application is cancelled": {
			"one capital", runningSpec, "CANCELED", "READY", "False", "Canceled", "Job status CANCELED",
		},
		"application initializes": {
			"one capital", runningSpec, "INITIALIZING", "READY", "False", "Initializing", "Job status INITIALIZING",
		},
		"application is created": {
			"one capital", runningSpec, "CREATED", "READY", "False", "Created", "Job status CREATED",
		},
		"application fails over": {
			"one capital", runningSpec, "RESTARTING", "READY", "False", "Restarting", "Job status RESTARTING",
		},
		"application is failing": {
			"one capital", runningSpec, "FAILING", "READY", "False", "Failing", "Job status FAILING",
		},
		"application finished": {
			"one capital", runningSpec, "FINISHED", "READY", "False", "Finished", "Job status FINISHED",
		},
		"application lost its leader": {
			"one capital", runningSpec, "SUSPENDED", "READY", "False", "Suspended", "Job status SUSPENDED",
		},
		"application without a job": {
			"no state yet", suspendedSpec, "", "MISSING", "False", "Reconciling", "Job status RECONCILING",
		},
		"session ready": {
			"the JobManager decides", sessionSpec, "", "READY", "True", "JobManagerReady",
			"JobManager is running and ready to receive REST API calls",
		},
		"session not ready": {
			"the port is open", sessionSpec, "", "DEPLOYED_NOT_READY", "False", "DeployedNotReady",
			"JobManager is running but not yet ready to receive REST API calls",
		},
		"session deploying": {
			"the pod comes up", sessionSpec, "", "DEPLOYING", "False", "JobManagerIsDeploying",
			"JobManager process is starting up",
		},
		"session missing": {
			"no Deployment", sessionSpec, "", "MISSING", "False", "JobManagerDeploymentMissing",
			"JobManager deployment not found",
		},
		"session in error": {
			"the pod cannot start", sessionSpec, "", "ERROR", "False", "Error", "JobManager deployment failed",
		},
		"session, nothing known": {
			"the initial value", sessionSpec, "", "", "False", "JobManagerDeploymentMissing",
			"JobManager deployment not found",
		},
	}
	for name, row := range rows {
		status := &v1beta1.FlinkDeploymentStatus{
			JobStatus:                  v1beta1.JobStatus{State: row.job},
			JobManagerDeploymentStatus: row.jobManager,
			ReconciliationStatus:       v1beta1.ReconciliationStatus{LastReconciledSpec: row.last},
		}
		got, ok := MakeRunning(status)
		want := condition(Running, row.status, row.why, row.message)
		if !ok || got != want {
			t.Errorf("%s (%s): %+v, want %+v", name, row.reason, got, want)
		}
		if err := CheckConditions(SetConditions(nil, At{Now: monday, Generation: 2}, got), 2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, ok := MakeRunning(&v1beta1.FlinkDeploymentStatus{}); ok {
		t.Errorf("before the first deployment there is none, got %+v", c)
	}
}

// The condition made from a recorded status is the one recorded in it.
func TestRunningOfRecordedResources(t *testing.T) {
	files, err := filepath.Glob("../v1beta1/testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded resources: %v", err)
	}
	for _, file := range files {
		deployment := readDeployment(t, file)
		got, ok := MakeRunning(&deployment.Status)
		if ok != (len(deployment.Status.Conditions) == 1) {
			t.Errorf("%s: made %t, recorded %v", file, ok, deployment.Status.Conditions)
			continue
		}
		if !ok {
			continue
		}
		set := SetConditions(deployment.Status.Conditions, At{Now: tuesday, Generation: deployment.Generation}, got)
		if set[0] != deployment.Status.Conditions[0] {
			t.Errorf("%s: %+v, recorded %+v", file, set[0], deployment.Status.Conditions[0])
		}
	}
}
