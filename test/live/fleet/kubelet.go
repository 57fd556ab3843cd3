package fleet

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/watch"
)

// kubelet is that of the fleet's node: a pod that is new runs at once, one that is to end is gone at once, and the model
// server answers while the JobManager's pod runs.
type kubelet struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
	flink   *jobManagers
	cancel  context.CancelFunc
	ended   sync.WaitGroup
}

// startKubelet begins with what changes from now on.
func startKubelet(ctx context.Context, config *rest.Config, flink *jobManagers) (*kubelet, error) {
	k := &kubelet{flink: flink}
	var err error
	if k.typed, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if k.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	here := metav1.ListOptions{FieldSelector: "spec.nodeName=" + modelNode, Limit: 1}
	list, err := k.typed.CoreV1().Pods("").List(ctx, here)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	pods := cache.NewListWatchFromClient(k.typed.CoreV1().RESTClient(), "pods", "", fields.OneTermEqualSelector("spec.nodeName", modelNode))
	events, err := watch.NewRetryWatcherWithContext(running, list.ResourceVersion, pods)
	if err != nil {
		cancel()
		return nil, err
	}
	k.ended.Go(func() {
		for e := range events.ResultChan() {
			if pod, is := e.Object.(*corev1.Pod); is {
				k.ended.Go(func() { k.see(running, pod) })
			}
		}
	})
	return k, nil
}

func (k *kubelet) stop() {
	k.cancel()
	k.ended.Wait()
}

// see does what a change of a pod asks for. What fails comes again with the next change.
func (k *kubelet) see(ctx context.Context, pod *corev1.Pod) {
	host := hostOfCluster(pod.Namespace, pod.Labels["app"])
	leads := pod.Labels["component"] == "jobmanager"
	switch {
	case pod.DeletionTimestamp != nil:
		if leads {
			k.flink.change(host, func(c *clusterAnswers) { c.gone = true })
		}
		now := int64(0)
		_ = k.typed.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID},
		})
	case pod.Status.Phase == corev1.PodPending:
		pod = pod.DeepCopy()
		pod.Status = runs(pod)
		if leads {
			k.begin(ctx, pod)
		}
		if _, err := k.typed.CoreV1().Pods(pod.Namespace).UpdateStatus(
			ctx, pod, metav1.UpdateOptions{},
		); apierrors.IsConflict(err) {
			if pod, err = k.typed.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{}); err == nil {
				k.see(ctx, pod)
			}
		}
	}
}

// begin has the job of an application run again, under the ID that the resource has stored for it.
func (k *kubelet) begin(ctx context.Context, pod *corev1.Pod) {
	u, err := k.dynamic.Resource(deployments).Namespace(pod.Namespace).Get(ctx, pod.Labels["app"], metav1.GetOptions{})
	if err != nil {
		return
	}
	id, _, _ := unstructured.NestedString(u.Object, "status", "jobStatus", "jobId")
	k.flink.change(hostOfCluster(pod.Namespace, pod.Labels["app"]), func(c *clusterAnswers) {
		c.gone = false
		if id != "" {
			c.restart(id)
		}
	})
}

// runs is the status of a pod that does.
func runs(pod *corev1.Pod) corev1.PodStatus {
	now := metav1.Now()
	s := corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.1.0.1", StartTime: &now}
	for _, c := range []corev1.PodConditionType{
		corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady,
	} {
		s.Conditions = append(s.Conditions, corev1.PodCondition{
			Type: c, Status: corev1.ConditionTrue, LastTransitionTime: now,
		})
	}
	for _, c := range pod.Spec.Containers {
		yes := true
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: &yes,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return s
}
