package subject

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Subject is one FlinkDeployment as one decision sees it: the life of its job, and the cluster that is its host.
type Subject struct {
	*job.Life
	*cluster.Cluster
	// Seen is the snapshot.
	Seen *Snapshot
	// Failure is why the JobManager cannot start; nil when nothing says so.
	Failure *podfailure.Failure
	// Ingress is the condition IngressReady as this round leaves it; nil means none.
	Ingress *metav1.Condition
}

// New makes the subject of a snapshot. Accept and Observe, in this order, are the caller's.
func New(s Snapshot) *Subject {
	v := &Subject{Seen: &s, Life: job.New(&s.Seen)}
	v.Cluster = cluster.New(&s.Objects, cluster.Settings{
		Of: s.Resource, Config: v.Config, Operator: s.Operator, LogFiles: s.LogFiles,
	})
	v.Host = v.Cluster
	for i := range v.Want.Conditions {
		if c := v.Want.Conditions[i]; c.Type == summary.IngressReady {
			v.Ingress = &c
		}
	}
	v.hideObjects()
	return v
}

// hideObjects hides secrets in what Kubernetes says of the containers. It comes before any bound cuts such a text.
func (v *Subject) hideObjects() {
	o := &v.Seen.Objects
	o.LastWords = plan.Within(o.LastWords, v.Hide)
	o.MountFailures = plan.Within(o.MountFailures, func(messages []string) []string {
		hidden := make([]string, len(messages))
		for i := range messages {
			hidden[i] = v.Hide(messages[i])
		}
		return hidden
	})
}

// IsStandalone reports whether the cluster may be a standalone one, by what was deployed last or by the spec. Only
// the Java operator makes those.
func (v *Subject) IsStandalone() bool {
	if v.Last != nil && v.Last.Spec.DesiredMode() == v1beta1.ModeStandalone {
		return true
	}
	return v.Spec.DesiredMode() == v1beta1.ModeStandalone
}
