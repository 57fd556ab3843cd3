package runtime

import (
	"context"
	"errors"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Nothing is measured: without cgroups a process tree has no numbers of its own that could be trusted.

// ContainerStats is part of the CRI.
func (r *Runtime) ContainerStats(context.Context, string) (*runtimeapi.ContainerStats, error) {
	return nil, errors.New("containers are not measured here")
}

// ListContainerStats is part of the CRI.
func (r *Runtime) ListContainerStats(
	context.Context, *runtimeapi.ContainerStatsFilter,
) ([]*runtimeapi.ContainerStats, error) {
	return nil, nil
}

// PodSandboxStats is part of the CRI.
func (r *Runtime) PodSandboxStats(context.Context, string) (*runtimeapi.PodSandboxStats, error) {
	return nil, errors.New("pods are not measured here")
}

// ListPodSandboxStats is part of the CRI.
func (r *Runtime) ListPodSandboxStats(
	context.Context, *runtimeapi.PodSandboxStatsFilter,
) ([]*runtimeapi.PodSandboxStats, error) {
	return nil, nil
}

// ListMetricDescriptors is part of the CRI.
func (r *Runtime) ListMetricDescriptors(context.Context) ([]*runtimeapi.MetricDescriptor, error) {
	return nil, nil
}

// ListPodSandboxMetrics is part of the CRI.
func (r *Runtime) ListPodSandboxMetrics(context.Context) ([]*runtimeapi.PodSandboxMetrics, error) {
	return nil, nil
}

// CheckpointContainer is part of the CRI.
func (r *Runtime) CheckpointContainer(context.Context, *runtimeapi.CheckpointContainerRequest) error {
	return errors.New("processes cannot be checkpointed here")
}

// GetContainerEvents is part of the CRI. The kubelet asks for them only with a feature that is off.
func (r *Runtime) GetContainerEvents(
	context.Context, chan *runtimeapi.ContainerEventResponse, func(runtimeapi.RuntimeService_GetContainerEventsClient),
) error {
	return errors.New("no events: list the containers")
}
