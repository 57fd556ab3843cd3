package facts

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Hung says that a JobManager is ready and has not responded for as long as a checkpoint may take, and what a person
// can do; nil when it is not so. It is counted from when its pod became ready, or was last seen to respond.
//
//	its pod           it answers            then
//	is not ready      -                     not hung
//	is ready          or was not asked      not hung
//	is ready          no, for less          not hung
//	is ready          no, for longer        hung
func Hung(v *world.Look) *plan.Cause {
	jobs := v.Seen.Flink.Jobs
	if jobs.IsPresent() || jobs.Why() == "" || !v.Host.CanBeAsked() || v.Seen.Flink.Distrusted {
		return nil
	}
	since, known := silentSince(v.Resource().Status.Conditions, v.Host.AvailableAt())
	if !known || v.Since(since) <= v.CheckpointTimeout() {
		return nil
	}
	r := v.Seen.Resource
	cluster := r.Name
	if v.Seen.ClusterConfig != nil {
		cluster = v.Seen.ClusterConfig.Get(key.ClusterID)
	}
	message := fmt.Sprintf("the JobManager is ready and has not responded since %s: %s. See its log and a thread dump of "+
		"it; to replace it, run: kubectl delete pod -n %s -l app=%s,component=jobmanager",
		since.UTC().Format(time.RFC3339), jobs.Why(), r.Namespace, cluster)
	if !v.IsSession() && !v.MayStartEmpty() && !HAEnabled(v) {
		message += ". Without high availability its job then begins again from what it was started from"
	}
	return &plan.Cause{Reason: plan.ReasonJobManagerHung, Message: message}
}

// silentSince is when a JobManager that is ready was last seen to respond, or became ready.
func silentSince(conditions []metav1.Condition, ready metav1.Time) (metav1.Time, bool) {
	for _, c := range conditions {
		if c.Type == summary.ClusterAvailable && c.Status == metav1.ConditionFalse {
			if ready.After(c.LastTransitionTime.Time) {
				return ready, true
			}
			return c.LastTransitionTime, true
		}
	}
	return metav1.Time{}, false
}
