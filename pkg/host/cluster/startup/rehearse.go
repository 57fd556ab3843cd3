package startup

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/rehearsal"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// rehearse has the API server judge the start of an intent; nil where the spec of that start turns it off. The pod of a
// native TaskManager is shown as far as it can be made: whatever is wrong with it shows in the JobManager's log, too.
func rehearse(v *cluster.Cluster, intent *v1beta1.Intent) (plan.Action, error) {
	in, err := cluster.ComposeStart(v, intent)
	if err != nil {
		return nil, err
	}
	made, err := render.MakeCluster(in)
	if err != nil || !options.Read(in.Config.Effective.Bool, key.DeploymentDryRunEnabled, true) {
		return nil, err
	}
	start := rehearsal.Start{Cluster: made, Operation: intent.OperationID}
	if start.TaskManager, err = render.MakeNativeTaskManager(in); err != nil {
		v.Look.Note("the pod of a TaskManager cannot be shown to the API server: " + err.Error())
	}
	if start.TaskManager != nil && in.Spec.Job != nil {
		start.TaskManagers = world.TaskManagerInfo(v.Look, in.Spec).Replicas
	}
	return plan.Rehearse{
		Target: intent.SpecHash, Namespace: in.Namespace, Name: in.Name, Pieces: rehearsal.Pieces(start),
	}, nil
}
