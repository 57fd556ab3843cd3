package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/tell"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/startup"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Inquiry is one look at a FlinkDeployment. It is built once, says what to look at next, and decides in the end. What
// is seen meanwhile is written to Seen, but for what the spec that counts depends on: that is handed to SeeDeployed and
// SeeAutoscaled, in this order, and Seen.Judged is written before any of the other questions.
type Inquiry struct {
	// Seen is what was seen until now.
	Seen *cluster.Snapshot

	view *view
	// judged is true once it was decided which spec counts.
	judged bool
}

// Open begins an inquiry with what was seen until now: the resource and its Deployment, or all.
func Open(s cluster.Snapshot) *Inquiry {
	v := &view{Cluster: startup.WithSteps(s)}
	v.ingress = cluster.StoredIngress(v.Cluster).DeepCopy()
	return &Inquiry{Seen: v.Seen, view: v}
}

// Apart is the same inquiry for a question that is asked while others look. What either sees from now on, the other
// does not.
func (i *Inquiry) Apart() *Inquiry {
	apart := cluster.Apart(i.accepted().Cluster)
	return &Inquiry{Seen: apart.Seen, view: &view{Cluster: apart}, judged: true}
}

// accepted is the view with the spec that counts.
func (i *Inquiry) accepted() *view {
	if !i.judged {
		i.judged = true
		i.view.accept()
	}
	return i.view
}

// AsksDeployed reports whether to read the ConfigMap that what runs was deployed with. It says where the JobManager
// answers.
func (i *Inquiry) AsksDeployed() bool { return facts.AsksDeployed(i.view.Look) }

// SeeDeployed takes over what that says.
func (i *Inquiry) SeeDeployed(config plan.Observed[flinkconf.Config]) {
	world.SeeDeployed(i.view.Look, config)
}

// AsksAutoscaled reports whether to look at what the autoscaler keeps: what that says is part of the spec.
func (i *Inquiry) AsksAutoscaled() bool { return world.KeepsAutoscaled(i.view.Look) }

// SeeAutoscaled takes over what the autoscaler keeps.
func (i *Inquiry) SeeAutoscaled(store plan.Observed[autoscaled.Store]) {
	world.SeeAutoscaled(i.view.Look, store)
}

// AsksValidators reports whether to ask the user's validators about the spec, unless their verdict is stored.
func (i *Inquiry) AsksValidators() bool { return world.AsksValidators(i.view.Look.Seen) }

// Flink says what else to ask Flink, given the jobs.
func (i *Inquiry) Flink() ask.More { return ask.Flink(i.accepted().Look) }

// AsksRevisions reports whether to list the revisions of the job.
func (i *Inquiry) AsksRevisions() bool { return tell.AsksRevisions(i.accepted().Look) }

// Readers are the paths of savepoints that go if nobody else may read them. It is asked after all else.
func (i *Inquiry) Readers() []string { return facts.ReadersToAsk(i.accepted().Look) }

// AsksRoom reports whether to look at the room of the nodes. It is asked after all else.
func (i *Inquiry) AsksRoom() bool { return decide.AsksRoom(i.accepted().Look) }

// Config is the configuration of what runs.
func (i *Inquiry) Config() flinkconf.Config { return i.accepted().Look.Config() }

// ExpectedCompanions lists what the open start consists of, besides its Deployment; nil when it cannot be rendered,
// which the start itself will report.
func (i *Inquiry) ExpectedCompanions() []cluster.Companion {
	v := i.accepted().Cluster
	made, _, err := cluster.RenderStart(v, v.Look.Intent())
	if err != nil {
		return nil
	}
	return cluster.Companions(made)
}

// Sampling is what a sample of the job's metrics is taken by, and where to ask for them; false where none is to be
// taken now.
func (i *Inquiry) Sampling() (autoscaler.Sampling, plan.Endpoint, bool) {
	v := i.accepted()
	if v.Seen.Autoscaled.IsUnknown() {
		return autoscaler.Sampling{}, plan.Endpoint{}, false
	}
	in, due := decide.Sampling(v.Look)
	at := v.Endpoint()
	at.Timeout = decide.SamplingTimeout(in.Config, at.Timeout)
	return in, at, due && v.CanBeAsked()
}

// SeeSamples takes over a store that has other samples since.
func (i *Inquiry) SeeSamples(store plan.Observed[autoscaled.Store]) {
	world.SeeSamples(i.view.Look, store)
}

// MovesCluster reports whether the jobs of a session cluster have to look again once the plan is carried out: it goes,
// it is about to change or has changed, or its JobManager can be reached or no longer.
func (i *Inquiry) MovesCluster(p plan.Plan) bool {
	next, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if !ok || !i.view.Look.IsSession() {
		return false
	}
	was := i.Seen.Resource.Status
	return was.JobManagerDeploymentStatus != next.JobManagerDeploymentStatus ||
		was.LifecycleState != next.LifecycleState
}

// MovesJob reports whether what depends on the job has to look again once the plan is carried out.
func (i *Inquiry) MovesJob(p plan.Plan) bool {
	var next *v1beta1.JobStatus
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		next = &status.JobStatus
	}
	return facts.Moves(i.Seen.Resource.Status.JobStatus, next, p)
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished, of those that
// are there after the plan was carried out.
func (i *Inquiry) Dependants(there plan.Observed[[]v1beta1.FlinkStateSnapshot]) []plan.Dependant {
	i.Seen.Snapshots = there
	return facts.SnapshotDependants(i.view.Look)
}

// Hide leaves the secrets of the resource and of the operator out of texts that no plan is made of.
func (i *Inquiry) Hide(text string) string { return i.view.Look.Hide(text) }

// Outlook is what a preview shows beside the plan. It is asked for before the plan, and after all else.
func (i *Inquiry) Outlook() world.Outlook { return world.OutlookOf(i.accepted().Look) }

// Plan decides what to do. It is total: it never fails and never panics, whatever was seen. Nothing is asked after it
// but what depends on the job.
func (i *Inquiry) Plan() plan.Plan {
	v := i.accepted()
	cluster.Renew(v.Cluster)
	return v.decide()
}
