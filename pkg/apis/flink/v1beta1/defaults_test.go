package v1beta1

import "testing"

func ptr[T any](v T) *T { return &v }

// What a field means when nobody wrote it, and that nil receivers answer too.
func TestDefaults(t *testing.T) {
	var noJob *JobSpec
	var noSavepoint *SavepointSpec
	var noSpec *FlinkDeploymentSpec
	var noJobManager *JobManagerSpec
	var noSnapshot *FlinkStateSnapshotSpec
	rows := map[string]struct{ got, want any }{
		"job state":                {(&JobSpec{}).DesiredState(), JobStateRunning},
		"job state without job":    {noJob.DesiredState(), JobStateRunning},
		"job state written":        {(&JobSpec{State: JobStateSuspended}).DesiredState(), JobStateSuspended},
		"job state unknown":        {(&JobSpec{State: "paused"}).DesiredState(), JobState("paused")},
		"upgrade mode":             {(&JobSpec{}).DesiredUpgradeMode(), UpgradeModeStateless},
		"upgrade mode without job": {noJob.DesiredUpgradeMode(), UpgradeModeStateless},
		"upgrade mode written": {
			(&JobSpec{UpgradeMode: UpgradeModeLastState}).DesiredUpgradeMode(), UpgradeModeLastState,
		},
		"mode":                        {(&FlinkDeploymentSpec{}).DesiredMode(), ModeNative},
		"mode without spec":           {noSpec.DesiredMode(), ModeNative},
		"mode written":                {(&FlinkDeploymentSpec{Mode: ModeStandalone}).DesiredMode(), ModeStandalone},
		"session cluster":             {(&FlinkDeploymentSpec{}).IsSession(), true},
		"application":                 {(&FlinkDeploymentSpec{Job: &JobSpec{}}).IsSession(), false},
		"JobManager replicas":         {(&JobManagerSpec{}).DesiredReplicas(), int32(1)},
		"no JobManager":               {noJobManager.DesiredReplicas(), int32(1)},
		"JobManager replicas 0":       {(&JobManagerSpec{Replicas: ptr(int32(0))}).DesiredReplicas(), int32(0)},
		"savepoint format":            {(&SavepointSpec{}).DesiredFormat(), SavepointFormatCanonical},
		"no savepoint's format":       {noSavepoint.DesiredFormat(), SavepointFormatCanonical},
		"savepoint format written":    {(&SavepointSpec{FormatType: "NATIVE"}).DesiredFormat(), SavepointFormatNative},
		"savepoint is disposed":       {(&SavepointSpec{}).DisposedOnDelete(), true},
		"savepoint is kept":           {(&SavepointSpec{DisposeOnDelete: ptr(false)}).DisposedOnDelete(), false},
		"no savepoint is disposed":    {noSavepoint.DisposedOnDelete(), false},
		"savepoint is to be taken":    {(&SavepointSpec{}).Exists(), false},
		"savepoint exists":            {(&SavepointSpec{AlreadyExists: ptr(true)}).Exists(), true},
		"no savepoint exists":         {noSavepoint.Exists(), false},
		"backoff limit":               {(&FlinkStateSnapshotSpec{}).DesiredBackoffLimit(), SnapshotUnlimitedRetries},
		"no snapshot's backoff limit": {noSnapshot.DesiredBackoffLimit(), SnapshotUnlimitedRetries},
		"backoff limit 0 is no retry": {
			(&FlinkStateSnapshotSpec{BackoffLimit: ptr(int32(0))}).DesiredBackoffLimit(), int32(0),
		},
		"nothing reconciled":        {ReconciliationStatus{}.IsBeforeFirstDeployment(), true},
		"something reconciled":      {ReconciliationStatus{LastReconciledSpec: "{}"}.IsBeforeFirstDeployment(), false},
		"resources nil":             {(*ResourceRequirements)(nil).IsUsable(), false},
		"resources {}":              {(&ResourceRequirements{}).IsUsable(), false},
		"resources with empty maps": {(&ResourceRequirements{Limits: map[string]Quantity{}}).IsUsable(), false},
		"resources with a limit":    {(&ResourceRequirements{Limits: map[string]Quantity{"cpu": "1"}}).IsUsable(), true},
		"resources with a request": {
			(&ResourceRequirements{Requests: map[string]Quantity{"cpu": "1"}}).IsUsable(), true,
		},
		"pod template nil":      {(*PodTemplate)(nil).Template() == nil, true},
		"finalizer":             {FinalizerFlinkDeployment, "flinkdeployments.flink.apache.org/finalizer"},
		"session job finalizer": {FinalizerFlinkSessionJob, "flinksessionjobs.flink.apache.org/finalizer"},
		"snapshot finalizer":    {FinalizerFlinkStateSnapshot, "flinkstatesnapshots.flink.apache.org/finalizer"},
		"blue/green finalizer": {
			FinalizerFlinkBlueGreenDeployment, "flinkbluegreendeployments.flink.apache.org/finalizer",
		},
		"API version in kind": {FlinkDeploymentGVK.String(), "flink.apache.org/v1beta1, Kind=FlinkDeployment"},
		"API version in REST resource": {
			FlinkStateSnapshotGVR.String(), "flink.apache.org/v1beta1, Resource=flinkstatesnapshots",
		},
	}
	for name, row := range rows {
		if row.got != row.want {
			t.Errorf("%s: %v, want %v", name, row.got, row.want)
		}
	}
}
