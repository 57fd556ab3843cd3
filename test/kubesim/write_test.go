package kubesim

import (
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func start(t *testing.T) (*Server, dynamic.Interface) {
	t.Helper()
	s := New(t, NewClock(), wire.New())
	return s, s.Dynamic("test")
}

func flinkDeployment(name string) *unstructured.Unstructured {
	u := object("flink.apache.org/v1beta1", "FlinkDeployment", "flink", name)
	u.Object["spec"] = map[string]any{"flinkVersion": "v1_20", "jobManager": map[string]any{"replicas": int64(1)}}
	return u
}

func deployment(name, image string) *unstructured.Unstructured {
	u := object("apps/v1", "Deployment", "flink", name)
	labels := func() map[string]any {
		return map[string]any{"app": name, "component": "jobmanager", "type": "flink-native-kubernetes"}
	}
	u.SetLabels(map[string]string{"app": name, "component": "jobmanager", "type": "flink-native-kubernetes"})
	u.Object["spec"] = map[string]any{
		"replicas": int64(1), "selector": map[string]any{"matchLabels": labels()},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels()},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": image}}},
		},
	}
	return u
}

func configMap(name string) *unstructured.Unstructured {
	u := object("v1", "ConfigMap", "flink", name)
	u.Object["data"] = map[string]any{"k": "v"}
	return u
}

func create(t *testing.T, c dynamic.Interface, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	for _, r := range resources {
		if r.gvk() == u.GroupVersionKind() {
			made, err := c.Resource(r.GVR).Namespace(u.GetNamespace()).Create(t.Context(), u, metav1.CreateOptions{})
			if err != nil {
				t.Fatalf("create %s: %v", u.GetName(), err)
			}
			return made
		}
	}
	t.Fatalf("no resource for %s", u.GroupVersionKind())
	return nil
}

func version(u *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(u.Object, "spec", "flinkVersion")
	return text
}

func TestAdmission(t *testing.T) {
	s, c := start(t)
	create(t, c, flinkDeployment("a"))
	s.Admit = func(new, old *unstructured.Unstructured) error {
		if version(new) == "v9_9" && (old == nil || version(old) != "v9_9") {
			return apierrors.NewForbidden(FlinkDeployments.GroupResource(), new.GetName(), http.ErrNotSupported)
		}
		return nil
	}
	_, err := c.Resource(FlinkDeployments).Namespace("flink").Patch(
		t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"flinkVersion":"v9_9"}}`), metav1.PatchOptions{},
	)
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want what admission said", err)
	}
	if _, err := s.Update(FlinkDeployments, "flink", "a", func(u *unstructured.Unstructured) {
		u.Object["spec"] = map[string]any{"flinkVersion": "v9_9"}
	}); err != nil {
		t.Errorf("a test's own write met admission: %v", err)
	}
}

func TestNothingIsRandomAndNoRealClockIsRead(t *testing.T) {
	s, c := start(t)
	s.Clock.Advance(time.Hour)
	unnamed := object("v1", "ConfigMap", "flink", "")
	unnamed.SetGenerateName("demo-")
	made := create(t, c, unnamed)
	if made.GetName() != "demo-00001" || made.GetUID() != "5ca1ab1e-0000-4000-8000-000000000005" {
		t.Errorf("name %q, uid %s", made.GetName(), made.GetUID())
	}
	if at := made.GetCreationTimestamp(); !at.Time.Equal(s.Clock.Now()) ||
		!made.GetManagedFields()[0].Time.Time.Equal(s.Clock.Now()) {
		t.Errorf("created at %s, managed %v, want the simulated %s", at, made.GetManagedFields(), s.Clock.Now())
	}
}

func TestWhatIsNotModelledIsRefused(t *testing.T) {
	_, c := start(t)
	made := create(t, c, flinkDeployment("a"))
	client := c.Resource(FlinkDeployments).Namespace("flink")
	dry := []string{metav1.DryRunAll}
	for name, call := range map[string]func() error{
		"delete all": func() error {
			return client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		},
		"watch": func() error {
			_, err := client.Watch(t.Context(), metav1.ListOptions{})
			return err
		},
		"dry run": func() error {
			_, err := client.Update(t.Context(), made, metav1.UpdateOptions{DryRun: dry})
			return err
		},
	} {
		if err := call(); !apierrors.IsMethodNotSupported(err) {
			t.Errorf("%s: %v, want 405", name, err)
		}
	}
	event := object("v1", "Event", "flink", "e")
	if _, err := c.Resource(Events).Namespace("flink").Apply(
		t.Context(), "e", event, metav1.ApplyOptions{FieldManager: "us"},
	); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("an apply of what nobody owns: %v, want 415", err)
	}
}

func TestAWriteThatChangesNothingIsNoEffect(t *testing.T) {
	s, c := start(t)
	made := create(t, c, flinkDeployment("a"))
	client := c.Resource(FlinkDeployments).Namespace("flink")
	s.Clock.Advance(time.Second)
	s.Feed.Take()
	version, effects := s.Version(), len(s.Tap.Effects())
	if _, err := client.Update(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Create(t.Context(), made, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("create again: %v", err)
	}
	if s.Version() != version || len(s.Tap.Effects()) != effects || len(s.Feed.Take()) != 0 {
		t.Errorf("version %d -> %d, effects %d -> %d", version, s.Version(), effects, len(s.Tap.Effects()))
	}
}
