package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/preview"
	"github.com/kn-flink/kn-flink/pkg/reachflink"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

// lookout looks at resources as a pass does, as the user, and writes nothing.
type lookout struct {
	*gather.Gatherer

	cluster  *cluster
	way      *reachflink.Way
	settings settings.Settings
	said     string
}

// lookout is one over a cluster.
func (p *program) lookout(ctx context.Context, c *cluster) (*lookout, error) {
	way, err := reachflink.New(c.config, podsOf{c})
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	l := &lookout{cluster: c, way: way}
	l.settings, l.said = p.installation(ctx, c)
	l.Gatherer = &gather.Gatherer{
		Kube: noting{c}, Flink: way.Connect, ZooKeeper: noNodes{c}, Operator: l.settings.Operator,
		LogFiles: l.settings.LogFiles, Now: p.Now,
	}
	return l, nil
}

func (l *lookout) close() { l.way.Close() }

// deployment looks at a FlinkDeployment.
func (l *lookout) deployment(ctx context.Context, object *unstructured.Unstructured) (*deployment.Inquiry, error) {
	return l.Deployment(ctx, gather.Read{Resource: object})
}

// asked is what is known of a preview beside the look.
func (l *lookout) asked(e edited) preview.Asked {
	a := preview.Asked{
		Settings: l.said, UpgradeMode: e.mode(), Unreadable: slices.Concat(l.cluster.Unreadable(), l.way.Missing()),
	}
	kind, namespace := e.after.GetKind(), e.after.GetNamespace()
	for _, v := range flinkconf.For(l.settings.Extensions.Validators, kind, namespace) {
		a.Validators = append(a.Validators, v.Name)
	}
	return a
}

// The ConfigMaps with the settings of an installation. What stands in a later one counts before an earlier one.
const (
	configDefaults = "flink-operator-defaults"
	configOwn      = "flink-operator-config"
	configAccepted = "flink-operator-config-accepted"
)

// installation are the settings that the functions have, and where they are from. Where they may not be read the
// defaults count.
func (p *program) installation(ctx context.Context, c *cluster) (settings.Settings, string) {
	defaults, _ := settings.Of(nil) // no file cannot be wrong
	files, found := map[string]string{}, false
	for _, name := range []string{configDefaults, configOwn} {
		data, there, err := c.data(ctx, p.system, name)
		if err != nil {
			return defaults, "the defaults: " + err.Error()
		}
		maps.Copy(files, data)
		found = found || there
	}
	if !found {
		return defaults, "the defaults: namespace " + p.system + " has no " + configOwn
	}
	read, err := settings.Of(files)
	if err == nil {
		return read, "ConfigMap " + configOwn + " in " + p.system
	}
	data, _, failed := c.data(ctx, p.system, configAccepted)
	if read, wrong := settings.Of(data); failed == nil && len(data) > 0 && wrong == nil {
		return read, "those that were accepted last: " + configOwn + " cannot be read"
	}
	return defaults, "the defaults: " + configOwn + " cannot be read"
}

// data is that of a ConfigMap.
func (c *cluster) data(ctx context.Context, namespace, name string) (map[string]string, bool, error) {
	u, there, err := c.Get(ctx, kube.Object{Resource: kube.ConfigMaps, Namespace: namespace, Name: name})
	switch {
	case apierrors.IsForbidden(err):
		return nil, false, errors.New(c.Missing("get", kube.Query{Resource: kube.ConfigMaps, Namespace: namespace}))
	case err != nil, !there:
		return nil, false, err
	}
	data, _, err := unstructured.NestedStringMap(u.Object, "data")
	return data, true, err
}

// noting reads as the user, and notes which rights are missing.
type noting struct{ *cluster }

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
type noNodes struct{ *cluster }

// Read fails, and is noted.
func (n noNodes) Read(context.Context, znode.Location) (znode.Tree, bool, error) {
	err := errors.New("it is not reached from outside of the cluster")
	n.Cannot("get", kube.Query{Resource: schema.GroupVersionResource{Resource: "ZooKeeper"}}, err)
	return znode.Tree{}, false, err
}

// podsOf finds pods of JobManagers.
type podsOf struct{ *cluster }

// JobManager is the pod of one that is ready, else one that runs.
func (p podsOf) JobManager(ctx context.Context, namespace, name string) (reachflink.Pod, error) {
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
