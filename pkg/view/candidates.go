package view

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
)

// Candidates are the states that a job may be started from, newest first. None is chosen.
type Candidates struct {
	metav1.TypeMeta `json:",inline"`
	// Of is the resource, in Namespace.
	Of Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// States are they.
	States []Candidate `json:"states"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// Candidate is a state that a job may be started from.
type Candidate struct {
	State `json:",inline"`
	// Complete is whether it was seen to be complete; of another it is only known that it was there, and Flink may have
	// removed it.
	Complete bool `json:"complete"`
}

// CandidatesOf are the states of a resource that are known: by its status, its FlinkStateSnapshots and its history.
func CandidatesOf(
	object *unstructured.Unstructured, snapshots []*unstructured.Unstructured, revisions []history.Revision,
) Candidates {
	s, _ := read(object)
	c := Candidates{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "CandidatesView"}, Of: RowOf(object).Ref,
		Namespace: object.GetNamespace(), States: []Candidate{},
	}
	add := func(what, path string, taken *time.Time, complete bool) {
		at := slices.IndexFunc(c.States, func(one Candidate) bool { return one.Path == path })
		switch {
		case path == "" || path == v1beta1.LastStatePlaceholder:
		case at < 0:
			c.States = append(c.States, Candidate{State{What: what, Path: path, Taken: taken}, complete})
		case complete && !c.States[at].Complete:
			c.States[at] = Candidate{State{What: what, Path: path, Taken: taken}, true}
		}
	}
	for _, u := range snapshots {
		of, _ := read(u)
		if of.Status.State != "COMPLETED" {
			continue
		}
		for _, state := range of.states() {
			add("snapshot/"+u.GetName(), state.Path, state.Taken, true)
		}
	}
	s.candidates(add)
	all := slices.Clone(revisions)
	history.NewestFirst(all)
	for _, r := range all {
		if r.Ended != nil && r.Ended.Left != nil {
			left := r.Ended.Left
			add(fmt.Sprintf("left by revision %d", r.Number), left.Path, since(left.Taken),
				left.Kind == v1beta1.StartSavepoint)
		}
	}
	slices.SortStableFunc(c.States, func(a, b Candidate) int {
		switch {
		case a.Taken == nil && b.Taken == nil:
			return 0
		case a.Taken == nil:
			return 1
		case b.Taken == nil:
			return -1
		}
		return b.Taken.Compare(*a.Taken)
	})
	secrets := s.secrets()
	for i := range c.States {
		c.States[i].Path = secrets.Text(c.States[i].Path)
	}
	return c
}

// candidates are the states that the status knows.
func (s subject) candidates(add func(what, path string, taken *time.Time, complete bool)) {
	job := s.Status.JobStatus
	add("for the next start", job.UpgradeSavepointPath, since(job.StateTaken), true)
	if from := job.StartedFrom; from != nil && from.Kind == v1beta1.StartSavepoint {
		add("started from", from.Path, since(from.Taken), true)
	}
	if known := job.Checkpoint; known != nil {
		add("known checkpoint", known.Path, since(known.Taken), false)
	}
	if job.SavepointInfo != nil {
		for _, one := range job.SavepointInfo.SavepointHistory {
			taken := metav1.NewTime(time.UnixMilli(one.TimeStamp))
			add("savepoint", one.Location, since(&taken), true)
		}
	}
}

// Text is the list for a terminal.
func (c Candidates) Text(now time.Time) string {
	var l labelled
	if len(c.States) == 0 {
		fmt.Fprintf(&l.out, "No state of %s is known.\n", c.Of.Name)
	} else {
		table := [][]string{{"TAKEN", "AGE", "WHAT", "SEEN", "PATH"}}
		for _, one := range c.States {
			taken, seen := "-", "known, may be gone"
			if one.Taken != nil {
				taken = moment(*one.Taken, now)
			}
			if one.Complete {
				seen = "complete"
			}
			table = append(table, []string{taken, ago(one.Taken, now), one.What, seen, one.Path})
		}
		l.out.WriteString(columns(table))
		fmt.Fprintf(&l.out, "To start from one: kn flink restore %s --from PATH\n", c.Of.Name)
	}
	l.add("Unreadable", c.Unreadable...)
	return l.out.String()
}
