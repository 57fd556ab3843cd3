package apply

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// carrier is an Executor over a model API server that holds resource demo with the open intent of operation "mine".
type carrier struct {
	t      *testing.T
	kube   *kubesim.Server
	tap    *wire.Tap
	client *kube.Client
	c      *Executor
	object kube.Object
}

func newCluster(t *testing.T) *carrier {
	t.Helper()
	tap := wire.New()
	s := &carrier{t: t, tap: tap, kube: kubesim.New(t, kubesim.NewClock(), tap)}
	s.client = kube.New(s.kube.Dynamic("apply"))
	s.c = &Executor{Kube: s.client}
	s.object = kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: "flink", Name: "demo"}
	s.put(kubesim.FlinkDeployments, "flink.apache.org/v1beta1", "FlinkDeployment", "demo", "", "")
	s.intent("mine")
	return s
}

func (s *carrier) intent(operation string) {
	s.t.Helper()
	if _, err := s.kube.UpdateStatus(
		kubesim.FlinkDeployments, "flink", "demo", map[string]any{"intent": map[string]any{"operationID": operation}},
	); err != nil {
		s.t.Fatal(err)
	}
}

// put makes an object that carries an operation and is owned by a Deployment, each unless empty.
func (s *carrier) put(
	gvr schema.GroupVersionResource, apiVersion, kind, name, operation, owner string,
) *unstructured.Unstructured {
	s.t.Helper()
	u := &unstructured.Unstructured{
		Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": map[string]any{}},
	}
	if kind == "Deployment" {
		u.Object["spec"] = deploymentSpec()
	}
	u.SetNamespace("flink")
	u.SetName(name)
	if operation != "" {
		u.SetAnnotations(map[string]string{v1beta1.AnnotationOperation: operation})
	}
	if owner != "" {
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: owner, UID: "gone"}})
	}
	made, err := s.kube.Create(gvr, u)
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

func deploymentSpec() map[string]any {
	app := map[string]any{"app": "demo"}
	return map[string]any{
		"replicas": int64(0), "selector": map[string]any{"matchLabels": app},
		"template": map[string]any{"metadata": map[string]any{"labels": app}},
	}
}

func (s *carrier) carry(actions ...plan.Action) error {
	s.t.Helper()
	resource, _, err := s.client.Get(s.t.Context(), s.object)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = s.c.Execute(s.t.Context(), s.object, resource, plan.Plan{Actions: actions})
	return err
}

// start is the preparation of operation "mine": a Deployment and one ConfigMap.
func start() plan.PrepareStart {
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: "flink", Name: name, Annotations: map[string]string{v1beta1.AnnotationOperation: "mine"},
		}
	}
	replicas, app := int32(1), map[string]string{"app": "demo"}
	return plan.PrepareStart{Operation: "mine", Cluster: render.Cluster{
		JobManager: &appsv1.Deployment{
			TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta("demo"),
			Spec: appsv1.DeploymentSpec{
				Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: app},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app}},
			},
		},
		ConfigMaps: []*corev1.ConfigMap{
			{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta("flink-config-demo")},
		},
	}}
}

func TestPrepare(t *testing.T) {
	rows := map[string]struct {
		before func(s *carrier)
		kind   fail.Kind
		reason string
	}{
		"an empty place": {func(*carrier) {}, fail.None, "everything is created"},
		"what this operation made": {
			func(s *carrier) { s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "flink-config-demo", "mine", "demo") }, fail.None,
			"a pass that was cut off is taken up",
		},
		"what an earlier start left": {
			func(s *carrier) { s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "flink-config-demo", "old", "demo") }, fail.None,
			"it is replaced while our intent is open",
		},
		"the same, with our intent closed": {func(s *carrier) {
			s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "flink-config-demo", "old", "demo")
			s.intent("theirs")
		}, fail.Conflict, "another pass was faster: it may be its object"},
		"what a deletion with propagation Orphan left": {
			func(s *carrier) { s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "flink-config-demo", "old", "") }, fail.None,
			"it is of a start of ours, and nobody owns it",
		},
		"somebody else's ConfigMap": {
			func(s *carrier) { s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "flink-config-demo", "", "") }, fail.Invalid,
			"what is not ours is never deleted",
		},
		"another cluster's ConfigMap": {
			func(s *carrier) { s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "flink-config-demo", "old", "other") },
			fail.Invalid, "the same",
		},
		"another operation's Deployment": {
			func(s *carrier) { s.put(kubesim.Deployments, "apps/v1", "Deployment", "demo", "old", "") }, fail.Conflict,
			"the plan decides about it, not the carrier",
		},
		"a Deployment that is being deleted": {func(s *carrier) {
			s.put(kubesim.Deployments, "apps/v1", "Deployment", "demo", "mine", "")
			if err := s.kube.Delete(
				kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{Propagation: metav1.DeletePropagationForeground},
			); err != nil {
				s.t.Fatal(err)
			}
		}, fail.Waiting, "it is waited for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := newCluster(t)
			row.before(s)
			if err := s.carry(start()); fail.KindOf(err) != row.kind {
				t.Fatalf("got %v, want kind %q: %s", err, row.kind, row.reason)
			}
			if row.kind != fail.None {
				return
			}
			d := s.kube.Get(kubesim.Deployments, "flink", "demo")
			if replicas, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas"); replicas != 0 {
				t.Errorf("%d replicas before the release", replicas)
			}
			u := s.kube.Get(kubesim.ConfigMaps, "flink", "flink-config-demo")
			if u.GetAnnotations()[v1beta1.AnnotationOperation] != "mine" {
				t.Errorf("the ConfigMap carries %v", u.GetAnnotations())
			}
		})
	}
}

func TestReleaseAndRetire(t *testing.T) {
	rows := map[string]struct {
		operation string
		uid       types.UID
		kind      fail.Kind
		reason    string
	}{
		"the prepared one":         {"mine", "", fail.None, "it gets its replicas"},
		"another Deployment":       {"mine", "another", fail.Conflict, "the one that was released is gone"},
		"one taken out of service": {"", "", fail.Conflict, "a late release must not bring it back"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := newCluster(t)
			uid := s.put(kubesim.Deployments, "apps/v1", "Deployment", "demo", row.operation, "").GetUID()
			if row.uid != "" {
				uid = row.uid
			}
			at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			err := s.carry(plan.Release{Namespace: "flink", Name: "demo", UID: uid, Operation: "mine", Replicas: 2, At: at})
			if fail.KindOf(err) != row.kind {
				t.Errorf("got %v, want kind %q: %s", err, row.kind, row.reason)
			}
			want := int64(0)
			if row.kind == fail.None {
				want = 2
			}
			d := s.kube.Get(kubesim.Deployments, "flink", "demo")
			if replicas, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas"); replicas != want {
				t.Errorf("%d replicas, want %d", replicas, want)
			}
			if row.kind != fail.None {
				return
			}
			if got := d.GetAnnotations()[v1beta1.AnnotationReleased]; got != "2026-11-21T12:00:00Z" {
				t.Errorf("released at %q", got)
			}
			again := plan.Release{
				Namespace: "flink", Name: "demo", UID: uid, Operation: "mine", Replicas: 2, At: at.Add(time.Hour),
			}
			if err := s.carry(again); fail.KindOf(err) != fail.Conflict ||
				s.kube.Get(
					kubesim.Deployments, "flink", "demo",
				).GetAnnotations()[v1beta1.AnnotationReleased] != "2026-11-21T12:00:00Z" {
				t.Errorf("a second release: %v, want a conflict that leaves the time of the first", err)
			}
			if err := s.carry(plan.Retire{Namespace: "flink", Name: "demo", UID: uid}); err != nil {
				t.Fatal(err)
			}
			if err := s.carry(plan.Release{
				Namespace: "flink", Name: "demo", UID: uid, Operation: "mine", Replicas: 2,
			}); fail.KindOf(err) != fail.Conflict {
				t.Errorf("a release after the retirement: %v, want a conflict", err)
			}
		})
	}
	s := newCluster(t)
	pod := s.put(kubesim.Pods, "v1", "Pod", "demo-1", "", "")
	if err := s.carry(plan.Retire{Namespace: "flink", Name: "demo", UID: "gone", Pods: []plan.OwnedObject{
		{Kind: kube.KindPod, Name: "demo-1", UID: pod.GetUID()},
	}}); err != nil {
		t.Errorf("retiring what is gone: %v", err)
	}
	if s.kube.Get(kubesim.Pods, "flink", "demo-1") != nil {
		t.Error("a pod that has not begun stays")
	}
	if err := s.carry(plan.Release{
		Namespace: "flink", Name: "demo", UID: "gone", Operation: "mine", Replicas: 1,
	}); fail.KindOf(err) != fail.Conflict {
		t.Errorf("releasing what is gone: %v, want a conflict", err)
	}
}

// A pod that is deleted while its ReplicaSet is there is replaced.
func TestTheObjectsOfAClusterGoInWaves(t *testing.T) {
	s := newCluster(t)
	jm := s.put(kubesim.Deployments, "apps/v1", "Deployment", "demo", "mine", "")
	owned := []plan.OwnedObject{}
	for _, kind := range []string{kube.KindPod, kube.KindService, kube.KindConfigMap, kube.KindReplicaSet} {
		// what is asked for counts, not what is there
		owned = append(owned, plan.OwnedObject{Kind: kind, Name: "demo", UID: "gone"})
	}
	s.tap.Forget()
	if err := s.carry(plan.DeleteCluster{Namespace: "flink", Name: "demo", UID: jm.GetUID(), Owned: owned}); err != nil {
		t.Fatal(err)
	}
	var went []string
	for _, r := range s.tap.Requests() {
		if r.Verb == "delete" {
			went = append(went, r.Resource)
		}
	}
	if len(went) != 5 || !slices.Equal(went[:3], []string{"deployments", "replicasets", "configmaps"}) {
		t.Errorf("deleted %q, want the Deployment, the ReplicaSet, the ConfigMap, and then the rest", went)
	}
}

func TestWritesKeepToWhatWasSeen(t *testing.T) {
	s := newCluster(t)
	data := s.put(kubesim.ConfigMaps, "v1", "ConfigMap", "demo-x-config-map", "", "")
	seen := []plan.ObjectVersion{{Name: data.GetName(), UID: data.GetUID(), ResourceVersion: data.GetResourceVersion()}}
	touch := func() {
		if _, err := s.kube.Update(kubesim.ConfigMaps, "flink", data.GetName(), func(u *unstructured.Unstructured) {
			u.Object["data"] = map[string]any{"checkpointID-1": "x", "jobGraph-1": "y"}
		}); err != nil {
			t.Fatal(err)
		}
	}
	touch()
	for name, action := range map[string]plan.Action{
		"delete":      plan.DeleteHAData{HAData: plan.HAData{Namespace: "flink", ConfigMaps: seen}},
		"drop graphs": plan.DropJobGraphs{HAData: plan.HAData{Namespace: "flink", ConfigMaps: seen}},
	} {
		if err := s.carry(action); fail.KindOf(err) != fail.Conflict {
			t.Errorf("%s after a change: %v, want a conflict: Flink is still writing", name, err)
		}
	}
	data = s.kube.Get(kubesim.ConfigMaps, "flink", data.GetName())
	seen[0].ResourceVersion = data.GetResourceVersion()
	if err := s.carry(plan.DropJobGraphs{HAData: plan.HAData{Namespace: "flink", ConfigMaps: seen}}); err != nil {
		t.Fatal(err)
	}
	left, _, _ := unstructured.NestedStringMap(s.kube.Get(kubesim.ConfigMaps, "flink", data.GetName()).Object, "data")
	if len(left) != 1 || left["checkpointID-1"] == "" {
		t.Errorf("left %v, want the checkpoint alone", left)
	}
}

func TestJobsAreForgottenAndOthersKept(t *testing.T) {
	const gone, kept = "000000000000000000000000000000aa", "000000000000000000000000000000bb"
	s := newCluster(t)
	a := plan.ForgetJobs{HAData: plan.HAData{Namespace: "flink"}, Jobs: []string{gone}}
	names := []string{"demo-" + gone + "-config-map", "demo-" + kept + "-config-map", "demo-cluster-config-map"}
	for _, name := range names {
		s.put(kubesim.ConfigMaps, "v1", "ConfigMap", name, "", "")
		if _, err := s.kube.Update(kubesim.ConfigMaps, "flink", name, func(u *unstructured.Unstructured) {
			u.Object["data"] = map[string]any{
				"jobGraph-" + gone: "x", "executionPlan-" + gone: "x", "jobGraph-" + kept: "y",
			}
		}); err != nil {
			t.Fatal(err)
		}
		u := s.kube.Get(kubesim.ConfigMaps, "flink", name)
		a.ConfigMaps = append(a.ConfigMaps, plan.ObjectVersion{
			Name: name, UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		})
	}
	stale := a
	stale.ConfigMaps = slices.Clone(a.ConfigMaps)
	stale.ConfigMaps[2].ResourceVersion = "1"
	stale.ConfigMaps = stale.ConfigMaps[2:]
	if err := s.carry(stale); fail.KindOf(err) != fail.Conflict {
		t.Errorf("%v, want a conflict: somebody wrote since", err)
	}
	stale.ConfigMaps = slices.Clone(a.ConfigMaps)
	stale.ConfigMaps[0].ResourceVersion = "1"
	slices.Reverse(stale.ConfigMaps)
	if err := s.carry(stale); err == nil {
		t.Error("the ConfigMap of a job is deleted in a version that was not seen")
	}
	if left, _, _ := unstructured.NestedStringMap(
		s.kube.Get(kubesim.ConfigMaps, "flink", names[2]).Object, "data",
	); left["jobGraph-"+gone] == "" {
		t.Error("the graph is gone before what names the job's checkpoints: who looks again does not know of that")
	}
	if err := s.carry(a); err != nil {
		t.Fatal(err)
	}
	there := func(name string) bool { return s.kube.Get(kubesim.ConfigMaps, "flink", name) != nil }
	if there(names[0]) || !there(names[1]) {
		t.Error("the ConfigMap of the job goes, and that of the other stays")
	}
	left, _, _ := unstructured.NestedStringMap(s.kube.Get(kubesim.ConfigMaps, "flink", names[2]).Object, "data")
	if len(left) != 1 || left["jobGraph-"+kept] == "" {
		t.Errorf("left %v, want the graph of the other job alone", left)
	}
}

func TestAStatusIsWrittenOverWhatWasRead(t *testing.T) {
	s := newCluster(t)
	stale, _, err := s.client.Get(t.Context(), s.object)
	if err != nil {
		t.Fatal(err)
	}
	s.intent("theirs")
	status := &v1beta1.FlinkDeploymentStatus{Error: "ours"}
	result, err := s.c.Execute(t.Context(), s.object, stale, plan.Plan{
		Actions: []plan.Action{plan.Record{Status: status, Why: "intent"}, start()},
	})
	if fail.KindOf(err) != fail.Conflict || result.Stored != nil {
		t.Errorf("stored %v, %v; want a conflict", result.Stored, err)
	}
	if s.kube.Get(kubesim.Deployments, "flink", "demo") != nil {
		t.Error("an effect followed an intent that was not stored")
	}
}
