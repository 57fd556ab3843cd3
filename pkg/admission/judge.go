package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bounded"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// Judges decides about our kinds: it decodes the object as a pass would, looks up what the spec refers to, and
// asks package validation.
type Judges struct {
	// Lookup finds what a spec refers to.
	Lookup Lookup
	// Operator is the operator's configuration with its defaults.
	Operator flinkconf.Operator
}

// Judge is a Judge for every kind:
//
//	kind                      judged by                 looked up
//	FlinkDeployment           validation.Deployment     nothing
//	FlinkSessionJob           validation.SessionJob     its cluster, the host of its jar
//	FlinkStateSnapshot        validation.StateSnapshot  its job, unless the snapshot exists already
//	FlinkBlueGreenDeployment  validation.BlueGreen      nothing
//	any other                 denied
//
// An object that cannot be decoded is denied, too: no pass could read it either. The error is a namespace that cannot
// be told.
func (j Judges) Judge(ctx context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
	if r.Kind.Group != v1beta1.Group || r.Kind.Version != v1beta1.Version {
		return unexpected(r), nil
	}
	judge, known := judges[r.Kind.Kind]
	if !known {
		return unexpected(r), nil
	}
	return judge(j, ctx, r)
}

// judges are the judges of the kinds.
var judges = map[string]func(Judges, context.Context, *admissionv1.AdmissionRequest) (*apis.FieldError, error){
	v1beta1.KindFlinkDeployment:          Judges.deployment,
	v1beta1.KindFlinkSessionJob:          Judges.sessionJob,
	v1beta1.KindFlinkStateSnapshot:       Judges.stateSnapshot,
	v1beta1.KindFlinkBlueGreenDeployment: Judges.blueGreen,
}

func (j Judges) deployment(_ context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
	var o v1beta1.FlinkDeployment
	if err := decode(r, &o); err != nil {
		return unreadable(err), nil
	}
	return validation.Deployment(validation.DeploymentInput{
		Namespace: namespace(r, o.Namespace), Name: o.Name, Labels: o.Labels, Spec: o.Spec, Status: o.Status,
		Operator: j.Operator, New: true,
	}).Also(j.warned(r, func() (edit, error) { return editOf(&o) })), nil
}

func (j Judges) sessionJob(ctx context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
	var o v1beta1.FlinkSessionJob
	if err := decode(r, &o); err != nil {
		return unreadable(err), nil
	}
	in := validation.SessionJobInput{
		Namespace: namespace(r, o.Namespace), Labels: o.Labels, Spec: o.Spec, Status: o.Status, Operator: j.Operator,
	}
	in.Cluster = j.Lookup.cluster(ctx, in.Namespace, o.Spec.DeploymentName)
	if o.Spec.Job != nil {
		in.JarHost = j.Lookup.jarHost(ctx, validation.MakeJarPolicy(j.Operator), o.Spec.Job.JarURI)
	}
	return validation.SessionJob(in).Also(j.warned(r, func() (edit, error) { return editOfSessionJob(&o) })), nil
}

func (j Judges) stateSnapshot(ctx context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
	var o v1beta1.FlinkStateSnapshot
	if err := decode(r, &o); err != nil {
		return unreadable(err), nil
	}
	in := validation.StateSnapshotInput{
		Namespace: namespace(r, o.Namespace), Labels: o.Labels, Spec: o.Spec, Status: o.Status,
	}
	if in.Namespace == "" {
		return nil, errors.New("cannot determine the namespace of the FlinkStateSnapshot")
	}
	if !o.Spec.Savepoint.Exists() && o.Spec.JobReference != nil {
		in.Target = j.Lookup.target(ctx, in.Namespace, *o.Spec.JobReference)
	}
	return validation.StateSnapshot(in), nil
}

func (j Judges) blueGreen(_ context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
	var o v1beta1.FlinkBlueGreenDeployment
	if err := decode(r, &o); err != nil {
		return unreadable(err), nil
	}
	return validation.BlueGreen(validation.BlueGreenInput{
		Namespace: namespace(r, o.Namespace), Name: o.Name, Labels: o.Labels, Spec: o.Spec, Status: o.Status,
		Operator: j.Operator,
	}), nil
}

// decode reads the object by the way that a pass reads it: as a map, then as the type. Both thus refuse the same
// objects.
func decode(r *admissionv1.AdmissionRequest, out any) error {
	var u unstructured.Unstructured
	if err := json.Unmarshal(r.Object.Raw, &u.Object); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if why := bounded.Marked(u.Object["spec"]); why != "" {
		return fmt.Errorf("%s: see %s", why, docsOfLimits)
	}
	return kube.Typed(&u, out)
}

// docsOfLimits is in the error of whatever is too large.
const docsOfLimits = "docs/reference/limits.md"

// namespace is that of the object; the API server states it twice.
func namespace(r *admissionv1.AdmissionRequest, ofObject string) string {
	if ofObject != "" {
		return ofObject
	}
	return r.Namespace
}

func unreadable(err error) *apis.FieldError {
	if strings.Contains(err.Error(), docsOfLimits) {
		return &apis.FieldError{
			Message: err.Error(), Paths: []string{"spec"}, Details: "take out what it does not need",
		}
	}
	return &apis.FieldError{
		Message: "the object cannot be read: " + err.Error(), Paths: []string{"spec"},
		Details: "correct the type of the field it names",
	}
}

func unexpected(r *admissionv1.AdmissionRequest) *apis.FieldError {
	return &apis.FieldError{
		Message: fmt.Sprintf("Unexpected resource: %s of %s/%s", r.Kind.Kind, r.Kind.Group, r.Kind.Version),
		Paths:   []string{"kind"},
		Details: "this webhook judges " + strings.Join(kinds.Names(), ", ") + " of " + v1beta1.APIVersion,
	}
}
