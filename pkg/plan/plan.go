package plan

import (
	"strings"
)

// Plan is what one round of a pass decided: a value to be printed, compared and carried out.
type Plan struct {
	// Situation is what the round found.
	Situation Situation
	// Rule is the name of the rule that decided, for the log; empty where a kind has none.
	Rule string
	// Actions are carried out in order; the first failure ends the round.
	Actions []Action
	// Status is the full wanted status, written once after the actions when it differs in meaning from what is stored.
	// Nil writes none.
	Status any
	// Finish are actions that may only follow the status write: a release, the removal of a finalizer.
	Finish []Action
	// Gone says that Finish removes what holds the resource: its status is told to listeners and not stored, for nobody
	// could read it.
	Gone bool
	// Events are published before the status write.
	Events []Event
	// TellFirst publishes the events before the first action: they tell what an action does, and no later pass could
	// see that it was done.
	TellFirst bool
	// History is written to the revision history in the end; nil: nothing is.
	History *History
	// Requeue says how the pass goes on with the resource; empty leaves it to the clock.
	Requeue Requeue
	// Beside are resources that this pass makes rounds for, too, once this round is carried out: what they do is waited
	// for. Where one fails, the events that its change brings are left.
	Beside []Dependant
	// Notes explain the decision, one line each, for the log.
	Notes []string
}

// Event is a fact for people and listeners: a Kubernetes Event on the resource and a CloudEvent.
type Event struct {
	// Warning is true for a Kubernetes Event of type Warning, false for Normal.
	Warning bool
	// Reason is the CamelCase reason of the catalogue (SpecChanged, Submit, …).
	Reason Reason
	// Component is the Kubernetes Event's source: JobManagerDeployment, Job, Snapshot or Operator.
	Component string
	// Message is one line.
	Message string
	// Key replaces the message when it is decided whether two events are the same; empty means the message.
	Key string
	// Once leaves an existing Event of the same name as it is, instead of counting it up.
	Once bool
	// Annotations of the Kubernetes Event. Nil leaves those of an existing one as they are; otherwise they are replaced.
	Annotations map[string]string
}

// Dependant is a resource whose next decision depends on what a plan has just made of another one in the same
// namespace. It is asked to look: nothing is lost when that does not reach it, the sweep finds it.
type Dependant struct {
	// Kind is its kind.
	Kind string
	// Name is metadata.name.
	Name string
}

// Components of events.
const (
	ComponentJobManager = "JobManagerDeployment"
	ComponentJob        = "Job"
	ComponentOperator   = "Operator"
)

// Effects are all actions of the plan, in order.
func (p Plan) Effects() []Action {
	return append(append([]Action{}, p.Actions...), p.Finish...)
}

// StatusIn is the status that the plan was to store with an action; nil stands for the one at the end of a round. It is
// nil for an action that stores none.
func (p Plan) StatusIn(failed Action) any {
	if failed == nil {
		return p.Status
	}
	record, _ := failed.(Record)
	return record.Status
}

// IsQuiet reports whether carrying the plan out changes nothing but, perhaps, the status.
func (p Plan) IsQuiet() bool {
	return len(p.Actions) == 0 && len(p.Finish) == 0 && len(p.Events) == 0 && p.Requeue != RequeueNow
}

// String prints the situation and the actions on one line.
func (p Plan) String() string {
	texts := make([]string, 0, len(p.Actions)+len(p.Finish))
	for _, a := range p.Effects() {
		texts = append(texts, a.String())
	}
	if len(texts) == 0 {
		return string(p.Situation)
	}
	return string(p.Situation) + ": " + strings.Join(texts, ", ")
}
