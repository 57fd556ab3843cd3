package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/tell"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Inquiry is one look at a FlinkSessionJob. It is built once, says what to look at next, and decides in the end. What
// is seen meanwhile is written to Seen, but for the store of the autoscaler: that is handed to SeeAutoscaled, and
// Seen.Judged is written before any of the other questions.
type Inquiry struct {
	// Seen is what was seen until now.
	Seen *session.Snapshot

	view *session.Job
	// judged is true once it was decided which spec counts.
	judged bool
}

// Open begins an inquiry with what was seen until now: the resource and its session cluster, or all.
func Open(s session.Snapshot) *Inquiry {
	v := session.New(s)
	v.Look.Starter, v.Look.Stopper = steps{v}, steps{v}
	return &Inquiry{Seen: v.Seen, view: v}
}

// Apart is the same inquiry for a question that is asked while others look. What either sees from now on, the other
// does not.
func (i *Inquiry) Apart() *Inquiry {
	apart := session.Apart(i.accepted())
	return &Inquiry{Seen: apart.Seen, view: apart, judged: true}
}

// accepted is the view of what was seen until now, with the spec that counts.
func (i *Inquiry) accepted() *session.Job {
	session.See(i.view)
	if !i.judged {
		i.judged = true
		accept(i.view)
	}
	return i.view
}

// AsksAutoscaled reports whether to look at what the autoscaler keeps, given the session cluster. What it set is part
// of the spec that the other questions are about.
func (i *Inquiry) AsksAutoscaled() bool { return world.KeepsAutoscaled(i.view.Look) }

// SeeAutoscaled takes over what the autoscaler keeps.
func (i *Inquiry) SeeAutoscaled(store plan.Observed[autoscaled.Store]) {
	i.Seen.Autoscaled = store
	world.SeeAutoscaled(i.view.Look, store)
}

// AsksValidators reports whether to ask the user's validators about the spec, unless their verdict is stored.
func (i *Inquiry) AsksValidators() bool { return world.AsksValidators(i.view.Look.Seen) }

// AsksWhose reports whether to look at the other session jobs of the namespace, given Flink's jobs: one of them may be
// this resource's, and status does not name it.
func (i *Inquiry) AsksWhose(jobs []world.Job) bool {
	apart := i.Apart()
	apart.Seen.Flink.Jobs = plan.Present(jobs)
	_, found := session.MaybeOurs(apart.accepted())
	return found
}

// Flink says what else to ask Flink, given the jobs.
func (i *Inquiry) Flink() ask.More { return ask.Flink(i.accepted().Look) }

// Life is what the life of the job sees, for those who ask Flink.
func (i *Inquiry) Life() world.Seen { return *i.accepted().Look.Seen }

// AsksRevisions reports whether to list the revisions of the job.
func (i *Inquiry) AsksRevisions() bool { return tell.AsksRevisions(i.accepted().Look) }

// Readers are the paths of savepoints that go if nobody else may read them. It is asked after all else.
func (i *Inquiry) Readers() []string { return facts.ReadersToAsk(i.accepted().Look) }

// Sampling is what a sample of the job's metrics is taken by, and where to ask for them; false where none is to be
// taken now.
func (i *Inquiry) Sampling() (autoscaler.Sampling, plan.Endpoint, bool) {
	v := i.accepted()
	if v.Cluster == nil {
		return autoscaler.Sampling{}, plan.Endpoint{}, false
	}
	in, due := decide.Sampling(v.Look)
	at := v.Endpoint()
	at.Timeout = decide.SamplingTimeout(in.Config, at.Timeout)
	return in, at, due && v.CanBeAsked()
}

// SeeSamples takes over a store that has other samples since.
func (i *Inquiry) SeeSamples(store plan.Observed[autoscaled.Store]) {
	i.Seen.Autoscaled = store
	world.SeeSamples(i.view.Look, store)
}

// MovesJob reports whether what depends on the job has to look again once the plan is carried out.
func (i *Inquiry) MovesJob(p plan.Plan) bool {
	var next *v1beta1.JobStatus
	if status, ok := p.Status.(*v1beta1.FlinkSessionJobStatus); ok {
		next = &status.JobStatus
	}
	return facts.Moves(i.Seen.Resource.Status.JobStatus, next, p)
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished, of those that
// are there after the plan was carried out, and, when the resource goes, its session cluster, whose deletion may wait
// for that.
func (i *Inquiry) Dependants(there plan.Observed[[]v1beta1.FlinkStateSnapshot], p plan.Plan) []plan.Dependant {
	i.view.Look.Seen.Snapshots = there
	all := facts.SnapshotDependants(i.view.Look)
	if name := session.ClusterOf(i.Seen.Resource); name != "" && len(p.Finish) > 0 {
		all = append(all, plan.Dependant{Kind: v1beta1.KindFlinkDeployment, Name: name})
	}
	return all
}

// Hide leaves the secrets of the resource, of its cluster and of the operator out of texts that no plan is made of.
func (i *Inquiry) Hide(text string) string { return i.view.Look.Hide(text) }

// Outlook is what a preview shows beside the plan. It is asked for before the plan, and after all else.
func (i *Inquiry) Outlook() world.Outlook { return world.OutlookOf(i.accepted().Look) }

// Plan decides what to do. It is total: it never fails and never panics, whatever was seen. Nothing is asked after it
// but what depends on the job.
func (i *Inquiry) Plan() plan.Plan { return decided(i.accepted()) }
