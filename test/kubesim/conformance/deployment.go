package conformance

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var deployments = map[string]func(*bench){
	"a deployment comes up":                 comesUp,
	"a deployment that is never ready":      neverReady,
	"a deployment is scaled":                scaled,
	"a deployment is changed as it goes":    changedToNone,
	"a pod is deleted":                      podDeleted,
	"a pod fails":                           podFails,
	"a rolling update waits for new pods":   rollingWaits,
	"a rolling update of what is not ready": rollingNotReady,
	"a deployment is made anew":             recreated,
	"a deployment is deleted":               deploymentDeleted,
}

// NeverReady begins the images whose pods are never ready.
const NeverReady = "never-ready"

// deploy makes Deployment a of one pod, on a node of its own. Its pods are held, so that none goes unseen.
func (b *bench) deploy(image string, strategy appsv1.DeploymentStrategyType) {
	b.Helper()
	u := deployment("a")
	u.Object["spec"].(map[string]any)["replicas"] = int64(1)
	u.Object["spec"].(map[string]any)["strategy"] = map[string]any{"type": string(strategy)}
	template := u.Object["spec"].(map[string]any)["template"].(map[string]any)
	template["spec"] = pod("", "node-1").Object["spec"]
	template["spec"].(map[string]any)["containers"] = []any{map[string]any{"name": "main", "image": image}}
	template["metadata"].(map[string]any)["finalizers"] = []any{"example.com/held"}
	b.create(kubesim.Deployments, u)
}

func (b *bench) setImage(image string) {
	b.Helper()
	b.mustMerge(kubesim.Deployments, "a",
		`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"`+image+`"}]}}}}`)
}

func (b *bench) scale(replicas int) {
	b.Helper()
	b.mustMerge(kubesim.Deployments, "a", fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
}

func typed[T any](b *bench, u *unstructured.Unstructured) *T {
	b.Helper()
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
		b.Fatal(err)
	}
	return out
}

func (b *bench) listPods() []*corev1.Pod {
	b.Helper()
	return listed[corev1.Pod](b, kubesim.Pods)
}

// listed are the objects of Deployment a of one resource.
func listed[T any](b *bench, gvr schema.GroupVersionResource) []*T {
	b.Helper()
	list, err := b.on(gvr).List(b.Context(), metav1.ListOptions{LabelSelector: "app=a"})
	if err != nil {
		b.Fatal(err)
	}
	var all []*T
	for i := range list.Items {
		all = append(all, typed[T](b, &list.Items[i]))
	}
	return all
}

// thePods describes the pods, sorted: image, "ready", "failed", "-" behind those that are being deleted.
func (b *bench) thePods() []string {
	b.Helper()
	found := []string{}
	for _, pod := range b.listPods() {
		text := pod.Spec.Containers[0].Image
		switch i := slices.IndexFunc(pod.Status.Conditions, isReady); {
		case pod.Status.Phase == corev1.PodFailed:
			text += " failed"
		case i >= 0:
			text += " ready"
		}
		if pod.DeletionTimestamp != nil {
			text += "-"
		}
		found = append(found, text)
	}
	slices.Sort(found)
	return found
}

func isReady(c corev1.PodCondition) bool {
	return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
}

func (b *bench) awaitPods(why string, want ...string) {
	b.Helper()
	b.eventually(why+": "+strings.Join(want, ", "), func() bool { return slices.Equal(b.thePods(), want) })
}

// awaitStatus waits for a status: all pods, those of the present template, ready, available, unavailable; conditions.
func (b *bench) awaitStatus(why, want string) {
	b.Helper()
	text := ""
	b.Cleanup(func() {
		if b.Failed() {
			b.Logf("the status was %s", text)
		}
	})
	b.eventually(why+": "+want, func() bool {
		d := typed[appsv1.Deployment](b, b.read(kubesim.Deployments, "a"))
		s := d.Status
		text = fmt.Sprintf("%d %d %d %d %d",
			s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas, s.UnavailableReplicas)
		slices.SortFunc(s.Conditions, func(x, y appsv1.DeploymentCondition) int {
			return strings.Compare(string(x.Type), string(y.Type))
		})
		for _, c := range s.Conditions {
			// A controller that is quick never says that it made the ReplicaSet.
			reason := strings.Replace(c.Reason, "NewReplicaSetCreated", "ReplicaSetUpdated", 1)
			text += fmt.Sprintf(" %s=%s/%s", c.Type, c.Status, reason)
		}
		return text == want && s.ObservedGeneration == d.Generation
	})
}

// letPodsGo takes the finalizers of the pods that are being deleted.
func (b *bench) letPodsGo() {
	b.Helper()
	for _, pod := range b.listPods() {
		if pod.DeletionTimestamp != nil {
			b.mustMerge(kubesim.Pods, pod.Name, letGo)
		}
	}
}

const (
	allUp = " Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetAvailable"
	onWay = " Available=False/MinimumReplicasUnavailable Progressing=True/ReplicaSetUpdated"
)

func comesUp(b *bench) {
	b.deploy("one", "")
	b.awaitPods("it comes up", "one ready")
	b.awaitStatus("and says so", "1 1 1 1 0"+allUp)
	pod := b.listPods()[0]
	if owner := metav1.GetControllerOf(pod); owner == nil || pod.Labels["pod-template-hash"] == "" ||
		!strings.HasPrefix(pod.Name, "a-"+pod.Labels["pod-template-hash"]+"-") {
		b.Errorf("pod %s of %v, labels %v: want a controller, and the hash of its template", pod.Name, owner, pod.Labels)
	}
}

func neverReady(b *bench) {
	b.deploy(NeverReady, "")
	b.awaitPods("its probe fails", NeverReady)
	b.awaitStatus("and it says so", "1 1 0 0 1"+onWay)
}

// scaled: a pod that is being deleted is in no count, and keeps no other from being made, whatever the strategy.
func scaled(b *bench) {
	for _, strategy := range []appsv1.DeploymentStrategyType{"RollingUpdate", "Recreate"} {
		b.row(string(strategy), func(b *bench) {
			b.deploy("one", strategy)
			b.awaitPods("it comes up", "one ready")
			b.scale(0)
			b.awaitPods("nothing is wanted", "one failed-")
			b.awaitStatus("nothing is missing", "0 0 0 0 0"+allUp)
			b.scale(1)
			b.awaitPods("beside the one that goes", "one failed-", "one ready")
			b.awaitStatus("it is back", "1 1 1 1 0"+allUp)
			b.letPodsGo()
			b.awaitPods("the old one is gone", "one ready")
		})
	}
}

// changedToNone: what is not wanted any more is of a template that is not, either.
func changedToNone(b *bench) {
	b.deploy("one", "")
	b.scale(3)
	b.awaitPods("it comes up", "one ready", "one ready", "one ready")
	b.mustMerge(kubesim.Deployments, "a",
		`{"spec":{"replicas":0,"template":{"spec":{"containers":[{"name":"main","image":"two"}]}}}}`)
	b.awaitPods("all go", "one failed-", "one failed-", "one failed-")
	b.awaitStatus("nothing is missing", "0 0 0 0 0"+allUp)
}

func podDeleted(b *bench) {
	b.deploy("one", "Recreate")
	b.awaitPods("it comes up", "one ready")
	b.remove(kubesim.Pods, b.listPods()[0].Name, metav1.DeleteOptions{})
	b.awaitPods("it is replaced at once", "one failed-", "one ready")
}

func podFails(b *bench) {
	b.deploy("one", "Recreate")
	b.awaitPods("it comes up", "one ready")
	b.mustMerge(kubesim.Pods, b.listPods()[0].Name, `{"status":{"phase":"Failed"}}`, "status")
	b.awaitPods("it is replaced, and stays for people to read", "one failed", "one ready")
	b.scale(0)
	b.awaitPods("what has failed is not scaled down", "one failed", "one failed-")
}

func rollingWaits(b *bench) {
	b.deploy("one", "")
	b.awaitPods("it comes up", "one ready")
	b.setImage(NeverReady)
	b.awaitPods("the old one stays until the new one is ready", NeverReady, "one ready")
	b.awaitStatus("both are counted", "2 1 1 1 1 Available=True/MinimumReplicasAvailable "+
		"Progressing=True/ReplicaSetUpdated")
	b.setImage("two")
	b.awaitPods("what is ready takes the place of both", NeverReady+" failed-", "one failed-", "two ready")
	b.awaitStatus("it is up", "1 1 1 1 0"+allUp)
}

func rollingNotReady(b *bench) {
	b.deploy(NeverReady, "")
	b.awaitPods("it is not ready", NeverReady)
	b.setImage(NeverReady + "-2")
	b.awaitPods("the old one stays, for one is wanted", NeverReady, NeverReady+"-2")
	b.awaitStatus("none is available", "2 1 0 0 2"+onWay)
	b.setImage("two")
	b.awaitPods("one is ready", NeverReady+" failed-", NeverReady+"-2 failed-", "two ready")
}

// recreated: a new pod is made when no process of the old one is left; that its object is still there counts no more.
func recreated(b *bench) {
	b.deploy("one", "Recreate")
	b.awaitPods("it comes up", "one ready")
	b.setImage("two")
	b.awaitPods("the new one comes when the old one has ended", "one failed-", "two ready")
	b.awaitStatus("it is up", "1 1 1 1 0"+allUp)
}

func deploymentDeleted(b *bench) {
	for policy, there := range map[metav1.DeletionPropagation]bool{
		metav1.DeletePropagationBackground: false, metav1.DeletePropagationForeground: true,
	} {
		b.row(string(policy), func(b *bench) {
			b.deploy("one", "")
			b.awaitPods("it comes up", "one ready")
			b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{PropagationPolicy: &policy})
			b.awaitPods("the pod goes", "one failed-")
			if got := b.get(kubesim.Deployments, "a") != nil; got != there {
				b.Errorf("while the pod is there the Deployment is there = %t, want %t", got, there)
			}
			b.letPodsGo()
			b.awaitPods("the pod is gone")
			b.eventually("all is gone", func() bool { return b.get(kubesim.Deployments, "a") == nil })
		})
	}
}
