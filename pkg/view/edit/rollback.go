package edit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// The states that a rollback starts from, beside a path.
const (
	StateNow   = "now"
	StateThen  = "then"
	StateEmpty = "empty"
)

// kept are the fields of a spec that are not taken from an old revision: whether the job runs, how it is stopped, and
// what was asked for once.
var kept = [][]string{
	{"job", "state"}, {"job", "upgradeMode"}, {"job", "initialSavepointPath"}, {"job", "savepointRedeployNonce"},
	{"job", "savepointTriggerNonce"}, {"job", "checkpointTriggerNonce"}, {"job", "autoscalerResetNonce"},
	{"restartNonce"}, {"deploymentName"},
}

// goalReady is what to wait for where a job starts.
const goalReady = "ready"

// Rollback makes the spec of a revision the one of the resource again. from is what the job starts from: StateNow,
// StateThen, StateEmpty or a path. hide takes the secrets of both out of a text; nil leaves it.
func Rollback(
	object *unstructured.Unstructured, to history.Revision, from string, hide func(string) string,
) (Edit, error) {
	if err := ownJob(object); err != nil {
		return Edit{}, err
	}
	if to.Spec == nil {
		return Edit{}, fmt.Errorf("the spec of revision %d is not kept, because it has %d bytes", to.Number, to.Omitted)
	}
	now, _, _ := unstructured.NestedMap(object.Object, "spec")
	then := (&unstructured.Unstructured{Object: to.Spec}).DeepCopy().Object
	for _, path := range kept {
		unstructured.RemoveNestedField(then, path...)
		if value, has, _ := unstructured.NestedFieldCopy(now, path...); has {
			if err := unstructured.SetNestedField(then, value, path...); err != nil {
				return Edit{}, fmt.Errorf("take %s over: %w", strings.Join(path, "."), err)
			}
		}
	}
	changes := Changes(now, then, hide)
	e := Edit{
		Hide: hide, Says: fmt.Sprintf("to revision %d: %s", to.Number, strings.Join(changes, ", ")), Goal: goalOf(now),
		Patch: map[string]any{"spec": patchOf(now, then)},
	}
	if len(changes) == 0 {
		e.Says = fmt.Sprintf("to revision %d: the spec stays as it is", to.Number)
	}
	switch {
	case from == StateNow && len(changes) == 0:
		e.Nothing = true
		return e, nil
	case from == StateNow:
		e.GivesUp = "the job is stopped and started again, with " + stateNow(now)
		return e, nil
	case from == StateThen:
		left, err := leftBy(to)
		if err != nil {
			return Edit{}, err
		}
		return e.from(now, left, stateThen(to)), nil
	case from == StateEmpty:
		return e.empty(now)
	}
	return e.from(now, from, "the job starts from "+from+": what it has done since is done again, or lost"), nil
}

// Restore starts the job from a state; an empty path starts it without one.
func Restore(object *unstructured.Unstructured, path string) (Edit, error) {
	if err := ownJob(object); err != nil {
		return Edit{}, err
	}
	now, _, _ := unstructured.NestedMap(object.Object, "spec")
	e := Edit{Says: "started from " + path, Goal: goalOf(now), Patch: map[string]any{"spec": map[string]any{}}}
	if path == "" {
		e.Says = "started empty"
		return e.empty(now)
	}
	return e.from(now, path, "the job starts from that state: what it has done since is done again, or lost"), nil
}

// from adds what the job starts from.
func (e Edit) from(now map[string]any, path, givesUp string) Edit {
	nonce, _, _ := unstructured.NestedInt64(now, "job", "savepointRedeployNonce")
	spec := e.Patch["spec"].(map[string]any)
	job, _ := spec["job"].(map[string]any)
	if job == nil {
		job = map[string]any{}
		spec["job"] = job
	}
	job["savepointRedeployNonce"], job["initialSavepointPath"] = nonce+1, path
	e.GivesUp = givesUp
	return e
}

// empty starts the job without state: stateless, until it runs. One that is suspended is not started now, so that its
// upgradeMode could not be set back.
func (e Edit) empty(now map[string]any) (Edit, error) {
	if e.Goal != goalReady {
		return Edit{}, fmt.Errorf("the job is suspended, and would not start now: resume it first")
	}
	mode, has, _ := unstructured.NestedFieldCopy(now, "job", "upgradeMode")
	nonce, _, _ := unstructured.NestedInt64(now, "restartNonce")
	spec := e.Patch["spec"].(map[string]any)
	spec["restartNonce"] = nonce + 1
	e.GivesUp = "the state of the job is given up: it starts empty"
	if !has || strings.EqualFold(fmt.Sprint(mode), string(v1beta1.UpgradeModeStateless)) {
		return e, nil
	}
	job, _ := spec["job"].(map[string]any)
	if job == nil {
		job = map[string]any{}
		spec["job"] = job
	}
	job["upgradeMode"] = string(v1beta1.UpgradeModeStateless)
	e.After = map[string]any{"spec": map[string]any{"job": map[string]any{"upgradeMode": mode}}}
	e.AfterSays = fmt.Sprintf("spec.job.upgradeMode: stateless -> %v", mode)
	e.Notes = append(e.Notes, fmt.Sprintf("its upgradeMode is stateless until it runs, and %v again then", mode))
	return e, nil
}

// ownJob refuses what has no job, and what a pair would change back.
func ownJob(object *unstructured.Unstructured) error {
	at, err := specOf(object)
	if err != nil {
		return err
	}
	if len(at) > 1 {
		return fmt.Errorf("%s is a %s, which keeps no revisions of its own: change its template", object.GetName(),
			object.GetKind())
	}
	if !hasJob(object, at) {
		return fmt.Errorf("%s is a session cluster and has no job: name one of its session jobs", object.GetName())
	}
	for _, owner := range object.GetOwnerReferences() {
		if owner.Kind == v1beta1.KindFlinkBlueGreenDeployment {
			return fmt.Errorf("%s is a side of %s, which would change it back: change the template of that",
				object.GetName(), owner.Name)
		}
	}
	return nil
}

// leftBy is the path of the state that a revision left.
func leftBy(r history.Revision) (string, error) {
	switch {
	case r.Ended == nil:
		return "", fmt.Errorf("revision %d has not ended, so it has left no state: use --state=now", r.Number)
	case r.Ended.Left == nil || r.Ended.Left.Path == "":
		return "", fmt.Errorf("nothing says which state revision %d left: name one with --state=PATH; kn flink restore "+
			"lists those that are known", r.Number)
	case strings.Contains(r.Ended.Left.Path, redact.Hidden):
		return "", fmt.Errorf("the path of the state that revision %d left has a secret, which is not kept: write the "+
			"path itself with --state=PATH", r.Number)
	}
	return r.Ended.Left.Path, nil
}

// stateThen says what a start from the state that a revision left gives up.
func stateThen(r history.Revision) string {
	left := r.Ended.Left
	text := "the job starts from " + left.Path + ", which revision " + fmt.Sprint(r.Number) + " left"
	if left.Taken != nil {
		text += " at " + left.Taken.UTC().Format("2006-01-02 15:04:05 MST")
	}
	text += ": everything since then is done again, or lost"
	if left.Kind == v1beta1.StartLastState {
		text += ". It is the newest checkpoint that was seen then: Flink may have removed it, and the start fails then"
	}
	return text
}

// stateNow says what a job has when it is stopped and started as its spec says.
func stateNow(spec map[string]any) string {
	mode, _, _ := unstructured.NestedString(spec, "job", "upgradeMode")
	switch v1beta1.UpgradeMode(strings.ToLower(mode)) {
	case v1beta1.UpgradeModeSavepoint:
		return "the state that it has now: its upgradeMode is savepoint"
	case v1beta1.UpgradeModeLastState:
		return "its last state: its upgradeMode is last-state"
	}
	return "no state: its upgradeMode is stateless"
}

func goalOf(spec map[string]any) string {
	if state, _, _ := unstructured.NestedString(spec, "job", "state"); state == string(v1beta1.JobStateSuspended) {
		return "suspended"
	}
	return goalReady
}

// patchOf is the merge patch that makes one content of another.
func patchOf(now, then map[string]any) map[string]any {
	patch := map[string]any{}
	for name := range now {
		if _, stays := then[name]; !stays {
			patch[name] = nil
		}
	}
	for name, value := range then {
		was, had := now[name]
		before, isMap := was.(map[string]any)
		after, becomesMap := value.(map[string]any)
		switch {
		case had && same(was, value):
		case isMap && becomesMap:
			patch[name] = patchOf(before, after)
		default:
			patch[name] = value
		}
	}
	return patch
}

// same compares values of JSON: 1 and 1.0 are the same.
func same(a, b any) bool {
	return reflect.DeepEqual(a, b) || fmt.Sprint(a) == fmt.Sprint(b) && scalar(a) && scalar(b)
}

func scalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// Changes are the fields in which two specs differ, sorted, as "image: a -> b". Values of fields whose name says that
// they are secret are hidden, and what hide hides; of a list it is told how long it is: its entries may be objects with
// secrets.
func Changes(before, after map[string]any, hide func(string) string) []string {
	was, is := map[string]any{}, map[string]any{}
	flatten("", before, was)
	flatten("", after, is)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !same(was[name], is[name]) {
			changes = append(changes, fmt.Sprintf("%s: %s -> %s", name, shown(name, was[name], hide),
				shown(name, is[name], hide)))
		}
	}
	return changes
}

// shown is a value as a line has it.
func shown(name string, value any, hide func(string) string) string {
	const longest = 80
	list, isList := value.([]any)
	text := fmt.Sprint(value)
	switch {
	case value == nil || text == "":
		return "(none)"
	case redact.Sensitive(name):
		return redact.Hidden
	case isList:
		return fmt.Sprintf("[%d]", len(list))
	}
	if hide != nil {
		text = hide(text)
	}
	if len([]rune(text)) > longest {
		return string([]rune(text)[:longest-1]) + "…"
	}
	return text
}

// flatten has each value of a content under its path. A list is one value, an object without fields is none.
func flatten(path string, value any, into map[string]any) {
	fields, is := value.(map[string]any)
	if !is {
		into[path] = value
		return
	}
	for name, of := range fields {
		flatten(strings.TrimPrefix(path+"."+name, "."), of, into)
	}
}
