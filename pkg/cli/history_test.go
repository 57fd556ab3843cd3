package cli_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// operation is the ID of a start.
func operation(number int) string { return fmt.Sprintf("%010d%022d", number, 0) }

// kept has revisions of a resource: the newest has its spec, each before that another parallelism and image.
func (w *world) kept(kind, name string, n int) {
	w.t.Helper()
	object := w.Get(resourceOf(kind), "flink", name)
	for number := 1; number <= n; number++ {
		at := metav1.NewTime(w.Clock.Now().Add(-time.Duration(n-number) * time.Hour))
		spec, _, _ := unstructured.NestedMap(object.DeepCopy().Object, "spec")
		spec["image"] = fmt.Sprintf("registry/orders:1.%d", number)
		_ = unstructured.SetNestedField(spec, int64(number), "job", "parallelism")
		_ = unstructured.SetNestedField(spec, "stateless", "job", "upgradeMode")
		_ = unstructured.SetNestedField(spec, fmt.Sprintf("plantedInOld%d", number), "flinkConfiguration", "s3.secret-key")
		if number == n {
			spec, _, _ = unstructured.NestedMap(object.DeepCopy().Object, "spec")
		}
		taken := metav1.NewTime(at.Add(-time.Minute))
		r := history.Revision{
			Name: history.NameOf(name, operation(number)), Number: int64(number), Generation: int64(number),
			Operation: operation(number), Started: at, Spec: spec, ChangedBy: "kubectl-edit",
			From: v1beta1.StartPoint{
				Kind: v1beta1.StartSavepoint, Path: fmt.Sprintf("s3://bucket/savepoint-%d", number-1), Taken: &taken,
				Reason: "StopWithSavepoint",
			},
		}
		if number < n {
			stable, ended, left := metav1.NewTime(at.Add(time.Minute)), metav1.NewTime(at.Add(50*time.Minute)), at
			r.Stable, r.Ended = &stable, &v1beta1.RevisionEnd{At: ended, By: "Upgrade", Left: &v1beta1.StateLeft{
				Kind: v1beta1.StartSavepoint, Path: fmt.Sprintf("s3://bucket/savepoint-%d", number), Taken: &left,
			}}
		}
		if number == 1 {
			r.Ended.By, r.Ended.Why, r.Ended.Left.Kind = "Rollback", "it was not stable within 5m0s", v1beta1.StartLastState
		}
		made, err := r.Object(metav1.OwnerReference{
			APIVersion: v1beta1.APIVersion, Kind: kind, Name: name, UID: object.GetUID(),
		}, "flink")
		if err != nil {
			w.t.Fatal(err)
		}
		u, err := kube.Unstructured(made)
		if err != nil {
			w.t.Fatal(err)
		}
		w.add(u)
	}
	status, _, _ := unstructured.NestedMap(object.DeepCopy().Object, "status")
	status["deployed"] = map[string]any{"operationID": operation(n)}
	status["revision"] = map[string]any{
		"operationID": operation(n), "number": int64(n), "started": "2026-01-01T12:02:00Z",
		"stableSince": "2026-01-01T12:10:00Z", "kept": true,
	}
	if _, err := w.UpdateStatus(resourceOf(kind), "flink", name, status); err != nil {
		w.t.Fatal(err)
	}
}

// times are the commands about the history.
var times = []change{
	{"history orders", "", nil},
	{"history orders -v --no-headers", "", nil},
	{"history orders -o json", "", nil},
	{"history orders --diff 2,3", "", nil},
	{"history orders --diff 2", "", nil},
	{"history orders --revision 9", "", nil},
	{"history payments", "", nil},
	{"plan orders --to 9", "", nil},
	{"plan orders --to 2 -p {}", "", nil},
	{"plan shop --to 2", "", nil},
	{"rollback orders", "", nil},
	{"rollback orders --to 3", "", nil},
	{"rollback orders --to 3 --yes -v --no-wait", "", nil},
	{"rollback orders --to 3", "n\n", nil},
	{"rollback orders --to 3", "y\n", running},
	{"rollback orders --to 4 --yes", "", nil},
	{"rollback orders --to 4 --state=then --yes", "", nil},
	{"rollback orders --to 2 --state=then --no-wait", "y\n", nil},
	{"rollback orders --to 1 --state=then --no-wait", "y\n", nil},
	{"rollback orders --to 2 --state=s3://bucket/mine --yes --no-wait -v", "", nil},
	{"rollback orders --to 2 --state=snapshot/nightly --yes --no-wait -v", "", nil},
	{"rollback orders --to 2 --state=empty --yes --no-wait", "", nil},
	{"rollback orders --to 2 --state=empty --yes -v", "", running},
	{"rollback orders --to 2 --yes --dry-run=server", "", nil},
	{"rollback session --to 2", "", nil},
	{"rollback flinkbgdep/shop --to 2", "", nil},
	{"restore orders", "", nil},
	{"restore orders -o yaml", "", nil},
	{"restore session", "", nil},
	{"restore orders --from s3://bucket/mine", "", nil},
	{"restore orders --from snapshot/nightly --yes --no-wait -v", "", nil},
	{"restore orders --from snapshot/none --yes", "", nil},
	{"restore orders --empty --yes", "", running},
	{"restore orders --empty --from x", "", nil},
	{"restore session --empty", "", nil},
	{"why orders --restored", "", nil},
}

func historic(t testing.TB) *world {
	w := newWorld(t, "team.yaml")
	w.kept("FlinkDeployment", "orders", 4)
	return w
}

func TestHistoryRollbackAndRestore(t *testing.T) {
	var text strings.Builder
	for _, c := range times {
		text.WriteString(historic(t).changed(c))
	}
	held(t, "history.txt", text.String())
	if strings.Contains(text.String(), "planted") { // row C6
		t.Error("a secret is printed")
	}
}

// The manifest of a revision is the resource as it was started, for kubectl.
func TestTheManifestOfARevision(t *testing.T) {
	out, notes, code := historic(t).run("history", "orders", "--revision", "2", "-o", "yaml")
	if code != 0 || !strings.HasPrefix(out, "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\n") ||
		!strings.Contains(out, "image: registry/orders:1.2\n") {
		t.Errorf("exit code %d\n%s%s", code, out, notes)
	}
}

// Row C5: they ask for what their help names; a missing right is named, and what can be shown without it is.
func TestC5HistoryAsksForWhatItsHelpNames(t *testing.T) {
	for _, c := range times {
		w := historic(t)
		w.Tap.Forget()
		w.changed(c)
		for _, right := range w.asked() {
			verb, resource, _ := strings.Cut(right, " ")
			named := strings.HasPrefix(resource, "flink") || resource == "controllerrevisions" && verb == "list"
			looks := strings.HasPrefix(c.args, "why") && slices.Contains([]string{"pods", "events"}, resource)
			if !named && !looks || !slices.Contains([]string{"get", "list", "patch", "try"}, verb) {
				t.Errorf("%s asked for %s", c.args, right)
			}
		}
	}
	for _, row := range []struct {
		args  string
		code  int
		shows string
	}{
		{"history orders", 2, ""}, {"rollback orders --to 2 --yes", 2, ""}, {"restore orders", 0, "snapshot/nightly"},
		{"why orders --restored", 0, "started from"},
	} {
		w := historic(t)
		w.Tap.Inject(wire.Fault{Match: wire.On("list", "controllerrevisions"), Status: 403})
		out, notes, code := w.run(strings.Fields(row.args)...)
		if code != row.code || !strings.Contains(out+notes, "the right to list controllerrevisions.apps") ||
			!strings.Contains(out, row.shows) {
			t.Errorf("%s: exit code %d\n%s%s", row.args, code, out, notes)
		}
	}
}

// Row C9: what a GitOps tool owns is not rolled back without --force.
func TestC9WhatAGitOpsToolOwnsIsNotRolledBack(t *testing.T) {
	for _, command := range []string{
		"rollback orders --to 2 --yes --no-wait", "restore orders --from s3://x --yes --no-wait",
	} {
		w := historic(t)
		_, err := w.Update(resourceOf("FlinkDeployment"), "flink", "orders", func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"argocd.argoproj.io/tracking-id": "team-a:flink.apache.org/x:flink/orders"})
		})
		if err != nil {
			t.Fatal(err)
		}
		out, notes, code := w.run(strings.Fields(command)...)
		if code != 3 || !strings.Contains(notes, "commit the change") || !strings.Contains(out, "spec:") {
			t.Errorf("exit code %d\n%s%s", code, out, notes)
		}
		if out, notes, code := w.run(append(strings.Fields(command), "--force")...); code != 0 {
			t.Errorf("with --force: exit code %d\n%s%s", code, out, notes)
		}
	}
}
