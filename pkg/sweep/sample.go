package sweep

import (
	"context"
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// measured is a job of which a sample is due.
type measured struct {
	key      event.Key
	resource metav1.Object
	in       autoscaler.Sampling
	at       plan.Endpoint
	store    plan.Observed[autoscaled.Store]
}

// sample takes a sample of a job's metrics and keeps it. It answers the store as it is then. What goes wrong drops the
// sample, and nothing else: the next look takes another one, as it does when this look comes to its end meanwhile.
//
//	the store     then it is
//	Present       patched, in the version that was read
//	Absent        made, with nothing but the sample
func (o *Observer) sample(ctx context.Context, m measured) plan.Observed[autoscaled.Store] {
	observed, err := o.Gather.Measure(ctx, m.at, m.in.Job)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		o.dropped(ctx, m, err)
		return m.store
	}
	m.in.Observed = observed
	taken := autoscaler.Take(m.in)
	for taken.Asks != nil {
		taken = m.in.Answered(taken, o.consult(ctx, m, *taken.Asks))
	}
	if ctx.Err() != nil { // nobody answers a look that has come to its end
		return m.store
	}
	if !taken.Changed {
		if taken.Problem != "" {
			o.count(ctx, m.key, metrics.Failed)
		}
		return m.store
	}
	bytes := samples.Write(taken.Kept)
	written, err := o.keep(ctx, m, bytes)
	if err != nil {
		o.dropped(ctx, m, err)
		return m.store
	}
	m.in.Kept = taken.Kept
	o.tellScaling(ctx, m.key, m.in.Stored)
	return gather.KeptSamples(m.store, bytes, written)
}

func (o *Observer) dropped(ctx context.Context, m measured, err error) {
	telemetry.Traced(ctx, o.Log).Infow(
		"no sample for the autoscaler", telemetry.Key, m.key.String(), telemetry.Error, fail.Message(err),
	)
	if ctx.Err() == nil && fail.KindOf(err) != fail.Conflict { // it is looked at again, or another one was quicker
		o.count(ctx, m.key, metrics.Failed, errorType(err))
	}
}

// keep writes the samples of a job. Of an existing store it writes that key alone; nothing else is this function's.
func (o *Observer) keep(ctx context.Context, m measured, bytes []byte) (*unstructured.Unstructured, error) {
	name := autoscaled.StorePrefix + m.key.Name
	object := kube.Object{Resource: kube.ConfigMaps, Namespace: m.key.Namespace, Name: name}
	if store, there := m.store.Get(); there {
		return o.Kube.MergePatch(ctx, object, map[string]any{
			"metadata": map[string]any{
				"uid": string(store.Version.UID), "resourceVersion": store.Version.ResourceVersion,
			},
			"binaryData": map[string]any{samples.Key: base64.StdEncoding.EncodeToString(bytes)},
		})
	}
	return o.Kube.Create(ctx, object, &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: kube.KindConfigMap},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: m.key.Namespace,
			Labels: map[string]string{
				render.LabelComponent: render.ComponentAutoscaler, render.LabelApp: m.key.Name,
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1beta1.GroupVersion.String(), Kind: m.key.Kind, Name: m.key.Name, UID: m.resource.GetUID(),
			}},
		},
		BinaryData: map[string][]byte{samples.Key: bytes},
	})
}
