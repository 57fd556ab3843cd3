package flinksim

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

const (
	jobA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	jobB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// application is the configuration of an application cluster with one job, and more on top.
func application(more map[string]string) map[string]string {
	config := map[string]string{
		"execution.target": "kubernetes-application", "$internal.pipeline.job-id": jobA, "pipeline.name": "demo",
		"parallelism.default": "2", "taskmanager.numberOfTaskSlots": "2",
		"execution.shutdown-on-application-finish": "false",
		"execution.checkpointing.interval":         "1 min", "state.checkpoints.dir": "s3://c",
		"state.savepoints.dir": "s3://s",
		"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
		"$internal.flink.version":                                   "v1_20",
		"kubernetes.container.image.ref":                            "flink:1.20",
	}
	for key, value := range more {
		config[key] = value
	}
	return config
}

func withHA(more map[string]string) map[string]string {
	config := application(map[string]string{
		"high-availability.type": "kubernetes", "high-availability.storageDir": "s3://ha",
		"job-result-store.storage-path": "s3://ha/jrs/1", "job-result-store.delete-on-commit": "false",
	})
	for key, value := range more {
		config[key] = value
	}
	return config
}

func session(more map[string]string) map[string]string {
	config := application(map[string]string{"execution.target": "kubernetes-session"})
	delete(config, "$internal.pipeline.job-id")
	delete(config, "pipeline.name")
	for key, value := range more {
		config[key] = value
	}
	return config
}

func lines(config map[string]string) string {
	var out []string
	for key, value := range config {
		out = append(out, key+": "+value)
	}
	sort.Strings(out)
	return strings.Join(out, "\n") + "\n"
}

// deploy makes the objects of cluster demo as an operator would.
func deploy(t *testing.T, w *World, config map[string]string) {
	t.Helper()
	labels := map[string]string{"app": "demo", "type": "flink-native-kubernetes", "component": "jobmanager"}
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "flink", Name: name, Labels: labels}
	}
	one := int32(1)
	d := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta("demo"),
		Spec: appsv1.DeploymentSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "flink-main-container", Image: "flink:1.20"}},
					Volumes: []corev1.Volume{{Name: "flink-config-volume", VolumeSource: corev1.VolumeSource{
						ConfigMap: &corev1.ConfigMapVolumeSource{
							LocalObjectReference: corev1.LocalObjectReference{Name: "flink-config-demo"},
						},
					}}},
				},
			},
		},
	}
	made, err := w.Kube.Create(kubesim.Deployments, content(t, d))
	if err != nil {
		t.Fatal(err)
	}
	owner := metav1.OwnerReference{
		APIVersion: "apps/v1", Kind: "Deployment", Name: "demo", UID: made.GetUID(), Controller: new(bool),
		BlockOwnerDeletion: new(bool),
	}
	*owner.Controller, *owner.BlockOwnerDeletion = true, true
	service := restService(labels)
	service.OwnerReferences = []metav1.OwnerReference{owner}
	conf := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta("flink-config-demo"),
		Data: map[string]string{"flink-conf.yaml": lines(config)},
	}
	conf.OwnerReferences = []metav1.OwnerReference{owner}
	if _, err := w.Kube.Create(kubesim.Services, content(t, service)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Kube.Create(kubesim.ConfigMaps, content(t, conf)); err != nil {
		t.Fatal(err)
	}
}

// restService leads to the pods with these labels.
func restService(labels map[string]string) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: "demo-rest", Labels: labels},
		Spec: corev1.ServiceSpec{
			Selector: labels, Ports: []corev1.ServicePort{{Name: "rest", Port: 8081, TargetPort: intstr.FromInt32(8081)}},
		},
	}
}

func content(t *testing.T, typed any) *unstructured.Unstructured {
	t.Helper()
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: out}
}

// undeploy deletes the Deployment and waits for its pods; the high-availability ConfigMaps stay.
func undeploy(t *testing.T, w *World) {
	t.Helper()
	if err := w.Kube.Delete(kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.Settle()
}

// client is the operator's own REST client, over the World's dialer.
func client(t *testing.T, w *World) *flinkrest.Client {
	t.Helper()
	c, err := flinkrest.New(flinkrest.Options{BaseURL: "http://" + Host("flink", "demo"), Dialer: w.Dial("test")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// running deploys cluster demo and waits until its job runs and has completed two checkpoints.
func running(t *testing.T, config map[string]string) *World {
	t.Helper()
	w := NewWorld(t)
	deploy(t, w, config)
	w.Settle()
	ticks(w, 2)
	return w
}

func ticks(w *World, minutes int) {
	for range minutes {
		w.Tick(60e9)
		w.Settle()
	}
}

func mustState(t *testing.T, w *World, id string, want job.State) *job.Job {
	t.Helper()
	j := w.Flink.Job("flink", "demo", id)
	if j == nil || j.State != want {
		t.Fatalf("job %s is %+v, want %s", id, j, want)
	}
	return j
}

func noViolations(t *testing.T, w *World) {
	t.Helper()
	for _, v := range w.Flink.Violations() {
		t.Errorf("violation: %s", v)
	}
}

func starts(w *World) []string {
	var out []string
	for _, s := range w.Flink.Starts("flink", "demo") {
		out = append(out, fmt.Sprintf("%s %s %s %d", s.JobID[:1], s.How, s.From, s.Progress))
	}
	return out
}
