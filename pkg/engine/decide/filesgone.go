package decide

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// filesGone says that the files of the state which the job restores are not there, and what the user can do; nil for
// every other job. Each attempt fails in the same way.
//
//	the job                  the failure that is read             then
//	FAILED                   its root cause                       told
//	runs no tasks, restarts  the newest of its exception history  told, and until its tasks run
//
// The failure names the newest checkpoint that is known, the path that the job was started from, or a file in the
// directory of its checkpoints. A FileNotFoundException of another file is the job's own.
func filesGone(v *world.Look) *plan.Cause { return filesGoneOf(v, v.Want.Error) }

// filesGoneOf is filesGone with what status.error says from now on.
func filesGoneOf(v *world.Look, shown string) *plan.Cause {
	if v.Want.JobStatus.State == v1beta1.FlinkJobFailed {
		return missingFiles(v, shown)
	}
	entries, asked := v.Seen.Flink.Exceptions.Get()
	if !asked || len(entries) == 0 {
		if told, stalled := report.ToldStalled(v); stalled && told.Reason == string(plan.ReasonCheckpointNotFound) {
			return &plan.Cause{Reason: plan.ReasonCheckpointNotFound, Message: told.Message}
		}
		return nil
	}
	newest := slices.MaxFunc(entries, func(a, b exceptions.Entry) int { return a.At.Compare(b.At) })
	return missingFiles(v, newest.StackTrace)
}

// missingFiles reads a failure that says that files which the job restores are not there.
func missingFiles(v *world.Look, failure string) *plan.Cause {
	if !strings.Contains(failure, "FileNotFoundException") {
		return nil
	}
	at := slices.IndexFunc(restores(v), func(path string) bool {
		return snapshots.Mentions(failure, path) || snapshots.Mentions(failure, v.Hide(path))
	})
	if at < 0 {
		return nil
	}
	path := restores(v)[at]
	message := "the files of the state that the job restores are gone: " + path + ". "
	if other := otherState(v, path); other != "" {
		message += "The newest other state that is known is " + other + ". "
	}
	if v.MayStartEmpty() {
		message += "To start without state, change spec.restartNonce. "
	}
	return &plan.Cause{Reason: plan.ReasonCheckpointNotFound, Message: message + v.Remedy()}
}

// restores are the paths that the job may restore its state from, the newest first.
func restores(v *world.Look) []string {
	status := v.Want.JobStatus
	var all []string
	if known := facts.KnownCheckpoint(status); known != nil {
		all = append(all, known.Path)
	}
	all = append(all, status.UpgradeSavepointPath)
	if directory := strings.TrimRight(v.Config().Get(key.CheckpointDir), "/"); directory != "" && status.JobID != "" {
		all = append(all, directory+"/"+status.JobID)
	}
	return slices.DeleteFunc(all, func(path string) bool { return path == "" || path == v1beta1.LastStatePlaceholder })
}

// otherState is the newest state of the job that status names beside a path; empty when it names none.
func otherState(v *world.Look, path string) string {
	status := v.Want.JobStatus
	var all []string
	if known := facts.KnownCheckpoint(status); known != nil {
		all = append(all, known.Path)
	}
	if info := status.SavepointInfo; info != nil {
		for _, s := range slices.Backward(info.SavepointHistory) {
			all = append(all, s.Location)
		}
	}
	for _, other := range append(all, status.UpgradeSavepointPath) {
		if other != "" && other != v1beta1.LastStatePlaceholder && !snapshots.SameFiles(other, path) {
			return other
		}
	}
	return ""
}
