package facts

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
)

// DeletionOpen reports whether the intent of the deletion is stored.
func DeletionOpen(v *world.Look) bool {
	return v.Intent() != nil && v.Intent().Purpose == v1beta1.PurposeDelete && Whole(v.Intent())
}

// DeletionAge is how long the resource has been marked for deletion.
func DeletionAge(v *world.Look) time.Duration { return v.Since(*v.Seen.Resource.DeletionTimestamp) }

// StatusTooLarge reports whether the newest status that could be stored says that others did not fit into etcd.
func StatusTooLarge(v *world.Look) bool {
	return slices.ContainsFunc(v.Resource().Status.Conditions, TellsTooLarge)
}

// SavesFirst reports whether a savepoint is to be taken before the deletion, and has neither been nor been skipped.
func SavesFirst(v *world.Look) bool {
	done := DeletionOpen(v) && (v.Intent().Ended || v.Intent().Stop == v1beta1.StopStateless)
	return !v.IsSession() && v.Options.SavepointOnDeletion() && v.Last != nil && v.LastRunning() && !done &&
		!v.Want.JobStatus.State.IsTerminal()
}

// TellsTooLarge reports whether a condition says that the status was refused because of its size.
func TellsTooLarge(c metav1.Condition) bool {
	return c.Type == summary.Stalled && c.Reason == fail.ReasonTooLarge
}
