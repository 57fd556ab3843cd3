package cli

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// podMetrics is what is read of the figures of a pod.
type podMetrics struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Containers []struct {
		Usage struct {
			CPU    resource.Quantity `json:"cpu"`
			Memory resource.Quantity `json:"memory"`
		} `json:"usage"`
	} `json:"containers"`
}

// usage adds what the pods of each cluster use, as metrics.k8s.io says; a cluster without that API says nothing. A
// session job has no pods of its own.
func (c *cluster) usage(ctx context.Context, loads []view.Load) {
	cpu, memory := map[string]float64{}, map[string]float64{}
	q := kube.Query{Resource: kube.PodMetrics, Namespace: c.namespace, Labels: "component in (jobmanager,taskmanager)"}
	err := c.Each(ctx, q, func(content map[string]any) error {
		var m podMetrics
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &m); err != nil {
			return err
		}
		for _, container := range m.Containers {
			cpu[m.Metadata.Labels["app"]] += container.Usage.CPU.AsApproximateFloat64()
			memory[m.Metadata.Labels["app"]] += container.Usage.Memory.AsApproximateFloat64()
		}
		return nil
	})
	if err != nil && !apierrors.IsNotFound(err) {
		c.Cannot("list", q, err)
	}
	for i := range loads {
		name := loads[i].Name
		if used, measured := cpu[name]; measured && loads[i].Kind == v1beta1.KindFlinkDeployment {
			loads[i].CPU, loads[i].Memory = view.Figure(used), view.Figure(memory[name])
		}
	}
}
