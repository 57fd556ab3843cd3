//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// system is where the operator lives, space is where the tests do. A second namespace would restart the source's
// adapter (Knative lists the namespaces in its environment), and with it disturb every figure.
const (
	system = "flink-system"
	space  = "kn-flink-e2e"
)

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	pods        = life.Pods
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	nodes       = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	events      = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	deployments = life.Deployments
	pingSources = schema.GroupVersionResource{Group: "sources.knative.dev", Version: "v1", Resource: "pingsources"}
)

// cluster is the cluster under test.
type cluster struct {
	dynamic dynamic.Interface
	config  *rest.Config
	http    *http.Client
}

func connect() (*cluster, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster: %w (set KUBECONFIG, or run: make cluster-up)", err)
	}
	config.QPS, config.Burst = 500, 1000
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &cluster{dynamic: d, config: config, http: client}, nil
}

func (c *cluster) in(gvr schema.GroupVersionResource, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return c.dynamic.Resource(gvr)
	}
	return c.dynamic.Resource(gvr).Namespace(namespace)
}

// raw reads one path of the API server, or of what it proxies to.
func (c *cluster) raw(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.config.Host, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 32<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", path, response.Status, body)
	}
	return body, err
}

// flink asks the JobManager of a cluster, through the API server, so that the test runs from anywhere.
func (c *cluster) flink(name string) life.Flink {
	return life.At(
		c.http,
		fmt.Sprintf(
			"%s/api/v1/namespaces/%s/services/%s-rest:8081/proxy", strings.TrimSuffix(c.config.Host, "/"), space, name,
		),
	)
}

// life is a resource of the test's namespace with all that kills and asks it.
func (c *cluster) life(name string) *life.Life {
	return &life.Life{
		Client: c.dynamic, Namespace: space, Name: name, Flink: c.flink(name), Kill: life.Delete(c.dynamic),
		Figure: figures.duration, Diagnose: c.diagnose,
	}
}

// example reads a file of examples/, puts it into the test's namespace under the given name, and lets change edit it.
func example(t *testing.T, file, name string, change func(*unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", file))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &u.Object); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	u.SetNamespace(space)
	u.SetName(name)
	if change != nil {
		change(u)
	}
	return u
}

// set puts a value at a dotted path of an object.
func set(t *testing.T, u *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}

// create makes a FlinkDeployment and promises that it is gone when the test ends.
func (c *cluster) create(t *testing.T, u *unstructured.Unstructured) watch.Object {
	t.Helper()
	t.Cleanup(func() { c.remove(t, u.GetName()) })
	at := time.Now()
	made, err := c.in(life.Resources, space).Create(t.Context(), u, metav1.CreateOptions{FieldManager: "e2e"})
	if err != nil {
		t.Fatalf("create %s: %v", u.GetName(), err)
	}
	return watch.Object{Unstructured: made, At: at}
}

// patch merges into the spec of a FlinkDeployment and says when that was.
func (c *cluster) patch(t *testing.T, name string, spec map[string]any) time.Time {
	t.Helper()
	body, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	if _, err := c.in(life.Resources, space).Patch(
		t.Context(), name, types.MergePatchType, body, metav1.PatchOptions{},
	); err != nil {
		t.Fatalf("patch %s: %v", name, err)
	}
	return at
}

// remove deletes a FlinkDeployment and waits until it and everything of its cluster is gone.
func (c *cluster) remove(t *testing.T, name string) (took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	resource := c.watch(ctx, t, life.Resources, space, "metadata.name="+name, "")
	at := time.Now()
	err := c.in(life.Resources, space).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil {
		return 0
	}
	gone := resource.Until("is gone", func(o watch.Object) (bool, string) { return o.Unstructured == nil, "still there" })
	for _, gvr := range []schema.GroupVersionResource{deployments, services, configMaps, pods} {
		c.watch(ctx, t, gvr, space, "", "app="+name).None(gvr.Resource + " of " + name + " are gone")
	}
	return gone.At.Sub(at)
}

func (c *cluster) list(
	ctx context.Context, gvr schema.GroupVersionResource, namespace, labels string,
) ([]unstructured.Unstructured, error) {
	list, err := c.in(gvr, namespace).List(ctx, metav1.ListOptions{LabelSelector: labels})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// condition is the status, reason and message of a condition; empty when it is not there.
func condition(u *unstructured.Unstructured, kind string) (status, reason, message string) {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == kind {
			status, _ = c["status"].(string)
			reason, _ = c["reason"].(string)
			message, _ = c["message"].(string)
			return status, reason, message
		}
	}
	return "", "", ""
}

func isReady(pod *unstructured.Unstructured) bool {
	status, _, _ := condition(pod, "Ready")
	return status == "True" && pod.GetDeletionTimestamp() == nil
}
