package world

import (
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
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
	// config and defaults are those of the Look of each decision; nil: it composes them.
	config, defaults flinkconf.Config
	// note says why the intent's spec cannot be written out, unreadable why the last spec cannot be read; empty when it
	// can.
	note, unreadable string
	// judged is what validation found in the resource's spec; nil until it was asked.
	judged *judgement
}

// judgement is what validation finds in a spec, if it was asked.
type judgement struct {
	asked bool
	found *apis.FieldError
}

// Judge is what validation finds in the spec of the resource. It is asked once for all decisions about the same read.
func (s *Seen) Judge(validate func() *apis.FieldError) *apis.FieldError {
	if s.Recorded == nil || s.Recorded.of != s.Resource {
		return validate()
	}
	j := s.Recorded.judged
	if !j.asked {
		j.asked, j.found = true, validate()
	}
	return j.found
}

// ReadRecorded decodes what a resource's status records.
func ReadRecorded(r *v1beta1.FlinkDeployment) *Recorded {
	d := &Recorded{of: r, Status: *r.Status.DeepCopy(), judged: &judgement{}}
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

// Recall is what was recorded of the resource that was read, with the configuration of what runs, which does not change
// by what else is seen.
func Recall(s Seen) *Recorded {
	s.Recorded = ReadRecorded(s.Resource)
	v := New(&s)
	notes := len(v.Notes)
	if config := v.Config(); len(v.Notes) == notes { // else each decision says why it cannot be composed
		s.Recorded.config = config
	}
	s.Recorded.defaults = v.defaults
	return s.Recorded
}

// In is the same, of another object that records the same, with what a cluster that the resource has not is like.
func (d *Recorded) In(r *v1beta1.FlinkDeployment) *Recorded {
	in := *d
	in.judged = &judgement{}
	in.of, in.Status.JobManagerDeploymentStatus = r, r.Status.JobManagerDeploymentStatus
	in.changed, in.config, in.defaults = changeOf(in.last, &r.Spec), nil, nil
	return &in
}

// Decoded is what the resource records.
func (s *Seen) Decoded() *Recorded {
	if s.Recorded != nil && s.Recorded.of == s.Resource {
		return s.Recorded
	}
	return ReadRecorded(s.Resource)
}
