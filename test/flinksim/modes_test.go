package flinksim

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func scale(t *testing.T, w *World, name string, replicas int64) {
	t.Helper()
	if _, err := w.Kube.Update(kubesim.Deployments, "flink", name, func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, replicas, "spec", "replicas"); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestStandBy(t *testing.T) {
	w := running(t, withHA(nil))
	scale(t, w, "demo", 2)
	w.Settle()
	if n := w.Flink.JobManagers("flink", "demo"); n != 2 || face(t, w) != "RUNNING" {
		t.Errorf("%d JobManagers, face %s; want a stand-by that answers in the leader's name", n, face(t, w))
	}
	w.Nodes.Crash("flink", jobManagerPod(w), "oom")
	for range 6 {
		w.Step()
	}
	mustState(t, w, jobA, job.Running)
	if diff := cmp.Diff(
		[]string{"a nothing  0", "a high-availability data s3://c/" + jobA + "/chk-2 4"}, starts(w),
	); diff != "" {
		t.Errorf("the stand-by takes over\n%s", diff)
	}
	noViolations(t, w)
}

func TestReplicasWithoutHighAvailability(t *testing.T) {
	w := running(t, application(nil))
	scale(t, w, "demo", 2)
	w.Settle()
	if v := w.Flink.Violations(); len(v) != 1 || !strings.HasPrefix(v[0], "two live jobs of flink/demo") {
		t.Errorf("violations %v; without leaders each JobManager runs main", v)
	}
}

func TestPatchedTemplateRunsTwo(t *testing.T) {
	w := running(t, application(nil))
	if _, err := w.Kube.Update(kubesim.Deployments, "flink", "demo", func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(
			u.Object, "x", "spec", "template", "metadata", "annotations", "a",
		); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		w.Step()
	}
	if n := w.Flink.MostJobManagers("flink", "demo"); n != 2 {
		t.Errorf("%d JobManagers at the most; a rolling update runs two at once", n)
	}
}

func TestFlink2WritesPlans(t *testing.T) {
	w := running(t, withHA(map[string]string{"$internal.flink.version": "v2_2"}))
	u := w.Kube.Get(kubesim.ConfigMaps, "flink", "demo-cluster-config-map")
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	if data["executionPlan-"+jobA] == "" || data["jobGraph-"+jobA] != "" || u.GetLabels()["configmap-type"] != "" {
		t.Errorf("labels %v, data %v; want Flink 2's", u.GetLabels(), data)
	}
	if u.GetOwnerReferences() != nil {
		t.Errorf("owners %v: high-availability data has none", u.GetOwnerReferences())
	}
}

// standalone makes the objects of cluster demo whose TaskManagers have a Deployment of their own.
func standalone(t *testing.T, w *World, config map[string]string, taskManagers int32) {
	t.Helper()
	labels := func(component string) map[string]string {
		return map[string]string{"app": "demo", "type": "flink-standalone-kubernetes", "component": component}
	}
	deployment := func(name, component string, replicas int32) *appsv1.Deployment {
		return &appsv1.Deployment{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: name, Labels: labels(component)},
			Spec: appsv1.DeploymentSpec{
				Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels(component)},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels(component)},
					Spec: corev1.PodSpec{
						Containers: []corev1.Container{{Name: "flink-main-container", Image: "flink:1.20"}},
					},
				},
			},
		}
	}
	conf := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: "flink-config-demo"},
		Data:       map[string]string{"flink-conf.yaml": lines(config)},
	}
	if _, err := w.Kube.Create(kubesim.ConfigMaps, content(t, conf)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Kube.Create(kubesim.Services, content(t, restService(labels("jobmanager")))); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*appsv1.Deployment{
		deployment("demo", "jobmanager", 1), deployment("demo-taskmanager", "taskmanager", taskManagers),
	} {
		if _, err := w.Kube.Create(kubesim.Deployments, content(t, d)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStandalone(t *testing.T) {
	w := NewWorld(t)
	standalone(t, w, application(map[string]string{
		"execution.target": "remote", "kubernetes.internal.cluster-mode": "APPLICATION", "parallelism.default": "4",
	}), 1)
	w.Settle()
	mustState(t, w, jobA, job.Created)
	scale(t, w, "demo-taskmanager", 2)
	w.Settle()
	mustState(t, w, jobA, job.Running)
}

// TestTwoClientsAtOnce is for the race detector: two clients, and what they leave behind is whole.
func TestTwoClientsAtOnce(t *testing.T) {
	w := running(t, application(nil))
	var group sync.WaitGroup
	for _, agent := range []string{"one", "two"} {
		c, err := flinkrest.New(flinkrest.Options{BaseURL: "http://" + Host("flink", "demo"), Dialer: w.Dial(agent)})
		if err != nil {
			t.Fatal(err)
		}
		kube := w.Dynamic(agent).Resource(kubesim.ConfigMaps).Namespace("flink")
		group.Go(func() {
			for i := range 20 {
				if _, err := c.Jobs(t.Context()); err != nil {
					t.Error(err)
				}
				patch := fmt.Sprintf(`{"data":{"%s":"%d"}}`, agent, i)
				if _, err := kube.Patch(
					t.Context(), "flink-config-demo", types.MergePatchType, []byte(patch), metav1.PatchOptions{},
				); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	data, _, _ := unstructured.NestedStringMap(
		w.Kube.Get(kubesim.ConfigMaps, "flink", "flink-config-demo").Object, "data",
	)
	if data["one"] != "19" || data["two"] != "19" {
		t.Errorf("data %v, want the last of both", data)
	}
	for _, agent := range []string{"one", "two"} {
		if n := w.Tap.Count(wire.ByAgent(agent)); n != 40 {
			t.Errorf("%d requests of %s recorded, want 40", n, agent)
		}
	}
	if n := len(w.Tap.Effects()); n != 40 {
		t.Errorf("%d effects, want 40", n)
	}
}

func TestTick(t *testing.T) {
	w := running(t, application(nil))
	before := w.Clock.Now()
	if !w.Tick(time.Minute) {
		t.Error("a minute completes a checkpoint, which a client can see")
	}
	w.Settle()
	if w.Step() || !w.Clock.Now().Equal(before.Add(time.Minute)) {
		t.Errorf("clock %s; only Tick moves it, and a world at rest stays", w.Clock.Now())
	}
}
