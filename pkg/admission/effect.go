package admission

import (
	"encoding/json"

	admissionv1 "k8s.io/api/admission/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// edit is an update of a spec that was acted on before.
type edit struct {
	// change is from the spec that was acted on last to the wanted one.
	change specdiff.Kind
	// ran and wanted are the jobs of both specs; nil is a session cluster.
	ran, wanted *v1beta1.JobSpec
	// state is the job's state as status has it; empty before it was observed.
	state v1beta1.FlinkJobState
}

// effect says in words what an edit will do, by the record in status alone; empty where that is nothing. First match
// wins.
//
//	change             the job was   is to be    in Flink      says
//	NONE, IGNORE                                               nothing
//	any of a session cluster                                   that its jobs need high availability
//	any                suspended     suspended                 nothing
//	any                suspended     running                   from which state it starts
//	any                running       suspended                 how it is stopped
//	SAVEPOINT_REDEPLOY running       running                   that its own state is given up
//	SCALE              running       running                   that it is rescaled
//	UPGRADE            running       running     RUNNING       how it is restarted
//	UPGRADE            running       running     otherwise     that its state decides
func (e edit) effect() string {
	switch {
	case !e.change.Effective():
		return ""
	case e.wanted == nil || e.ran == nil:
		return "the session cluster is restarted; its jobs come back with high availability only"
	}
	suspends, suspended := e.wanted.DesiredState(), e.ran.DesiredState()
	switch {
	case suspended == v1beta1.JobStateSuspended && suspends == v1beta1.JobStateSuspended:
		return ""
	case e.change == specdiff.SavepointRedeploy:
		return "the job is started from spec.job.initialSavepointPath; the state that it has now is given up"
	case suspended == v1beta1.JobStateSuspended:
		return "the job is started" + fromWhat[e.wanted.DesiredUpgradeMode()]
	case suspends == v1beta1.JobStateSuspended:
		return "the job is stopped" + byWhat[e.wanted.DesiredUpgradeMode()]
	case e.change == specdiff.Scale:
		return "the job is rescaled"
	case e.state != v1beta1.FlinkJobRunning:
		return "the job is restarted; it is not RUNNING, and kn flink plan says from which state it can start"
	}
	return "the job is restarted" + again[e.wanted.DesiredUpgradeMode()]
}

// What the upgrade modes mean for a stop, a start, and both.
var (
	byWhat = map[v1beta1.UpgradeMode]string{
		v1beta1.UpgradeModeSavepoint: " with a savepoint",
		v1beta1.UpgradeModeLastState: "; its last checkpoint is kept",
		v1beta1.UpgradeModeStateless: " and loses its state",
	}
	fromWhat = map[v1beta1.UpgradeMode]string{
		v1beta1.UpgradeModeSavepoint: " from its last state",
		v1beta1.UpgradeModeLastState: " from its last state",
		v1beta1.UpgradeModeStateless: " without state",
	}
	again = map[v1beta1.UpgradeMode]string{
		v1beta1.UpgradeModeSavepoint: ": it is stopped with a savepoint, and starts from it",
		v1beta1.UpgradeModeLastState: " from its newest state",
		v1beta1.UpgradeModeStateless: " and loses its state",
	}
)

// warned is a finding of WarningLevel that says what an update will do; nil where it is no update of a spec that was
// acted on, does nothing, or the option is off. It never refuses: what cannot be read is no warning.
func (j Judges) warned(r *admissionv1.AdmissionRequest, read func() (edit, error)) *apis.FieldError {
	if r.Operation != admissionv1.Update || !j.Operator.EffectWarnings() || sameSpec(r) {
		return nil
	}
	e, err := read()
	if err != nil {
		return nil
	}
	said := e.effect()
	if said == "" {
		return nil
	}
	return (&apis.FieldError{Message: said, Paths: []string{"spec"}}).At(apis.WarningLevel)
}

// sameSpec reports whether an update leaves the spec as it is: Kubernetes raises the generation with the spec alone.
func sameSpec(r *admissionv1.AdmissionRequest) bool {
	var old, wanted struct {
		Metadata struct {
			Generation int64 `json:"generation"`
		} `json:"metadata"`
	}
	if json.Unmarshal(r.OldObject.Raw, &old) != nil || json.Unmarshal(r.Object.Raw, &wanted) != nil {
		return true
	}
	return old.Metadata.Generation == wanted.Metadata.Generation
}

// editOf is the edit of an application or a session cluster; one without a change before the first deployment.
func editOf(o *v1beta1.FlinkDeployment) (edit, error) {
	if o.Status.ReconciliationStatus.IsBeforeFirstDeployment() {
		return edit{}, nil
	}
	last, err := v1beta1.ParseReconciledDeployment(o.Status.ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		return edit{}, err
	}
	return edit{
		change: specdiff.Classify(&last.Spec, &o.Spec, o.Spec.DesiredMode()).Kind,
		ran:    last.Spec.Job, wanted: o.Spec.Job, state: o.Status.JobStatus.State,
	}, nil
}

// editOfSessionJob is the edit of a session job; one without a change before the first deployment.
func editOfSessionJob(o *v1beta1.FlinkSessionJob) (edit, error) {
	if o.Status.ReconciliationStatus.IsBeforeFirstDeployment() {
		return edit{}, nil
	}
	last, err := v1beta1.ParseReconciledSessionJob(o.Status.ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		return edit{}, err
	}
	return edit{
		change: specdiff.Classify(&last.Spec, &o.Spec, v1beta1.ModeNative).Kind,
		ran:    last.Spec.Job, wanted: o.Spec.Job, state: o.Status.JobStatus.State,
	}, nil
}
