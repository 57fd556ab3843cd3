package operation

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// ranUnseen decides anew, once a cluster is gone that was taken down because its job had never begun, how the state of
// that job is kept: its container may have begun just then and run on, on a node whose kubelet had died. First match
// wins; "state" is what a start may not go without.
//
//	 #  the stop                  its high-availability data   a silent node  then
//	V1  of a job that began, or   -                            -              as decided
//	    that has no state
//	V2  of one that never began   unknown                      -              wait
//	V3  of one that never began   names a checkpoint           -              start from it
//	V4  of one that never began   names one of another Flink   -              only a person can
//	V5  of one that never began,  names none, though a         had its pods,  as decided, and it is told
//	    held up                   JobManager led               or a container
//	                                                           of it began
//	V6  of one that never began   names none                   -              as decided
//	V7  of one that never began   not kept, or out of sight    had its pods,  only a person can
//	                                                           or a container
//	                                                           of it began
//	V8  of one that never began   not kept, or out of sight    none           as decided
//
// V5: the job may have completed a checkpoint and failed for good. Flink then removes what its data names.
func ranUnseen(
	v *world.Look,
	target *v1beta1.FlinkDeploymentSpec,
) (restore v1beta1.UpgradeMode, r decision.Result, waits bool) {
	intent := v.Intent()
	if !v.IsApplication() || !stopsWhatNeverBegan(v) || v.MayStartEmpty() {
		return intent.Restore, decision.Result{}, false
	}
	store := v.Host.HA().Store
	data := v.Host.HA().Job()
	named, known := facts.NamesCheckpoint(data).Get()
	switch {
	case store.Readable() && data.IsUnknown():
		return "", decision.Unobservable("the high-availability data of the job", data.Why()), true
	case store.Readable() && known && named && target.FlinkVersion == v.Running().FlinkVersion:
		v.Note("the job began after it was to be stopped: its high-availability data names a checkpoint")
		intent.From = nil
		return v1beta1.UpgradeModeLastState, decision.Result{}, false
	case store.Readable() && !named && mayHaveBegun(v) && v.Host.HA().Some() && v.Since(intent.StoredAt) > loss.EndTakes:
		loss.MayHaveBegun(v)
	case store.Readable() && known && named, !store.Readable() && mayHaveBegun(v):
		v.Want.JobStatus.UpgradeSavepointPath, intent.From = v1beta1.LastStatePlaceholder, nil
		return v1beta1.UpgradeModeSavepoint, decision.Result{}, false
	}
	return intent.Restore, decision.Result{}, false
}

// mayHaveBegun reports whether a container of what is stopped began since, or may have on a node that fell silent.
func mayHaveBegun(v *world.Look) bool { return v.Intent().SilentNode != "" || v.Intent().Began }

// stopsWhatNeverBegan reports whether the open stop, which takes nothing from a job, is of one that had never begun: no
// container of its cluster had ever run, or Flink had refused to run it.
func stopsWhatNeverBegan(v *world.Look) bool {
	decided := []v1beta1.IntentPurpose{v1beta1.PurposeUpgrade, v1beta1.PurposeSuspend, v1beta1.PurposeRollback}
	return v.Intent().Stop == v1beta1.StopNone && slices.Contains(decided, v.Intent().Purpose) &&
		!v.Want.JobStatus.State.IsTerminal()
}

// WatchNodes notes the node of a cluster that goes before its job was known to begin, once it does not answer.
func WatchNodes(v *world.Look, silent string) {
	if i := v.Intent(); i != nil && silent != "" && v.IsApplication() && stopsWhatNeverBegan(v) {
		i.SilentNode = silent
	}
}
