package job

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Driver starts and takes down what a job runs on. Each answer is the next step of that, and a step can be repeated.
type Driver interface {
	// Standing is how far the newest start is there, and why that is not known.
	Standing() (Standing, string)
	// Incarnation is the newest start that is there; empty when none is.
	Incarnation() types.UID
	// Endpoint is where the JobManager answers.
	Endpoint() plan.Endpoint
	// What names what is looked at for a Standing, as in "the JobManager Deployment".
	What() string
	// Finalizer is the one that holds the resource while its job may run.
	Finalizer() string

	// Startable reports why the start that an intent leads to cannot be made.
	Startable(intent *v1beta1.Intent) error
	// Occupied waits while processes of an earlier start may run, though it is gone; false when none do.
	Occupied() (Result, bool)
	// MayRunAnother stops a start that would run an earlier job, too; false when it does not.
	MayRunAnother(target *v1beta1.FlinkDeploymentSpec) (Result, bool)
	// ForgetEarlier removes, before a start, what it would run by itself. It waits without actions; false when there
	// is nothing.
	ForgetEarlier(intent *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) (Result, bool)
	// Prepare makes the start of an intent, and says which job ID it has; empty means the intent's. A nil action leaves
	// it to CarryStart.
	Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error)
	// CarryStart goes on with a start that is being prepared, CarryRelease with one that may run.
	CarryStart() Result
	// CarryRelease is false once the start runs.
	CarryRelease() (Result, bool)

	// CarryStop goes on with an open stop until nothing of the job's host is left, or needs to be.
	CarryStop() Result
	// AwaitJobGraph waits, in a stop that gives the state up, for what the successor would run; false when there is
	// nothing.
	AwaitJobGraph() (Result, bool)
	// TakeApart takes the host down in an order that leaves what the successor needs.
	TakeApart() Result
	// TakeDown takes all of it down at once.
	TakeDown() []plan.Action
	// Rest is what follows a suspension: nothing where the host stays as it is.
	Rest() []plan.Action
	// WaitForEnd waits for a host that is being deleted.
	WaitForEnd() Result
	// Unsettled says why nobody knows whether processes run; empty when it is known.
	Unsettled() (why string, unknown bool)

	// Trim leaves out of a status what the resource has no room for.
	Trim(next *v1beta1.FlinkDeploymentStatus)
	// PodFailure is why the JobManager does not start; nil when nothing says so.
	PodFailure() *plan.Cause
	// ReportPodFailure shows it, TellPodFailure tells it where it is news.
	ReportPodFailure() Result
	// TellPodFailure tells it once.
	TellPodFailure()
}

// Standing is how far a start is there.
type Standing int

// How far a start is there.
const (
	// StandingUnknown: nobody could look.
	StandingUnknown Standing = iota
	// Gone: it is not there.
	Gone
	// Going: it is being deleted.
	Going
	// Standby: it is there and asks for no process.
	Standby
	// There: it is there.
	There
)

// Is reports whether the start is there, also while it goes.
func (s Standing) Is() bool { return s >= Going }
