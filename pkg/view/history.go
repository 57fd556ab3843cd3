package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// History is the last starts of a job, newest first.
type History struct {
	metav1.TypeMeta `json:",inline"`
	// Of is the resource, in Namespace.
	Of Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Revisions are the starts that are kept.
	Revisions []Revision `json:"revisions"`
	// Note says why there are none, or which are missing; empty where there is nothing to say.
	Note string `json:"note,omitempty"`
}

// Revision is one start of a job.
type Revision struct {
	// Number counts the starts.
	Number int64 `json:"number"`
	// Runs is whether its job runs now.
	Runs bool `json:"runs,omitempty"`
	// Stable is whether it ran well.
	Stable bool `json:"stable,omitempty"`
	// Started is when it was let run.
	Started *time.Time `json:"started,omitempty"`
	// Ended is when it ended; absent while it runs.
	Ended *time.Time `json:"ended,omitempty"`
	// From is the state that it began from.
	From State `json:"from"`
	// Left is the state that it left; absent when that is not known.
	Left *State `json:"left,omitempty"`
	// EndedBy is what ended it; empty while it runs.
	EndedBy string `json:"endedBy,omitempty"`
	// Why says more of its end; empty where there is no more.
	Why string `json:"why,omitempty"`
	// ChangedBy is the field manager that wrote its spec; empty when that is not known.
	ChangedBy string `json:"changedBy,omitempty"`
	// Generation is that of its spec.
	Generation int64 `json:"generation,omitempty"`
	// Changes are the fields in which its spec differs from that of the start before.
	Changes []string `json:"changes,omitempty"`
	// Omitted is how many bytes a spec has that is too large to be kept; 0: it is kept.
	Omitted int `json:"specOmitted,omitempty"`
}

// HistoryOf is the history of a resource.
func HistoryOf(object *unstructured.Unstructured, revisions []history.Revision) History {
	s, _ := read(object)
	h := History{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "HistoryView"}, Of: RowOf(object).Ref,
		Namespace: object.GetNamespace(), Revisions: []Revision{},
	}
	all := slices.Clone(revisions)
	history.NewestFirst(all)
	for i, r := range all {
		one, hide := s.revision(r), Hiding(object, r)
		if i+1 < len(all) && r.Spec != nil && all[i+1].Spec != nil {
			one.Changes = edit.Changes(all[i+1].Spec, r.Spec, Hiding(object, r, all[i+1]))
		}
		if i > 0 && one.EndedBy == string(v1beta1.PurposeRollback) {
			if n := sameSpec(all[i:], all[i-1]); n > 0 {
				one.EndedBy = fmt.Sprintf("Rollback to %d", n)
			}
		}
		one.Why = hide(one.Why)
		h.Revisions = append(h.Revisions, one)
	}
	switch newest := s.Status.Revision; {
	case len(all) == 0:
		h.Note = "no start is kept: nothing was started by this operator since it keeps a history, or " +
			"kubernetes.operator.revision-history.limit is 0"
	case newest != nil && all[0].Number < newest.Number:
		h.Note = fmt.Sprintf("revision %d is not there yet", newest.Number)
	}
	return h
}

// Hiding takes the secrets of a resource, and of old specs of it, out of texts.
func Hiding(object *unstructured.Unstructured, revisions ...history.Revision) func(string) string {
	all := []redact.Secrets{SecretsOf(object)}
	for _, r := range revisions {
		old := &unstructured.Unstructured{Object: map[string]any{"kind": object.GetKind(), "spec": r.Spec}}
		all = append(all, SecretsOf(old))
	}
	return func(text string) string {
		for _, secrets := range all {
			text = secrets.Text(text)
		}
		return text
	}
}

// sameSpec is the number of the newest revision before the one that was rolled back whose spec is the same; 0: none.
func sameSpec(all []history.Revision, as history.Revision) int64 {
	for _, r := range all[1:] {
		if r.Spec == nil || as.Spec == nil {
			continue
		}
		differs := slices.ContainsFunc(edit.Changes(r.Spec, as.Spec, nil), func(change string) bool {
			return !strings.HasPrefix(change, "job.upgradeMode:") && !strings.HasPrefix(change, "job.state:")
		})
		if !differs {
			return r.Number
		}
	}
	return 0
}

// revision is one start. What its object does not say yet, status says of the newest.
func (s subject) revision(r history.Revision) Revision {
	if m := s.Status.Revision; m != nil && m.OperationID == r.Operation {
		if r.Stable == nil {
			r.Stable = m.StableSince
		}
		if m.Ended != nil {
			r.Ended = m.Ended
		}
	}
	if m := s.Status.Revision; m != nil && m.Before != nil && m.Before.OperationID == r.Operation {
		r.Ended, r.Stable = &m.Before.Ended, m.Before.StableSince
	}
	one := Revision{
		Number: r.Number, Stable: r.Stable != nil, Started: since(&r.Started), ChangedBy: r.ChangedBy,
		Generation: r.Generation, Omitted: r.Omitted,
		From: State{"started from", place(&r.From), since(r.From.Taken), r.From.Reason},
	}
	d := s.Status.Deployed
	one.Runs = r.Ended == nil && d != nil && d.OperationID == r.Operation
	if e := r.Ended; e != nil {
		one.Ended, one.EndedBy, one.Why = since(&e.At), e.By, e.Why
		if left := e.Left; left != nil {
			what := "left"
			if left.Kind == v1beta1.StartLastState {
				what = "left in the high-availability data"
			}
			one.Left = &State{What: what, Path: cmp.Or(left.Path, "high-availability data"), Taken: since(left.Taken)}
		}
	}
	return one
}

// Manifest is the resource as a revision has it.
func Manifest(object *unstructured.Unstructured, r history.Revision) (map[string]any, error) {
	if r.Spec == nil {
		return nil, fmt.Errorf("the spec of revision %d is not kept, because it has %d bytes", r.Number, r.Omitted)
	}
	return map[string]any{
		"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(),
		"metadata": map[string]any{"name": object.GetName(), "namespace": object.GetNamespace()},
		"spec":     r.Spec,
	}, nil
}

// Diff are the changes from one revision to another.
func Diff(object *unstructured.Unstructured, from, to history.Revision) ([]string, error) {
	for _, r := range []history.Revision{from, to} {
		if _, err := Manifest(object, r); err != nil {
			return nil, err
		}
	}
	return edit.Changes(from.Spec, to.Spec, Hiding(object, from, to)), nil
}

// Text is the history as a table: * runs, = ran well.
func (h History) Text(now time.Time, all, noHeaders bool) string {
	width := 60
	if all {
		width = 1 << 20
	}
	var table [][]string
	if !noHeaders {
		table = append(table, []string{"REV", "STARTED", "RAN", "STARTED FROM", "LEFT", "ENDED BY", "CHANGE"})
	}
	for _, r := range h.Revisions {
		mark := map[bool]string{true: "*"}[r.Runs] + map[bool]string{true: "="}[r.Stable]
		started := "-"
		if r.Started != nil {
			started = moment(*r.Started, now)
		}
		ended, left, by := now, "-", r.EndedBy
		if r.Ended != nil {
			ended = *r.Ended
		}
		if r.Left != nil {
			left = last(r.Left.Path, all)
			if r.Left.Taken != nil {
				left += " (" + moment(*r.Left.Taken, now) + ")"
			}
		}
		if r.Why != "" {
			by += ": " + r.Why
		}
		from := last(r.From.Path, all)
		if r.From.Reason != "" {
			from += " (" + r.From.Reason + ")"
		}
		change := strings.Join(r.Changes, ", ")
		if r.ChangedBy != "" && change != "" {
			change += ", by " + r.ChangedBy
		}
		table = append(table, []string{
			fmt.Sprintf("%d%s", r.Number, mark), started, ago(r.Started, ended), brief(from, width), brief(left, width),
			brief(dash(by), width), brief(dash(change), width),
		})
	}
	text := ""
	if len(h.Revisions) > 0 {
		text = columns(table)
	}
	if h.Note != "" {
		text += summary.OneLine(h.Note, summary.MaxMessageLength) + "\n"
	}
	return text
}

// last is the last part of a path, or the whole.
func last(path string, whole bool) string {
	if at := strings.LastIndex(path, "/"); at >= 0 && at < len(path)-1 && !whole {
		return path[at+1:]
	}
	return path
}
