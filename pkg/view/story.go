package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/view/advice"
)

// Story says why a resource is as it is, and what to do.
type Story struct {
	metav1.TypeMeta `json:",inline"`
	// Of is the resource, in Namespace.
	Of Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Need says whom it waits for; empty is nobody.
	Need Need `json:"need,omitempty"`
	// Verdict says the same in words, as what follows the name.
	Verdict string `json:"verdict"`
	// Since is since when it is so; absent when that is not known.
	Since *time.Time `json:"since,omitempty"`
	// What is the reason with its message.
	What string `json:"what"`
	// Wait says until when it waits, and what follows then; absent while it waits for nothing that has a time.
	Wait *Wait `json:"wait,omitempty"`
	// Run is the command that the message has; empty where it has none.
	Run string `json:"run,omitempty"`
	// Means is what the reason means; empty for one that this version does not know.
	Means string `json:"means,omitempty"`
	// Because are what else is known of the cause, a sentence each.
	Because []string `json:"because,omitempty"`
	// Known are the states of the job that are known.
	Known []State `json:"known,omitempty"`
	// Do is what to do, or that it continues by itself.
	Do string `json:"do"`
	// Look is a command that shows the evidence; empty when nothing is to be done.
	Look string `json:"look,omitempty"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// warnings is how many of the newest warnings are told.
const warnings = 3

// verdicts say whom a resource waits for.
var verdicts = map[Need]string{
	NeedNothing: "is as its spec wants it", NeedTime: "continues by itself", NeedUser: "waits for you",
}

// Why is the story of one resource. The reason is that of the first row that there is:
//
//	Stalled, Reconciling | the condition
//	Ready                | the condition
//	an error             | that of another operator
//	nothing              | no operator has looked at it
func Why(seen Seen) Story {
	s, _ := read(seen.Resource)
	j := JobOf(seen)
	secrets := s.secrets()
	story := Story{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "Story"}, Of: j.Ref, Namespace: j.Namespace,
		Need: j.Need, Since: j.Since, What: cmp.Or(j.Now, "nothing is wrong that its status knows of"),
		Known: j.State, Unreadable: j.Unreadable, Wait: j.Wait,
	}
	reason := ""
	for _, of := range []string{summary.Stalled, summary.Reconciling, summary.Ready} {
		if c := s.condition(of); c != nil && (of == summary.Ready || c.Status == metav1.ConditionTrue) {
			reason, story.Since = c.Reason, since(&c.LastTransitionTime)
			story.What = secrets.Text(said(c))
			break
		}
	}
	story.Verdict = verdicts[story.Need]
	story.What, story.Run = withoutCommand(story.What, story.Namespace)
	story.advise(reason, s)
	story.because(j, seen)
	story.below(j.Related)
	return story
}

// below says which jobs of a cluster, or sides of a pair, wait for a user. What waits for one of them is helped there.
func (s *Story) below(rows []Row) {
	for _, r := range rows {
		kind, _ := kinds.Of(r.Kind)
		if r.Need != NeedUser || !kind.Pods {
			continue
		}
		what, _ := withoutCommand(r.Now, s.Namespace)
		s.Because = append(s.Because, fmt.Sprintf("%s %s waits for you: %s", r.Kind, r.Name, what))
		if s.Need == NeedTime {
			s.Do, s.Look = "Help what it waits for.", "kn flink why "+kind.Short+"/"+r.Name+" -n "+s.Namespace
		}
	}
}

// advise says what the reason means and what to do.
func (s *Story) advise(reason string, of subject) {
	kind, _ := kinds.Of(of.GetKind())
	a, known := advice.Of(reason, kind.Resource.Resource, s.Of.Name)
	switch {
	case s.Need == NeedNothing:
		s.Do = "Nothing. This is as it should be."
	case known:
		s.Means, s.Do = a.Means, a.Do
		if !a.Nothing {
			s.Look = a.Look
		}
	case s.Need == NeedUser:
		s.Do = "See what the message says."
		s.Look = fmt.Sprintf("kubectl describe %s %s", kind.Resource.Resource, s.Of.Name)
	default:
		s.Do = "Nothing. It continues by itself."
	}
	if s.Look != "" && !strings.Contains(s.Look, " -n ") {
		s.Look = strings.Replace(s.Look, "kubectl ", "kubectl -n "+s.Namespace+" ", 1)
	}
}

// because are the operation, what failed, what pods need and, of a resource that is not well, the newest warnings.
func (s *Story) because(j Job, seen Seen) {
	add := func(text string) {
		if text != "" && !strings.Contains(s.What, text) && !strings.Contains(j.Now, text) {
			s.Because = append(s.Because, text)
		}
	}
	add(j.Operation)
	for _, text := range append(j.Facts, j.Needs...) {
		add(text)
	}
	add(j.Error)
	told := 0
	if s.Need == NeedNothing {
		told = warnings // they are of before
	}
	for i := len(j.Events) - 1; i >= 0 && told < warnings; i-- {
		if e := j.Events[i]; e.Warning && matters(e, seen.Pods) {
			add(fmt.Sprintf("%s %s/%s %s: %s", moment(e.Time, seen.Now), e.Of.Kind, e.Of.Name, e.Reason, e.Message))
			told++
		}
	}
}

// matters reports whether a warning may say why something is so now: it is not of a pod that is gone, where pods are
// known, and no failed startup probe, which every start has until its process listens.
func matters(e Event, pods []corev1.Pod) bool {
	if e.Of.Kind != "Pod" {
		return true
	}
	gone := len(pods) > 0 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.Name == e.Of.Name })
	return !gone && (e.Reason != "Unhealthy" || !strings.HasPrefix(e.Message, "Startup probe"))
}

// Restored is the story of where a job's state is from: what is known of its newest start.
func Restored(seen Seen) Story {
	s, _ := read(seen.Resource)
	j := JobOf(seen)
	story := Story{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "Story"}, Of: j.Ref, Namespace: j.Namespace,
		What: "its status does not say what it was started from: it was not started yet, or by another operator",
		Do:   "Nothing.", Verdict: "has the state that its job was started from", Known: j.State, Unreadable: j.Unreadable,
	}
	if from := s.Status.JobStatus.StartedFrom; from != nil {
		story.What = s.secrets().Text("it was started from " + place(from))
		a, _ := advice.Of(from.Reason, "", "")
		story.Means = a.Means
		if from.UnclaimedStateIgnored {
			story.Because = append(story.Because, "state that no operator of the job claims was left out, if there was any")
		}
		if from.RepeatsWork {
			story.Because = append(story.Because, "the job had finished: what it had done is done again")
		}
	}
	story.Because = append(story.Because, s.passedOver(seen)...)
	story.Because = append(story.Because, j.Facts...)
	return story
}

// passedOver are the states that were known when the newest start began, and that it did not begin from, newest first.
// One that was taken later is no part of that.
func (s subject) passedOver(seen Seen) []string {
	from, newest := s.Status.JobStatus.StartedFrom, s.Status.Revision
	if from == nil || newest == nil {
		return nil
	}
	var all []string
	for _, c := range CandidatesOf(seen.Resource, seen.Related, seen.Revisions).States {
		if c.Taken == nil || !c.Taken.Before(newest.Started.Time) || c.Path == from.Path {
			continue
		}
		how := "older"
		if from.Taken == nil || c.Taken.After(from.Taken.Time) {
			how = "taken " + stamp(&metav1.Time{Time: *c.Taken})
		}
		all = append(all, fmt.Sprintf("it was not started from %s (%s): %s", c.Path, c.What, how))
	}
	const most = 3
	return all[:min(len(all), most)]
}

// Text is the story for a terminal.
func (s Story) Text(now time.Time) string {
	verdict := s.Verdict
	if s.Since != nil {
		verdict += ", for " + ago(s.Since, now)
	}
	var l labelled
	fmt.Fprintf(&l.out, "%s %s.\n", Printable(s.Of.Name), verdict)
	l.add("  what", wrapped(s.What)...)
	if s.Wait != nil {
		l.add("  wait", wrapped(s.Wait.line(now))...)
	}
	l.add("  means", wrapped(s.Means)...)
	for i, text := range s.Because {
		l.add([]string{"  because", ""}[min(i, 1)], wrapped(text)...)
	}
	l.add("  known", Job{State: s.Known}.stateLines(now)...)
	l.add("  do", wrapped(s.Do)...)
	l.add("  run", s.Run)
	l.add("  look", s.Look)
	l.add("Unreadable", s.Unreadable...)
	return l.out.String()
}
