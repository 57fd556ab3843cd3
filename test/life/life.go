package life

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/test/watch"
)

// What a life looks at and changes.
var (
	Resources   = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}
	Snapshots   = Resources.GroupVersion().WithResource("flinkstatesnapshots")
	Deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	Pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// Life is one FlinkDeployment with what is needed to change, kill and ask it.
type Life struct {
	// Client has all rights in the namespace and in that of the functions.
	Client dynamic.Interface
	// Namespace and Name are the resource's.
	Namespace, Name string
	// Flink asks its JobManager.
	Flink Flink
	// Kill ends a pod at once, without notice as far as the cluster can.
	Kill func(context.Context, *unstructured.Unstructured) error
	// Figure is told what was measured, and what is aimed at. Nil: nobody is.
	Figure func(title string, aim time.Duration, took ...time.Duration)
	// Diagnose is called before a wait fails. Nil: nothing is.
	Diagnose func(*testing.T)

	round int // the number of changes so far
}

// Chapter is one thing that happens to the job.
type Chapter struct {
	// Title names its test.
	Title string
	// Run returns when it has happened; that the job runs again is waited for after it.
	Run func(*testing.T, *Life)
}

// Ready edits examples/checkpoint-ha.yaml into what a life begins with: Flink 1.20, rolled back when an upgrade fails,
// and with its counters fresh.
func Ready(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	for _, one := range []struct {
		value string
		path  []string
	}{
		{"flink:1.20", []string{"image"}},
		{"v1_20", []string{"flinkVersion"}},
		{"true", []string{"flinkConfiguration", "kubernetes.operator.deployment.rollback.enabled"}},
		{"1000", []string{"flinkConfiguration", "metrics.fetcher.update-interval"}},
	} {
		if err := unstructured.SetNestedField(u.Object, one.value, append([]string{"spec"}, one.path...)...); err != nil {
			t.Fatal(err)
		}
	}
}

// Run has the resource, which was just made, go through the chapters, and checks the job's counters after each. It ends
// with the first that fails: what follows stands on it.
func (l *Life) Run(t *testing.T, chapters ...Chapter) {
	t.Helper()
	jobID := l.Stable(t)
	for _, chapter := range chapters {
		ok := t.Run(chapter.Title, func(t *testing.T) {
			kept := l.Flink.Kept(t, jobID)
			chapter.Run(t, l)
			jobID = l.Stable(t)
			l.Flink.GoesOn(t, jobID, kept)
		})
		if !ok {
			return
		}
	}
}

// Stable waits until the resource is STABLE or ROLLED_BACK at its present generation and all tasks run.
func (l *Life) Stable(t *testing.T) (jobID string) {
	t.Helper()
	l.resource(t).Until("runs well", func(o watch.Object) (bool, string) {
		if ok, _ := State("ROLLED_BACK")(o); ok {
			return true, ""
		}
		return State("STABLE")(o)
	})
	jobID, _ = l.Flink.TasksRunning(t, "")
	return jobID
}

// follow watches what has a name or a label.
func (l *Life) follow(t *testing.T, resource schema.GroupVersionResource, fields, labels string) *watch.Watcher {
	t.Helper()
	return watch.Start(watch.Deadline(t, Limit), t, watch.Query{
		Client: l.Client, Resource: resource, Namespace: l.Namespace, Fields: fields, Labels: labels, Diagnose: l.Diagnose,
	})
}

func (l *Life) resource(t *testing.T) *watch.Watcher {
	t.Helper()
	return l.follow(t, Resources, "metadata.name="+l.Name, "")
}

func (l *Life) jobManager(t *testing.T) *watch.Watcher {
	t.Helper()
	return l.follow(t, Deployments, "metadata.name="+l.Name, "")
}

// change is a change of the spec, and what happens while it is carried out.
type change struct {
	// spec is merged into the resource's.
	spec map[string]any
	// meanwhile is called once the change is under way: its intent is stored. Nil: nothing is.
	meanwhile func()
	// functionsDie has the functions killed, again and again, from the patch on until another JobManager is released.
	functionsDie bool
}

// apply returns when another JobManager was released.
func (l *Life) apply(t *testing.T, c change) {
	t.Helper()
	jobManager, resource := l.jobManager(t), l.resource(t)
	old := jobManager.Until("exists", Released)
	generation := l.patch(t, c.spec)
	transition := func() {
		if c.meanwhile != nil {
			resource.Until("shows that the change is under way", func(o watch.Object) (bool, string) {
				is, _, _ := unstructured.NestedInt64(o.Object, "status", "intent", "generation")
				return is >= generation, fmt.Sprintf("its intent is for generation %d of %d", is, generation)
			})
			c.meanwhile()
		}
		jobManager.Until("is a new one, released", Replaced(old))
	}
	if c.functionsDie {
		l.whileFunctionsDie(t, transition)
	} else {
		transition()
	}
}

// patch merges into the spec, with a number that makes another cluster of it, and returns the generation.
func (l *Life) patch(t *testing.T, spec map[string]any) int64 {
	t.Helper()
	configuration, _ := spec["flinkConfiguration"].(map[string]any)
	if configuration == nil {
		configuration = map[string]any{}
	}
	l.round++
	configuration["life.round"] = strconv.Itoa(l.round)
	spec["flinkConfiguration"] = configuration
	body, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	made, err := l.Client.Resource(Resources).Namespace(l.Namespace).Patch(
		t.Context(), l.Name, types.MergePatchType, body, metav1.PatchOptions{},
	)
	if err != nil {
		t.Fatalf("patch %s: %v", l.Name, err)
	}
	return made.GetGeneration()
}

// State says that a FlinkDeployment has reached a lifecycle state for its present generation.
func State(want string) func(watch.Object) (bool, string) {
	return func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		seen, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
		is := watch.Text(o.Unstructured, "status", "lifecycleState")
		return is == want && seen == o.GetGeneration(), fmt.Sprintf("lifecycleState is %q at generation %d of %d, error %q",
			is, seen, o.GetGeneration(), watch.Text(o.Unstructured, "status", "error"))
	}
}

// Released says that a JobManager Deployment has been let go: it wants a pod.
func Released(o watch.Object) (bool, string) {
	if o.Unstructured == nil {
		return false, "there is no Deployment"
	}
	replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	return replicas > 0, "it is prepared and not released"
}

// Replaced says that another JobManager Deployment than the old one has been let go.
func Replaced(old watch.Object) func(watch.Object) (bool, string) {
	return func(o watch.Object) (bool, string) {
		if o.Unstructured != nil && o.GetUID() == old.GetUID() {
			return false, "it is the old one"
		}
		return Released(o)
	}
}
