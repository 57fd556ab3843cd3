package guesttest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// guest is a host that is always there and runs many jobs, as a session cluster does: a start is one request, and
// nothing is taken down but the job.
type Guest struct {
	// Look is what the decision works on.
	Look *world.Look
}

// Steps are those of a host that has nothing to do for a start or a stop.
type Steps struct{}

// Present is true.
func (g *Guest) Present() bool { return true }

// CanBeAsked is true.
func (g *Guest) CanBeAsked() bool { return true }

// AvailableAt is not known.
func (g *Guest) AvailableAt() metav1.Time { return metav1.Time{} }

// ReleasedAt is not known.
func (g *Guest) ReleasedAt() time.Time { return time.Time{} }

// NeverRan is false.
func (g *Guest) NeverRan() bool { return false }

// SilentNode is none.
func (g *Guest) SilentNode() string { return "" }

// HA keeps no high-availability data.
func (g *Guest) HA() hadata.Data { return hadata.Data{} }

// Standing is There.
func (g *Guest) Standing() (world.Standing, string) { return world.There, "" }

// Incarnation is one for all tests.
func (g *Guest) Incarnation() types.UID { return "uid-of-session" }

// Endpoint is one for all tests.
func (g *Guest) Endpoint() plan.Endpoint {
	return plan.Endpoint{URL: "http://session"}
}

// What names the job.
func (g *Guest) What() string { return "the job" }

// Trim leaves the status as it is.
func (g *Guest) Trim(*v1beta1.FlinkDeploymentStatus) {}

// BringsBack is true.
func (g *Guest) BringsBack() bool { return true }

// Finalizer is one for all tests.
func (g *Guest) Finalizer() string { return "guest" }

// Startable asks the API server nothing.
func (Steps) Startable(*v1beta1.Intent) (plan.Action, error) { return nil, nil }

// Occupied waits for nothing.
func (Steps) Occupied() (decision.Result, bool) { return decision.Result{}, false }

// MayRunAnother stops nothing.
func (Steps) MayRunAnother(*v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	return decision.Result{}, false
}

// NotNow holds nothing back.
func (Steps) NotNow() (decision.Result, bool) { return decision.Result{}, false }

// AwaitJobGraph waits for nothing.
func (Steps) AwaitJobGraph() (decision.Result, bool) { return decision.Result{}, false }

// Rest leaves the host as it is.
func (Steps) Rest() []plan.Action { return nil }

// WaitForEnd is not asked for.
func (Steps) WaitForEnd() decision.Result { return decision.Result{} }

// Unsettled is not so.
func (g *Guest) Unsettled() (string, bool) { return "", false }

// PodFailure is none.
func (g *Guest) PodFailure() *plan.Cause { return nil }

// TaskManagerFailure is none.
func (g *Guest) TaskManagerFailure() (*plan.Cause, bool) { return nil, false }

// ForgetEarlier removes nothing.
func (Steps) ForgetEarlier(*v1beta1.Intent, v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	return decision.Result{}, false
}

// Prepare makes nothing that counts.
func (Steps) Prepare(*v1beta1.Intent) (plan.Action, string, error) {
	return plan.WakeClock{}, "", nil
}

// CarryStart does nothing.
func (Steps) CarryStart() decision.Result { return decision.Result{} }

// CarryRelease does nothing.
func (Steps) CarryRelease() (decision.Result, bool) { return decision.Result{}, false }

// CarryStop does nothing.
func (Steps) CarryStop() decision.Result { return decision.Result{} }

// Watch notes nothing.
func (Steps) Watch() {}

// TakeApart does nothing.
func (Steps) TakeApart() decision.Result { return decision.Result{Situation: plan.Stopping} }

// TakeDown does nothing.
func (Steps) TakeDown() []plan.Action { return nil }
