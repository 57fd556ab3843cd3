package snapshot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// view is one FlinkStateSnapshot for the rules. A topic is a view by another name with the methods of one idea:
// attempt(v).trigger().
type view struct{ *round }

// round is what every topic shares of one decision: the snapshot with what follows from it at once, and the status as
// this round will leave it. Rules read it and write only want and events.
type round struct {
	s    Snapshot
	job  target
	kind snapshots.Type
	want v1beta1.FlinkStateSnapshotStatus
	// problem says why the spec does not count, headline is the first of it; empty when it does.
	problem, headline string
	events            []plan.Event
	// secrets caches what hide knows.
	secrets *redact.Secrets
}

func newView(s Snapshot) view {
	v := view{&round{
		s: s, job: findTarget(s), kind: snapshots.TypeOf(s.Resource.Spec), want: *s.Resource.Status.DeepCopy(),
	}}
	if v.want.State == "" {
		v.want.State = v1beta1.SnapshotTriggerPending
	}
	if v.want.JobUID == "" {
		v.want.JobUID = types.UID(s.Resource.Annotations[v1beta1.AnnotationJobUID])
	}
	if v.want.JobUID == "" && v.job.presence == validation.Present {
		v.want.JobUID = v.job.uid
	}
	judge(v)
	v.problem, v.headline = v.hide(v.problem), v.hide(v.headline)
	return v
}

// Hider leaves the secrets of the job, of its cluster and of the operator out of texts that no plan is made of.
func Hider(s Snapshot) func(text string) string { return newView(s).hide }

// hide leaves out of a text the secrets of the job, of its cluster and of the operator, and what looks like one.
func (v *round) hide(text string) string {
	if text == "" {
		return text
	}
	if v.secrets == nil {
		cluster, _ := v.s.Deployment.Get()
		job, _ := v.s.SessionJob.Get()
		known := flinkconf.SecretsOf(v.s.Operator, cluster, job)
		v.secrets = &known
	}
	text = v.secrets.Text(text)
	if v.s.Operator.Default(v.s.Resource.Namespace, "").Get(key.ExceptionMessages) == "class-only" {
		return redact.Classes(text)
	}
	return text
}

func judge(v view) {
	v.problem, v.headline = v.s.SpecProblem, v.s.SpecProblem
	if v.problem != "" {
		return
	}
	r := v.s.Resource
	findings := validation.StateSnapshot(validation.StateSnapshotInput{
		Namespace: r.Namespace, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Target: v.job.presence,
	})
	v.problem = validation.MessageWithin(findings, summary.MaxMessageLength)
	v.headline = validation.Headline(findings)
}

func (v *round) resource() *v1beta1.FlinkStateSnapshot { return v.s.Resource }

// now is the time of the look, as status has it.
func (v *round) now() time.Time { return v.s.Now.UTC().Truncate(time.Second) }

func (v *round) instant() string { return v.now().Format(time.RFC3339) }

// parseInstant reads a time of status; zero when there is none.
func parseInstant(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

func (v *round) tell(e plan.Event) {
	e.Component, e.Message = componentSnapshot, v.hide(e.Message)
	v.events = append(v.events, e)
}

func (v *round) isCanary() bool {
	return strings.EqualFold(v.resource().Labels[v1beta1.LabelCanary], "true")
}

func (v *round) lacksFinalizer() bool {
	return !slices.Contains(v.resource().Finalizers, v1beta1.FinalizerFlinkStateSnapshot)
}

// errorText is status.error of one cause.
func (v *round) errorText(kind, message string) string {
	message = v.hide(message)
	text, err := summary.ErrorText([]summary.Cause{{Type: kind, Message: &message}}, "", plan.ErrorBounds(v.job.config))
	if err != nil {
		return message
	}
	return text
}

// secondary names the job as the Java operator does.
func (v *round) secondary() string {
	r := v.resource().Spec.JobReference
	if r == nil {
		r = &v1beta1.JobReference{}
	}
	return fmt.Sprintf("Secondary resource %s (%s) for savepoint %s", r.Name, r.Kind, v.resource().Name)
}

// condition is the stored condition of a type; nil when there is none.
func (v *round) condition(name string) *metav1.Condition {
	list := v.resource().Status.Conditions
	if i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// labels is the action that gives the resource the labels that it lacks; nil when it lacks none.
func labels(v view) plan.Action {
	r := v.resource()
	var job *v1beta1.JobReference
	if v.job.presence == validation.Present {
		job = r.Spec.JobReference
	}
	changed := map[string]string{}
	for name, value := range snapshots.Labels(r.Labels, v.kind, v.want.State, job) {
		if have, ok := r.Labels[name]; !ok || have != value {
			changed[name] = value
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return plan.SetLabels{Labels: changed, UID: r.UID}
}

// isFinal reports whether the wanted state is never left.
func (v *round) isFinal() bool { return snapshots.IsFinal(v.want.State) }
