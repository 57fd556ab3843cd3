package decision

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Starter starts a job on its host. Each answer is the next step of that, and a step can be repeated.
type Starter interface {
	// Startable reports why the start that an intent leads to cannot be made; else it gives the action that has the API
	// server judge it, nil where nothing is made in Kubernetes.
	Startable(intent *v1beta1.Intent) (rehearse plan.Action, err error)
	// Occupied waits while processes of an earlier start may run, though it is gone; false when none do.
	Occupied() (Result, bool)
	// MayRunAnother stops a start that would run an earlier job, too; false when it does not.
	MayRunAnother(target *v1beta1.FlinkDeploymentSpec) (Result, bool)
	// ForgetEarlier removes, before a start, what it would run by itself. It waits without actions; false when there is
	// nothing.
	ForgetEarlier(intent *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) (Result, bool)
	// Prepare makes the start of an intent, and says which job ID it has; empty means the intent's. A nil action leaves
	// it to CarryStart.
	Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error)
	// CarryStart goes on with a start that is being prepared, CarryRelease with one that may run.
	CarryStart() Result
	// CarryRelease is false once the start runs.
	CarryRelease() (Result, bool)
}

// Stopper takes down what a job runs on. Each answer is the next step of that, and a step can be repeated.
type Stopper interface {
	// Watch notes what has begun, or cannot be told any more, of the host since its stop was stored.
	Watch()
	// CarryStop goes on with an open stop until nothing of the job's host is left, or needs to be.
	CarryStop() Result
	// NotNow reports whether the first request of a stop has to wait, or the stop is taken back; false: Flink is asked.
	NotNow() (Result, bool)
	// AwaitJobGraph waits, in a stop of a job that is to end or has ended, until its successor would not run it again;
	// false when there is nothing to wait for.
	AwaitJobGraph() (Result, bool)
	// TakeApart takes the host down in an order that leaves what the successor needs.
	TakeApart() Result
	// TakeDown takes all of it down at once.
	TakeDown() []plan.Action
	// Rest is what follows a suspension, and is followed by more soon; nothing where the host stays as it is.
	Rest() []plan.Action
	// WaitForEnd waits for a host that is being deleted.
	WaitForEnd() Result
}
