//go:build e2e && nightly

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/life"
)

// release is the version that the test builds, pushes and installs; chart is its Helm chart.
const (
	release = "v0.0.0-e2e"
	chart   = "../../release/kn-flink-0.0.0-e2e.tgz"
)

// Helm itself installs, upgrades and removes the operator, beside a job that goes on.
func TestHelmInstallsTheOperator(t *testing.T) {
	const running, next = "helm-stays", "helm-next"
	kube.create(t, example(t, "basic.yaml", running, nil))
	stable := kube.resource(t, running, life.Limit).Until("is STABLE", life.State("STABLE"))
	jobID, _ := kube.flink(running).TasksRunning(t, "")
	t.Setenv("PLATFORM", "linux/"+runtime.GOARCH)
	if err := script(t.Context(), "release.sh", release); err != nil {
		t.Fatal(err)
	}
	if err := script(t.Context(), "undeploy.sh"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		if err := script(ctx, "undeploy.sh"); err != nil {
			t.Error(err)
		}
		if err := script(ctx, "deploy.sh"); err != nil {
			t.Error(err)
		}
	})
	goes := func(step string) {
		after := kube.resource(t, running, time.Minute).Until("is STABLE", life.State("STABLE"))
		same(t, "the FlinkDeployment", stable, after)
		if id, _ := kube.flink(running).TasksRunning(t, ""); id != jobID {
			t.Errorf("after %s the job is %s, it was %s", step, id, jobID)
		}
	}

	// What a job's namespace needs is left of the installation before; Helm takes it over.
	helm(t, "install", "kn-flink", chart, "--take-ownership", "--create-namespace", "--wait", "--timeout", "5m")
	ready(t)
	goes("helm install")
	kube.create(t, example(t, "basic.yaml", next, homeless(t)))
	kube.jobManager(t, next, 2*time.Minute).Until("is released", life.Released)

	helm(t, "upgrade", "kn-flink", chart, "--wait", "--timeout", "5m",
		"--set", "operatorPod.resources.limits.memory=300Mi")
	ready(t)
	goes("helm upgrade")
	kube.patch(t, next, map[string]any{"restartNonce": int64(1)})
	kube.resource(t, next, 2*time.Minute).Until("is upgraded", life.State("DEPLOYED"))

	kube.remove(t, next)
	helm(t, "uninstall", "kn-flink", "--wait", "--timeout", "5m")
	goes("helm uninstall")
}

// helm runs the helm of hack/chart's go.mod in the namespace of the operator.
func helm(t *testing.T, args ...string) {
	t.Helper()
	for i, arg := range args {
		if arg == chart {
			absolute, err := filepath.Abs(arg)
			if err != nil {
				t.Fatal(err)
			}
			args[i] = absolute
		}
	}
	command := exec.CommandContext(t.Context(), "go", append([]string{"tool", "helm", "--namespace", system}, args...)...)
	command.Dir, command.Stdout, command.Stderr = "../../hack/chart", os.Stdout, os.Stderr
	started := time.Now()
	if err := command.Run(); err != nil {
		t.Fatalf("helm %s: %v", args[0], err)
	}
	figures.duration("helm "+args[0], 0, time.Since(started))
}

// ready waits until the functions and what wakes them are ready: Helm knows the conditions of built-in kinds alone.
func ready(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"services.serving.knative.dev", "triggers.eventing.knative.dev",
		"apiserversources.sources.knative.dev", "domainmappings.serving.knative.dev"} {
		command := exec.CommandContext(t.Context(), "kubectl", "-n", system, "wait", "--for=condition=Ready", "--all",
			"--timeout=180s", kind)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
	}
}
