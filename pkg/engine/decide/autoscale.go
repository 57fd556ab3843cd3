package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// AutoscalerCondition says how far the autoscaler is with the job.
func AutoscalerCondition(v *world.Look) metav1.Condition {
	is := func(holds bool, reason plan.Reason, message string) metav1.Condition {
		return status.Condition(summary.Autoscaling, holds, reason, message)
	}
	if !AutoscalerOn(v) {
		return is(false, plan.ReasonAutoscalerOff, "what an autoscaler had set stays as it is, in each upgrade, too;"+
			" with job.autoscaler.enabled false the job gets the size of its spec")
	}
	if v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack {
		return is(false, plan.ReasonAutoscalerPaused, "the job was rolled back, and runs another spec than this one:"+
			" it is not scaled before the spec changes")
	}
	if why := v.Seen.Autoscaled.Why(); why != "" {
		c := is(false, plan.ReasonAutoscalerStoreUnreadable, "what is known of the job cannot be read, and its size stays"+
			" as it is: "+why)
		c.Status = metav1.ConditionUnknown
		return c
	}
	stored, err := storedAutoscaler(v)
	if err == nil && stored.Kept.Problem != "" {
		err = fmt.Errorf("%s", stored.Kept.Problem)
	}
	if err != nil {
		return is(false, plan.ReasonAutoscalerError, err.Error())
	}
	options, err := model.ReadOptions(stored.Config)
	if err != nil {
		return is(false, plan.ReasonAutoscalerError, err.Error())
	}
	if v.Autoscaler.LacksRoom {
		return is(
			false,
			plan.ReasonAutoscalerLacksRoom,
			"the job is not scaled: the nodes have no room for the TaskManagers"+
				" that it would need",
		)
	}
	advises := ""
	if !options.ScalingEnabled {
		advises = "; job.autoscaler.scaling.enabled is false, so it reports and does not scale"
	}
	if stored.Full(options) {
		return is(
			true,
			plan.ReasonAutoscalerActive,
			fmt.Sprintf("the vertices are scaled by their metrics of the last %s%s",
				options.Window, advises),
		)
	}
	return is(true, plan.ReasonAutoscalerCollecting, fmt.Sprintf(
		"metrics are collected: nothing is scaled before the job has run for %s and been measured for %s%s",
		options.Stabilization, options.Window, advises))
}

// AutoscalerOn reports whether the user's spec asks for the autoscaler.
func AutoscalerOn(v *world.Look) bool {
	c, known := world.AutoscalerDefaults(v)
	return known && world.AsksAutoscaler(c)
}

// measurable reports whether the job is what was deployed last, and all of its tasks run or have finished. One that was
// rolled back runs another spec than the recorded one: a decision would begin that one again.
func measurable(v *world.Look) bool {
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := world.FindJob(jobs, v.Want.JobStatus.JobID)
	deployed := v.Want.ReconciliationStatus.State == v1beta1.ReconciliationDeployed
	return listed && j.Runs() && v.AtRest() && v.LastRunning() && deployed && v.Seen.SpecProblem == ""
}

// storedAutoscaler is what a decision reads. The error is one of a store that must not be written.
func storedAutoscaler(v *world.Look) (autoscaler.Stored, error) {
	if v.Autoscaler == nil {
		read, err := readAutoscaler(v)
		v.Autoscaler = &world.StoredAutoscaler{Stored: read, Err: err}
	}
	return v.Autoscaler.Stored, v.Autoscaler.Err
}

func readAutoscaler(v *world.Look) (autoscaler.Stored, error) {
	s, known := v.Seen.Autoscaled.Get()
	if !known {
		s = autoscaled.Store{}
	}
	state, _, err := store.Read(s.Data) // what else cannot be read counts as never stored, as in Java
	if err != nil {
		return autoscaler.Stored{}, err
	}
	kept, err := samples.Read(s.Samples)
	if err != nil {
		kept = samples.Kept{} // it is measured anew
	}
	spec := &v.Seen.Resource.Spec
	c := flinkconf.ForAutoscaler(v.ComposeFor(spec, spec, nil))
	memory := int64(0)
	if c.Has(key.TaskManagerProcessMemory) {
		memory = options.Read(c.Memory, key.TaskManagerProcessMemory, 0)
	}
	asked := autoscaler.Stored{
		Config: c, State: state, Kept: kept, TaskManagerMemory: memory, Plugins: world.ScalingPlugins(v.Seen.Operator),
	}
	if room, looked := v.Seen.Room.Get(); looked {
		asked.Room = &room
	}
	return asked, nil
}

// AsksRoom reports whether to look at the nodes: the autoscaler would scale the application if they have room. That of
// a session job goes to TaskManagers that others may use, too, as in Java.
func AsksRoom(v *world.Look) bool {
	stored, known := autoscalerKnown(v)
	return known && v.IsApplication() && autoscaler.Decide(stored).Decision.Scaled()
}

// autoscalerKnown is what a decision on a job that can be measured reads; false where there is no such job, or it
// cannot be read.
func autoscalerKnown(v *world.Look) (autoscaler.Stored, bool) {
	if !AutoscalerOn(v) || !measurable(v) || v.Seen.Autoscaled.IsUnknown() {
		return autoscaler.Stored{}, false
	}
	stored, err := storedAutoscaler(v)
	return stored, err == nil
}

// Sampling is what a look at the job would take a sample by; false where none is to be taken now: the autoscaler is
// off, the job does not run, an operation is open, what is kept cannot be read, or no sample is due.
func Sampling(v *world.Look) (autoscaler.Sampling, bool) {
	stored, known := autoscalerKnown(v)
	if !known {
		return autoscaler.Sampling{}, false
	}
	in := autoscaler.Sampling{Stored: stored, Now: v.Seen.Now, Job: v.Want.JobStatus.JobID}
	return in, in.Due()
}

// SamplingTimeout bounds one request of a sample: job.autoscaler.flink.rest-client.timeout.
func SamplingTimeout(c flinkconf.Config, otherwise time.Duration) time.Duration {
	return options.Read(c.Duration, key.AutoscalerRestClientTimeout, otherwise)
}

// Autoscale decides by what was measured of a job that runs as its spec asks. A decision is stored before it is
// applied: the round that follows finds it in the store, as part of the spec.
//
//	the autoscaler   the job        what is kept      then
//	off              -              -                 not its business
//	on               does not run   -                 not its business
//	on               runs           cannot be read    not its business: the condition says so
//	on               runs           no decision       not its business; what users are to learn is told
//	on               runs           a scaling, and    not its business: the condition says so
//	                                room not known
//	on               runs           a scaling         stored, and another round
//	on               runs           how long the      stored, beside what else is decided
//	                                restart took
func Autoscale(v *world.Look) decision.Decision {
	s, known := v.Seen.Autoscaled.Get()
	if !known || !AutoscalerOn(v) || !measurable(v) || v.Problem != "" || v.Found.Pending != nil ||
		v.Found.Refused != nil {
		return decision.Pass()
	}
	stored, err := storedAutoscaler(v)
	if err != nil {
		return decision.Pass()
	}
	decided := autoscaler.Decide(stored)
	d := decision.Decision{Passes: true, Scaling: &decision.Scaling{Err: decided.Err, LacksRoom: decided.LacksRoom()}}
	if why := v.Seen.Room.Why(); decided.Decision.Scaled() && why != "" {
		d.Scaling.Err = fmt.Errorf("whether the nodes have room is not known: %s", why)
		return d
	}
	told := autoscalerEvents(decided)
	switch scales := decided.Decision.Scaled(); {
	case !decided.Store:
		d.Events = told
	case !scales:
		d.Events, d.Also = told, []plan.Action{keepDecision(v, s, decided)}
	default:
		d.Passes = false
		d.Result = decision.Result{
			Situation: plan.Waiting, Wait: plan.Cause{Reason: plan.ReasonScaling, Message: "the autoscaler has decided"},
			Actions: []plan.Action{keepDecision(v, s, decided)}, Again: true, Tells: told,
		}
	}
	return d
}

// keepDecision stores a decision under the version of the store that it was made of. Samples are kept in our own form.
func keepDecision(v *world.Look, s autoscaled.Store, decided autoscaler.Result) plan.KeepAutoscaled {
	state := decided.State
	state.Samples = nil
	a := plan.KeepAutoscaled{
		Namespace: v.Seen.Resource.Namespace, Store: s.Version, Data: store.Write(state), Keys: store.Keys(),
	}
	if decided.Decision.Scaled() {
		a.Explained = autoscaler.Explain(decided.Time, decided).JSON()
		a.At, a.Most = decided.Time, autoscaler.MaxKept
	}
	return a
}

// autoscalerEvents are what users are to learn of a decision. What is told of a sample has its time in its key: another
// look at the same sample tells it once. The report of a scaling replaces the one before, as in Java.
func autoscalerEvents(decided autoscaler.Result) []plan.Event {
	var events []plan.Event
	for _, e := range decided.Events {
		if e.Reason == model.ReasonError {
			continue // the condition tells it, and tells it once
		}
		told := plan.Event{
			Warning: e.Type == model.EventWarning, Reason: plan.Reason(e.Reason), Component: plan.ComponentOperator,
			Message: e.Message, Key: e.Key, Annotations: e.Labels,
		}
		if !decided.Decision.Scaled() {
			told.Key, told.Once = e.Key+" "+decided.Time.UTC().Format(time.RFC3339), true
		}
		events = append(events, told)
	}
	return events
}
