package cluster

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/engine/facts"
)

// Promptly is how soon the controllers have most likely seen what is prepared. Until then nobody is told that they have
// not.
const Promptly = 3 * time.Second

// Overdue reports whether the old cluster has had kubernetes.operator.resource.cleanup.timeout to end.
func Overdue(v *Cluster) bool { return TakedownAge(v) > v.Look.Options.CleanupTimeout() }

// TakedownAge is how long the old cluster has been going away.
func TakedownAge(v *Cluster) time.Duration {
	jm, present := v.Seen.JobManager.Get()
	switch intent := v.Look.Intent(); {
	case intent != nil && intent.EndedAt != nil:
		return v.Look.Since(*intent.EndedAt)
	case intent != nil:
		return v.Look.Since(intent.StoredAt)
	case v.Seen.Resource.DeletionTimestamp != nil:
		return facts.DeletionAge(v.Look)
	case present && jm.DeletionTimestamp != nil:
		return v.Look.Since(*jm.DeletionTimestamp)
	case v.Look.Want.PaceSince != nil:
		return v.Look.Since(*v.Look.Want.PaceSince)
	}
	return 0
}
