package v1beta1

import "testing"

// Unknown text decodes and answers Known() with false; the known texts are those
// of the CRD (test/crd compares them with the schema).
func TestEnumerationsKnowTheirValues(t *testing.T) {
	rows := map[string]struct {
		known  func(string) bool
		values []string
	}{
		"job state": {func(s string) bool { return JobState(s).Known() }, []string{"running", "suspended"}},
		"upgrade mode": {
			func(s string) bool { return UpgradeMode(s).Known() }, []string{"savepoint", "last-state", "stateless"},
		},
		"mode": {func(s string) bool { return Mode(s).Known() }, []string{"native", "standalone"}},
		"job kind": {
			func(s string) bool { return JobKind(s).Known() }, []string{"FlinkDeployment", "FlinkSessionJob"},
		},
		"savepoint format": {
			func(s string) bool { return SavepointFormatType(s).Known() }, []string{"CANONICAL", "NATIVE", "UNKNOWN"},
		},
		"checkpoint format": {
			func(s string) bool { return CheckpointFormatType(s).Known() }, []string{"FULL", "INCREMENTAL", "UNKNOWN"},
		},
		"trigger type": {
			func(s string) bool { return SnapshotTriggerType(s).Known() },
			[]string{"MANUAL", "PERIODIC", "UPGRADE", "UNKNOWN"},
		},
		"snapshot state": {
			func(s string) bool { return SnapshotState(s).Known() },
			[]string{"TRIGGER_PENDING", "IN_PROGRESS", "COMPLETED", "FAILED", "ABANDONED"},
		},
		"reconciliation state": {
			func(s string) bool { return ReconciliationState(s).Known() },
			[]string{"DEPLOYED", "UPGRADING", "ROLLING_BACK", "ROLLED_BACK"},
		},
		"JobManager status": {
			func(s string) bool { return JobManagerDeploymentStatus(s).Known() },
			[]string{"READY", "DEPLOYED_NOT_READY", "DEPLOYING", "MISSING", "ERROR"},
		},
		"blue/green state": {func(s string) bool { return BlueGreenState(s).Known() }, []string{
			"INITIALIZING_BLUE", "ACTIVE_BLUE", "ACTIVE_GREEN", "SAVEPOINTING_BLUE", "SAVEPOINTING_GREEN",
			"TRANSITIONING_TO_BLUE", "TRANSITIONING_TO_GREEN",
		}},
		"Flink job state": {func(s string) bool { return FlinkJobState(s).Known() }, []string{
			"INITIALIZING", "CREATED", "RUNNING", "FAILING", "FAILED", "CANCELLING", "CANCELED", "FINISHED", "RESTARTING",
			"SUSPENDED", "RECONCILING",
		}},
		"lifecycle state": {func(s string) bool { return LifecycleState(s).Known() }, []string{
			"CREATED", "SUSPENDED", "UPGRADING", "DEPLOYED", "STABLE", "ROLLING_BACK", "ROLLED_BACK", "FAILED", "DELETING",
			"DELETED",
		}},
	}
	for name, row := range rows {
		for _, value := range row.values {
			if !row.known(value) {
				t.Errorf("%s: %s is not known", name, value)
			}
		}
		for _, odd := range []string{"", "Running", "SOMETHING_NEW", " RUNNING"} {
			if row.known(odd) {
				t.Errorf("%s: %q is known", name, odd)
			}
		}
	}
}

func TestTerminalStates(t *testing.T) {
	ended := map[FlinkJobState]bool{FlinkJobFailed: true, FlinkJobCanceled: true, FlinkJobFinished: true}
	for _, state := range []FlinkJobState{
		"", FlinkJobInitializing, FlinkJobCreated, FlinkJobRunning, FlinkJobFailing, FlinkJobFailed, FlinkJobCancelling,
		FlinkJobCanceled, FlinkJobFinished, FlinkJobRestarting, FlinkJobSuspended, FlinkJobReconciling,
	} {
		if state.IsTerminal() != ended[state] {
			t.Errorf("job state %q: terminal %t", state, state.IsTerminal())
		}
	}
	resting := map[LifecycleState]bool{
		LifecycleSuspended: true, LifecycleStable: true, LifecycleRolledBack: true, LifecycleFailed: true,
		LifecycleDeleted: true,
	}
	for _, state := range []LifecycleState{
		"", LifecycleCreated, LifecycleSuspended, LifecycleUpgrading, LifecycleDeployed, LifecycleStable,
		LifecycleRollingBack, LifecycleRolledBack, LifecycleFailed, LifecycleDeleting, LifecycleDeleted,
	} {
		if state.IsTerminal() != resting[state] {
			t.Errorf("lifecycle state %q: terminal %t", state, state.IsTerminal())
		}
	}
}

func TestBlueGreenOther(t *testing.T) {
	if Blue.Other() != Green || Green.Other() != Blue || BlueGreenType("RED").Other() != "" {
		t.Errorf("other colours: %s %s %s", Blue.Other(), Green.Other(), BlueGreenType("RED").Other())
	}
}
