package job

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Seen is what one decision about a job sees of the world, beside its host. Parts nobody asked for are Unknown.
type Seen struct {
	// Now is the time of the look.
	Now time.Time
	// Operator is the installation's base configuration.
	Operator flinkconf.Operator
	// Kind is what the job's resource is; empty means FlinkDeployment.
	Kind v1beta1.JobKind
	// Resource is the FlinkDeployment with its status, as just read, or a session job in the form of one. Never nil.
	Resource *v1beta1.FlinkDeployment
	// ClusterConfig is the configuration that the session cluster of a session job runs with; nil for a FlinkDeployment.
	ClusterConfig flinkconf.Config
	// ClusterSpecs are those of that cluster, whose secrets are hidden, too.
	ClusterSpecs []*v1beta1.FlinkDeploymentSpec
	// Recorded is what the status of Resource records; nil, or that of another object, is decoded by each decision.
	Recorded *Recorded
	// SpecProblem says why spec could not be decoded; empty when it could.
	SpecProblem string
	// Snapshots are the FlinkStateSnapshots that may be the job's.
	Snapshots plan.Observed[[]v1beta1.FlinkStateSnapshot]
	// Autoscaled is what the Java operator's autoscaler stored of its decisions.
	Autoscaled plan.Observed[autoscaled.Store]
	// Flink is what the JobManager answered.
	Flink Flink
}

// kind is what the job's resource is.
func (s *Seen) kind() v1beta1.JobKind {
	if s.Kind == "" {
		return v1beta1.JobKindFlinkDeployment
	}
	return s.Kind
}
