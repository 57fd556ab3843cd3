package tenant

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/test/life"
)

// Namespace is what a user does in a namespace, and what is seen there.
type Namespace struct {
	// Client and Objects have all rights.
	Client  kubernetes.Interface
	Objects dynamic.Interface
	// Name is the namespace's.
	Name string
	// Examples is the directory of examples/.
	Examples string
	// Limit bounds each wait.
	Limit time.Duration
}

// Default is the namespace "default" of a cluster, with three minutes for each wait.
func Default(config *rest.Config, examples string) *Namespace {
	return &Namespace{
		Client: kubernetes.NewForConfigOrDie(config), Objects: dynamic.NewForConfigOrDie(config),
		Name: "default", Examples: examples, Limit: 6 * time.Minute,
	}
}

// Eventually waits for a condition.
func (n *Namespace) Eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	testsuite.Eventually(t, n.Limit, what, condition)
}

// Deployments are the namespace's FlinkDeployments.
func (n *Namespace) Deployments() dynamic.ResourceInterface {
	return n.Objects.Resource(life.Resources).Namespace(n.Name)
}

// Example is the first object of a file of examples/, with texts replaced as strings.NewReplacer does.
func (n *Namespace) Example(t *testing.T, file string, replace ...string) *unstructured.Unstructured {
	t.Helper()
	return n.File(t, file, replace...)[0]
}

// Change is a merge patch of a FlinkDeployment.
func (n *Namespace) Change(t *testing.T, name, patch string) {
	t.Helper()
	if _, err := n.Deployments().Patch(
		t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{},
	); err != nil {
		t.Fatal(err)
	}
}

// View is what a user sees of a FlinkDeployment. Without one Message is the error.
type View struct{ Lifecycle, Job, ID, Message string }

// Seen looks once.
func (n *Namespace) Seen(ctx context.Context, name string) View {
	o, err := n.Deployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return View{Message: err.Error()}
	}
	text := func(fields ...string) string {
		s, _, _ := unstructured.NestedString(o.Object, append([]string{"status"}, fields...)...)
		return s
	}
	return View{text("lifecycleState"), text("jobStatus", "state"), text("jobStatus", "jobId"), text("error")}
}

// Until waits until what is seen of a FlinkDeployment is as wanted. Each change of it is logged.
func (n *Namespace) Until(t *testing.T, name, what string, wanted func(View) bool) View {
	t.Helper()
	var last View
	n.Eventually(t, name+" "+what, func(ctx context.Context) (bool, error) {
		if now := n.Seen(ctx, name); now != last {
			last = now
			t.Logf("%+v", now)
		}
		return wanted(last), nil
	})
	return last
}

// Stable waits until a FlinkDeployment is STABLE with a running job for which more holds. Nil: nothing more.
func (n *Namespace) Stable(t *testing.T, name string, more func(View) bool) View {
	t.Helper()
	return n.Until(t, name, "is STABLE", func(v View) bool {
		return v.Lifecycle == "STABLE" && v.Job == "RUNNING" && (more == nil || more(v))
	})
}

// Pods are those that a selector takes.
func (n *Namespace) Pods(t *testing.T, selector string) []corev1.Pod {
	t.Helper()
	list, err := n.Client.CoreV1().Pods(n.Name).List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// Remove deletes a FlinkDeployment and waits until everything of its cluster is gone.
func (n *Namespace) Remove(t *testing.T, name string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // it may be the test's end
	if err := n.Deployments().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	n.Eventually(t, "everything is gone", func(context.Context) (bool, error) {
		_, err := n.Deployments().Get(ctx, name, metav1.GetOptions{})
		ours := metav1.ListOptions{LabelSelector: "app=" + name}
		services, servicesErr := n.Client.CoreV1().Services(n.Name).List(ctx, ours)
		pods, podsErr := n.Client.CoreV1().Pods(n.Name).List(ctx, ours)
		return apierrors.IsNotFound(err) && servicesErr == nil && len(services.Items) == 0 && podsErr == nil &&
			len(pods.Items) == 0, nil
	})
}
