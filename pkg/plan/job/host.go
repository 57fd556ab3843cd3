package job

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// Host is who runs a job: a JobManager cluster of its own, or a session cluster.
type Host interface {
	// Present reports whether the newest start is there.
	Present() bool
	// CanBeAsked reports whether a JobManager is there to be asked.
	CanBeAsked() bool
	// AvailableAt is when its JobManager became ready; the zero time when nobody says so.
	AvailableAt() metav1.Time
	// ReleasedAt is when the newest start was let run; the zero time when nobody says so.
	ReleasedAt() time.Time
	// BringsBack reports whether a job that Flink does not list may be listed again without a start: its main method or
	// high availability brings it.
	BringsBack() bool
	// NeverRan reports whether the newest start is there and never ran. Any doubt is a no.
	NeverRan() bool
	// SilentNode is a node that does not answer, so that nobody knows whether the start ran; empty when there is none.
	SilentNode() string
	// HA is the high-availability data of what runs.
	HA() hadata.Data
}
