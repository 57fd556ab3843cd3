package controlplane

import (
	"context"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func namespace(t *testing.T) string {
	t.Helper()
	created, err := client.CoreV1().Namespaces().Create(
		t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "t-"}}, metav1.CreateOptions{},
	)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "default service account", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts(created.Name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	return created.Name
}

func TestTheServerSaysWhichReleaseItIs(t *testing.T) {
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != KubernetesVersion {
		t.Errorf("the server is %s, not %s", version.GitVersion, KubernetesVersion)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if pinned := regexp.MustCompile(`k8s.io/kubernetes (v\S+)`).FindSubmatch(mod); pinned == nil ||
		string(pinned[1]) != KubernetesVersion {
		t.Errorf("go.mod pins %q, the constant says %s", pinned, KubernetesVersion)
	}
}

func TestADirectoryStartedAgainGoesOn(t *testing.T) {
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "left", metav1.GetOptions{}); err != nil {
		t.Errorf("what the first start stored: %v", err)
	}
	if starts[0].url != starts[1].url {
		t.Errorf("the server was at %s and is at %s", starts[0].url, starts[1].url)
	}
	for i, start := range starts {
		t.Logf("start %d: ready after %s", i, start.ready)
	}
}

func TestTheKubeconfigIsAllAClientNeeds(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", plane.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes().List(
		t.Context(), metav1.ListOptions{},
	); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(plane.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("it is readable as %s", info.Mode())
	}
}

func TestNobodyGetsInWithoutCredentials(t *testing.T) {
	anonymous := rest.AnonymousClientConfig(plane.Config())
	_, err := kubernetes.NewForConfigOrDie(anonymous).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("%v, want unauthorized", err)
	}
}

func TestTheServerListensOnLoopbackOnly(t *testing.T) {
	host, _, err := net.SplitHostPort(strings.TrimPrefix(plane.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	if !net.ParseIP(host).IsLoopback() {
		t.Errorf("it listens on %s", host)
	}
}

func TestRightsOfAServiceAccount(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	config, err := plane.ServiceAccountConfig(t.Context(), ns, "default")
	if err != nil {
		t.Fatal(err)
	}
	account := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(ns)
	if _, err := account.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Fatalf("before the role: %v, want forbidden", err)
	}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "read"}, Rules: rules}
	if _, err := client.RbacV1().Roles(ns).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "read"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "read"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: "default"}},
	}
	if _, err := client.RbacV1().RoleBindings(ns).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the role counts", func(ctx context.Context) (bool, error) {
		_, err := account.List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	if err := account.Delete(t.Context(), "any", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("delete: %v, want forbidden", err)
	}
}

func TestAnUnknownServiceAccountIsAnError(t *testing.T) {
	if _, err := plane.ServiceAccountConfig(t.Context(), "default", "nobody"); !apierrors.IsNotFound(err) {
		t.Errorf("%v, want not found", err)
	}
}

func deployment(replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
			},
		},
	}
}

func TestADeploymentBecomesPods(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	if _, err := client.AppsV1().Deployments(ns).Create(t.Context(), deployment(2), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pods := client.CoreV1().Pods(ns)
	eventually(t, "two pods that the scheduler has looked at", func(ctx context.Context) (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) != 2 {
			return false, err
		}
		for _, pod := range list.Items {
			if len(pod.Status.Conditions) == 0 || pod.Status.Conditions[0].Reason != corev1.PodReasonUnschedulable {
				return false, nil
			}
		}
		return true, nil
	})
	background := metav1.DeletePropagationBackground
	if err := client.AppsV1().Deployments(ns).Delete(
		t.Context(), "web", metav1.DeleteOptions{PropagationPolicy: &background},
	); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no pods", func(ctx context.Context) (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0, err
	})
}

func TestANamespaceGoesWithAllThatIsInIt(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	if _, err := client.CoreV1().ConfigMaps(ns).Create(
		t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func TestEveryNamespaceHasTheAuthorityForPods(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	eventually(t, "kube-root-ca.crt", func(ctx context.Context) (bool, error) {
		authority, err := client.CoreV1().ConfigMaps(ns).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		return err == nil && strings.Contains(authority.Data["ca.crt"], "BEGIN CERTIFICATE"), nil
	})
}
