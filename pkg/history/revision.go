package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Labels of a revision. Those of kind and name are left out where the name is too long for a label.
const (
	LabelUID  = "flink.apache.org/uid"
	LabelKind = "flink.apache.org/kind"
	LabelName = "flink.apache.org/name"
)

// Annotations of a revision, each written when it is known. Times are RFC 3339.
const (
	// AnnotationStable is since when its job ran well.
	AnnotationStable = "flink.apache.org/stable-since"
	// AnnotationEnded is when its job ended, AnnotationEndedBy is what ended it: the purpose of an operation, or the state
	// in which the job ended by itself. AnnotationWhy says more, as of a rollback.
	AnnotationEnded   = "flink.apache.org/ended-at"
	AnnotationEndedBy = "flink.apache.org/ended-by"
	AnnotationWhy     = "flink.apache.org/ended-why"
	// AnnotationLeft is the path of the state that its job left, AnnotationLeftKind its kind, AnnotationLeftTaken when it
	// was taken.
	AnnotationLeft      = "flink.apache.org/left"
	AnnotationLeftKind  = "flink.apache.org/left-kind"
	AnnotationLeftTaken = "flink.apache.org/left-taken"
	// AnnotationChangedBy is the field manager that wrote the spec.
	AnnotationChangedBy = "flink.apache.org/changed-by"
	// AnnotationOmitted is how many bytes a spec has that is too large to be kept.
	AnnotationOmitted = "flink.apache.org/spec-omitted"
)

// MostBytes is how large a spec may be, as JSON, to be kept.
const MostBytes = 128 << 10

// longestLabel is how long the value of a label may be, longestName the name of an object.
const (
	longestLabel = 63
	longestName  = 253
	digits       = 10
)

// Revision is one start of a job that was let run.
type Revision struct {
	// Name is that of its object.
	Name string
	// UID is that of its object; empty before it is stored.
	UID types.UID
	// Number counts the starts of a resource, from 1 on.
	Number int64
	// Kind is that of the resource.
	Kind string
	// Operation is the ID of the start.
	Operation string
	// Generation is that of the spec.
	Generation int64
	// Started is when it was let run.
	Started metav1.Time
	// From is the state that it began from.
	From v1beta1.StartPoint
	// Spec is what was started; nil where it is too large to be kept.
	Spec map[string]any
	// Omitted is the size in bytes of a spec that is too large; 0: it is kept.
	Omitted int
	// ChangedBy is the field manager that wrote the spec; empty when that is not known.
	ChangedBy string
	// Stable is since when it ran well; nil: it did not, or still runs.
	Stable *metav1.Time
	// Ended says how it ended; nil while it runs.
	Ended *v1beta1.RevisionEnd
}

// data is what a ControllerRevision holds.
type data struct {
	APIVersion  string             `json:"apiVersion"`
	Kind        string             `json:"kind"`
	Spec        json.RawMessage    `json:"spec,omitempty"`
	Generation  int64              `json:"generation"`
	Operation   string             `json:"operation"`
	Started     metav1.Time        `json:"started"`
	StartedFrom v1beta1.StartPoint `json:"startedFrom"`
}

// NameOf is the name of the revision of a start.
func NameOf(resource, operation string) string {
	most := longestName - digits - 1
	return fmt.Sprintf("%s-%s", resource[:min(len(resource), most)], operation[:min(len(operation), digits)])
}

// Selector selects the revisions of a resource.
func Selector(uid types.UID) string { return LabelUID + "=" + string(uid) }

// Object is the revision as it is stored, owned by a resource.
func (r Revision) Object(owner metav1.OwnerReference, namespace string) (*appsv1.ControllerRevision, error) {
	spec, err := json.Marshal(r.Spec)
	if err != nil {
		return nil, fmt.Errorf("print the spec of revision %s: %w", r.Name, err)
	}
	if len(spec) > MostBytes {
		r.Omitted, spec = len(spec), nil
	}
	body, err := json.Marshal(data{
		APIVersion: v1beta1.APIVersion, Kind: owner.Kind, Spec: spec, Generation: r.Generation, Operation: r.Operation,
		Started: r.Started, StartedFrom: r.From,
	})
	if err != nil {
		return nil, fmt.Errorf("print revision %s: %w", r.Name, err)
	}
	labels := map[string]string{LabelUID: string(owner.UID)}
	if len(owner.Name) <= longestLabel {
		labels[LabelKind], labels[LabelName] = owner.Kind, owner.Name
	}
	annotations := map[string]string{}
	if r.ChangedBy != "" {
		annotations[AnnotationChangedBy] = r.ChangedBy
	}
	if r.Omitted > 0 {
		annotations[AnnotationOmitted] = fmt.Sprint(r.Omitted)
	}
	maps.Copy(annotations, Annotations(r.Stable, r.Ended))
	return &appsv1.ControllerRevision{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ControllerRevision"},
		ObjectMeta: metav1.ObjectMeta{
			Name: r.Name, Namespace: namespace, Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Data: runtime.RawExtension{Raw: body}, Revision: r.Number,
	}, nil
}

// Annotations are those of how a revision ran and ended, as far as it is known.
func Annotations(stable *metav1.Time, ended *v1beta1.RevisionEnd) map[string]string {
	all := map[string]string{}
	set := func(name, text string) {
		if text != "" {
			all[name] = text
		}
	}
	set(AnnotationStable, timeText(stable))
	if ended == nil {
		return all
	}
	set(AnnotationEnded, timeText(&ended.At))
	set(AnnotationEndedBy, ended.By)
	set(AnnotationWhy, ended.Why)
	if left := ended.Left; left != nil {
		set(AnnotationLeft, left.Path)
		set(AnnotationLeftKind, string(left.Kind))
		set(AnnotationLeftTaken, timeText(left.Taken))
	}
	return all
}

// Read is the revision that an object stores.
func Read(u *unstructured.Unstructured) (Revision, error) {
	var stored appsv1.ControllerRevision
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &stored); err != nil {
		return Revision{}, fmt.Errorf("read ControllerRevision %s: %w", u.GetName(), err)
	}
	var d data
	if err := json.Unmarshal(stored.Data.Raw, &d); err != nil {
		return Revision{}, fmt.Errorf("read the data of ControllerRevision %s: %w", u.GetName(), err)
	}
	r := Revision{
		Name: stored.Name, UID: stored.UID, Number: stored.Revision, Kind: d.Kind, Operation: d.Operation,
		Generation: d.Generation, Started: d.Started, From: d.StartedFrom,
	}
	if d.Spec != nil {
		if err := utiljson.Unmarshal(d.Spec, &r.Spec); err != nil { // with whole numbers, as unstructured has them
			return Revision{}, fmt.Errorf("read the spec of ControllerRevision %s: %w", u.GetName(), err)
		}
	}
	r.annotated(stored.Annotations)
	return r, nil
}

// annotated reads what annotations say. A text that somebody else changed counts as not known.
func (r *Revision) annotated(from map[string]string) {
	r.ChangedBy, r.Stable = from[AnnotationChangedBy], timeOf(from[AnnotationStable])
	if _, err := fmt.Sscan(from[AnnotationOmitted], &r.Omitted); err != nil {
		r.Omitted = 0
	}
	at := timeOf(from[AnnotationEnded])
	if at == nil {
		return
	}
	r.Ended = &v1beta1.RevisionEnd{At: *at, By: from[AnnotationEndedBy], Why: from[AnnotationWhy]}
	if kind := from[AnnotationLeftKind]; kind != "" {
		r.Ended.Left = &v1beta1.StateLeft{
			Kind: v1beta1.StartKind(kind), Path: from[AnnotationLeft], Taken: timeOf(from[AnnotationLeftTaken]),
		}
	}
}

func timeText(t *metav1.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func timeOf(text string) *metav1.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	t := metav1.NewTime(at)
	return &t
}
