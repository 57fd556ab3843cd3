package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

// Version is the apiVersion of the views as JSON and YAML.
const Version = "kn-flink/v1alpha1"

// Seen is what was read for the view of one resource.
type Seen struct {
	// Resource is the resource.
	Resource *unstructured.Unstructured
	// Related are resources that stand below it: jobs of a session cluster, sides of a pair, snapshots.
	Related []*unstructured.Unstructured
	// Pods are those of its cluster.
	Pods []corev1.Pod
	// Events are those of it and what belongs to it, in any order.
	Events []corev1.Event
	// Revisions are those of its history, of a look that asks for them.
	Revisions []history.Revision
	// Unreadable says what could not be read, and which right is missing.
	Unreadable []string
	// Now is the time of the reader, in the location in which times are shown.
	Now time.Time
}

// Job is everything of one resource.
type Job struct {
	metav1.TypeMeta `json:",inline"`
	Row             `json:"resource"`
	// Situation is the one word of the last pass; empty before it, and of the Java operator.
	Situation string `json:"situation,omitempty"`
	// Operation is what is under way; empty means nothing.
	Operation string `json:"operation,omitempty"`
	// Conditions are those of its status.
	Conditions []Condition `json:"conditions,omitempty"`
	// Safe is the status of StateSafe; empty where a kind has no state.
	Safe string `json:"stateSafe,omitempty"`
	// State are the states that are known of it, what it was started from first.
	State []State `json:"state,omitempty"`
	// Gates are what the new side of a pair has to pass, as they were judged last.
	Gates []Gate `json:"gates,omitempty"`
	// Facts are what else the status says of failures and restarts, a sentence each.
	Facts []string `json:"facts,omitempty"`
	// Error is the last failure; empty when healthy.
	Error string `json:"error,omitempty"`
	// Pods are those of its cluster.
	Pods []pods.Pod `json:"pods,omitempty"`
	// Needs are what pods wait for or fail by, a sentence each.
	Needs []string `json:"needs,omitempty"`
	// Related are the resources that stand below it.
	Related []Row `json:"related,omitempty"`
	// Events are the newest last.
	Events []Event `json:"events,omitempty"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// Condition is one of a status.
type Condition struct {
	// Type is its type.
	Type string `json:"type"`
	// Status is True, False or Unknown.
	Status string `json:"status"`
	// Reason is one CamelCase word.
	Reason string `json:"reason"`
	// Message is one line.
	Message string `json:"message,omitempty"`
	// Since is when its status began; absent when that is not known.
	Since *time.Time `json:"since,omitempty"`
}

// State is a state of a job that is known.
type State struct {
	// What says which: started from, known checkpoint, next start, last savepoint.
	What string `json:"what"`
	// Path is where it lies, or what stands for that.
	Path string `json:"path"`
	// Taken is when; absent when that is not known.
	Taken *time.Time `json:"taken,omitempty"`
	// Reason is why it was chosen; empty for one that was not.
	Reason string `json:"reason,omitempty"`
}

// JobOf is everything of one resource.
func JobOf(seen Seen) Job {
	s, err := read(seen.Resource)
	secrets := s.secrets()
	j := Job{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "JobView"}, Row: RowOf(seen.Resource),
		Situation: s.Status.Situation, Operation: s.operation(), Safe: s.safe(), State: s.states(),
		Facts: s.facts(seen.Now), Error: errorText(s.Status.Error), Unreadable: seen.Unreadable,
		Needs: needs(seen.Pods, seen.Now), Events: EventsOf(seen.Events, secrets), Gates: s.gates(secrets),
	}
	if err != nil {
		j.Facts = append(j.Facts, "its status cannot be read: "+err.Error())
	}
	for _, c := range s.Status.Conditions {
		j.Conditions = append(j.Conditions, Condition{
			c.Type, string(c.Status), c.Reason, c.Message, since(&c.LastTransitionTime),
		})
	}
	for _, p := range seen.Pods {
		j.Pods = append(j.Pods, pods.Of(&p, nil))
	}
	for _, r := range seen.Related {
		j.Related = append(j.Related, ShownOf(r))
	}
	j.Related = Rows(j.Related, Select{})
	j.hide(secrets)
	return j
}

// hide takes the secrets out of each text that the status, an event or a pod brought.
func (j *Job) hide(secrets redact.Secrets) {
	hidden := func(texts []string) {
		for i := range texts {
			texts[i] = secrets.Text(texts[i])
		}
	}
	j.Error, j.Operation = secrets.Text(j.Error), secrets.Text(j.Operation)
	hidden(j.Facts)
	hidden(j.Needs)
	for i := range j.Conditions {
		j.Conditions[i].Message = secrets.Text(j.Conditions[i].Message)
	}
	for i := range j.State {
		j.State[i].Path = secrets.Text(j.State[i].Path)
	}
	j.Path = secrets.Text(j.Path)
}

// operation is the intent, or the change of a pair, in words; empty when nothing is under way.
func (s subject) operation() string {
	if t := s.Status.Transition; t != nil {
		return fmt.Sprintf("change to %s, step %s since %s", t.Target, t.Step, stamp(&t.Since))
	}
	i := s.Status.Intent
	if i == nil || i.Step == v1beta1.StepReleased {
		return ""
	}
	text := fmt.Sprintf("%s of generation %d, step %s since %s", i.Purpose, i.Generation, i.Step, stamp(&i.StoredAt))
	if i.Stop != "" && i.Stop != v1beta1.StopNone {
		text += ", the running job is stopped by " + string(i.Stop)
	}
	if i.From != nil {
		text += ", the next one starts from " + place(i.From)
	}
	return text
}

// stamp is a time in UTC that does not depend on the reader.
func stamp(t *metav1.Time) string { return t.UTC().Format(time.RFC3339) }

// place is where a state lies, in words.
func place(p *v1beta1.StartPoint) string {
	switch {
	case p.Kind == v1beta1.StartLastState:
		return "the newest checkpoint of the high-availability data"
	case p.Path == "":
		return "no state"
	}
	return p.Path
}

func (s subject) safe() string {
	if c := s.condition(summary.StateSafe); c != nil {
		return string(c.Status)
	}
	return ""
}

// states are the states that the status knows.
func (s subject) states() []State {
	var all []State
	job := s.Status.JobStatus
	if from := job.StartedFrom; from != nil {
		all = append(all, State{"started from", place(from), since(from.Taken), from.Reason})
	}
	if c := job.Checkpoint; c != nil {
		all = append(all, State{"known checkpoint", cmp.Or(c.Path, "in the high-availability data"), since(c.Taken), ""})
	}
	next := &v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: job.UpgradeSavepointPath}
	if next.Path == v1beta1.LastStatePlaceholder {
		next.Kind = v1beta1.StartLastState
	}
	// it stays after the start that it was for
	stops := s.operation() != "" || job.State.IsTerminal() || s.lifecycle(v1beta1.LifecycleSuspended)
	if next.Path != "" && stops {
		all = append(all, State{"next start", place(next), since(job.StateTaken), ""})
	}
	if info := job.SavepointInfo; info != nil && info.LastSavepoint != nil && info.LastSavepoint.Location != "" {
		taken := metav1.NewTime(time.UnixMilli(info.LastSavepoint.TimeStamp))
		all = append(all, State{"last savepoint", info.LastSavepoint.Location, since(&taken), ""})
	}
	if s.Status.Path != "" {
		taken, err := time.Parse(time.RFC3339, s.Status.ResultTimestamp)
		state := State{What: "snapshot", Path: s.Status.Path}
		if err == nil {
			state.Taken = &taken
		}
		all = append(all, state)
	}
	return all
}

// facts are what the status says of failures, restarts and what was lost, beside its conditions.
func (s subject) facts(now time.Time) []string {
	var facts []string
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	if s.GetGeneration() > s.Status.ObservedGeneration && s.Status.ObservedGeneration > 0 {
		add("generation %d was not looked at yet; %d was", s.GetGeneration(), s.Status.ObservedGeneration)
	}
	if d := s.Status.DeployedGeneration; d != nil && *d > 0 && *d < s.Status.ObservedGeneration {
		add("generation %d was looked at, and %d runs", s.Status.ObservedGeneration, *d)
	}
	if r := s.Status.Retry; r != nil {
		add("%s failed, the next attempt is %s: %s", counted(int(r.Attempts), "attempt"), in(r.After, now),
			strings.TrimPrefix(r.Reason+": "+r.Message, ": "))
	}
	if r := s.Status.Refused; r != nil {
		add("%s was refused %s, the next attempt is %s: %s", r.Effect, counted(int(r.Attempts), "time"), in(r.After, now),
			strings.TrimPrefix(r.Reason+": "+r.Message, ": "))
	}
	if r := s.Status.Restarts; r != nil && r.InARow > 0 {
		add("it was started again %s in a row, last at %s", counted(int(r.InARow), "time"), stamp(&r.Last))
	}
	if f := s.Status.FailedAttempt; f != nil {
		add("the newest change was given up at %s: %s: %s", stamp(&f.Time), f.Reason, f.Message)
	}
	if t := s.Status.Transition; t != nil && t.Reason != "" {
		add("the change is given up: %s: %s", t.Reason, t.Message)
	}
	if l := s.Status.LostProgress; l != nil && l.Seen != nil {
		add("the job began again from %s, and what it had done since is lost: seen at %s", cmp.Or(l.From, "no state"),
			stamp(l.Seen))
	}
	if s.Status.Failures > 0 {
		add("%s failed", counted(int(s.Status.Failures), "attempt"))
	}
	return facts
}

// in says when something is to come.
func in(at metav1.Time, now time.Time) string {
	if wait := at.Sub(now); wait > 0 {
		return "in " + wait.Round(time.Second).String()
	}
	return "due since " + stamp(&at)
}

// needs are what pods wait for or fail by.
func needs(of []corev1.Pod, now time.Time) []string {
	var all []string
	for _, p := range of {
		if failure, fails := pods.FailureOf(&p, now); fails {
			all = append(all, fmt.Sprintf("%s: %s ended with %s", p.Name, failure.Container, failure.Why()))
		}
		for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
			if w := c.State.Waiting; w != nil && w.Message != "" {
				all = append(all, fmt.Sprintf("%s: %s: %s", p.Name, w.Reason, w.Message))
			}
		}
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				all = append(all, fmt.Sprintf("%s: %s: %s", p.Name, c.Reason, c.Message))
			}
		}
	}
	return all
}
