package operation

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// NoteRun notes in an open start what was seen of the pods of the job before it: that a container ran, and a node that
// does not answer. It reports whether that is new.
func NoteRun(v *world.Look, ran bool, silent string) bool {
	i := v.Intent()
	if !i.Reopens {
		return false
	}
	news := ran && !i.Began || silent != "" && i.SilentNode == ""
	i.Began = i.Began || ran
	if i.SilentNode == "" {
		i.SilentNode = silent
	}
	return news
}

// Reopened reports whether the job before an open start may have run since that was begun.
func Reopened(v *world.Look) bool {
	i := v.Intent()
	return i.Reopens && (i.Began || i.SilentNode != "") && !facts.AsksRedeploy(v)
}

// Reopen decides anew what an open start begins from, once no process of the job before it is left: that may have run
// since. It ran under its own ID or, where its pod found what was prepared, under the new one. First match wins:
//
//	#   high-availability data                     then
//	R1  unknown                                    wait
//	R2  names checkpoints of one of the two,       start from them, under that ID
//	    of the same Flink
//	R3  names some of both, or of another Flink    only a person can
//	R4  names none, though a JobManager led        as it was, and it is told
//	R5  names none                                 as it was
//	R6  not kept, or out of sight                  only a person can
func Reopen(v *world.Look, target v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	data, intent := v.Host.HA(), v.Intent()
	var named []string
	for _, id := range ranAs(v) {
		if data.JobID = id; data.Checkpoint() != "" {
			named = append(named, id)
		}
	}
	same := v.Want.Deployed == nil || v.Want.Deployed.FlinkVersion == target.FlinkVersion
	mode := v1beta1.UpgradeModeSavepoint
	switch what, why, unknown := data.Unknown(); {
	case data.Store.Readable() && unknown:
		return decision.Unobservable(what, why), true
	case data.Store.Readable() && len(named) == 0:
		if data.Some() && intent.Began {
			loss.MayHaveBegun(v)
		}
		intent.Reopens, intent.Began, intent.SilentNode = false, false, ""
		return decision.Result{}, false
	case len(named) == 1 && same:
		v.Note("the job before ran after this start was begun: its high-availability data names a checkpoint")
		v.Want.JobStatus.JobID, mode = named[0], v1beta1.UpgradeModeLastState
	default:
		v.Want.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	}
	if target.Job.DesiredState() == v1beta1.JobStateSuspended {
		record.Suspended(v, target, mode)
		return decision.Result{Situation: plan.Suspended}, true
	}
	return BeginStartFrom(v, facts.RedirectedPurpose(v, target), target, mode), true
}

// ranAs are the IDs under which the job before an open start may have run since that was begun.
func ranAs(v *world.Look) []string {
	ids := []string{v.Want.JobStatus.JobID}
	if was := v.Want.Deployed; was != nil && was.JobID != "" && was.JobID != ids[0] {
		ids = append(ids, was.JobID)
	}
	return ids
}
