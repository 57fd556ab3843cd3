package sweep

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// A metric says how long a pair has waited for a user, also when none of its sides is stalled.
func TestAStalledPairIsTold(t *testing.T) {
	f := newFleet(t, 0)
	collector, push := f.measured(t)
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(fmt.Sprintf(`{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkBlueGreenDeployment",
		"metadata": {"namespace": "flink", "name": "demo", "uid": "u", "generation": 1}, "spec": {},
		"status": {"conditions": [
			{"type": "Stalled", "status": "True", "reason": "TransitionAborted", "message": "m", "lastTransitionTime": %q}
		]}}`, f.kube.Clock.Now().Add(-time.Hour).UTC().Format(time.RFC3339)))); err != nil {
		t.Fatal(err)
	}
	page := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*u}}
	look := f.lookAtBlueGreens(t.Context(), "flink", page)
	if err := look(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	push()
	waits := collector.Samples(
		string(metrics.Waiting), "flink.operator.reason=TransitionAborted", "flink.resource.kind=FlinkBlueGreenDeployment",
		"k8s.namespace.name=flink", "flink.resource.name=demo",
	)
	if len(waits) != 1 || waits[0].Value < 3600 || waits[0].Value > 3601 {
		t.Errorf("it waits %v, want an hour", waits)
	}
}

// T11.125: pairs at rest cost no write and no call of Flink, however often they are looked at.
func TestQuietPairsCostNothing(t *testing.T) {
	const count = 1000
	f := newFleet(t, 0) // it has no way to Flink: a call panics
	spec := map[string]any{
		"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
		"jobManager":  map[string]any{"resource": map[string]any{"memory": "1g", "cpu": int64(1)}},
		"taskManager": map[string]any{"resource": map[string]any{"memory": "1g", "cpu": int64(1)}},
		"job":         map[string]any{"jarURI": "local:///a.jar", "parallelism": int64(2), "upgradeMode": "stateless"},
	}
	var quiet *v1beta1.FlinkBlueGreenDeploymentStatus
	for i := range count {
		name := fmt.Sprintf("pair-%04d", i)
		u, err := f.kube.Create(kubesim.FlinkBlueGreenDeployments, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkBlueGreenDeployment,
			"metadata": map[string]any{"namespace": "flink", "name": name},
			"spec":     map[string]any{"template": map[string]any{"spec": spec}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		side, err := f.kube.Create(kubesim.FlinkDeployments, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment, "spec": spec,
			"metadata": map[string]any{
				"namespace": "flink", "name": name + "-blue", "labels": map[string]any{v1beta1.LabelBlueGreenType: "BLUE"},
				"ownerReferences": []any{map[string]any{
					"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkBlueGreenDeployment, "name": name,
					"uid": string(u.GetUID()),
				}},
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		f.status(t, kubesim.FlinkDeployments, side.GetName(), v1beta1.FlinkDeploymentStatus{
			LifecycleState: v1beta1.LifecycleStable, JobStatus: v1beta1.JobStatus{State: v1beta1.FlinkJobRunning},
			ObservedGeneration: side.GetGeneration(), JobManagerDeploymentStatus: v1beta1.JobManagerReady,
		})
		if quiet == nil {
			quiet = f.atRest(t, u)
		}
		f.status(t, kubesim.FlinkBlueGreenDeployments, name, *quiet)
	}
	f.mail.take(event.TypePassRequested)
	f.kube.Clock.Advance(time.Hour)
	k, _ := kindOf(v1beta1.KindFlinkBlueGreenDeployment)
	if err := f.sweep(t.Context(), k, &fleet{}); err != nil {
		t.Fatal(err)
	}
	if asked := f.mail.subjects(); len(asked) > 0 {
		t.Errorf("%d passes were asked for, such as of %s", len(asked), asked[0])
	}
}

// atRest is the status of a pair whose blue side serves, once passes have nothing more to write.
func (f *fleetOf) atRest(t *testing.T, u *unstructured.Unstructured) *v1beta1.FlinkBlueGreenDeploymentStatus {
	t.Helper()
	b, specErr, err := v1beta1.DecodeBlueGreen(u.Object)
	if err != nil || specErr != nil {
		t.Fatal(err, specErr)
	}
	text, err := v1beta1.ReconciledBlueGreenText(&b.Spec)
	if err != nil {
		t.Fatal(err)
	}
	status := &v1beta1.FlinkBlueGreenDeploymentStatus{BlueGreenState: "ACTIVE_BLUE", LastReconciledSpec: text}
	for range 5 {
		f.status(t, kubesim.FlinkBlueGreenDeployments, u.GetName(), *status)
		s, err := f.Gather.BlueGreenOf(t.Context(), f.kube.Get(kubesim.FlinkBlueGreenDeployments, "flink", u.GetName()))
		if err != nil {
			t.Fatal(err)
		}
		p := bluegreen.Make(s)
		if p.Status == nil {
			return status
		}
		status = p.Status.(*v1beta1.FlinkBlueGreenDeploymentStatus)
	}
	t.Fatal("it does not come to rest")
	return nil
}

// status stores one.
func (f *fleetOf) status(t *testing.T, of schema.GroupVersionResource, name string, status any) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&status)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.kube.UpdateStatus(of, "flink", name, content); err != nil {
		t.Fatal(err)
	}
}
