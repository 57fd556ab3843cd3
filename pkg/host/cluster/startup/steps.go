package startup

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/takedown"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// WithSteps makes the Cluster of a snapshot that can carry the steps of operations out.
func WithSteps(s cluster.Snapshot) *cluster.Cluster {
	v := cluster.New(s)
	v.Look.Starter, v.Look.Stopper = steps{v}, steps{v}
	return v
}

// steps are the steps of a start and of a stop, as the engine asks for them.
type steps struct{ cluster *cluster.Cluster }

// Startable is decision.Starter's.
func (s steps) Startable(intent *v1beta1.Intent) (plan.Action, error) {
	return startable(s.cluster, intent)
}

// Occupied is decision.Starter's.
func (s steps) Occupied() (decision.Result, bool) { return occupied(s.cluster) }

// MayRunAnother is decision.Starter's.
func (s steps) MayRunAnother(target *v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	return mayRunAnother(s.cluster, target)
}

// ForgetEarlier is decision.Starter's.
func (s steps) ForgetEarlier(i *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	return forgetEarlier(s.cluster, i, target)
}

// Prepare is decision.Starter's.
func (s steps) Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	return prepare(s.cluster, intent)
}

// CarryStart is decision.Starter's.
func (s steps) CarryStart() decision.Result { return carryStart(s.cluster) }

// CarryRelease is decision.Starter's.
func (s steps) CarryRelease() (decision.Result, bool) { return carryRelease(s.cluster) }

// Watch is decision.Stopper's.
func (s steps) Watch() { takedown.WatchStop(s.cluster) }

// CarryStop is decision.Stopper's.
func (s steps) CarryStop() decision.Result { return takedown.CarryStop(s.cluster) }

// NotNow is decision.Stopper's.
func (s steps) NotNow() (decision.Result, bool) { return takedown.NotNow(s.cluster) }

// AwaitJobGraph is decision.Stopper's.
func (s steps) AwaitJobGraph() (decision.Result, bool) { return takedown.AwaitJobGraph(s.cluster) }

// TakeApart is decision.Stopper's.
func (s steps) TakeApart() decision.Result { return takedown.TakeApart(s.cluster) }

// TakeDown is decision.Stopper's.
func (s steps) TakeDown() []plan.Action { return takedown.TakeDown(s.cluster) }

// Rest is decision.Stopper's.
func (s steps) Rest() []plan.Action { return cluster.Rest(s.cluster) }

// WaitForEnd is decision.Stopper's.
func (s steps) WaitForEnd() decision.Result { return takedown.WaitForEnd(s.cluster) }
