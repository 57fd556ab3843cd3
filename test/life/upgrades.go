package life

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/test/watch"
)

// All are the chapters, in their order.
func All() []Chapter {
	return []Chapter{
		SavepointFunctionsKilled, JobManagerKilled, savepointJobManagerKilled, LastStateJobManagerKilled,
		lastStateFunctionsKilled,
		NextVersion, RolledBack, nextChange, fromSnapshot, failedRolledBack, failedBeginsAgain, failedRestarted,
	}
}

// Main are those that a change has to pass on a cluster: one of each kind. The rest is for the night.
func Main() []Chapter {
	return []Chapter{SavepointFunctionsKilled, JobManagerKilled, LastStateJobManagerKilled}
}

// by is a change of nothing but the way in which the job is upgraded.
func by(mode string) map[string]any {
	return map[string]any{"job": map[string]any{"upgradeMode": mode}}
}

// Upgraded changes the job in an upgrade mode, and nothing else happens.
func Upgraded(mode string) Chapter {
	return Chapter{mode + " upgrade", func(t *testing.T, l *Life) { l.apply(t, change{spec: by(mode)}) }}
}

// SavepointFunctionsKilled upgrades by savepoint.
var SavepointFunctionsKilled = Chapter{"savepoint upgrade, functions killed", func(t *testing.T, l *Life) {
	l.apply(t, change{spec: by("savepoint"), functionsDie: true})
}}

// JobManagerKilled disturbs a job that nobody changes. It is STABLE again when its tasks run, and not before.
var JobManagerKilled = Chapter{"JobManager killed", func(t *testing.T, l *Life) {
	l.KillAll(t, "jobmanager")
	resource := l.resource(t)
	resource.Until("shows that its JobManager is gone", func(o watch.Object) (bool, string) {
		is := watch.Text(o.Unstructured, "status", "jobManagerDeploymentStatus")
		return is != "READY", "jobManagerDeploymentStatus is " + is
	})
	tasks := l.Flink.WhenTasksRun(t.Context())
	shown := resource.Until("is STABLE again", State("STABLE"))
	running, ran := <-tasks
	if !ran {
		t.Fatal("the tasks did not run again")
	}
	if early := running.Sub(shown.At); early > time.Second {
		t.Errorf("it was STABLE %s before its tasks ran", early)
	}
	l.figure(
		"JobManager killed, HA: tasks run in Flink to STABLE in status", 6*time.Second, max(0, shown.At.Sub(running)),
	)
}}

// The new JobManager dies while it starts from the savepoint. The old one is let live: if it dies between the
// savepoint's end and the answer that tells its path, which no test can time, a person has to look for it.
var savepointJobManagerKilled = Chapter{"savepoint upgrade, JobManager killed", func(t *testing.T, l *Life) {
	l.apply(t, change{spec: by("savepoint")})
	l.killStarting(t)
}}

// LastStateJobManagerKilled upgrades from the high-availability data, and kills the JobManager that leaves it.
var LastStateJobManagerKilled = Chapter{"last-state upgrade, JobManager killed", func(t *testing.T, l *Life) {
	l.apply(t, change{spec: by("last-state"), meanwhile: func() { l.KillAll(t, "jobmanager") }})
}}

var lastStateFunctionsKilled = Chapter{"last-state upgrade, functions killed", func(t *testing.T, l *Life) {
	l.apply(t, change{spec: by("last-state"), functionsDie: true})
}}

// NextVersion goes from Flink 1.20 to 2.2, with the functions killed until the new JobManager is released, and then
// that one.
var NextVersion = Chapter{"Flink 1.20 to 2.2, functions and JobManager killed", func(t *testing.T, l *Life) {
	spec := by("savepoint")
	spec["image"], spec["flinkVersion"] = "flink:2.2", "v2_2"
	l.apply(t, change{spec: spec, functionsDie: true})
	l.killStarting(t)
}}

var nextChange = Chapter{"the next change runs", func(t *testing.T, l *Life) {
	spec := by("savepoint")
	spec["image"] = "flink:2.2"
	spec["flinkConfiguration"] = map[string]any{"kubernetes.operator.deployment.readiness.timeout": nil}
	l.apply(t, change{spec: spec})
}}

// fromSnapshot takes a savepoint by a resource of its own, and begins again from it while the job has gone on.
var fromSnapshot = Chapter{"a redeployment from a FlinkStateSnapshot", func(t *testing.T, l *Life) {
	path := l.SavepointOf(t, "FlinkDeployment", l.Name)
	l.apply(
		t, change{spec: map[string]any{"job": map[string]any{"initialSavepointPath": path, "savepointRedeployNonce": 1}}},
	)
	from, savepoint := l.Flink.Restored(t, l.Stable(t))
	if from != path || !savepoint {
		t.Errorf("the job started from %s (a savepoint: %v), want the snapshot's %s", from, savepoint, path)
	}
}}

// SavepointOf has a FlinkStateSnapshot taken of a job of the cluster's namespace, a FlinkDeployment's or a
// FlinkSessionJob's, and returns its path.
func (l *Life) SavepointOf(t *testing.T, kind, job string) (path string) {
	t.Helper()
	snapshots := l.Client.Resource(Snapshots).Namespace(l.Namespace)
	name := job + "-by-hand"
	_, err := snapshots.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": Snapshots.GroupVersion().String(), "kind": "FlinkStateSnapshot",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"jobReference": map[string]any{"kind": kind, "name": job},
			"savepoint":    map[string]any{"disposeOnDelete": false},
		},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	done := l.follow(t, Snapshots, "metadata.name="+name, "").Until("is COMPLETED with a path",
		func(o watch.Object) (bool, string) {
			is := watch.Text(o.Unstructured, "status", "state")
			path = watch.Text(o.Unstructured, "status", "path")
			return is == "COMPLETED" && path != "", fmt.Sprintf("it is %q, path %q", is, path)
		})
	if err := snapshots.Delete(t.Context(), done.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	return path
}

// figure adds what was measured to the report.
func (l *Life) figure(title string, aim, took time.Duration) {
	if l.Figure != nil {
		l.Figure(title, aim, took)
	}
}
