package world

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// Host is who runs a job: a JobManager cluster of its own, or a session cluster. It answers for facts.
type Host interface {
	// What names what is looked at for a Standing, as in "the JobManager Deployment".
	What() string
	// Standing is how far the newest start is there, and why that is not known.
	Standing() (Standing, string)
	// Incarnation is the newest start that is there; empty when none is.
	Incarnation() types.UID
	// Present reports whether the newest start is there.
	Present() bool
	// ReleasedAt is when the newest start was let run; the zero time when nobody says so.
	ReleasedAt() time.Time
	// NeverRan reports whether the newest start is there and never ran. Any doubt is a no.
	NeverRan() bool
	// SilentNode is a node that does not answer, so that nobody knows whether the start ran; empty when there is none.
	SilentNode() string
	// Unsettled says why nobody knows whether processes run; empty when it is known.
	Unsettled() (why string, unknown bool)
	// PodFailure is why the JobManager does not start; nil when nothing says so.
	PodFailure() *plan.Cause
	// TaskManagerFailure is why the TaskManagers that the job's tasks wait for do not start, and whether a person has to
	// act; nil when nothing says so.
	TaskManagerFailure() (why *plan.Cause, fatal bool)

	// Endpoint is where the JobManager answers.
	Endpoint() plan.Endpoint
	// CanBeAsked reports whether a JobManager is there to be asked.
	CanBeAsked() bool
	// AvailableAt is when its JobManager became ready; the zero time when nobody says so.
	AvailableAt() metav1.Time
	// BringsBack reports whether a job that Flink does not list may be listed again without a start: its main method or
	// high availability brings it.
	BringsBack() bool
	// HA is the high-availability data of what runs.
	HA() hadata.Data

	// Finalizer is the one that holds the resource while its job may run.
	Finalizer() string
	// Trim leaves out of a status what the resource has no room for.
	Trim(next *v1beta1.FlinkDeploymentStatus)
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
