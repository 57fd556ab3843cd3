package snapshot

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// target is the job that a snapshot is of, as far as the resources tell.
type target struct {
	presence validation.Presence
	// why says why the presence is Unknown.
	why string

	uid      types.UID
	deleting bool
	status   v1beta1.JobStatus
	intent   *v1beta1.Intent
	// reader says which states the job may still read.
	reader snapshots.Reader
	// settled: no operation is open, so a job that does not run will not run by itself.
	settled bool
	// suspended: the spec acted on last asks for no running job.
	suspended bool

	version v1beta1.FlinkVersion
	// config is that of the running job; the installation's defaults when there is none.
	config flinkconf.Config
	// endpoint is where its JobManager answers; nil when there is none to ask.
	endpoint *plan.Endpoint
}

// findTarget reads what spec.jobReference names.
func findTarget(s Snapshot) target {
	r := s.Resource
	t := target{config: s.Operator.Default(r.Namespace, "")}
	reference := r.Spec.JobReference
	switch {
	case reference == nil || reference.Name == "":
		return t
	case reference.Kind == v1beta1.JobKindFlinkDeployment:
		d, ok := s.Deployment.Get()
		t.presence, t.why = presenceOf(s.Deployment)
		if ok {
			t.fromDeployment(d)
			t.cluster(s, d)
		}
	case reference.Kind == v1beta1.JobKindFlinkSessionJob:
		j, ok := s.SessionJob.Get()
		t.presence, t.why = presenceOf(s.SessionJob)
		if ok {
			t.fromSessionJob(s, j)
		}
	}
	return t
}

func presenceOf[T any](o plan.Observed[T]) (validation.Presence, string) {
	switch {
	case o.IsPresent():
		return validation.Present, ""
	case o.IsAbsent():
		return validation.Absent, ""
	}
	return validation.Unknown, o.Why()
}

func (t *target) fromDeployment(d *v1beta1.FlinkDeployment) {
	t.uid, t.deleting, t.status, t.intent = d.UID, d.DeletionTimestamp != nil, d.Status.JobStatus,
		openIntent(d.Status.Intent)
	t.reader = snapshots.Reader{Wanted: d.Spec.Job, Status: d.Status.JobStatus, Intent: d.Status.Intent}
	t.reconciled(d.Status.ReconciliationStatus)
}

func (t *target) fromSessionJob(s Snapshot, j *v1beta1.FlinkSessionJob) {
	t.uid, t.deleting, t.status, t.intent = j.UID, j.DeletionTimestamp != nil, j.Status.JobStatus,
		openIntent(j.Status.Intent)
	t.reader = snapshots.Reader{Wanted: j.Spec.Job, Status: j.Status.JobStatus, Intent: j.Status.Intent}
	t.reconciled(j.Status.ReconciliationStatus)
	d, ok := s.Deployment.Get()
	if !ok {
		return
	}
	t.settled = t.settled && openIntent(d.Status.Intent) == nil
	t.cluster(s, d)
	composed, err := flinkconf.SessionJob(t.config, j.Name, &j.Spec)
	if err != nil {
		return
	}
	t.config = composed
	// The job's own directory counts in whichever spelling: the cluster's may stand under the newer one.
	own, err := flinkconf.Own(j.Spec.FlinkConfiguration)
	if dir, set := own.Lookup(key.SavepointDir); err == nil && set {
		t.config.Set(key.SavepointDir, dir)
	}
}

// openIntent leaves out one that is only not cleared yet: a released start is a running job.
func openIntent(intent *v1beta1.Intent) *v1beta1.Intent {
	if intent != nil && intent.Step == v1beta1.StepReleased {
		return nil
	}
	return intent
}

func (t *target) reconciled(r v1beta1.ReconciliationStatus) {
	done := r.State == v1beta1.ReconciliationDeployed || r.State == v1beta1.ReconciliationRolledBack
	t.settled = t.intent == nil && done && !t.deleting
	t.suspended = v1beta1.ReconciledJobState(running.SpecText(r)) == v1beta1.JobStateSuspended
}

// cluster reads the configuration and the endpoint of the cluster that was deployed. One that was never deployed has
// neither.
func (t *target) cluster(s Snapshot, d *v1beta1.FlinkDeployment) {
	c := running.Of(s.Operator, d)
	t.version, t.config, t.endpoint = c.Version, c.Config, c.Endpoint
}

// read is the value of an option, or its default when the text cannot be read: validation reports that.
func read[T any](get func(conf.Option) (T, error), option conf.Option, fallback T) T {
	value, err := get(option)
	if err != nil {
		return fallback
	}
	return value
}

// timeout is how long a job that does not run is waited for: as long as Flink itself waits for a checkpoint.
func (t target) timeout() time.Duration {
	return t.status.CheckpointTimeoutOr(read(t.config.Duration, key.CheckpointingTimeout, 10*time.Minute))
}

// remembers is how long Flink knows a request for certain.
func (t target) remembers() time.Duration {
	return read(t.config.Duration, key.RestAsyncStoreDuration, 5*time.Minute)
}
