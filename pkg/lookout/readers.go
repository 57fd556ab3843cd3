package lookout

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/reachflink"
)

// noting reads as the user, and notes which rights are missing.
type noting struct{ *look.Reader }

func (n noting) lacks(verb string, q kube.Query, err error) {
	if apierrors.IsForbidden(err) {
		n.Cannot(verb, q, err)
	}
}

// Get reads one object.
func (n noting) Get(ctx context.Context, o kube.Object) (*unstructured.Unstructured, bool, error) {
	u, there, err := n.Client.Get(ctx, o)
	n.lacks("get", kube.Query{Resource: o.Resource, Namespace: o.Namespace}, err)
	return u, there, err
}

// List reads one page.
func (n noting) List(ctx context.Context, q kube.Query) (*unstructured.UnstructuredList, error) {
	list, err := n.Client.List(ctx, q)
	n.lacks("list", q, err)
	return list, err
}

// ListBinary reads one page.
func (n noting) ListBinary(ctx context.Context, q kube.Query, into kube.BinaryList) error {
	err := n.Client.ListBinary(ctx, q, into)
	n.lacks("list", q, err)
	return err
}

// noNodes is ZooKeeper, which is inside of the cluster.
type noNodes struct{ *look.Reader }

// Read fails, and is noted.
func (n noNodes) Read(context.Context, znode.Location) (znode.Tree, bool, error) {
	err := errors.New("it is not reached from outside of the cluster")
	n.Cannot("get", kube.Query{Resource: schema.GroupVersionResource{Resource: "ZooKeeper"}}, err)
	return znode.Tree{}, false, err
}

// Pods finds pods of JobManagers.
type Pods struct{ *look.Reader }

// JobManager is the pod of one that is ready, else one that runs.
func (p Pods) JobManager(ctx context.Context, namespace, name string) (reachflink.Pod, error) {
	var pods corev1.PodList
	q := kube.Query{Resource: kube.Pods, Namespace: namespace, Labels: "app=" + name + ",component=jobmanager"}
	if err := p.ListBinary(ctx, q, &pods); err != nil {
		if apierrors.IsForbidden(err) {
			p.Cannot("list", q, err)
			err = errors.New(p.Missing("list", q))
		}
		return reachflink.Pod{}, err
	}
	found := ""
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		if found == "" || slices.ContainsFunc(pod.Status.Conditions, isReady) {
			found = pod.Name
		}
	}
	if found == "" {
		return reachflink.Pod{}, fmt.Errorf("no pod of JobManager %s/%s runs", namespace, name)
	}
	return reachflink.Pod{Namespace: namespace, Name: found}, nil
}

func isReady(c corev1.PodCondition) bool {
	return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
}

// noPods leads to no pod.
type noPods struct{}

// JobManager fails.
func (noPods) JobManager(context.Context, string, string) (reachflink.Pod, error) {
	return reachflink.Pod{}, errors.New("Flink is asked through services/proxy alone here")
}
