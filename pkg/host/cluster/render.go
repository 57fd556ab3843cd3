package cluster

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// RenderStart makes the objects of the open start. Everything in them follows from the intent, so that every pass makes
// the same.
func RenderStart(v *Cluster, intent *v1beta1.Intent) (cluster render.Cluster, jobID string, err error) {
	in, err := ComposeStart(v, intent)
	if err != nil {
		return render.Cluster{}, "", err
	}
	cluster, err = render.MakeCluster(in)
	return cluster, in.Config.JobID, err
}

// ComposeStart is what the objects of the open start are made from.
func ComposeStart(v *Cluster, intent *v1beta1.Intent) (render.Input, error) {
	r := v.Seen.Resource
	if intent.SpecBase != "" { // storedspec.Read could not
		return render.Input{}, fmt.Errorf("the intent's spec was stored as a change of %s, which is another one now;"+
			" another restartNonce starts the resource's own spec", intent.SpecBase)
	}
	spec, err := v1beta1.ParseReconciledDeployment(intent.Spec)
	if err != nil {
		return render.Input{}, fmt.Errorf("the intent's spec cannot be read: %w", err)
	}
	start := flinkconf.Start{
		JobID:             intent.JobID,
		JobResultStoreDir: plan.DeriveID(r.UID, intent.OverResourceVersion, plan.PurposeJobResults),
	}
	if intent.From != nil {
		start.LastState = intent.From.Kind == v1beta1.StartLastState && intent.From.Path != ""
		if intent.From.Kind == v1beta1.StartSavepoint {
			start.SavepointPath = intent.From.Path
		}
	}
	composed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator:   v.Seen.Operator,
		Namespace:  r.Namespace,
		Name:       r.Name,
		UID:        string(r.UID),
		Generation: intent.Generation,
		Spec:       &spec.Spec,
		Start:      start,
		Started:    intent.Options,
	})
	return render.Input{
		Namespace: r.Namespace,
		Name:      r.Name,
		UID:       r.UID,
		Spec:      spec.Spec,
		Config:    composed,
		Operation: intent.OperationID,
		LogFiles:  v.Seen.LogFiles,
	}, err
}

// HAStoreOfStart is where the open start of a session cluster will find high-availability data.
func HAStoreOfStart(v *Cluster) hadata.Store {
	target := facts.StoredTarget(v.Look)
	return hadata.StoreOf(v.Look.Compose(&target))
}

// OwnerOf is the session job that may need what high-availability data has of a job; nil when none does.
func OwnerOf(entry hadata.Entry, jobs []SessionJob) *SessionJob {
	for i, j := range jobs {
		if j.JobID == entry.JobID && (!j.Ended || (j.StateUnknown && entry.Checkpoint != "")) {
			return &jobs[i]
		}
	}
	for i, j := range jobs {
		if j.Unreadable && entry.Checkpoint != "" {
			return &jobs[i]
		}
	}
	return nil
}
