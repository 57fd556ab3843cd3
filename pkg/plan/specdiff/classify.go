package specdiff

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Spec is a spec whose changes are classified.
type Spec interface {
	v1beta1.FlinkDeploymentSpec | v1beta1.FlinkSessionJobSpec
}

// Classify compares the spec acted on last with the wanted one. mode is the deployment mode of the wanted spec, for a
// session job that of its cluster; empty means native. A nil spec counts as an empty one.
//
//	field                                                             | native             | standalone
//	anything not named below                                          | UPGRADE            | UPGRADE
//	taskManager.replicas, job.parallelism                             | UPGRADE            | SCALE
//	job: savepointTriggerNonce, checkpointTriggerNonce, upgradeMode,  | IGNORE             | IGNORE
//	  initialSavepointPath, allowNonRestoredState,                    |                    |
//	  autoscalerResetNonce                                            |                    |
//	job.savepointRedeployNonce, to a value                            | SAVEPOINT_REDEPLOY | SAVEPOINT_REDEPLOY
//	job.savepointRedeployNonce, restartNonce, to null                 | no change          | no change
//	flinkConfiguration: job.autoscaler*, parallelism.default*,        | IGNORE             | IGNORE
//	  kubernetes.operator*                                            |                    |
//	flinkConfiguration: pipeline.jobvertex-parallelism-overrides*     | SCALE              | UPGRADE
//	job or taskManager present on one side only                       | UPGRADE            | UPGRADE
func Classify[S Spec](old, new *S, mode v1beta1.Mode) Change {
	var none S
	if old == nil {
		old = &none
	}
	if new == nil {
		new = &none
	}
	if reflect.DeepEqual(old, new) { // most rounds: nothing to flatten
		return Change{Kind: None}
	}
	switch wanted := any(new).(type) {
	case *v1beta1.FlinkSessionJobSpec:
		return makeChange(
			"FlinkSessionJobSpec", compare("", sessionJobTable, any(old).(*v1beta1.FlinkSessionJobSpec), wanted, mode),
		)
	case *v1beta1.FlinkDeploymentSpec:
		return makeChange(
			"FlinkDeploymentSpec", compare("", deploymentTable, any(old).(*v1beta1.FlinkDeploymentSpec), wanted, mode),
		)
	default:
		return Change{Kind: None}
	}
}

// Equal tells whether two specs ask for the same in everything, ignored fields and the spelling of flinkConfiguration
// included. Defaults count as set, and members of pod templates that Kubernetes does not know do not count. Two nil
// specs are equal.
func Equal[S Spec](a, b *S) bool {
	if a == nil || b == nil {
		return a == b
	}
	switch left := any(a).(type) {
	case *v1beta1.FlinkSessionJobSpec:
		return equalRows(sessionJobTable, left, any(b).(*v1beta1.FlinkSessionJobSpec))
	case *v1beta1.FlinkDeploymentSpec:
		return equalRows(deploymentTable, left, any(b).(*v1beta1.FlinkDeploymentSpec))
	default:
		return false
	}
}

// entry is a field that differs, before it is printed.
type entry struct {
	path     string
	old, new any
	kind     Kind
	// secret keeps both values out of every text.
	secret bool
}

func makeChange(specName string, entries []entry) Change {
	change := Change{Kind: None, Text: diffText(specName, entries)}
	for _, e := range entries {
		change.Fields = append(
			change.Fields,
			FieldChange{Path: e.path, Old: valueText(e.old, e.secret), New: valueText(e.new, e.secret), Kind: e.kind},
		)
		if severity[e.kind] > severity[change.Kind] {
			change.Kind = e.kind
		}
	}
	return change
}

func compare[S any](prefix string, rows []field[S], old, new *S, mode v1beta1.Mode) []entry {
	var entries []entry
	for _, row := range rows {
		path := prefix + row.name
		switch {
		case row.config != nil:
			entries = append(entries, compareConfig(path, row.config(old), row.config(new), mode)...)
		case row.part != nil && row.part.get(old) != nil && row.part.get(new) != nil:
			entries = append(entries, row.part.entries(path+".", old, new, mode)...)
		case row.part != nil:
			entries = append(entries, difference(entry{
				path: path, old: row.part.get(old), new: row.part.get(new), kind: Upgrade,
			})...)
		default:
			e := entry{path: path, old: row.value(old), new: row.value(new), kind: row.effect.in(mode)}
			if e.new != nil || !row.nullIsNoChange {
				entries = append(entries, difference(e)...)
			}
		}
	}
	return entries
}

// difference is the entry if its values differ, else nothing.
func difference(e entry) []entry {
	if same.DeepEqual(e.old, e.new) {
		return nil
	}
	return []entry{e}
}

func equalRows[S any](rows []field[S], a, b *S) bool {
	return !slices.ContainsFunc(rows, func(row field[S]) bool {
		switch {
		case row.config != nil:
			return !sameShape(row.config(a), row.config(b))
		case row.part != nil && row.part.get(a) != nil && row.part.get(b) != nil:
			return !row.part.equal(a, b)
		case row.part != nil:
			return row.part.get(a) != row.part.get(b)
		default:
			return !same.DeepEqual(row.value(a), row.value(b))
		}
	})
}

// table is a part whose rows stand in another table.
type table[S, P any] struct {
	rows []field[P]
	read func(*S) *P
}

func (t table[S, P]) get(s *S) any {
	if p := t.read(s); p != nil {
		return p
	}
	return nil
}

func (t table[S, P]) entries(prefix string, old, new *S, mode v1beta1.Mode) []entry {
	return compare(prefix, t.rows, t.read(old), t.read(new), mode)
}

func (t table[S, P]) equal(a, b *S) bool { return equalRows(t.rows, t.read(a), t.read(b)) }

// same compares values as Kubernetes means them: empty and absent lists and maps are one, quantities count by value,
// pod templates as they are read.
var same = makeSame()

func makeSame() equalities {
	e := equality.Semantic.Copy()
	// refuses only what is no comparison; a test shows that both are in
	_ = e.AddFuncs(v1beta1.PodTemplate.Equal, sameQuantity)
	return e
}

type equalities interface{ DeepEqual(a, b any) bool }

// sameQuantity compares by value; quantities that cannot be read compare as text.
func sameQuantity(a, b v1beta1.Quantity) bool {
	left, leftErr := a.Parse()
	right, rightErr := b.Parse()
	if leftErr != nil || rightErr != nil {
		return a == b
	}
	return left.Cmp(right) == 0
}

// unionKeys lists the keys of both maps once, sorted.
func unionKeys[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
