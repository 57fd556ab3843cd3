package pass

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// TestADeletionNeedsNoRoom: a resource that is as large as etcd takes is deleted like any other, in every state.
func TestADeletionNeedsNoRoom(t *testing.T) {
	full := func(i *installation) { i.w.Kube.ObjectLimit = kubesim.Size(i.resource()) }
	configure := func(i *installation, key, value string) {
		i.merge("demo", map[string]any{"spec": map[string]any{"flinkConfiguration": map[string]any{key: value}}})
	}
	edit := func(i *installation) {
		i.merge("demo", map[string]any{"spec": map[string]any{"restartNonce": int64(7)}})
	}
	patch := func(i *installation, name string, value any) {
		u := i.resource()
		if err := unstructured.SetNestedField(u.Object, value, "status", "reconciliationStatus", name); err != nil {
			i.t.Fatal(err)
		}
		status := u.Object["status"].(map[string]any)
		if _, err := i.w.Kube.UpdateStatus(v1beta1.FlinkDeploymentGVR, "flink", "demo", status); err != nil {
			i.t.Fatal(err)
		}
	}
	rows := map[string]struct {
		before func(i *installation)
		// savepoint is taken before the deletion.
		savepoint bool
		reason    string
	}{
		"stable": {full, false, "lastStableSpec goes"},
		"stable, and a change did not fit": {func(i *installation) {
			edit(i)
			full(i)
			i.pass(v1beta1.KindFlinkDeployment, "demo")
			full(i)
		}, false, "lastStableSpec goes"},
		"never stable": {func(i *installation) {
			patch(i, "lastStableSpec", "")
			full(i)
		}, false, "the conditions go"},
		"never stable, and a change did not fit": {func(i *installation) {
			patch(i, "lastStableSpec", "")
			edit(i)
			i.w.Kube.ObjectLimit = kubesim.Size(i.resource()) + 30
			i.pass(v1beta1.KindFlinkDeployment, "demo")
			full(i)
		}, false, "the rest of the conditions goes"},
		"rolled back": {func(i *installation) {
			patch(i, "state", "ROLLED_BACK")
			full(i)
		}, false, "lastReconciledSpec goes, for it does not run"},
		"held by somebody else, too": {func(i *installation) {
			i.merge("demo", map[string]any{"metadata": map[string]any{
				"finalizers": []string{v1beta1.FinalizerFlinkDeployment, "example.com/holds"},
			}})
			full(i)
		}, false, "the last status is stored"},
		"with a savepoint": {func(i *installation) {
			configure(i, "kubernetes.operator.job.savepoint-on-deletion", "true")
			full(i)
		}, true, "its path is stored, too"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			row.before(i)
			object := kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: "flink", Name: "demo"}
			if err := kube.New(i.w.Dynamic("kubectl")).Delete(t.Context(), object, i.resource().GetUID()); err != nil {
				t.Fatal(err)
			}
			if size := kubesim.Size(i.resource()); size > i.w.Kube.ObjectLimit { // who deletes found room for the mark
				i.w.Kube.ObjectLimit = size
			}
			for range 60 {
				i.pass(v1beta1.KindFlinkDeployment, "demo")
				i.w.Clock.Advance(2 * time.Second)
				i.w.Settle()
			}
			if u := i.resource(); u != nil && slices.Contains(u.GetFinalizers(), v1beta1.FinalizerFlinkDeployment) {
				t.Fatalf("it is still there (%s): %v", row.reason, u.Object["status"])
			}
			if jm := i.w.Kube.Get(kube.Deployments, "flink", "demo"); jm != nil {
				t.Error("its Deployment is still there")
			}
			if told, _ := i.told(fail.ReasonTooLarge); told > 1 {
				t.Errorf("told %d times", told)
			}
			if told, _ := i.told("Cleanup"); told != 1 {
				t.Errorf("the deletion was told %d times", told)
			}
			if got := i.savepoints() == 1; got != row.savepoint {
				t.Errorf("%d savepoints", i.savepoints())
			}
		})
	}
}
