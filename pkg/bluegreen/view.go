package bluegreen

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

func (v *view) condition(name string) *metav1.Condition {
	for i := range v.Resource.Status.Conditions {
		if c := &v.Resource.Status.Conditions[i]; c.Type == name {
			return c
		}
	}
	return nil
}

// takesBack reports whether the spec is again that of the side that serves, or asks for what is done in place: a new
// side of which nothing is there yet is not wanted any more.
func (v *view) takesBack() bool {
	switch v.change {
	case specdiff.BlueGreenTransition, specdiff.BlueGreenSavepointRedeploy, specdiff.BlueGreenIncomplete:
		return false
	}
	return true
}

// first is the colour of the first side: that of a side that is there, for another operator may have begun with it.
func (v *view) first() v1beta1.BlueGreenType {
	if v.ours(v1beta1.Blue) == nil && v.ours(v1beta1.Green) != nil {
		return v1beta1.Green
	}
	return v1beta1.Blue
}

// failedBefore reports whether the wanted spec is the one that was given up.
func (v *view) failedBefore() bool {
	a := v.Resource.Status.FailedAttempt
	return a != nil && a.SpecHash == v.wanted.hash
}

// view is one FlinkBlueGreenDeployment with what follows from it at once. It is built once a look, and read only.
type view struct {
	Snapshot
	// problem says why the spec does not count, headline is the first of it; empty when it does.
	problem, headline string
	// wanted is the spec that counts: the resource's, or the last accepted one while that is invalid. Its spec is nil when
	// there is none.
	wanted spec
	// recorded is the spec of the side that serves; its spec is nil when there is none.
	recorded spec
	// recordProblem says why the recorded spec cannot be read; empty when it can.
	recordProblem string
	// active is the colour of the side that serves, or that is changed in place; empty when none was ever active.
	active v1beta1.BlueGreenType
	// change is what wanted asks for, compared with recorded.
	change  specdiff.BlueGreenKind
	secrets *redact.Secrets
}

// spec is a spec of the resource in the three forms in which it is needed.
type spec struct {
	*v1beta1.FlinkBlueGreenDeploymentSpec
	// text is that of lastReconciledSpec; empty for none.
	text string
	// hash of template.spec: 64 hexadecimal digits; empty for none.
	hash string
}

// specOf prints a spec. One that cannot be printed is none; validation has refused it before.
func specOf(s *v1beta1.FlinkBlueGreenDeploymentSpec) spec {
	if s == nil || s.Template == nil || s.Template.Spec == nil {
		return spec{}
	}
	text, err := v1beta1.ReconciledBlueGreenText(s)
	if err != nil {
		return spec{}
	}
	only := v1beta1.FlinkBlueGreenDeploymentSpec{Template: &v1beta1.FlinkDeploymentTemplate{Spec: s.Template.Spec}}
	hashed, err := v1beta1.ReconciledBlueGreenText(&only)
	if err != nil {
		return spec{}
	}
	sum := sha256.Sum256([]byte(hashed))
	return spec{s, text, hex.EncodeToString(sum[:])}
}

// parseSpec reads a recorded text; empty is none.
func parseSpec(text string) (spec, error) {
	if text == "" {
		return spec{}, nil
	}
	s, err := v1beta1.ParseReconciledBlueGreen(text)
	if err != nil {
		return spec{}, err
	}
	return specOf(&s), nil
}

// known reports whether there is a spec.
func (s spec) known() bool { return s.hash != "" }

func (s spec) child() *v1beta1.FlinkDeploymentSpec {
	if !s.known() {
		return nil
	}
	return s.Template.Spec
}

func (s spec) job() *v1beta1.JobSpec {
	if child := s.child(); child != nil {
		return child.Job
	}
	return nil
}

// suspended reports whether the spec asks for a suspended job.
func (s spec) suspended() bool { return s.job().DesiredState() == v1beta1.JobStateSuspended }

// stateless reports whether a new side needs no state of the old one.
func (s spec) stateless() bool { return s.job().DesiredUpgradeMode() == v1beta1.UpgradeModeStateless }

// path that the spec itself names; empty for none.
func (s spec) path() string {
	if s.job() == nil {
		return ""
	}
	return s.job().InitialSavepointPath
}

func newView(s Snapshot) view {
	v := view{Snapshot: s}
	recorded, err := parseSpec(s.Resource.Status.LastReconciledSpec)
	if err != nil {
		v.recordProblem = err.Error()
	}
	v.recorded, v.wanted = recorded, specOf(&s.Resource.Spec)
	v.judge()
	if v.problem != "" {
		v.wanted = v.accepted()
	}
	if t := s.Resource.Status.Transition; t != nil && t.From != "" && t.Step != v1beta1.BlueGreenRetired {
		v.active = t.From
	} else if v.recorded.known() {
		v.active = colourOf(s.Resource.Status.BlueGreenState)
	}
	v.change = specdiff.BlueGreenIncomplete
	if v.wanted.known() && v.recorded.known() {
		v.change = specdiff.ClassifyBlueGreen(
			v.recorded.FlinkBlueGreenDeploymentSpec, v.wanted.FlinkBlueGreenDeploymentSpec,
		).Kind
	}
	return v
}

// accepted is the spec that counts while the resource's is invalid: that of the change under way, or the recorded one.
func (v *view) accepted() spec {
	if t := v.transition(); t != nil && t.Spec != "" {
		if s, err := parseSpec(t.Spec); err == nil {
			return s
		}
	}
	return v.recorded
}

func (v *view) judge() {
	v.problem, v.headline = v.SpecProblem, v.SpecProblem
	if v.problem == "" {
		r := v.Resource
		findings := validation.Problems(validation.BlueGreen(validation.BlueGreenInput{
			Namespace: r.Namespace, Name: r.Name, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Operator: v.Operator,
		}))
		v.problem = validation.MessageWithin(findings, summary.MaxMessageLength)
		v.headline = validation.Headline(findings)
	}
	v.problem, v.headline = v.hide(v.problem), v.hide(v.headline)
}

// Hider leaves the secrets of the resource and of the operator out of texts that no plan is made of.
func Hider(s Snapshot) func(text string) string {
	v := newView(s)
	return v.hide
}

// hide leaves out of a text the secrets of the template, of both sides and of the operator, and what looks like one.
func (v *view) hide(text string) string {
	if text == "" {
		return text
	}
	if v.secrets == nil {
		d := v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: v.Resource.Namespace}}
		if t := v.Resource.Spec.Template; t != nil && t.Spec != nil {
			d.Spec = *t.Spec
		}
		if active, there := v.Side(v.active).Get(); there {
			d.Status = active.Status
		}
		known := flinkconf.SecretsOf(v.Operator, &d, nil)
		v.secrets = &known
	}
	text = v.secrets.Text(text)
	if v.Operator.Default(v.Resource.Namespace, "").Get(key.ExceptionMessages) == "class-only" {
		return redact.Classes(text)
	}
	return text
}

func (v *view) transition() *v1beta1.BlueGreenTransition { return v.Resource.Status.Transition }

// now is the time of the look, as status has it.
func (v *view) now() time.Time { return v.Now.UTC().Truncate(time.Second) }

func (v *view) instant() string { return v.now().Format(time.RFC3339) }

// instantOf reads a time of status; zero when it is not set.
func instantOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || text == v1beta1.BlueGreenTimeReset {
		return time.Time{}
	}
	return t
}

// config is spec.configuration of the spec that counts: what cannot be read is refused, and the one before stays.
func (v *view) config() flinkconf.Config {
	if v.problem != "" && v.wanted.known() {
		return v.wanted.Configuration
	}
	return v.Resource.Spec.Configuration
}

// duration is an option of spec.configuration. Nothing here counts below zero.
func (v *view) duration(option conf.Option) time.Duration {
	return max(0, options.Duration(v.config(), option))
}

func (v *view) grace() time.Duration { return v.duration(key.BlueGreenAbortGracePeriod) }

func (v *view) delay() time.Duration { return v.duration(key.BlueGreenDeletionDelay) }

// cleanupTimeout is how long a side may take to go before a user is asked to look.
func (v *view) cleanupTimeout(d *v1beta1.FlinkDeployment) time.Duration {
	config := v.Operator.Default(v.Resource.Namespace, "")
	if d != nil {
		config = running.Of(v.Operator, d).Config
	}
	return options.Duration(config, key.ResourceCleanupTimeout)
}

// ours is the FlinkDeployment of a colour that this resource owns; nil when there is none.
func (v *view) ours(colour v1beta1.BlueGreenType) *v1beta1.FlinkDeployment {
	d, there := v.Side(colour).Get()
	if !there || !v.owns(d) {
		return nil
	}
	return d
}

// stranger is the FlinkDeployment of a colour's name that this resource does not own; nil when there is none.
func (v *view) stranger(colour v1beta1.BlueGreenType) *v1beta1.FlinkDeployment {
	d, there := v.Side(colour).Get()
	j, hasJob := v.Parts[colour].Job.Get()
	if !there || v.owns(d) && (!hasJob || v.ownedBy(j.OwnerReferences)) {
		return nil
	}
	return d
}

func (v *view) owns(d *v1beta1.FlinkDeployment) bool { return v.ownedBy(d.OwnerReferences) }

func (v *view) ownedBy(owners []metav1.OwnerReference) bool {
	for _, o := range owners {
		if o.UID == v.Resource.UID {
			return true
		}
	}
	return false
}

// ready reports whether a side serves with the spec that it has now.
func ready(d *v1beta1.FlinkDeployment) bool {
	return d != nil && d.DeletionTimestamp == nil && d.Status.LifecycleState == v1beta1.LifecycleStable &&
		d.Status.JobStatus.State == v1beta1.FlinkJobRunning && settled(d)
}

// jobEnded reports whether the job of a side has ended for good, though its spec asks for one.
func jobEnded(d *v1beta1.FlinkDeployment) bool {
	return d.DeletionTimestamp == nil && d.Status.JobStatus.State.IsTerminal() && settled(d)
}

// suspended reports whether a side has ended its job because its spec says so.
func suspended(d *v1beta1.FlinkDeployment) bool {
	return d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended &&
		d.Status.LifecycleState == v1beta1.LifecycleSuspended && settled(d)
}

// settled reports whether a side has judged the spec that it has now, and has nothing under way.
func settled(d *v1beta1.FlinkDeployment) bool {
	open := d.Status.Intent != nil && d.Status.Intent.Step != v1beta1.StepReleased
	return d.Status.ObservedGeneration == d.Generation && !open
}

// sourceOf is the run of the job of a side, as its status has it.
func sourceOf(d *v1beta1.FlinkDeployment) *v1beta1.BlueGreenSource {
	return &v1beta1.BlueGreenSource{
		UID: d.UID, JobID: d.Status.JobStatus.JobID, StartTime: d.Status.JobStatus.StartTime,
	}
}

// sameRun reports whether a side still runs what a savepoint is of. A side that is not ready may say so late.
func sameRun(d *v1beta1.FlinkDeployment, source *v1beta1.BlueGreenSource) bool {
	return d != nil && source != nil && *sourceOf(d) == *source
}

// operationOf names a change that is decided over this look.
func (v *view) operation() (id, over string) {
	over = plan.Over(v.Resource.ResourceVersion, v.Now)
	return plan.DeriveID(v.Resource.UID, over, plan.PurposeOperation), over
}

// foreign reports whether the change under way was stored for another resource.
func (v *view) foreign() bool {
	t := v.transition()
	return t != nil && plan.DeriveID(v.Resource.UID, t.Over, plan.PurposeOperation) != t.OperationID
}

// contentOf is a recorded spec as the content of a resource: without the nulls that the text has for what is not set.
func contentOf(text string) (map[string]any, error) {
	var content map[string]any
	if err := json.Unmarshal([]byte(text), &content); err != nil {
		return nil, err
	}
	return withoutNulls(content).(map[string]any), nil
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(value))
		for name, member := range value {
			if member != nil {
				kept[name] = withoutNulls(member)
			}
		}
		return kept
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}

// handsOver reports whether a change moves the job.
func (v *view) handsOver() bool { return options.Bool(v.config(), key.BlueGreenHandover) }
