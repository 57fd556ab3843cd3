package cli_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// suspended, running and complete are the ends of what a user asked for.
var (
	suspended = map[string]any{
		"lifecycleState": "SUSPENDED", "conditions": readyNow("Suspended"),
		"jobStatus": map[string]any{"state": "FINISHED", "upgradeSavepointPath": "s3://bucket/savepoint-91c0"},
	}
	running  = map[string]any{"lifecycleState": "STABLE", "conditions": readyNow("Ready")}
	complete = map[string]any{"state": "COMPLETED", "path": "s3://bucket/savepoint-1", "conditions": readyNow("Ready")}
)

// change is a command that changes something.
type change struct {
	args string
	// input is what the user types; empty where there is no terminal.
	input string
	// end is what the resource becomes at the third look at it; nil is nothing.
	end map[string]any
}

var changes = []change{
	{"suspend orders -v", "", suspended},
	{"suspend orders --timeout=20m", "", nil},
	{"suspend orders --no-wait", "", nil},
	{"suspend old-report", "", nil},
	{"suspend session", "", nil},
	{"suspend flinksnp/nightly", "", nil},
	{"suspend shop --no-wait -v", "", nil},
	{"resume old-report --no-wait -v", "", nil},
	{"restart orders", "", running},
	{"restart orders", "", map[string]any{"conditions": []any{
		map[string]any{"type": "Stalled", "status": "True", "reason": "UpgradeFailed", "message": "no: plantedInSpec"},
	}}},
	{"restart etl", "", nil},
	{"restart etl", "n\n", nil},
	{"restart etl --no-wait", "y\n", nil},
	{"restart etl --no-wait --yes", "", nil},
	{"restart session --no-wait", "", nil},
	{"scale orders 8 --dry-run=server", "", nil},
	{"scale orders 8 --dry-run=client", "", nil},
	{"scale orders 8 --no-wait -v", "", nil},
	{"scale orders none", "", nil},
	{"scale session 3", "", nil},
	{"reconcile payments -v", "", nil},
	{"autoscale pause orders --no-wait -v", "", nil},
	{"autoscale resume orders", "", nil},
	{"autoscale reset orders --no-wait -v", "", nil},
	{"autoscale pause session", "", nil},
	{"promote moving -n default -v --no-wait", "", nil},
	{"abort moving -n default -v", "", nil},
	{"promote shop", "", nil},
	{"abort orders", "", nil},
}

func (w *world) changed(c change) string {
	args := strings.Fields(c.args)
	w.input = c.input
	if strings.Contains(c.args, "--timeout") {
		w.late("FlinkDeployment", 4)
	}
	if c.end != nil {
		w.becomes(3, "FlinkDeployment", args[1], c.end)
	}
	return w.transcript(args...)
}

func TestChanges(t *testing.T) {
	var text strings.Builder
	for _, c := range changes {
		text.WriteString(newWorld(t, "team.yaml").changed(c))
	}
	held(t, "changes.txt", text.String())
	if strings.Contains(text.String(), "planted") { // row C6
		t.Error("a secret is printed")
	}
}

// Row C5: a change patches the resource that it names, once, and asks for nothing but what its help names.
func TestC5AChangeAsksForWhatItsHelpNames(t *testing.T) {
	for _, c := range changes {
		w := newWorld(t, "team.yaml")
		w.Tap.Forget()
		w.changed(c)
		for _, right := range w.asked() {
			verb, resource, _ := strings.Cut(right, " ")
			if !strings.HasPrefix(resource, "flink") || !slices.Contains([]string{"get", "patch", "try"}, verb) {
				t.Errorf("%s asked for %s", c.args, right)
			}
		}
	}
}

// Row C9: what Argo CD, Flux or Helm owns is not changed without --force, and the change to commit is printed.
func TestC9WhatAGitOpsToolOwnsIsNotChanged(t *testing.T) {
	var text strings.Builder
	for _, own := range []func(*unstructured.Unstructured){
		func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"argocd.argoproj.io/tracking-id": "team-a:flink.apache.org/x:flink/orders"})
		},
		func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"})
		},
		func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"meta.helm.sh/release-name": "orders"})
		},
		nil, // a field manager
	} {
		w := newWorld(t, "team.yaml")
		gvr := resourceOf("FlinkDeployment")
		var err error
		if own != nil {
			_, err = w.Update(gvr, "flink", "orders", own)
		} else {
			_, err = w.Dynamic("x").Resource(gvr).Namespace("flink").Patch(t.Context(), "orders", types.MergePatchType,
				[]byte(`{"metadata":{"labels":{"team":"b"}}}`), metav1.PatchOptions{FieldManager: "argocd-controller"})
		}
		if err != nil {
			t.Fatal(err)
		}
		before := w.Get(gvr, "flink", "orders")
		text.WriteString(w.transcript("scale", "orders", "8"))
		if now := w.Get(gvr, "flink", "orders"); now.GetGeneration() != before.GetGeneration() {
			t.Error("it was changed")
		}
		if out, notes, code := w.run("reconcile", "orders"); code != 0 {
			t.Errorf("a pass is refused: %s%s", out, notes)
		}
		if out, notes, code := w.run("scale", "orders", "8", "--force", "--no-wait"); code != 0 {
			t.Errorf("with --force: %s%s", out, notes)
		}
		if now := w.Get(gvr, "flink", "orders"); now.GetGeneration() == before.GetGeneration() {
			t.Error("--force did not change it")
		}
	}
	held(t, "owned.txt", text.String())
}

func TestARefusedChange(t *testing.T) {
	kind := schema.GroupKind{Group: "flink.apache.org", Kind: "FlinkDeployment"}
	for name, row := range map[string]struct {
		refuse error
		code   int
	}{
		"invalid": {apierrors.NewInvalid(kind, "orders", nil), 3},
		"admission": {apierrors.NewForbidden(schema.GroupResource{}, "orders",
			errors.New(`admission webhook "admit" denied the request: no`)), 3},
		"forbidden": {apierrors.NewForbidden(schema.GroupResource{}, "orders", errors.New("no right")), 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "team.yaml")
			w.Admit = func(_, _ *unstructured.Unstructured) error { return row.refuse }
			if out, notes, code := w.run("scale", "orders", "8"); code != row.code || out != "" {
				t.Errorf("exit code %d, want %d\n%s%s", code, row.code, out, notes)
			}
		})
	}
}

func TestSnapshots(t *testing.T) {
	var text strings.Builder
	for _, row := range []struct {
		args string
		end  map[string]any
	}{
		{"savepoint orders --name=before --format=native --path=s3://other --keep", complete},
		{"savepoint orders --name=before", map[string]any{"state": "ABANDONED"}},
		{"savepoint orders --name=before --timeout=20m", nil},
		{"savepoint orders --no-wait", nil},
		{"savepoint orders --dry-run=server", nil},
		{"savepoint orders --format=xml", nil},
		{"savepoint orders --name=nightly", nil},
		{"savepoint session", nil},
		{"savepoint shop", nil},
		{"checkpoint etl --name=before", complete},
	} {
		w := newWorld(t, "team.yaml")
		if strings.Contains(row.args, "--timeout") {
			w.late("FlinkStateSnapshot", 3)
		}
		if row.end != nil {
			w.becomes(2, "FlinkStateSnapshot", "before", row.end)
		}
		text.WriteString(w.transcript(strings.Fields(row.args)...))
		if made := w.Get(resourceOf("FlinkStateSnapshot"), "flink", "before"); made != nil && row.end != nil {
			spec, err := made.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			_, asked, _ := strings.Cut(string(spec), `"spec":`)
			asked, _, _ = strings.Cut(asked, `,"status"`)
			text.WriteString(asked + "\n\n")
		}
	}
	held(t, "snapshots.txt", text.String())
}

// Row C7: a second run finds the savepoint of one that was killed.
func TestC7ASecondRunFindsTheSavepoint(t *testing.T) {
	w := newWorld(t, "team.yaml")
	w.late("FlinkStateSnapshot", 2)
	if _, notes, code := w.run("savepoint", "orders", "--timeout=10m"); code != 124 {
		t.Fatalf("exit code %d\n%s", code, notes)
	}
	w.becomes(2, "FlinkStateSnapshot", "orders-0101-130000", complete)
	out, notes, code := w.run("savepoint", "orders")
	if code != 0 || out != "s3://bucket/savepoint-1\n" || !strings.Contains(notes, "asked for before") {
		t.Errorf("exit code %d\n%s%s", code, out, notes)
	}
	if all := w.List(resourceOf("FlinkStateSnapshot"), "flink", nil); len(all) != 2 { // and nightly
		t.Errorf("%d snapshots", len(all))
	}
}

func TestAClusterWithoutSnapshots(t *testing.T) {
	w := newWorld(t, "team.yaml")
	w.Tap.Inject(wire.Fault{Match: wire.On("", "flinkstatesnapshots"), Status: 404})
	out, notes, code := w.run("savepoint", "orders")
	if code != 0 || !strings.Contains(out, "savepointTriggerNonce: 0 -> 1") || !strings.Contains(notes, "savepointInfo") {
		t.Errorf("exit code %d\n%s%s", code, out, notes)
	}
	if _, notes, code := w.run("checkpoint", "orders"); code != 2 || !strings.Contains(notes, "checkpointTriggerNonce") {
		t.Errorf("exit code %d\n%s", code, notes)
	}
}

// savepoints are the commands about savepoints that are there.
var savepoints = []change{
	{"savepoint list", "", nil},
	{"savepoint list orders", "", nil},
	{"savepoint list orders -o json", "", nil},
	{"savepoint list etl --no-headers", "", nil},
	{"savepoint list nobody", "", nil},
	{"savepoint list -n default", "", nil},
	{"savepoint delete nightly", "", nil},
	{"savepoint delete nightly", "n\n", nil},
	{"savepoint delete flinksnp/nightly -v", "y\n", nil},
	{"savepoint delete snapshot/nightly --yes --no-wait", "", nil},
	{"savepoint delete nightly --dry-run=server", "", nil},
	{"savepoint delete kept --yes", "", nil},
	{"savepoint delete one-checkpoint", "", nil},
	{"savepoint delete base --yes", "", nil},
	{"savepoint delete base --yes --force", "", nil},
	{"savepoint delete nobody", "", nil},
	{"savepoint delete flinkdep/orders", "", nil},
}

// saved is a world whose job orders has savepoints of each sort.
func saved(t testing.TB) *world {
	w := newWorld(t, "team.yaml")
	w.kept("FlinkDeployment", "orders", 3)
	w.add(snapshotOf("kept", map[string]any{"savepoint": map[string]any{"disposeOnDelete": false}}, "s3://bucket/kept"))
	w.add(snapshotOf("base", map[string]any{"savepoint": map[string]any{}}, "s3://bucket/savepoint-8f12"))
	w.add(snapshotOf("running", map[string]any{"savepoint": map[string]any{"formatType": "NATIVE"}}, ""))
	w.add(snapshotOf("one-checkpoint", map[string]any{"checkpoint": map[string]any{}}, "s3://bucket/chk-3"))
	status, _, _ := unstructured.NestedMap(w.Get(resourceOf("FlinkDeployment"), "flink", "orders").Object, "status")
	_ = unstructured.SetNestedField(status, map[string]any{
		"lastPeriodicSavepointTimestamp": int64(0),
		"savepointHistory": []any{map[string]any{
			"timeStamp": int64(1767271800000), "location": "s3://bucket/by-nonce", "triggerType": "MANUAL",
			"formatType": "CANONICAL",
		}},
	}, "jobStatus", "savepointInfo")
	if _, err := w.UpdateStatus(resourceOf("FlinkDeployment"), "flink", "orders", status); err != nil {
		t.Fatal(err)
	}
	return w
}

func snapshotOf(name string, spec map[string]any, path string) *unstructured.Unstructured {
	spec["jobReference"] = map[string]any{"kind": "FlinkDeployment", "name": "orders"}
	status := map[string]any{"failures": int64(0), "state": "IN_PROGRESS"}
	if path != "" {
		status["state"], status["path"], status["resultTimestamp"] = "COMPLETED", path, "2026-01-01T12:20:00Z"
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkStateSnapshot",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"snapshot.trigger-type": "PERIODIC"}},
		"spec":     spec, "status": status,
	}}
}

func TestSavepoints(t *testing.T) {
	var text strings.Builder
	for _, c := range savepoints {
		w := saved(t)
		before := len(w.List(resourceOf("FlinkStateSnapshot"), "flink", nil))
		text.WriteString(w.changed(c))
		fmt.Fprintf(&text, "# %d deleted\n\n", before-len(w.List(resourceOf("FlinkStateSnapshot"), "flink", nil)))
	}
	held(t, "savepoints.txt", text.String())
	if strings.Contains(text.String(), "planted") { // row C6
		t.Error("a secret is printed")
	}
}

// Row C5: they ask for what their help names. Where it cannot be read which job needs one, it is not deleted.
func TestC5SavepointsAskForWhatTheirHelpNames(t *testing.T) {
	for _, c := range savepoints {
		w := saved(t)
		w.Tap.Forget()
		w.changed(c)
		for _, right := range w.asked() {
			verb, resource, _ := strings.Cut(right, " ")
			named := strings.HasPrefix(resource, "flink") && verb != "delete" || right == "list controllerrevisions" ||
				right == "delete flinkstatesnapshots"
			if !named || !slices.Contains([]string{"get", "list", "delete"}, verb) {
				t.Errorf("%s asked for %s", c.args, right)
			}
		}
	}
	for _, row := range []struct {
		resource, args string
		code           int
		shows          string
	}{
		{"flinksessionjobs", "savepoint delete nightly --yes", 3, "list flinksessionjobs"},
		{"controllerrevisions", "savepoint list orders", 0, "snapshot/nightly"},
		{"flinkstatesnapshots", "savepoint list", 0, "by-nonce"},
	} {
		w := saved(t)
		w.Tap.Inject(wire.Fault{Match: wire.On("list", row.resource), Status: 403})
		out, notes, code := w.run(strings.Fields(row.args)...)
		if code != row.code || !strings.Contains(out+notes, row.shows) ||
			!strings.Contains(out+notes, "the right to list "+row.resource) {
			t.Errorf("%s: exit code %d\n%s%s", row.args, code, out, notes)
		}
	}
}

// Row C9: a FlinkStateSnapshot that a GitOps tool owns is not deleted without --force.
func TestC9ASnapshotOfAGitOpsToolIsNotDeleted(t *testing.T) {
	w := newWorld(t, "team.yaml")
	if _, err := w.Update(resourceOf("FlinkStateSnapshot"), "flink", "nightly", func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"})
	}); err != nil {
		t.Fatal(err)
	}
	out, notes, code := w.run("savepoint", "delete", "nightly", "--yes")
	if code != 3 || !strings.Contains(out, "take its manifest out") || !strings.Contains(notes, "Flux Kustomization") {
		t.Errorf("exit code %d\n%s%s", code, out, notes)
	}
	if _, notes, code := w.run("savepoint", "delete", "nightly", "--yes", "--force"); code != 0 {
		t.Errorf("exit code %d\n%s", code, notes)
	}
}
