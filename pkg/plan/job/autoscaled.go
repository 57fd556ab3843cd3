package job

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// Autoscaled reports whether to look at what the autoscaler keeps of the job: it is on, or the recorded spec or the
// job may carry what it had set. Before the first deployment there is nothing.
func Autoscaled(v Life) bool {
	c, known := autoscalerDefaults(v)
	return known && (asksAutoscaler(c) || mayBeAutoscaled(v))
}

// mayBeAutoscaled reports whether the recorded spec, or the job itself, may carry what an autoscaler had set.
func mayBeAutoscaled(v Life) bool {
	status := v.Seen.Resource.Status
	return status.Rescaling || autoscaled.MayShow(status.ReconciliationStatus.LastReconciledSpec)
}

func asksAutoscaler(c flinkconf.Config) bool {
	return options.Read(c.Bool, key.AutoscalerEnabled, false)
}

// autoscalerDefaults are the options of the autoscaler as the user's spec has them over the defaults; false: they say
// nothing of a job that was deployed.
func autoscalerDefaults(v Life) (flinkconf.Config, bool) {
	r := v.Seen.Resource
	if v.Last == nil || v.Last.Spec.Job == nil || r.Spec.Job == nil || v.Seen.SpecProblem != "" {
		return nil, false
	}
	if v.defaults != nil {
		return v.defaults, true
	}
	asked, err := flinkconf.Flatten(r.Spec.FlinkConfiguration)
	if err != nil {
		return nil, false // validation says so
	}
	c := v.Seen.ClusterConfig
	if c == nil {
		c = v.Seen.Operator.Default(r.Namespace, r.Spec.FlinkVersion)
	}
	v.defaults = c.Merge(asked)
	return v.defaults, true
}

// keepAutoscaled lays over the spec what the autoscaler has set.
func keepAutoscaled(v Life) {
	c, known := autoscalerDefaults(v)
	if !known || !(asksAutoscaler(c) || mayBeAutoscaled(v)) {
		return
	}
	if kept := autoscaled.Keep(&v.Spec, &v.Last.Spec, c, v.Seen.Autoscaled); kept != nil {
		v.count(*kept)
		v.KeepsAutoscaled = true
	}
}

// autoscaling is the autoscaler of a job whose spec asks for it.
type autoscaling Life

// on reports whether the user's spec asks for the autoscaler.
func (v autoscaling) on() bool {
	c, known := autoscalerDefaults(Life(v))
	return known && asksAutoscaler(c)
}

// measurable reports whether the job is what was deployed last, and all of its tasks run or have finished. One that was
// rolled back runs another spec than the recorded one: a decision would begin that one again.
func (v autoscaling) measurable() bool {
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := FindJob(jobs, v.Want.JobStatus.JobID)
	deployed := v.Want.ReconciliationStatus.State == v1beta1.ReconciliationDeployed
	return listed && j.Runs() && v.AtRest() && v.LastRunning() && deployed && v.Seen.SpecProblem == ""
}

// stored is what a decision reads. The error is one of a store that must not be written.
func (v autoscaling) stored() (autoscaler.Stored, error) {
	if v.autoscaler == nil {
		read, err := v.read()
		v.autoscaler = &storedAutoscaler{Stored: read, err: err}
	}
	return v.autoscaler.Stored, v.autoscaler.err
}

// storedAutoscaler is what was read of a store, and what was decided by it.
type storedAutoscaler struct {
	autoscaler.Stored
	// lacksRoom tells that the nodes have no room for what was decided.
	lacksRoom bool
	// err is why it could not be read, or why nothing could be decided.
	err error
}

func (v autoscaling) read() (autoscaler.Stored, error) {
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
	c := flinkconf.ForAutoscaler(v.compose(spec, spec))
	memory := int64(0)
	if c.Has(key.TaskManagerProcessMemory) {
		memory = options.Read(c.Memory, key.TaskManagerProcessMemory, 0)
	}
	asked := autoscaler.Stored{
		Config: c, State: state, Kept: kept, TaskManagerMemory: memory, Plugins: scalingPlugins(v.Seen.Operator),
	}
	if room, looked := v.Seen.Room.Get(); looked {
		asked.Room = &room
	}
	return asked, nil
}

// scalingPlugins are the plug-ins that can be asked.
func scalingPlugins(o flinkconf.Operator) autoscaler.Plugins {
	known, _ := o.ScalingPlugins() // what is wrong with them is told at the start
	plugins := make(autoscaler.Plugins, len(known))
	for class, p := range known {
		plugins[class] = p.Priority
	}
	return plugins
}

// AsksRoom reports whether to look at the nodes: the autoscaler would scale the application if they have room. That of
// a session job goes to TaskManagers that others may use, too, as in Java.
func AsksRoom(v Life) bool {
	stored, known := autoscaling(v).known()
	return known && v.IsApplication() && autoscaler.Decide(stored).Decision.Scaled()
}

// known is what a decision on a job that can be measured reads; false where there is no such job, or it cannot be read.
func (v autoscaling) known() (autoscaler.Stored, bool) {
	if !v.on() || !v.measurable() || v.Seen.Autoscaled.IsUnknown() {
		return autoscaler.Stored{}, false
	}
	stored, err := v.stored()
	return stored, err == nil
}

// Sampling is what a look at the job would take a sample by; false where none is to be taken now: the autoscaler is
// off, the job does not run, an operation is open, what is kept cannot be read, or no sample is due.
func Sampling(v Life) (autoscaler.Sampling, bool) {
	stored, known := autoscaling(v).known()
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
func Autoscale(v Life) (Result, bool) {
	a := autoscaling(v)
	s, known := v.Seen.Autoscaled.Get()
	if !known || !a.on() || !a.measurable() || v.Problem != "" || v.Pending != nil || v.Refused != nil {
		return Result{}, false
	}
	stored, err := a.stored()
	if err != nil {
		return Result{}, false
	}
	decided := autoscaler.Decide(stored)
	v.autoscaler.err, v.autoscaler.lacksRoom = decided.Err, decided.LacksRoom()
	if why := v.Seen.Room.Why(); decided.Decision.Scaled() && why != "" {
		v.autoscaler.err = fmt.Errorf("whether the nodes have room is not known: %s", why)
		return Result{}, false
	}
	told := a.events(decided)
	if !decided.Store {
		v.Events = append(v.Events, told...)
		return Result{}, false
	}
	keep := a.keep(s, decided)
	if !decided.Decision.Scaled() {
		v.Events, v.Also = append(v.Events, told...), append(v.Also, keep)
		return Result{}, false
	}
	return Result{
		Situation: plan.Waiting, Wait: plan.Cause{Reason: plan.ReasonScaling, Message: "the autoscaler has decided"},
		Actions: []plan.Action{keep}, Again: true, Tells: told,
	}, true
}

// keep stores a decision under the version of the store that it was made of. Samples are kept in our own form.
func (v autoscaling) keep(s autoscaled.Store, decided autoscaler.Result) plan.KeepAutoscaled {
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

// events are what users are to learn of a decision. What is told of a sample has its time in its key: another look at
// the same sample tells it once. The report of a scaling replaces the one before, as in Java.
func (v autoscaling) events(decided autoscaler.Result) []plan.Event {
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
