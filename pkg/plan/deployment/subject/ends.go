package subject

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// DeletingFor is how long the resource has been marked for deletion.
func (v *Subject) DeletingFor() time.Duration { return v.Since(*v.Seen.Resource.DeletionTimestamp) }

// TerminatingFor is how long the old cluster has been going away.
func (v *Subject) TerminatingFor() time.Duration {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Intent() != nil:
		return v.Since(v.Intent().StoredAt)
	case v.Seen.Resource.DeletionTimestamp != nil:
		return v.DeletingFor()
	case present && jm.DeletionTimestamp != nil:
		return v.Since(*jm.DeletionTimestamp)
	case v.Want.PaceSince != nil:
		return v.Since(*v.Want.PaceSince)
	}
	return 0
}

// PreparedOnly reports whether a start of this resource prepared the Deployment and never released it.
func (v *Subject) PreparedOnly(jm *appsv1.Deployment) bool {
	return v.Owned(jm) && OwnOperation(jm) != "" && jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 && jm.Status.Replicas == 0
}
