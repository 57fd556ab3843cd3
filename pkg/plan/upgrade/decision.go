package upgrade

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Suspend is how a job is stopped.
type Suspend string

// The ways to stop a job.
const (
	// SuspendNone: it has ended by itself, or never began.
	SuspendNone Suspend = "None"
	// SuspendStateless: cancel it, whatever becomes of its state, and delete its cluster and high-availability data.
	SuspendStateless Suspend = "Stateless"
	// SuspendSavepoint: stop it with a savepoint.
	SuspendSavepoint Suspend = "Savepoint"
	// SuspendCancel: cancel it and keep its last retained checkpoint.
	SuspendCancel Suspend = "Cancel"
	// SuspendLastState: delete its cluster and keep its high-availability data.
	SuspendLastState Suspend = "LastState"
)

// Decision is what was decided, as a value to be printed.
type Decision struct {
	// Verdict says whether to act.
	Verdict plan.Verdict
	// Suspend is how the job is stopped; only with Go.
	Suspend Suspend
	// Restore is the upgradeMode that its successor starts with and that is recorded; only with Go.
	Restore v1beta1.UpgradeMode
	// OthersAllowed is true when a waiting change leaves room for recovery and snapshots.
	OthersAllowed bool
	// Reason says why.
	Reason plan.Reason
	// Message is one line, with what to do for a refusal.
	Message string
}

func goFor(how Suspend, restore v1beta1.UpgradeMode, reason plan.Reason) Decision {
	return Decision{Verdict: plan.Go, Suspend: how, Restore: restore, Reason: reason}
}

func wait(reason plan.Reason, message string) Decision {
	return Decision{Verdict: plan.Wait, Reason: reason, Message: message}
}

// waitOpen waits and leaves room for recovery and snapshots.
func waitOpen(reason plan.Reason, message string) Decision {
	return Decision{Verdict: plan.Wait, OthersAllowed: true, Reason: reason, Message: message}
}

func refuse(reason plan.Reason, message string) Decision {
	return Decision{Verdict: plan.Refuse, OthersAllowed: true, Reason: reason, Message: message}
}
