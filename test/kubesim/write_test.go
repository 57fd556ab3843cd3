package kubesim

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestCreateFillsMetadata(t *testing.T) {
	s, c := start(t)
	u := flinkDeployment("a")
	u.Object["status"] = map[string]any{"lifecycleState": "STABLE"}
	made := create(t, c, u)
	if made.GetUID() == "" || made.GetResourceVersion() == "" || made.GetGeneration() != 1 {
		t.Errorf(
			"uid %q, version %q, generation %d: want all set and generation 1", made.GetUID(), made.GetResourceVersion(),
			made.GetGeneration(),
		)
	}
	if !made.GetCreationTimestamp().Time.Equal(s.Clock.Now()) {
		t.Errorf("created at %s, want the simulated %s", made.GetCreationTimestamp(), s.Clock.Now())
	}
	if _, there := made.Object["status"]; there {
		t.Error("status was stored by a create: a status subresource ignores it")
	}
	if got := create(t, c, configMap("a")).GetGeneration(); got != 0 {
		t.Errorf("generation of a ConfigMap = %d, want none", got)
	}
}

func TestRefusals(t *testing.T) {
	type call func(t *testing.T, s *Server, c dynamic.Interface) error
	patch := func(kind types.PatchType, text string) call {
		return func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Patch(
				t.Context(), "a", kind, []byte(text), metav1.PatchOptions{},
			)
			return err
		}
	}
	put := func(change func(*unstructured.Unstructured)) call {
		return func(t *testing.T, s *Server, c dynamic.Interface) error {
			u := s.Get(FlinkDeployments, "flink", "a")
			change(u)
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Update(t.Context(), u, metav1.UpdateOptions{})
			return err
		}
	}
	remove := func(options metav1.DeleteOptions) call {
		return func(t *testing.T, s *Server, c dynamic.Interface) error {
			return c.Resource(FlinkDeployments).Namespace("flink").Delete(t.Context(), "a", options)
		}
	}
	uid, version := types.UID("other"), "1"
	rows := map[string]struct {
		call   call
		code   int32
		reason metav1.StatusReason
		text   string
		why    string
	}{
		"create again": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Create(
				t.Context(), flinkDeployment("a"), metav1.CreateOptions{},
			)
			return err
		}, 409, metav1.StatusReasonAlreadyExists, `flinkdeployments.flink.apache.org "a" already exists`,
			"names are unique"},
		"create in no namespace": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			u := flinkDeployment("b")
			u.SetNamespace("nowhere")
			_, err := c.Resource(FlinkDeployments).Namespace("nowhere").Create(t.Context(), u, metav1.CreateOptions{})
			return err
		}, 404, metav1.StatusReasonNotFound, `namespaces "nowhere" not found`, "the namespace must be there"},
		"create with a version": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			u := flinkDeployment("b")
			u.SetResourceVersion("1")
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Create(t.Context(), u, metav1.CreateOptions{})
			return err
		}, 400, metav1.StatusReasonBadRequest, "resourceVersion should not be set", "a new object has none"},
		"create a bad name": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Create(
				t.Context(), flinkDeployment("A_b"), metav1.CreateOptions{},
			)
			return err
		}, 422, metav1.StatusReasonInvalid, "metadata.name", "names are DNS subdomains"},
		"create a foreign kind": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(Deployments).Namespace("flink").Create(
				t.Context(), flinkDeployment("b"), metav1.CreateOptions{},
			)
			return err
		}, 400, metav1.StatusReasonBadRequest, "is a flink.apache.org/v1beta1", "path and body must agree"},
		"deployment with a loose selector": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			u := deployment("b", "x")
			unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "labels", "app")
			_, err := c.Resource(Deployments).Namespace("flink").Create(t.Context(), u, metav1.CreateOptions{})
			return err
		}, 422, metav1.StatusReasonInvalid, "does not match template", "a Deployment must select its own pods"},
		"get what is not there": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Get(t.Context(), "b", metav1.GetOptions{})
			return err
		}, 404, metav1.StatusReasonNotFound, `flinkdeployments.flink.apache.org "b" not found`, "absence is a 404"},
		"a resource nobody serves": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(flink("flinkrockets")).Namespace("flink").Get(t.Context(), "b", metav1.GetOptions{})
			return err
		}, 404, metav1.StatusReasonNotFound, "could not find the requested resource", "a CRD that is not installed"},
		"put without a version": {put(func(u *unstructured.Unstructured) { u.SetResourceVersion("") }),
			422, metav1.StatusReasonInvalid, "must be specified for an update",
			"custom resources have no unconditional update"},
		"put with an old version": {put(func(u *unstructured.Unstructured) { u.SetResourceVersion("1") }),
			409, metav1.StatusReasonConflict, "the object has been modified", "optimistic locking"},
		"put with another uid": {put(func(u *unstructured.Unstructured) { u.SetUID("other") }),
			409, metav1.StatusReasonConflict, "UID in precondition: other", "another incarnation"},
		"merge patch with an old version": {patch(
			types.MergePatchType, `{"metadata":{"resourceVersion":"1"},"spec":{"x":1}}`,
		),
			409, metav1.StatusReasonConflict, "the object has been modified", "a version in a patch is a precondition"},
		"merge patch with another uid": {patch(types.MergePatchType, `{"metadata":{"uid":"other"},"spec":{"x":1}}`),
			422, metav1.StatusReasonInvalid, "metadata.uid", "a uid in a patch is an immutable field, not a conflict"},
		"json patch with a failed test": {patch(
			types.JSONPatchType, `[{"op":"test","path":"/spec/flinkVersion","value":"v2_0"}]`,
		),
			422, metav1.StatusReasonInvalid, "error in our request", "a test operation is a precondition"},
		"json patch that is none": {patch(types.JSONPatchType, `{}`),
			400, metav1.StatusReasonBadRequest, "", "a JSON patch is a list"},
		"strategic merge patch": {patch(types.StrategicMergePatchType, `{}`),
			415, metav1.StatusReasonUnsupportedMediaType, "does not model", "custom resources do not know it"},
		"delete another uid": {remove(metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}),
			409, metav1.StatusReasonConflict, "the UID in the precondition (other) does not match", "another incarnation"},
		"delete an old version": {remove(metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{ResourceVersion: &version},
		}),
			409, metav1.StatusReasonConflict, "the ResourceVersion in the precondition (1) does not match",
			"it changed since"},
		"delete all": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			return c.Resource(FlinkDeployments).Namespace("flink").DeleteCollection(
				t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{},
			)
		}, 405, metav1.StatusReasonMethodNotAllowed, "", "not modelled"},
		"watch": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Watch(t.Context(), metav1.ListOptions{})
			return err
		}, 405, metav1.StatusReasonMethodNotAllowed, "", "not modelled"},
		"status of a kind without": {func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(ConfigMaps).Namespace("flink").UpdateStatus(
				t.Context(), configMap("a"), metav1.UpdateOptions{},
			)
			return err
		}, 404, metav1.StatusReasonNotFound, "", "ConfigMaps have no status"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s, c := start(t)
			create(t, c, flinkDeployment("a"))
			before := s.Version()
			err := row.call(t, s, c)
			status, ok := err.(apierrors.APIStatus)
			if !ok {
				t.Fatalf("got %T %v, want an API error: %s", err, err, row.why)
			}
			if got := status.Status(); got.Code != row.code || got.Reason != row.reason ||
				!strings.Contains(got.Message, row.text) {
				t.Errorf(
					"got %d %s %q, want %d %s %q: %s", got.Code, got.Reason, got.Message, row.code, row.reason, row.text, row.why,
				)
			}
			if s.Version() != before {
				t.Errorf("a refused call changed something: %s", row.why)
			}
		})
	}
}

func TestWritesKeepToTheirPart(t *testing.T) {
	s, c := start(t)
	create(t, c, flinkDeployment("a"))
	client := c.Resource(FlinkDeployments).Namespace("flink")

	u := s.Get(FlinkDeployments, "flink", "a")
	u.SetLabels(map[string]string{"x": "y"})
	u.Object["spec"] = map[string]any{"flinkVersion": "v2_0"}
	u.Object["status"] = map[string]any{"lifecycleState": "STABLE", "n": int64(3)}
	got, err := client.UpdateStatus(t.Context(), u, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.GetLabels() != nil || got.GetGeneration() != 1 || version(got) != "v1_20" {
		t.Errorf(
			"a status write changed labels %v, generation %d or spec %s", got.GetLabels(), got.GetGeneration(), version(got),
		)
	}

	got.Object["spec"] = map[string]any{"flinkVersion": "v2_0"}
	got.Object["status"] = map[string]any{"lifecycleState": "FAILED"}
	got, err = client.Update(t.Context(), got, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	state, _, _ := unstructured.NestedString(got.Object, "status", "lifecycleState")
	if state != "STABLE" || got.GetGeneration() != 2 || version(got) != "v2_0" {
		t.Errorf(
			"a main write gave state %s, generation %d, version %s: want STABLE, 2, v2_0", state, got.GetGeneration(),
			version(got),
		)
	}

	got.SetAnnotations(map[string]string{"a": "b"})
	if got, err = client.Update(t.Context(), got, metav1.UpdateOptions{}); err != nil || got.GetGeneration() != 2 {
		t.Errorf("an annotation gave generation %d, %v: metadata does not count", got.GetGeneration(), err)
	}
}

func version(u *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(u.Object, "spec", "flinkVersion")
	return text
}

func TestDeploymentGenerationCountsAnnotations(t *testing.T) {
	s, c := start(t)
	create(t, c, deployment("a", "x"))
	for step, row := range []struct {
		patch string
		want  int64
		why   string
	}{
		{`{"metadata":{"annotations":{"a":"b"}}}`, 2, "apps/v1 counts annotations"},
		{`{"metadata":{"labels":{"a":"b"}}}`, 2, "but not labels"},
		{`{"spec":{"replicas":0}}`, 3, "and the spec"},
		{`{"status":{"replicas":5}}`, 3, "never status"},
	} {
		got, err := c.Resource(Deployments).Namespace("flink").Patch(
			t.Context(), "a", types.MergePatchType, []byte(row.patch), metav1.PatchOptions{},
		)
		if err != nil || got.GetGeneration() != row.want {
			t.Errorf("step %d: generation %d, %v; want %d: %s", step, got.GetGeneration(), err, row.want, row.why)
		}
	}
	if status := s.Get(Deployments, "flink", "a").Object["status"]; status != nil {
		t.Errorf("status = %v after a main patch, want none", status)
	}
}

func TestNoOpIsSilent(t *testing.T) {
	rows := map[string]func(*testing.T, *Server, dynamic.Interface) error{
		"put": func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Update(
				t.Context(), s.Get(FlinkDeployments, "flink", "a"), metav1.UpdateOptions{},
			)
			return err
		},
		"put status": func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").UpdateStatus(
				t.Context(), s.Get(FlinkDeployments, "flink", "a"), metav1.UpdateOptions{},
			)
			return err
		},
		"merge patch": func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Patch(
				t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"flinkVersion":"v1_20"}}`), metav1.PatchOptions{},
			)
			return err
		},
		"json patch": func(t *testing.T, s *Server, c dynamic.Interface) error {
			_, err := c.Resource(FlinkDeployments).Namespace("flink").Patch(
				t.Context(), "a", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/flinkVersion","value":"v1_20"}]`),
				metav1.PatchOptions{},
			)
			return err
		},
		"apply again": func(t *testing.T, s *Server, c dynamic.Interface) error {
			u := object("v1", "ConfigMap", "flink", "applied")
			u.Object["data"] = map[string]any{"k": "v"}
			_, err := c.Resource(ConfigMaps).Namespace("flink").Apply(
				t.Context(), "applied", u, metav1.ApplyOptions{FieldManager: "us", Force: true},
			)
			return err
		},
	}
	for name, call := range rows {
		t.Run(name, func(t *testing.T) {
			s, c := start(t)
			create(t, c, flinkDeployment("a"))
			if err := rows["apply again"](t, s, c); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(1000)
			s.Feed.Take()
			before, effects := s.Version(), len(s.Tap.Effects())
			if err := call(t, s, c); err != nil {
				t.Fatal(err)
			}
			if s.Version() != before || len(s.Tap.Effects()) != effects || len(s.Feed.Take()) != 0 {
				t.Errorf(
					"version %d -> %d, effects %d -> %d: a write that changes nothing is nothing", before, s.Version(), effects,
					len(s.Tap.Effects()),
				)
			}
		})
	}
}

func TestApply(t *testing.T) {
	_, c := start(t)
	client := c.Resource(ConfigMaps).Namespace("flink")
	apply := func(manager string, force bool, data map[string]any) (*unstructured.Unstructured, error) {
		u := object("v1", "ConfigMap", "flink", "a")
		u.Object["data"] = data
		return client.Apply(t.Context(), "a", u, metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	steps := []struct {
		manager string
		force   bool
		data    map[string]any
		want    map[string]any
		why     string
	}{
		{"us", false, map[string]any{"a": "1", "b": "1"}, map[string]any{"a": "1", "b": "1"}, "an apply creates"},
		{"them", false, map[string]any{"c": "1"}, map[string]any{"a": "1", "b": "1", "c": "1"}, "another manager adds"},
		{
			"us", false, map[string]any{"a": "2"}, map[string]any{"a": "2", "c": "1"},
			"what we no longer want goes, what is theirs stays",
		},
		{"them", false, map[string]any{"a": "3", "c": "1"}, nil, "a field of ours with another value is a conflict"},
		{"them", true, map[string]any{"a": "3", "c": "1"}, map[string]any{"a": "3", "c": "1"}, "force takes it over"},
	}
	for i, step := range steps {
		got, err := apply(step.manager, step.force, step.data)
		if step.want == nil {
			if !apierrors.IsConflict(err) {
				t.Errorf("step %d: got %v, want a conflict: %s", i, err, step.why)
			}
			continue
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if diff := cmp.Diff(step.want, got.Object["data"]); diff != "" {
			t.Errorf("step %d: %s\n%s", i, step.why, diff)
		}
	}
	if _, err := client.Apply(t.Context(), "a", configMap("a"), metav1.ApplyOptions{}); !apierrors.IsBadRequest(err) {
		t.Errorf("apply without a manager: %v, want 400", err)
	}
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

func TestEventNamesAreFree(t *testing.T) {
	_, c := start(t)
	event := object("v1", "Event", "flink", "JobManagerDeployment.838260017")
	if got := create(t, c, event); got.GetName() != event.GetName() {
		t.Errorf("name %q; an Event may be called anything that fits into a path", got.GetName())
	}
	unnamed := object("v1", "Event", "flink", "")
	unnamed.SetGenerateName("demo.")
	if got := create(t, c, unnamed); got.GetName() != "demo.00001" {
		t.Errorf("name %q, want one that was generated", got.GetName())
	}
}

func TestUnconditionalPut(t *testing.T) {
	_, c := start(t)
	create(t, c, configMap("a"))
	u := configMap("a")
	u.Object["data"] = map[string]any{"k": "w"}
	got, err := c.Resource(ConfigMaps).Namespace("flink").Update(t.Context(), u, metav1.UpdateOptions{})
	if err != nil || got.GetUID() == "" {
		t.Errorf("uid %q, %v: core resources take an update without a version", got.GetUID(), err)
	}
}
