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
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// Need says whom a resource waits for.
type Need string

const (
	// NeedNothing: it is as its spec wants it.
	NeedNothing Need = ""
	// NeedTime: it moves, or waits, and continues by itself.
	NeedTime Need = "time"
	// NeedUser: nothing changes until a user acts.
	NeedUser Need = "user"
)

// mark is what a table shows of it.
func (n Need) mark() string { return map[Need]string{NeedTime: "!  ", NeedUser: "!! "}[n] }

// Ref names a resource of one namespace.
type Ref struct {
	// Kind is the kind.
	Kind string `json:"kind"`
	// Name is its name.
	Name string `json:"name"`
}

// Row is one resource in a list.
type Row struct {
	Ref `json:",inline"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Lifecycle is status.lifecycleState, or what a kind has in its place; empty before the first pass.
	Lifecycle string `json:"lifecycle,omitempty"`
	// Job is the state of its job; of a session cluster how many jobs it has.
	Job string `json:"job,omitempty"`
	// Since is when Lifecycle began; absent when that is not known.
	Since *time.Time `json:"since,omitempty"`
	// Need says whom it waits for; empty is nobody.
	Need Need `json:"need,omitempty"`
	// Now says what it waits for or what is wrong: a reason and its message.
	Now string `json:"now,omitempty"`
	// Wait says until when it waits, and what follows then; absent while it waits for nothing that has a time.
	Wait *Wait `json:"wait,omitempty"`
	// Suspended is whether its job is to be suspended.
	Suspended bool `json:"suspended,omitempty"`
	// Of is the resource below which it stands: a job's cluster, a side's pair, a snapshot's job; absent for others.
	Of *Ref `json:"of,omitempty"`
	// JobManager is status.jobManagerDeploymentStatus.
	JobManager string `json:"jobManager,omitempty"`
	// Flink is the version that runs, or the one of the spec.
	Flink string `json:"flink,omitempty"`
	// Parallelism is the one of the spec; 0 is not set.
	Parallelism int64 `json:"parallelism,omitempty"`
	// Generation is the one of the spec.
	Generation int64 `json:"generation,omitempty"`
	// Judged is the generation that was looked at last; 0 is none.
	Judged int64 `json:"judged,omitempty"`
	// Deployed is the generation that runs; 0 is not known.
	Deployed int64 `json:"deployed,omitempty"`
	// UpgradeMode is the one of the spec.
	UpgradeMode string `json:"upgradeMode,omitempty"`
	// Path is where the data of a snapshot lies; empty while there is none.
	Path string `json:"path,omitempty"`
}

// Wait is a wait that has a time.
type Wait struct {
	// For is the reason of what is waited for, in one word.
	For string `json:"for"`
	// Until is when it ends at the latest.
	Until time.Time `json:"until"`
	// Then is what follows at that time.
	Then string `json:"then,omitempty"`
}

// wait is status.wait or, of a status of an earlier version, the next attempt of what failed, where that is waited for.
func (s subject) wait() *Wait {
	if w := s.Status.Wait; w != nil {
		return &Wait{w.For, w.Until.UTC(), w.Then}
	}
	var r *v1beta1.Retry
	switch {
	case s.Status.Refused != nil:
		r = &s.Status.Refused.Retry
	case s.Status.Retry != nil:
		r = s.Status.Retry
	}
	if c := s.holds(summary.Reconciling); r == nil || c == nil || c.Reason != r.Reason {
		return nil
	}
	return &Wait{r.Reason, r.After.UTC(), "it is tried again"}
}

// RowOf is a resource as a list shows it.
func RowOf(object *unstructured.Unstructured) Row {
	s, err := read(object)
	r := s.row()
	if err != nil {
		r.Need, r.Now = NeedUser, "Unreadable: "+err.Error()
	}
	if r.Now != "" {
		secrets := s.secrets()
		r.Now = secrets.Text(r.Now)
		if r.Wait != nil {
			r.Wait.Then = secrets.Text(r.Wait.Then)
		}
	}
	return r
}

// ShownOf is a resource as a list shows it whose rows have paths: without the secrets of its path.
func ShownOf(object *unstructured.Unstructured) Row {
	r := RowOf(object)
	r.Path = SecretsOf(object).Text(r.Path)
	return r
}

// release writes a version of a spec as Flink does.
var release = strings.NewReplacer("v", "", "_", ".")

func (s subject) row() Row {
	state := ResourceOf(s.Unstructured)
	r := Row{
		Ref: Ref{s.GetKind(), s.GetName()}, Namespace: s.GetNamespace(), Of: s.of(),
		Lifecycle: state.Lifecycle, Job: state.Job, Since: since(s.Status.LifecycleSince),
		JobManager: string(s.Status.JobManagerDeploymentStatus), Path: s.Status.Path,
		Flink: cmp.Or(s.Status.ClusterInfo["flink-version"],
			release.Replace(cmp.Or(s.Spec.FlinkVersion, s.Spec.Template.Spec.FlinkVersion))),
		Generation: s.GetGeneration(), Judged: max(s.Status.ObservedGeneration, 0), Deployed: s.deployed(),
	}
	if job := s.jobSpec(); job != nil {
		r.Suspended = job.State == string(v1beta1.JobStateSuspended)
		r.Parallelism, r.UpgradeMode = job.Parallelism, job.UpgradeMode
	}
	if ready := s.condition(summary.Ready); r.Since == nil && ready != nil {
		r.Since = since(&ready.LastTransitionTime)
	}
	if r.Need, r.Now = s.need(); r.Now != "" {
		r.Wait = s.wait()
	}
	return r
}

// need is whom the resource waits for, and why. The first row that fits counts:
//
//	Stalled                                    | a user | its reason and message
//	it is being deleted                        | time   | the same of Reconciling, or that it is being deleted
//	Reconciling                                | time   | its reason and message
//	a status of another operator, with error   | time   | the error
//	nobody has looked at this generation yet   | time   | that
//	otherwise                                  | nobody | nothing
func (s subject) need() (Need, string) {
	deleted := s.GetDeletionTimestamp() != nil
	switch stalled, moves := s.holds(summary.Stalled), s.holds(summary.Reconciling); {
	case stalled != nil:
		return NeedUser, said(stalled)
	case moves != nil:
		return NeedTime, said(moves)
	case deleted:
		return NeedTime, "is being deleted"
	case s.Status.Error != "":
		return NeedTime, errorText(s.Status.Error)
	case max(s.Status.ObservedGeneration, 0) == 0 && s.condition(summary.Ready) == nil && s.Status.LifecycleState == "" &&
		s.Status.State == "" && s.Status.BlueGreenState == "":
		return NeedTime, "no operator has looked at it yet"
	}
	return NeedNothing, ""
}

func said(c *metav1.Condition) string {
	if c.Message == "" {
		return c.Reason
	}
	return c.Reason + ": " + c.Message
}

// deployed is the generation that runs; 0 when that is not known.
func (s subject) deployed() int64 {
	if s.Status.DeployedGeneration != nil {
		return *s.Status.DeployedGeneration
	}
	return max(s.Status.ObservedGeneration, 0)
}

// of is the resource below which this one stands.
func (s subject) of() *Ref {
	if s.Spec.DeploymentName != "" {
		return &Ref{v1beta1.KindFlinkDeployment, s.Spec.DeploymentName}
	}
	if j := s.Spec.JobReference; j != nil && j.Name != "" {
		return &Ref{cmp.Or(string(j.Kind), v1beta1.KindFlinkDeployment), j.Name}
	}
	for _, owner := range s.GetOwnerReferences() {
		if _, ours := kinds.Of(owner.Kind); ours {
			return &Ref{owner.Kind, owner.Name}
		}
	}
	return nil
}

// Select says which rows a list has. The zero value has all.
type Select struct {
	// Stalled, Moving and Suspended select those that wait for a user, that continue by themselves, and whose job is to
	// be suspended. None of them selects all, several what any of them does.
	Stalled, Moving, Suspended bool
	// ByNeed puts those first that need a user, then those that move, instead of sorting by name alone.
	ByNeed bool
}

// Has is whether a row is selected.
func (s Select) Has(r Row) bool {
	return !s.Stalled && !s.Moving && !s.Suspended ||
		s.Stalled && r.Need == NeedUser || s.Moving && r.Need == NeedTime || s.Suspended && r.Suspended
}

// Rows are the selected rows in their order, and how many jobs each session cluster of all has in its column Job.
func Rows(all []Row, chosen Select) []Row {
	jobs := map[string]int{}
	for _, r := range all {
		if r.Kind == v1beta1.KindFlinkSessionJob && r.Of != nil {
			jobs[r.Namespace+"/"+r.Of.Name]++
		}
	}
	var rows []Row
	for _, r := range all {
		if n := jobs[r.Namespace+"/"+r.Name]; r.Kind == v1beta1.KindFlinkDeployment && n > 0 {
			r.Job = counted(n, "job")
		}
		if chosen.Has(r) {
			rows = append(rows, r)
		}
	}
	urgency := map[Need]int{NeedUser: -2, NeedTime: -1}
	slices.SortStableFunc(rows, func(a, b Row) int {
		byNeed := 0
		if chosen.ByNeed {
			byNeed = urgency[a.Need] - urgency[b.Need]
		}
		return cmp.Or(byNeed, strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name),
			strings.Compare(a.Kind, b.Kind))
	})
	return rows
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Branch is a row at its place in a tree.
type Branch struct {
	Row
	// Last says of each level from the top down whether it is the last one there; empty for a row at the top.
	Last []bool
}

// Tree puts rows below the ones that they belong to, if those are among them.
func Tree(rows []Row) []Branch {
	below := map[string][]Row{}
	there := map[string]bool{}
	id := func(namespace string, r Ref) string { return namespace + " " + r.Kind + " " + r.Name }
	for _, r := range rows {
		there[id(r.Namespace, r.Ref)] = true
	}
	var tops []Row
	for _, r := range rows {
		if r.Of != nil && there[id(r.Namespace, *r.Of)] && *r.Of != r.Ref {
			below[id(r.Namespace, *r.Of)] = append(below[id(r.Namespace, *r.Of)], r)
		} else {
			tops = append(tops, r)
		}
	}
	var tree []Branch
	var grow func(Row, []bool)
	grow = func(r Row, last []bool) {
		tree = append(tree, Branch{r, last})
		children := below[id(r.Namespace, r.Ref)]
		for i, child := range children {
			grow(child, append(slices.Clone(last), i == len(children)-1))
		}
	}
	for _, r := range tops {
		grow(r, nil)
	}
	return tree
}
