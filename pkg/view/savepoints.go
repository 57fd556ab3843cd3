package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Savepoints are the savepoints that are known, the newest first.
type Savepoints struct {
	metav1.TypeMeta `json:",inline"`
	// Namespace is the one of all of them.
	Namespace string `json:"namespace"`
	// Savepoints are they.
	Savepoints []Savepoint `json:"savepoints"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// Savepoint is one savepoint, and who says that it is there.
type Savepoint struct {
	// Job is the resource whose job it is of; absent for a FlinkStateSnapshot that names none.
	Job *Ref `json:"job,omitempty"`
	// Owner is who keeps it: snapshot/NAME, status for the status of the job's resource, or a revision of its history.
	Owner string `json:"owner"`
	// State is how far a FlinkStateSnapshot got; of what a status or a revision has it is COMPLETED.
	State string `json:"state,omitempty"`
	// Path is where its data lies; empty while there is none.
	Path string `json:"path,omitempty"`
	// Format is CANONICAL or NATIVE; empty when that is not known.
	Format string `json:"format,omitempty"`
	// Trigger is why it was taken, as MANUAL; empty when that is not known.
	Trigger string `json:"trigger,omitempty"`
	// Taken is when it was complete; absent for what is not known.
	Taken *time.Time `json:"taken,omitempty"`
	// Needed says which job needs it, and for what; empty when none is known to.
	Needed string `json:"needed,omitempty"`
}

// Known is what savepoints are known by.
type Known struct {
	// Namespace is the one that was read.
	Namespace string
	// Jobs are the resources with jobs whose savepoints are wanted.
	Jobs []*unstructured.Unstructured
	// Snapshots are the FlinkStateSnapshots that are wanted.
	Snapshots []*unstructured.Unstructured
	// Revisions are the histories by the UIDs of the resources.
	Revisions map[types.UID][]history.Revision
	// Needed says which job needs a path; empty for none.
	Needed func(path string) string
	// Unreadable says what could not be read.
	Unreadable []string
}

// SavepointsOf are the savepoints that are known: by FlinkStateSnapshots, by the status of a job, which has a history
// of them, its newest and the one of its last stop, and by what starts of it left. One that several of them have is
// told once, by the first of these.
func SavepointsOf(k Known) Savepoints {
	all := Savepoints{
		TypeMeta:  metav1.TypeMeta{APIVersion: Version, Kind: "SavepointsView"},
		Namespace: k.Namespace, Savepoints: []Savepoint{}, Unreadable: k.Unreadable,
	}
	there := map[string]bool{}
	add := func(one Savepoint, secrets redact.Secrets) {
		place := strings.TrimRight(one.Path, "/")
		if place == v1beta1.LastStatePlaceholder || place != "" && there[place] {
			return
		}
		there[place] = true
		one.Needed, one.Path = k.Needed(one.Path), secrets.Text(one.Path)
		all.Savepoints = append(all.Savepoints, one)
	}
	for _, u := range k.Snapshots {
		s, _ := read(u) // what cannot be read shows no more than its name
		if s.Spec.Savepoint != nil {
			add(s.savepoint(), s.secrets())
		}
	}
	for _, u := range k.Jobs {
		s, _ := read(u)
		secrets := s.secrets()
		for _, one := range slices.Concat(s.savepoints(), s.left(k.Revisions[u.GetUID()])) {
			if one.Path != "" {
				add(one, secrets)
			}
		}
	}
	slices.SortStableFunc(all.Savepoints, func(a, b Savepoint) int {
		switch {
		case a.Taken == nil && b.Taken == nil:
			return strings.Compare(a.Owner, b.Owner)
		case a.Taken == nil: // it is being taken
			return -1
		case b.Taken == nil:
			return 1
		}
		return b.Taken.Compare(*a.Taken)
	})
	return all
}

// left are the savepoints that starts of a job left.
func (s subject) left(revisions []history.Revision) (all []Savepoint) {
	for _, r := range revisions {
		if r.Ended != nil && r.Ended.Left != nil && r.Ended.Left.Kind == v1beta1.StartSavepoint {
			all = append(all, Savepoint{
				Job: &Ref{s.GetKind(), s.GetName()}, Owner: fmt.Sprintf("revision %d", r.Number),
				State: string(v1beta1.SnapshotCompleted), Path: r.Ended.Left.Path, Taken: since(r.Ended.Left.Taken),
			})
		}
	}
	return all
}

// savepoint is the one of a FlinkStateSnapshot.
func (s subject) savepoint() Savepoint {
	one := Savepoint{
		Job: s.of(), Owner: "snapshot/" + s.GetName(), State: s.Status.State, Path: s.Status.Path,
		Format: string(s.Spec.Savepoint.DesiredFormat()), Trigger: s.GetLabels()[v1beta1.LabelSnapshotTriggerType],
	}
	if one.State == "" {
		one.State = string(v1beta1.SnapshotTriggerPending)
	}
	if s.Spec.Savepoint.Exists() {
		one.Format = ""
	}
	for _, state := range s.states() {
		one.Taken = state.Taken
	}
	return one
}

// savepoints are those that the status of a job knows.
func (s subject) savepoints() (all []Savepoint) {
	of := &Ref{s.GetKind(), s.GetName()}
	add := func(path string, taken *time.Time, format, trigger string) {
		all = append(all, Savepoint{of, "status", string(v1beta1.SnapshotCompleted), path, format, trigger, taken, ""})
	}
	job := s.Status.JobStatus
	if info := job.SavepointInfo; info != nil {
		history := slices.Clone(info.SavepointHistory)
		if info.LastSavepoint != nil {
			history = append(history, *info.LastSavepoint)
		}
		for _, one := range history {
			taken := metav1.NewTime(time.UnixMilli(one.TimeStamp))
			add(one.Location, since(&taken), string(one.FormatType), string(one.TriggerType))
		}
	}
	add(job.UpgradeSavepointPath, since(job.StateTaken), "", string(v1beta1.SnapshotTriggerUpgrade))
	if from := job.StartedFrom; from != nil && from.Kind == v1beta1.StartSavepoint {
		add(from.Path, since(from.Taken), "", "")
	}
	return all
}

// Text is the list for a terminal.
func (s Savepoints) Text(now time.Time, noHeaders bool) string {
	var l labelled
	table := [][]string{{"JOB", "STATE", "AGE", "TRIGGER", "FORMAT", "OWNER", "NEEDED", "PATH"}}
	for _, one := range s.Savepoints {
		job, needed := "-", "-"
		if one.Job != nil {
			job = one.Job.Name
		}
		if one.Needed != "" {
			needed = "yes"
		}
		table = append(table, []string{
			Printable(job), Printable(dash(one.State)), ago(one.Taken, now), dash(one.Trigger), dash(one.Format),
			Printable(one.Owner), needed, Printable(dash(one.Path)),
		})
	}
	if noHeaders {
		table = table[1:]
	}
	if len(s.Savepoints) > 0 {
		l.out.WriteString(columns(table))
	}
	l.add("Unreadable", s.Unreadable...)
	return l.out.String()
}
