package world

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// Recorded is what the status of a FlinkDeployment records, decoded once for all decisions about the same read of it.
// It is never changed.
type Recorded struct {
	of     *v1beta1.FlinkDeployment
	Status v1beta1.FlinkDeploymentStatus // with the intent's spec written out
	last   *v1beta1.ReconciledDeployment
	stable *v1beta1.ReconciledDeployment
	// changed is what the resource's spec changes of last; nil where there is none.
	changed *specdiff.Change
	// note says why the intent's spec cannot be written out, unreadable why the last spec cannot be read; empty when it
	// can.
	note, unreadable string
}

// ReadRecorded decodes what a resource's status records.
func ReadRecorded(r *v1beta1.FlinkDeployment) *Recorded {
	d := &Recorded{of: r, Status: *r.Status.DeepCopy()}
	if err := storedspec.Read(&d.Status); err != nil {
		d.note = err.Error()
	}
	if text := r.Status.ReconciliationStatus.LastReconciledSpec; text != "" {
		last, err := v1beta1.ParseReconciledDeployment(text)
		if err != nil {
			d.unreadable = err.Error()
		} else {
			d.last = &last
		}
	}
	d.changed = changeOf(d.last, &r.Spec)
	switch text := r.Status.ReconciliationStatus.LastStableSpec; text {
	case "":
	case r.Status.ReconciliationStatus.LastReconciledSpec:
		d.stable = d.last
	default:
		if stable, err := v1beta1.ParseReconciledDeployment(text); err == nil {
			d.stable = &stable
		}
	}
	return d
}

// In is the same, of another object that records the same, with what a cluster that the resource has not is like.
func (d *Recorded) In(r *v1beta1.FlinkDeployment) *Recorded {
	in := *d
	in.of, in.Status.JobManagerDeploymentStatus = r, r.Status.JobManagerDeploymentStatus
	in.changed = changeOf(in.last, &r.Spec)
	return &in
}

// Decoded is what the resource records.
func (s *Seen) Decoded() *Recorded {
	if s.Recorded != nil && s.Recorded.of == s.Resource {
		return s.Recorded
	}
	return ReadRecorded(s.Resource)
}
