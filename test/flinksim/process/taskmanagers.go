package process

import (
	"fmt"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// taskManager is one TaskManager process.
type taskManager struct {
	cluster types.NamespacedName
	owner   types.UID
	// host is the JobManager's Deployment, of a standalone TaskManager whose Deployment it owns.
	host   types.UID
	name   string
	native bool
	ready  bool
	steps  int
}

// registered returns the TaskManagers of this JobManager: native ones of its own Deployment, standalone ones of its
// cluster.
func (jm *JobManager) registered() []*taskManager {
	if jm.Script().NoTaskManagers {
		return nil
	}
	var found []*taskManager
	for _, tm := range jm.flink.tasks {
		if tm.ready && tm.cluster == jm.Cluster && (!tm.native || tm.owner == jm.deployment) {
			found = append(found, tm)
		}
	}
	return found
}

// TaskManagers returns the names of the registered TaskManagers, in order.
func (jm *JobManager) TaskManagers() []string {
	var names []string
	for _, tm := range jm.registered() {
		names = append(names, tm.name)
	}
	sort.Strings(names)
	return names
}

// SlotsEach is taskmanager.numberOfTaskSlots.
func (jm *JobManager) SlotsEach() int { return jm.Config.number("taskmanager.numberOfTaskSlots", 1) }

// Slots is the number of slots of all registered TaskManagers.
func (jm *JobManager) Slots() int { return len(jm.registered()) * jm.SlotsEach() }

// Need is how many slots a job takes: the largest parallelism of its vertices.
func (jm *JobManager) Need(j *job.Job) int {
	need := 0
	for _, id := range j.Vertices() {
		need = max(need, j.WantedOf(id))
	}
	return need
}

// Parallelism is that of one vertex.
func (jm *JobManager) Parallelism(j *job.Job, vertex string) int { return j.ParallelismOf(vertex) }

// mostAsks bounds how often a JobManager asks for TaskManagers in one moment.
const mostAsks = 20

// askForTaskManagers lets the native resource manager make the pods that its jobs need, and give back those it does
// not. In standalone mode somebody else makes them.
func (jm *JobManager) askForTaskManagers() {
	if !jm.native {
		return
	}
	need := 0
	for _, j := range jm.jobs {
		if !j.State.Ended() && j.State != job.Suspended {
			need += jm.Need(j)
		}
	}
	need = max(need, jm.Config.number("slotmanager.number-of-slots.min", 0)) // from Flink 1.19 on
	wanted := (need + jm.SlotsEach() - 1) / jm.SlotsEach()
	var there []string
	for _, pod := range jm.flink.kube.PeekAll(kubesim.Pods, jm.Cluster.Namespace, jm.labels("taskmanager")) {
		ref := metav1.GetControllerOf(pod)
		phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
		switch {
		case ref == nil || ref.UID != jm.deployment || pod.GetDeletionTimestamp() != nil:
		case phase == "Failed" || phase == "Succeeded":
			jm.deletePod(pod.GetName())
		default:
			there = append(there, pod.GetName())
		}
	}
	for len(there) > wanted {
		jm.deletePod(there[len(there)-1])
		there = there[:len(there)-1]
	}
	if !jm.asked.Equal(jm.Now()) {
		jm.asked, jm.asks = jm.Now(), 0
	}
	if jm.asks++; jm.asks > mostAsks && len(there) < wanted {
		return // what it makes for a Deployment that is gone is collected at once: it goes on in another moment
	}
	for n := len(there); n < wanted; n++ {
		jm.createTaskManager()
	}
}

func (jm *JobManager) labels(component string) map[string]string {
	return map[string]string{"app": jm.Cluster.Name, "type": "flink-native-kubernetes", "component": component}
}

func (jm *JobManager) deletePod(name string) {
	if err := jm.flink.kube.Delete(kubesim.Pods, jm.Cluster.Namespace, name, kubesim.DeleteOptions{}); err != nil {
		jm.flink.t.Errorf("flink model: delete TaskManager pod %s: %v", name, err)
	}
}

// createTaskManager makes one pod, <id>-taskmanager-<attempt>-<index>, of the image of the configuration.
func (jm *JobManager) createTaskManager() {
	index := 1
	name := func() string { return fmt.Sprintf("%s-taskmanager-%d-%d", jm.Cluster.Name, jm.attempt, index) }
	for jm.flink.kube.Peek(kubesim.Pods, jm.Cluster.Namespace, name()) != nil {
		index++
	}
	image := jm.Config.First("kubernetes.container.image.ref", "kubernetes.container.image")
	if image == "" {
		image = jm.image
	}
	yes := true
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: jm.Cluster.Namespace, Name: name(), Labels: jm.labels("taskmanager"),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment", Name: jm.Cluster.Name, UID: jm.deployment,
				Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "flink-main-container", Image: image}},
		},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err == nil {
		_, err = jm.flink.kube.Create(kubesim.Pods, &unstructured.Unstructured{Object: content})
	}
	if err != nil {
		jm.flink.t.Logf("flink model: JobManager of %s cannot make a TaskManager: %v", jm.Cluster, err)
	}
}
