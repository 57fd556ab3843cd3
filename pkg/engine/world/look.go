package world

import (
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// Look is what one decision works on: what was seen with what follows from it at once, and the status as this round
// will leave it. Package observe brings Want up to what was seen, packages loss and record write it; nobody else does.
type Look struct {
	// Seen is what was seen.
	Seen *Seen
	// Host runs the job.
	Host Host
	// Starter starts it there.
	Starter decision.Starter
	// Stopper takes down what it runs on.
	Stopper decision.Stopper
	// Specs are what was asked for, and what is recorded.
	Specs
	// Options are those of what runs; before the first deployment those of the spec.
	Options options.Options
	// Job is the job as Flink lists it; nil when it does not, or does not answer.
	Job *Job
	// Reran is true when a job that had ended runs again under the same ID.
	Reran bool
	// IsCopy is true when the status was written for another resource.
	IsCopy bool
	// Want is the status as this round leaves it.
	Want v1beta1.FlinkDeploymentStatus
	// Untouched leaves the status as it is stored.
	Untouched bool
	// Requests are made again unless an operation is open: status records them, and Flink does not know them.
	Requests []plan.Action
	// Also are carried out beside whatever the round decides. Nothing depends on them.
	Also []plan.Action
	// Found is what rules that passed have found.
	Found decision.Found
	// Objected is true when what Kubernetes said of a start decided something.
	Objected bool
	// Events are published with the plan.
	Events []plan.Event
	// Notes go to the log.
	Notes []string

	// observed caches Config.
	observed flinkconf.Config
	// defaults caches autoscalerDefaults: the spec of the resource is not changed.
	defaults flinkconf.Config
	// Autoscaler caches what the autoscaler keeps.
	Autoscaler *StoredAutoscaler
	// secrets caches what Hide knows.
	secrets *redact.Secrets
}

// New makes the life of a job from what was seen of it. The caller sets its Host, Starter and Stopper. Accept and
// ObserveJob, in this order, are the caller's, too.
func New(s *Seen) *Look {
	recorded := s.Decoded()
	v := &Look{Seen: s, Want: *recorded.Status.DeepCopy(), Specs: Specs{
		Spec: s.Resource.Spec, Generation: s.Resource.Generation, Last: recorded.last, LastStable: recorded.stable,
		Unreadable: recorded.unreadable, changed: recorded.changed, then: recorded.last,
	}}
	v.Options = options.Of(v.Config)
	if recorded.note != "" {
		v.Note(recorded.note)
	}
	v.Deployed = v.Want.ObservedGeneration
	if other := v.Want.DeployedGeneration; other != nil {
		v.Deployed = *other
	}
	triesNow(v)
	if s.Refused != nil {
		v.Want.Refused = s.Refused.DeepCopy()
	}
	beginStatus(&v.Want)
	overlayAutoscaled(v)
	Renew(v)
	return v
}

// Apart is the same for a question that is asked while others look: what either sees from now on, the other does not.
// It answers questions only: the status is the same one.
func Apart(v *Look, seen *Seen, host Host) *Look {
	v.Config() // composed once, and noted once if it cannot be
	apart := *v
	apart.Seen, apart.Host, apart.Starter, apart.Stopper = seen, host, nil, nil
	apart.Options = options.Of(apart.Config)
	return &apart
}

// SeeDeployed takes over what the JobManager was made with.
func SeeDeployed(v *Look, config plan.Observed[flinkconf.Config]) {
	v.Seen.Deployed, v.observed = config, nil
}

// SeeAutoscaled takes over what the autoscaler keeps, before a spec is accepted.
func SeeAutoscaled(v *Look, store plan.Observed[autoscaled.Store]) {
	SeeSamples(v, store)
	if v.KeepsAutoscaled { // by what is recorded alone
		v.count(v.Seen.Resource.Spec)
		v.KeepsAutoscaled = false
	}
	overlayAutoscaled(v)
}

// SeeSamples takes over a store that has other samples since, and nothing else.
func SeeSamples(v *Look, store plan.Observed[autoscaled.Store]) {
	v.Seen.Autoscaled, v.Autoscaler = store, nil
}

// Running is the spec that the cluster was started with: after a rollback the last stable one, else the one acted on
// last. Nil before the first deployment.
func (v *Look) Running() *v1beta1.FlinkDeploymentSpec {
	switch {
	case v.Last == nil:
		return nil
	case v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack && v.LastStable != nil:
		return &v.LastStable.Spec
	}
	return &v.Last.Spec
}

// Accept decides which spec counts, given what validation finds. A spec that does not validate leaves the last accepted
// one in force, running if the interrupted operation was on its way to run.
func (v *Look) Accept(found *apis.FieldError) {
	v.Problem, v.Headline, v.ProblemReason = v.Seen.SpecProblem, v.Seen.SpecProblem, plan.ReasonValidationFailed
	if v.Problem == "" {
		findings := validation.Problems(found)
		v.Problem = validation.MessageWithin(findings, summary.MaxMessageLength)
		v.Headline = validation.Headline(findings)
	}
	if v.Seen.Judged.Verdict != nil {
		v.Want.Verdict = v.Seen.Judged.Verdict
	}
	if why := v.Seen.Judged.Objection(); v.Problem == "" && why.Reason != "" {
		v.Problem, v.Headline, v.ProblemReason = why.Message, why.Message, why.Reason
	}
	if v.Problem == "" || v.Last == nil {
		return
	}
	last := *v.Last.Spec.DeepCopy()
	switch v.Seen.Resource.Status.ReconciliationStatus.State {
	case v1beta1.ReconciliationUpgrading, v1beta1.ReconciliationRollingBack:
		if last.Job != nil {
			last.Job.State = v1beta1.JobStateRunning
		}
	}
	v.count(last)
	v.Generation = v.Deployed
}

// NeedsJudging reports whether another spec than the resource's may count: this one is new, or was refused. The
// questions are asked for the one that counts.
func (s *Seen) NeedsJudging() bool {
	r := s.Resource
	accepted := slices.ContainsFunc(r.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == summary.SpecAccepted && c.Status == metav1.ConditionTrue
	})
	return s.SpecProblem != "" || r.Generation != r.Status.ObservedGeneration || !accepted
}

// AsksValidators reports whether the spec has yet to be accepted, so that validators of the user have a say in it. They
// have none in a deletion.
func AsksValidators(s *Seen) bool {
	return s.SpecProblem == "" && s.Resource.DeletionTimestamp == nil && s.NeedsJudging()
}

// beginStatus fills in what the status of a resource that was never deployed begins with, as the Java operator's does.
func beginStatus(status *v1beta1.FlinkDeploymentStatus) {
	if status.ReconciliationStatus.LastReconciledSpec != "" {
		return
	}
	if status.JobManagerDeploymentStatus == "" {
		status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	}
	if status.ReconciliationStatus.State == "" {
		status.ReconciliationStatus.State = v1beta1.ReconciliationUpgrading
	}
}

// Resource is the FlinkDeployment as read.
func (v *Look) Resource() *v1beta1.FlinkDeployment { return v.Seen.Resource }

// Intent is the open intent; nil means none.
func (v *Look) Intent() *v1beta1.Intent { return v.Want.Intent }

// StoresIntent reports whether this round stores an intent of its own.
func (v *Look) StoresIntent() bool {
	stored := v.Resource().Status.Intent
	return v.Want.Intent != nil && (stored == nil || stored.OperationID != v.Want.Intent.OperationID)
}

// BeginsOperation reports whether this round stores an intent where none was open.
func (v *Look) BeginsOperation() bool {
	stored := v.Resource().Status.Intent
	return v.StoresIntent() && (stored == nil || stored.Step == v1beta1.StepReleased)
}

// AtRest reports whether no operation is under way.
func (v *Look) AtRest() bool {
	released := v.Intent() == nil || v.Intent().Step == v1beta1.StepReleased
	return released && v.Resource().DeletionTimestamp == nil
}

// Now is the time of the look, as status has it.
func (v *Look) Now() metav1.Time { return metav1.NewTime(v.Seen.Now.Truncate(time.Second)) }

// IsApplication reports whether the job's resource has a cluster of its own for it, which a session job has not.
func (v *Look) IsApplication() bool { return v.Seen.JobKind() == v1beta1.JobKindFlinkDeployment }

// MayStartEmpty reports whether the job may be started without the state of the one before. A spec that does not count
// still says what its user thinks of the state: while either of the two wants it kept, it is kept.
func (v *Look) MayStartEmpty() bool {
	if v.Problem != "" && (v.Seen.SpecProblem != "" || !Stateless(&v.Seen.Resource.Spec)) {
		return v.IsSession()
	}
	return Stateless(&v.Spec)
}

// Tell publishes an event with the plan.
func (v *Look) Tell(e plan.Event) { v.Events = append(v.Events, e) }

// Note adds a line to the log of the round, unless it has it.
func (v *Look) Note(line string) {
	if !slices.Contains(v.Notes, line) {
		v.Notes = append(slices.Clip(v.Notes), line)
	}
}

// Since is how long ago a time was.
func (v *Look) Since(t metav1.Time) time.Duration { return v.Seen.Now.Sub(t.Time) }

// EndedAt is when the job's state was last seen to change; the zero time when that is not recorded.
func (v *Look) EndedAt() metav1.Time {
	millis, err := strconv.ParseInt(v.Want.JobStatus.UpdateTime, 10, 64)
	if err != nil {
		return v.Now()
	}
	return metav1.NewTime(time.UnixMilli(millis))
}

// SetJobState takes over a state, with the time of the change.
func (v *Look) SetJobState(state v1beta1.FlinkJobState) {
	if v.Want.JobStatus.State == state {
		return
	}
	v.Want.JobStatus.State = state
	v.Want.JobStatus.UpdateTime = strconv.FormatInt(v.Seen.Now.UnixMilli(), 10)
	if !state.IsTerminal() {
		v.Want.JobStatus.LastStateUnread = false
	}
}

// Remedy says how a person starts the job from a state of their choice.
func (v *Look) Remedy() string {
	r := v.Seen.Resource
	return restore.Remedy(v.Seen.JobKind(), r.Namespace, r.Name, RedeployNonce(v.Spec))
}

// CheckpointTimeout is after how long Flink gives a checkpoint or savepoint of the job up: as it said of this job,
// whose code may set it, else as its configuration has it (execution.checkpointing.timeout).
func (v *Look) CheckpointTimeout() time.Duration {
	return v.Want.JobStatus.CheckpointTimeoutOr(v.Options.CheckpointTimeout())
}

// TimeoutUnread is why Flink did not say how long a checkpoint may take, although it was asked; empty when that is
// known, or does not count. Nobody is given up by a guess.
func TimeoutUnread(v *Look) string {
	if v.Want.JobStatus.CheckpointTimeout != nil || !v.Seen.Flink.CheckpointTimeout.IsUnknown() {
		return ""
	}
	return v.Seen.Flink.CheckpointTimeout.Why()
}

// RedeployNonce is spec.job.savepointRedeployNonce; 0 when there is none.
func RedeployNonce(spec v1beta1.FlinkDeploymentSpec) int64 {
	if spec.Job == nil || spec.Job.SavepointRedeployNonce == nil {
		return 0
	}
	return *spec.Job.SavepointRedeployNonce
}
