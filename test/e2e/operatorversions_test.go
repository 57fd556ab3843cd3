//go:build e2e && nightly

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// firstVersion is the commit that stands for v0.1.0.
const firstVersion = "766c4b4f3267d945b4572519c9111ef786104615"

// An operator is updated from the first version to this one, and back, beside resources in many situations: none of
// their jobs is restarted, each of them can be changed afterwards, and what waited goes on to wait.
func TestTheOperatorIsUpdatedAndTakenBack(t *testing.T) {
	first := checkout(t, firstVersion)
	makeDirectory(t)
	install := func(what, dir string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(dir, "hack", "deploy.sh"))
		command.Dir, command.Stdout, command.Stderr = dir, os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			t.Fatalf("install %s: %v", what, err)
		}
	}
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := script(t.Context(), "undeploy.sh"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := script(ctx, "deploy.sh"); err != nil {
			t.Error(err)
		}
	})
	install("the first version", first)

	const stateful, idle, cluster, broken, waits = "old-stateful", "old-idle", "old-session", "old-broken", "old-waits"
	kube.create(t, example(t, "checkpoint-ha.yaml", stateful, nil))
	kube.create(t, example(t, "session.yaml", cluster, nil))
	kube.resource(t, stateful, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.resource(t, cluster, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.create(t, example(t, "basic.yaml", idle, nil))
	kube.resource(t, idle, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.patch(t, idle, map[string]any{"job": map[string]any{"state": "suspended"}})
	kube.resource(t, idle, life.Limit).Until("is SUSPENDED", life.State("SUSPENDED"))
	kube.create(t, example(t, "basic.yaml", broken, func(u *unstructured.Unstructured) {
		set(t, u, "flink:no-such-tag", "spec", "image")
	}))
	kube.resource(t, broken, life.Limit).Until("tells the error", hasError)
	kube.create(t, example(t, "basic.yaml", waits, homeless(t)))
	kube.resource(t, waits, life.Limit).Until("is DEPLOYED", life.State("DEPLOYED"))

	running := []string{stateful, cluster, broken, waits}
	before := map[string]watch.Object{}
	for _, name := range running {
		before[name] = kube.jobManager(t, name, time.Minute).Until("is released", life.Released)
	}
	jobID, _ := kube.flink(stateful).TasksRunning(t, "")
	kept := kube.flink(stateful).Kept(t, jobID)
	stays := func(with string) {
		t.Helper()
		until(t, time.Now().Add(75*time.Second)) // each resource was looked at, see TestSteadyJobIsQuiet
		for _, name := range running {
			after := kube.jobManager(t, name, time.Minute).Until("is released", life.Released)
			same(t, "with "+with+" the JobManager Deployment of "+name, before[name], after)
		}
		if id, _ := kube.flink(stateful).TasksRunning(t, ""); id != jobID {
			t.Errorf("with %s the job is %s, it was %s", with, id, jobID)
		}
		kube.resource(t, stateful, time.Minute).Until("is STABLE", life.State("STABLE"))
		kube.resource(t, cluster, time.Minute).Until("is STABLE", life.State("STABLE"))
		kube.resource(t, idle, time.Minute).Until("is SUSPENDED", life.State("SUSPENDED"))
		kube.resource(t, broken, time.Minute).Until("tells the error", hasError)
		kube.resource(t, waits, time.Minute).Until("is DEPLOYED", life.State("DEPLOYED"))
	}
	install("this version", here)
	stays("this version")
	install("the first version", first)
	stays("the first version again")
	install("this version", here)
	stays("this version again")

	// What the first version began, this one goes on with.
	old := before[stateful]
	kube.patch(t, stateful, map[string]any{"restartNonce": int64(1)})
	kube.jobManager(t, stateful, life.Limit).Until("is a new one, released", life.Replaced(old))
	kube.wentOn(t, stateful, true, kept)
	kube.patch(t, idle, map[string]any{"job": map[string]any{"state": "running"}})
	kube.resource(t, idle, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.patch(t, broken, map[string]any{"image": "flink:2.2"})
	kube.resource(t, broken, life.Limit).Until("is STABLE", life.State("STABLE"))
}

func hasError(o watch.Object) (bool, string) {
	if o.Unstructured == nil {
		return false, "there is no FlinkDeployment"
	}
	return watch.Text(o.Unstructured, "status", "error") != "", "it tells no error"
}

// checkout is another commit of this repository in a directory of its own.
func checkout(t *testing.T, commit string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "first")
	add := exec.CommandContext(t.Context(), "git", "worktree", "add", "--detach", dir, commit)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("check %s out: %v\n%s", commit, err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("git", "worktree", "remove", "--force", dir).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	return dir
}
