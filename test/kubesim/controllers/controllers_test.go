package controllers

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// recorder is a Runtime that remembers.
type recorder struct {
	log   []string
	alive map[types.UID]bool
}

func (r *recorder) Start(pod *corev1.Pod) {
	r.alive[pod.UID] = true
	r.log = append(r.log, "start")
}
func (r *recorder) Ready(pod *corev1.Pod) bool { return r.alive[pod.UID] }
func (r *recorder) Stop(uid types.UID, crashed bool) {
	delete(r.alive, uid)
	r.log = append(r.log, fmt.Sprintf("stop crashed=%v", crashed))
}

type bench struct {
	*Controllers
	kube *kubesim.Server
	runs *recorder
	t    *testing.T
}

func newBench(t *testing.T) *bench {
	kube := kubesim.New(t, kubesim.NewClock(), wire.New())
	runs := &recorder{alive: map[types.UID]bool{}}
	return &bench{New(t, kube, runs), kube, runs, t}
}

// deploy creates Deployment a of the given image and lets change finish it.
func (b *bench) deploy(image string, change func(*appsv1.Deployment)) {
	b.t.Helper()
	labels := map[string]string{"app": "a"}
	one := int32(1)
	d := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: "a", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					InitContainers: []corev1.Container{{Name: "init", Image: "busybox"}},
					Containers:     []corev1.Container{{Name: "main", Image: image}},
				},
			},
		},
	}
	if change != nil {
		change(d)
	}
	if _, err := b.kube.Create(kubesim.Deployments, &unstructured.Unstructured{Object: b.content(d)}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) steps(n int) {
	for range n {
		b.Step()
	}
}

func (b *bench) deployment() *appsv1.Deployment {
	b.t.Helper()
	u := b.kube.Get(kubesim.Deployments, "flink", "a")
	if u == nil {
		return nil
	}
	d := &appsv1.Deployment{}
	b.convert(u, d)
	return d
}

// set is the ReplicaSet.
func (b *bench) set() *appsv1.ReplicaSet {
	b.t.Helper()
	all := b.kube.PeekAll(kubesim.ReplicaSets, "flink", nil)
	if len(all) != 1 {
		b.t.Fatalf("%d ReplicaSets, want one", len(all))
	}
	return b.readSet(all[0])
}

// thePods describes the pods: phase, readiness, waiting reason of the first container that waits, "-" when being
// deleted.
func (b *bench) thePods() []string {
	found := []string{}
	for _, pod := range b.pods("flink", nil) {
		text := string(pod.Status.Phase)
		if isReady(pod) {
			text += " ready"
		}
		for _, s := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
			if w := s.State.Waiting; w != nil && w.Reason != "PodInitializing" {
				text += " " + s.Name + ":" + w.Reason
				break
			}
		}
		if pod.DeletionTimestamp != nil {
			text += "-"
		}
		found = append(found, text)
	}
	return found
}

func (b *bench) condition(kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for _, c := range b.deployment().Status.Conditions {
		if c.Type == kind {
			return &c
		}
	}
	return nil
}

func TestAPodComesUpStepByStep(t *testing.T) {
	b := newBench(t)
	b.deploy("ok", nil)
	want := [][]string{{""}, {"Pending"}, {"Running"}, {"Running ready"}}
	for i, pods := range want {
		b.Step()
		if diff := cmp.Diff(pods, b.thePods()); diff != "" {
			t.Errorf("after step %d\n%s", i+1, diff)
		}
	}
	d := b.deployment()
	if s := d.Status; s.Replicas != 1 || s.AvailableReplicas != 1 || s.UnavailableReplicas != 0 ||
		s.ObservedGeneration != 1 {
		t.Errorf("status %+v, want one available", s)
	}
	if c := b.condition(appsv1.DeploymentAvailable); c.Status != corev1.ConditionTrue ||
		c.Reason != "MinimumReplicasAvailable" {
		t.Errorf("Available = %+v", c)
	}
	pod := b.pods("flink", nil)[0]
	if pod.Labels["app"] != "a" || !controls(b.set(), pod) || metav1.GetControllerOf(b.set()).UID != d.UID ||
		pod.Spec.NodeName != "node-1" || pod.Status.PodIP == "" {
		t.Errorf("pod %+v: want the template's labels, the Deployment's ReplicaSet as controller, a node and an address",
			pod.ObjectMeta)
	}
	if b.Step() {
		t.Error("a world at rest changed")
	}
}

func TestScripts(t *testing.T) {
	rows := map[string]struct {
		script    Script
		change    func(*appsv1.Deployment)
		pods      []string
		scheduled corev1.ConditionStatus
		event     string
		why       string
	}{
		"image pull": {
			Script{Waiting: "ImagePullBackOff", Message: "no such image"}, nil, []string{"Pending main:ImagePullBackOff"},
			"True", "", "the registry says no",
		},
		"crash loop": {
			Script{Waiting: "CrashLoopBackOff", Terminated: "boom"}, nil, []string{"Pending main:CrashLoopBackOff"}, "True",
			"", "it dies again and again",
		},
		"init": {
			Script{Waiting: "ErrImagePull", Init: true}, nil, []string{"Pending init:ErrImagePull"}, "True", "",
			"an init container fails",
		},
		"no node": {Script{Unschedulable: true}, nil, []string{"Pending"}, "False", "", "nobody has room"},
		"failed mount": {
			Script{FailedMount: true, Message: "no volume"}, nil, []string{"Pending init:ContainerCreating"}, "True",
			"no volume", "kubelet says so in an Event",
		},
		"never ready": {Script{NeverReady: true}, nil, []string{"Running"}, "True", "", "its probe fails"},
		"missing configmap": {Script{}, func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "conf", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{
					LocalObjectReference: corev1.LocalObjectReference{Name: "flink-config-a"},
				},
			}}}
		}, []string{"Pending init:ContainerCreating"}, "True",
			`MountVolume.SetUp failed for volume "conf" : configmap "flink-config-a" not found`, "a volume needs its object"},
		"missing secret": {Script{}, func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "s", VolumeSource: corev1.VolumeSource{
				Secret: &corev1.SecretVolumeSource{SecretName: "x"},
			}}}
		}, []string{"Pending init:ContainerCreating"}, "True",
			`MountVolume.SetUp failed for volume "s" : secret "x" not found`, "a volume needs its object"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.Script("img", row.script)
			b.deploy("img", row.change)
			b.steps(6)
			if diff := cmp.Diff(row.pods, b.thePods()); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
			pod := b.pods("flink", nil)[0]
			for _, c := range pod.Status.Conditions {
				if c.Type == corev1.PodScheduled && c.Status != row.scheduled {
					t.Errorf("PodScheduled = %s, want %s: %s", c.Status, row.scheduled, row.why)
				}
			}
			events := b.kube.List(kubesim.Events, "flink", nil)
			if row.event != "" && (len(events) != 1 || events[0].Object["message"] != row.event) {
				t.Errorf("events %v, want one with %q: %s", events, row.event, row.why)
			}
			if c := b.condition(appsv1.DeploymentAvailable); c.Status != corev1.ConditionFalse ||
				!c.LastTransitionTime.Equal(&b.deployment().CreationTimestamp) {
				t.Errorf("Available = %+v, want False since the creation: %s", c, row.why)
			}
			b.Script("img", Script{})
			for _, object := range []struct{ kind, name string }{{"ConfigMap", "flink-config-a"}, {"Secret", "x"}} {
				u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": object.kind}}
				u.SetName(object.name)
				u.SetNamespace("flink")
				gvr := map[string]func() error{
					"ConfigMap": func() error { _, err := b.kube.Create(kubesim.ConfigMaps, u); return err },
					"Secret":    func() error { _, err := b.kube.Create(kubesim.Secrets, u); return err },
				}
				if err := gvr[object.kind](); err != nil {
					t.Fatal(err)
				}
			}
			b.steps(4)
			if diff := cmp.Diff([]string{"Running ready"}, b.thePods()); diff != "" {
				t.Errorf("fixed, it must come up\n%s", diff)
			}
		})
	}
}

func TestQuota(t *testing.T) {
	b := newBench(t)
	b.Script("img", Script{Quota: true, Message: "exceeded quota: q"})
	b.deploy("img", nil)
	b.steps(3)
	c := b.condition(appsv1.DeploymentReplicaFailure)
	if len(b.thePods()) != 0 || c == nil || c.Reason != "FailedCreate" {
		t.Errorf("pods %v, condition %+v; want none and FailedCreate", b.thePods(), c)
	}
	b.Script("img", Script{})
	b.steps(5)
	if c := b.condition(appsv1.DeploymentReplicaFailure); c != nil || b.deployment().Status.AvailableReplicas != 1 {
		t.Errorf("condition %+v, status %+v; want it gone with the quota", c, b.deployment().Status)
	}
}

func TestScaleToZeroAndBack(t *testing.T) {
	b := newBench(t)
	b.deploy("ok", nil)
	b.steps(5)
	b.Script("ok", Script{StopSteps: 2})
	b.scale(0)
	want := [][]string{{"Running ready-"}, {"Failed-"}, {}}
	for i, pods := range want {
		b.Step()
		if diff := cmp.Diff(pods, b.thePods()); diff != "" {
			t.Errorf("after step %d\n%s", i+1, diff)
		}
	}
	if c := b.condition(appsv1.DeploymentAvailable); c.Status != corev1.ConditionTrue {
		t.Errorf("Available = %+v: nothing is wanted and nothing is missing", c)
	}
	b.scale(1)
	b.steps(4)
	b.scale(0)
	b.steps(3)
	if diff := cmp.Diff([]string{"Running ready-"}, b.thePods()); diff != "" {
		t.Errorf("the second pod started under StopSteps 2 and takes its time\n%s", diff)
	}
	b.steps(1)
	if diff := cmp.Diff([]string{"start", "stop crashed=false", "start", "stop crashed=false"}, b.runs.log); diff != "" {
		t.Error(diff)
	}
}

func TestRollout(t *testing.T) {
	rows := map[string]struct {
		strategy appsv1.DeploymentStrategyType
		most     int
		why      string
	}{
		"rolling":  {"", 2, "the default runs old and new side by side: a JobManager without HA must never be patched"},
		"recreate": {appsv1.RecreateDeploymentStrategyType, 1, "never two at once"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.deploy("v1", func(d *appsv1.Deployment) { d.Spec.Strategy.Type = row.strategy })
			b.steps(5)
			if _, err := b.kube.Update(kubesim.Deployments, "flink", "a", func(u *unstructured.Unstructured) {
				d := &appsv1.Deployment{}
				b.convert(u, d)
				d.Spec.Template.Spec.Containers[0].Image = "v2"
				u.Object = b.content(d)
			}); err != nil {
				t.Fatal(err)
			}
			most := 0
			for range 12 {
				b.Step()
				most = max(most, len(b.runs.alive))
			}
			pods := b.pods("flink", nil)
			if len(pods) != 1 || pods[0].Spec.Containers[0].Image != "v2" || !isReady(pods[0]) {
				t.Errorf("%d pods, want one of the new image", len(pods))
			}
			if most != row.most {
				t.Errorf("%d ran at once, want %d: %s", most, row.most, row.why)
			}
		})
	}
}

func TestDeletion(t *testing.T) {
	rows := map[string]struct {
		policy metav1.DeletionPropagation
		there  []bool
		why    string
	}{
		"background": {metav1.DeletePropagationBackground, []bool{false}, "the Deployment goes first"},
		"foreground": {metav1.DeletePropagationForeground, []bool{true, true, true, true, true, false}, "the pod goes first"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.deploy("ok", nil)
			b.steps(5)
			if err := b.kube.Delete(
				kubesim.Deployments, "flink", "a", kubesim.DeleteOptions{Propagation: row.policy},
			); err != nil {
				t.Fatal(err)
			}
			for i, there := range row.there {
				if (b.deployment() != nil) != there {
					t.Errorf("after step %d there = %v, want %v: %s", i, !there, there, row.why)
				}
				b.Step()
			}
			b.steps(3)
			if len(b.thePods()) != 0 || len(b.runs.alive) != 0 || b.deployment() != nil {
				t.Errorf("pods %v, processes %d are left", b.thePods(), len(b.runs.alive))
			}
		})
	}
}

func TestCrashRestartsInPlace(t *testing.T) {
	b := newBench(t)
	b.deploy("ok", nil)
	b.steps(5)
	pod := b.pods("flink", nil)[0]
	b.Crash("flink", pod.Name, "out of memory")
	if b.deployment().Status.AvailableReplicas != 1 {
		t.Error("the Deployment knows before a step")
	}
	b.steps(1)
	if s := b.deployment().Status; s.AvailableReplicas != 0 {
		t.Errorf("status %+v, want none available", s)
	}
	b.steps(2)
	again := b.pods("flink", nil)[0]
	s := again.Status.ContainerStatuses[0]
	if again.UID != pod.UID || s.RestartCount != 1 || s.LastTerminationState.Terminated.Message != "out of memory" ||
		!isReady(again) {
		t.Errorf(
			"pod %s restarted %d times, last %+v; want the same pod, once, ready", again.Name, s.RestartCount,
			s.LastTerminationState,
		)
	}
	if diff := cmp.Diff([]string{"start", "stop crashed=true", "start"}, b.runs.log); diff != "" {
		t.Error(diff)
	}
}

func TestUnreachableNode(t *testing.T) {
	b := newBench(t)
	b.kube.AddNode("node-2")
	b.deploy("ok", nil)
	b.steps(5)
	b.NodeDown("node-1")
	b.kube.Clock.Advance(time.Minute)
	b.steps(3)
	if diff := cmp.Diff([]string{"Running"}, b.thePods()); diff != "" || b.deployment().Status.AvailableReplicas != 0 ||
		!b.IsDown("node-1") {
		t.Errorf("available %d; want the pod there but not ready\n%s", b.deployment().Status.AvailableReplicas, diff)
	}
	b.EvictPods("node-1")
	b.steps(5)
	if diff := cmp.Diff(2, len(b.runs.alive)); diff != "" {
		t.Errorf("eviction starts a second process while the first still runs\n%s", diff)
	}
	zero := int64(0)
	for _, pod := range b.podsOn("node-1") {
		if err := b.kube.Delete(kubesim.Pods, "flink", pod.Name, kubesim.DeleteOptions{GraceSeconds: &zero}); err != nil {
			t.Fatal(err)
		}
	}
	b.steps(2)
	if len(b.runs.alive) != 2 || len(b.pods("flink", nil)) != 1 {
		t.Errorf(
			"%d processes, %d pods; a forced delete ends the object, not the process", len(b.runs.alive),
			len(b.pods("flink", nil)),
		)
	}
	b.NodeUp("node-1")
	b.steps(1)
	if len(b.runs.alive) != 1 {
		t.Errorf("%d processes; the kubelet that is back ends what has no pod", len(b.runs.alive))
	}
	b.NodeDown("node-2")
	b.RemoveNode("node-2")
	if len(b.runs.alive) != 0 {
		t.Error("a machine that is gone still runs something")
	}
	b.steps(5)
	if diff := cmp.Diff([]string{"Running ready"}, b.thePods()); diff != "" {
		t.Errorf("it comes up on the other node\n%s", diff)
	}
}

func TestANeverRestartedPodFails(t *testing.T) {
	b := newBench(t)
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: "tm"},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "ok"}},
		},
	}
	if _, err := b.kube.Create(kubesim.Pods, &unstructured.Unstructured{Object: b.content(pod)}); err != nil {
		t.Fatal(err)
	}
	b.steps(3)
	b.Crash("flink", "tm", "boom")
	b.steps(3)
	if diff := cmp.Diff([]string{"Failed"}, b.thePods()); diff != "" {
		t.Errorf("restart policy Never\n%s", diff)
	}
}
