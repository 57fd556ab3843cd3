package plan

// Situation is the one word for what a pass found. It is in status, logs and metrics; the choice of actions follows
// from it.
type Situation string

// The situations of a FlinkDeployment, in the order in which they are looked for.
const (
	// Canary: a resource that tests an operator; it is left alone.
	Canary Situation = "Canary"
	// Deleting: the resource is marked for deletion.
	Deleting Situation = "Deleting"
	// NotOurs: an open intent in status does not follow from this resource's UID.
	NotOurs Situation = "ForeignIntent"
	// Stopping: an open intent is taking a cluster down.
	Stopping Situation = "Stopping"
	// Starting: an open intent is preparing a cluster.
	Starting Situation = "Starting"
	// Invalid: the spec does not validate and nothing was ever deployed.
	Invalid Situation = "Invalid"
	// Unaccounted: something that status does not account for is where a first start would be.
	Unaccounted Situation = "Unaccounted"
	// FirstStart: nothing was deployed yet and the spec asks for a running cluster.
	FirstStart Situation = "FirstStart"
	// NeverStarted: nothing was deployed yet and the spec asks for a suspended job.
	NeverStarted Situation = "NeverStarted"
	// Upgrade: the spec changed in a way that needs a new cluster.
	Upgrade Situation = "Upgrade"
	// Suspend: the spec asks for a suspended job and one runs.
	Suspend Situation = "Suspend"
	// Resume: the spec asks for a running job and it is suspended.
	Resume Situation = "Resume"
	// Refused: the spec asks for what cannot be done safely; the running cluster is left alone.
	Refused Situation = "Refused"
	// StateLost: the state that a job should start from is not known; a user decides.
	StateLost Situation = "StateLost"
	// Lost: the JobManager Deployment of a cluster that should run is gone.
	Lost Situation = "Lost"
	// Unobservable: what the decision needs could not be read.
	Unobservable Situation = "Unobservable"
	// Broken: the JobManager cannot start.
	Broken Situation = "Broken"
	// Waiting: the cluster or its job is not running yet.
	Waiting Situation = "Waiting"
	// Suspended: the job is suspended, as asked.
	Suspended Situation = "Suspended"
	// Ended: the job reached a terminal state by itself.
	Ended Situation = "Ended"
	// Steady: all is as the spec asks.
	Steady Situation = "Steady"
)

// EndsSoon reports whether the situation is a step of a stop, which most likely goes on by itself within seconds.
func (s Situation) EndsSoon() bool {
	switch s {
	case Stopping, Upgrade, Suspend, Resume, Deleting:
		return true
	}
	return false
}
