package preview

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Kind is the kind of a View as JSON and YAML.
const Kind = "PlanView"

// Verdict is what an edit comes to, in one word.
type Verdict string

// The verdicts.
const (
	// Nothing: the operator acts on nothing in the spec.
	Nothing Verdict = "Nothing"
	// Start: a job or cluster is started where none was.
	Start Verdict = "Start"
	// Upgrade: what runs is stopped, and started with the new spec.
	Upgrade Verdict = "Upgrade"
	// Redeploy: what runs is stopped, and started from the state that the spec names.
	Redeploy Verdict = "Redeploy"
	// Suspend: what runs is stopped, and its state kept.
	Suspend Verdict = "Suspend"
	// Resume: a suspended job is started.
	Resume Verdict = "Resume"
	// Recover: what was lost or has failed is started again.
	Recover Verdict = "Recover"
	// Rollback: what does not become stable is replaced by the last stable spec.
	Rollback Verdict = "Rollback"
	// InPlace: the job takes the change while it runs.
	InPlace Verdict = "InPlace"
	// Transition: a blue/green deployment makes or changes a side.
	Transition Verdict = "Transition"
	// Waits: the change is made later.
	Waits Verdict = "Waits"
	// Refused: the spec is valid, and the operator would not act on it until a user does something.
	Refused Verdict = "Refused"
	// Invalid: the spec is not accepted.
	Invalid Verdict = "Invalid"
)

// View is what an edit would do.
type View struct {
	metav1.TypeMeta `json:",inline"`
	// Resource is what it is about.
	Resource Resource `json:"resource"`
	// Verdict is the answer in one word.
	Verdict Verdict `json:"verdict"`
	// Change is the kind of the change of the spec that was acted on last: NONE, IGNORE, SCALE, UPGRADE or
	// SAVEPOINT_REDEPLOY, of a blue/green deployment also others; empty before the first deployment.
	Change string `json:"change,omitempty"`
	// Fields are what differs from that spec; secrets are stars.
	Fields []Field `json:"fields,omitempty"`
	// Operation is what the operator would begin; absent where it begins none.
	Operation *Operation `json:"operation,omitempty"`
	// Reason is why it waits or is refused, one CamelCase word; else empty.
	Reason string `json:"reason,omitempty"`
	// Message is the same in a line.
	Message string `json:"message,omitempty"`
	// Steps are what would happen, a line each, in its order.
	Steps []Step `json:"steps,omitempty"`
	// TaskManagers are those of the cluster before and after; absent where the spec does not say.
	TaskManagers *Figures `json:"taskManagers,omitempty"`
	// CPU is of all pods, in cores; absent in the same case.
	CPU *Figures `json:"cpu,omitempty"`
	// Memory is of all pods, in bytes; absent in the same case.
	Memory *Figures `json:"memory,omitempty"`
	// DependsOn is what the answer depends on beyond what was read.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Settings say by which settings it was made.
	Settings string `json:"settings,omitempty"`
	// Unreadable says what could not be read, and which right is missing.
	Unreadable []string `json:"unreadable,omitempty"`
	// Situation is the operator's own word for what it found.
	Situation string `json:"situation,omitempty"`
	// Rule is the one that decided.
	Rule string `json:"rule,omitempty"`
}

// Resource names a resource.
type Resource struct {
	// Kind is its kind.
	Kind string `json:"kind"`
	// Namespace is where it is.
	Namespace string `json:"namespace"`
	// Name is its name.
	Name string `json:"name"`
}

// Field is one that differs.
type Field struct {
	// Path below spec.
	Path string `json:"path"`
	// Old is its value before, as text.
	Old string `json:"old"`
	// New is its value after.
	New string `json:"new"`
	// Effect is the kind of this field's change.
	Effect string `json:"effect"`
}

// Operation is what the operator would begin.
type Operation struct {
	// Purpose is what it is for.
	Purpose v1beta1.IntentPurpose `json:"purpose"`
	// Stop is how what runs is stopped; empty where nothing is.
	Stop v1beta1.StopKind `json:"stop,omitempty"`
	// Restore is how the successor gets its state.
	Restore v1beta1.UpgradeMode `json:"restore,omitempty"`
	// From is the state that it starts from; absent where that comes of the stop, and where nothing is started.
	From *v1beta1.StartPoint `json:"from,omitempty"`
}

// Step is one line with its label.
type Step struct {
	// Label says what it is about: stop, start from, if it fails, snapshot, side.
	Label string `json:"label"`
	// Text is the line.
	Text string `json:"text"`
}

// Figures are one before and after; empty where there is none.
type Figures struct {
	// Before is that of what runs; empty where nothing does.
	Before string `json:"before,omitempty"`
	// After is that of what the spec asks for.
	After string `json:"after,omitempty"`
}

// Asked is what is known of a preview beside the look.
type Asked struct {
	// Settings say by which settings the look was made.
	Settings string
	// UpgradeMode is the stored resource's, before the edit: what was acted on last has the one by which its job was
	// started. Empty where there is none.
	UpgradeMode string
	// Validators are those of the installation that are not asked.
	Validators []string
	// Unreadable says what could not be read.
	Unreadable []string
}

func begin(kind string, object metav1.Object, a Asked) View {
	v := View{
		TypeMeta: metav1.TypeMeta{APIVersion: view.Version, Kind: Kind},
		Resource: Resource{kind, object.GetNamespace(), object.GetName()}, Settings: a.Settings, Unreadable: a.Unreadable,
	}
	for _, name := range a.Validators {
		v.DependsOn = append(v.DependsOn, "the validator "+name+" accepts the spec: it is asked when the spec is stored")
	}
	return v
}

// Acts reports whether the operator would act on the edit, now or later.
func (v View) Acts() bool { return v.Verdict != Nothing && !v.IsRefused() }

// IsRefused reports whether the spec is invalid or would be refused.
func (v View) IsRefused() bool { return v.Verdict == Refused || v.Verdict == Invalid }

func (v *View) step(label, text string) { v.Steps = append(v.Steps, Step{label, text}) }
