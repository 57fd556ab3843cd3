package handback

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// What the Java operator's next loop would do with the job, by its controllers, AbstractFlinkResourceReconciler and
// observers of 1.15.
const (
	Nothing   = "nothing"
	Deploys   = "deploys for the first time"
	Upgrades  = "upgrades"
	RollsBack = "rolls back"
	Recovers  = "recovers"
)

// Seen is what it decides by.
type Seen struct {
	// Now is the time of the loop.
	Now time.Time
	// Spec is the resource's, in the form of a FlinkDeployment.
	Spec v1beta1.FlinkDeploymentSpec
	// Invalid says that its validation refuses Spec.
	Invalid bool
	// Last is lastReconciledSpec, in the form of a FlinkDeployment; nil when nothing was recorded.
	Last *v1beta1.FlinkDeploymentSpec
	// Recorded is what else is recorded of it.
	Recorded v1beta1.ReconciliationStatus
	// Made says that what is recorded was deployed already, as far as the cluster shows.
	Made bool
	// Gone says that what was deployed is not there any more.
	Gone bool
	// Job is the state of the job in status.
	Job v1beta1.FlinkJobState
	// Session says that it is a session job: nothing but a stateless one is recovered, and none is rolled back.
	Session bool
}

// deadline is the readiness timeout.
const deadline = 5 * time.Minute

// Does is that decision.
func Does(s Seen) string {
	if s.Last == nil {
		if s.Invalid || s.Spec.Job.DesiredState() == v1beta1.JobStateSuspended {
			return Nothing
		}
		return Deploys
	}
	state, spec := s.Recorded.State, s.Spec
	upgrading, rolling := state == v1beta1.ReconciliationUpgrading, state == v1beta1.ReconciliationRollingBack
	if s.Invalid {
		if spec = *s.Last.DeepCopy(); upgrading || rolling {
			spec.Job.State = v1beta1.JobStateRunning
		}
	}
	if upgrading && s.Made {
		return Nothing
	}
	unstable := state == v1beta1.ReconciliationDeployed && s.Recorded.LastStableSpec != s.Recorded.LastReconciledSpec
	late := s.Now.Sub(time.UnixMilli(s.Recorded.ReconciliationTimestamp)) > deadline
	recovers := !s.Session || spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless
	switch {
	case specdiff.Classify(s.Last, &spec, spec.DesiredMode()).Kind.Effective(), upgrading:
		return Upgrades
	case rolling, unstable && late && !s.Session:
		return RollsBack
	case s.Gone && recovers && s.Last.Job.DesiredState() == v1beta1.JobStateRunning && !s.Job.IsTerminal():
		return Recovers
	}
	return Nothing
}

// From is what a resource was before its edits.
type From string

// They are.
const (
	Never      From = "never deployed"
	Running    From = "running"
	RolledBack From = "rolled back"
)

// Edit is what a person does then.
type Edit string

// They are.
const (
	Invalid   Edit = "a spec that validation refuses"
	Suspended Edit = "suspended"
)

// Row is one state in which the Java operator gets a resource back, while no operation is under way. It leaves the job
// as it is until the spec asks for more.
type Row struct {
	// From is how it begins.
	From From
	// Edits come then, in their order.
	Edits []Edit
	// Observed and Deployed are the generations that status has.
	Observed, Deployed int64
	// State is the recorded one.
	State v1beta1.ReconciliationState
	// Then is what it does after the next valid edit.
	Then string
}

// Rows are those of both kinds.
var Rows = map[string]Row{
	"an invalid first spec":    {Never, []Edit{Invalid}, 2, 2, v1beta1.ReconciliationUpgrading, Deploys},
	"suspended from the start": {Never, []Edit{Suspended}, 2, 2, v1beta1.ReconciliationUpgrading, Deploys},
	"running":                  {Running, nil, 1, 1, v1beta1.ReconciliationDeployed, Upgrades},
	"an invalid edit":          {Running, []Edit{Invalid}, 2, 1, v1beta1.ReconciliationDeployed, Upgrades},
	"suspended":                {Running, []Edit{Suspended}, 2, 2, v1beta1.ReconciliationDeployed, Upgrades},
	"suspended, then an invalid edit": {
		Running, []Edit{Suspended, Invalid}, 3, 2, v1beta1.ReconciliationDeployed, Upgrades,
	},
	"rolled back": {RolledBack, nil, 2, 2, v1beta1.ReconciliationRolledBack, Upgrades},
	"rolled back, then an invalid edit": {
		RolledBack, []Edit{Invalid}, 3, 2, v1beta1.ReconciliationRolledBack, Upgrades,
	},
}
