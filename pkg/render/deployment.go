package render

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

const kindDeployment = "Deployment"

// decorated makes the Deployment of a component from its template; nil after an error.
func (b *builder) decorated(c component, decorators []func(*pod), replicas func() int32) *appsv1.Deployment {
	p, err := newPod(c)
	if err != nil {
		b.fail(err)
		return nil
	}
	for _, decorate := range decorators {
		decorate(p)
	}
	no, yes := false, true
	count := replicas()
	metadata := b.metadata(c.deployment(b.in.Name), b.labelsOf(c))
	metadata.Annotations = overlay(b.mapping(c.annotations), metadata.Annotations)
	metadata.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1beta1.APIVersion, Kind: v1beta1.KindFlinkDeployment, Name: b.in.Name, UID: b.in.UID,
		Controller: &no, BlockOwnerDeletion: &yes,
	}}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: kindDeployment},
		ObjectMeta: metadata,
		Spec: appsv1.DeploymentSpec{
			Replicas: &count,
			Selector: &metav1.LabelSelector{MatchLabels: b.selector(c)},
			Template: p.template(),
		},
	}
}

// metadata is what every object of the start has; the labels are nil for those that Flink labels not.
func (b *builder) metadata(name string, labels map[string]string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Namespace: b.in.Namespace, Name: name, Labels: labels}
	if b.in.Operation != "" {
		meta.Annotations = map[string]string{v1beta1.AnnotationOperation: b.in.Operation}
	}
	return meta
}

// clusterLabels are on every object that Flink labels.
func (b *builder) clusterLabels() map[string]string {
	return ClusterLabels(b.in.Name, b.in.Spec.DesiredMode())
}

// selector is what a component's Deployment finds its pods by.
func (b *builder) selector(c component) map[string]string {
	return componentLabels(b.in.Name, b.in.Spec.DesiredMode(), c.name)
}

// labelsOf are the labels of a component's Deployment and pods: those of the options, and those of the selector, which
// win. In standalone mode the JobManager's would win over the selector's, if checkSelectorLabels let any through.
func (b *builder) labelsOf(c component) map[string]string {
	return overlay(b.mapping(c.labels), b.selector(c))
}

// checkSelectorLabels refuses labels of a standalone JobManager that its Deployment would not find its own pods by.
//
//	mode, component         | label of the option's that is one of the selector's | Java operator            | here
//	native, JobManager      | another value                                       | the selector's wins      | the same
//	standalone, TaskManager | another value                                       | the selector's wins      | the same
//	standalone, JobManager  | another value                                       | Kubernetes refuses it    | refused
//	standalone, JobManager  | the same value                                      | no difference            | the same
func (b *builder) checkSelectorLabels() {
	own := b.mapping(key.JobManagerLabels)
	selector := b.selector(b.jobManager)
	for _, name := range []string{LabelApp, LabelType, LabelComponent} {
		if value, set := own[name]; set && value != selector[name] {
			b.fail(&SpecError{
				Where: key.JobManagerLabels.Key, Value: name + ":" + value,
				Problem: "would replace a label that the Deployment finds its pods by: take another name",
			})
		}
	}
}

// jobManagerReplicas is the number of JobManagers, of which one leads.
func (b *builder) jobManagerReplicas() int32 {
	replicas := b.number(key.JobManagerReplicas)
	switch {
	case replicas < 1:
		b.fail(
			&SpecError{
				Where: key.JobManagerReplicas.Key, Value: strconv.Itoa(replicas),
				Problem: "should not be configured less than one",
			},
		)
	case replicas > 1 && !b.highlyAvailable():
		b.fail(&SpecError{
			Where: key.JobManagerReplicas.Key, Value: strconv.Itoa(replicas),
			Problem: "more than one JobManager needs high availability: set " + key.HighAvailability.Key,
		})
	}
	return int32(replicas)
}

// taskManagerReplicas is the number of TaskManagers, which flinkconf.Deploy derived from the spec.
func (b *builder) taskManagerReplicas() int32 {
	replicas := b.number(key.TaskManagerReplicas)
	if replicas < 1 {
		b.fail(&SpecError{
			Where: key.TaskManagerReplicas.Key, Value: strconv.Itoa(replicas), Problem: "should not be configured less than 1",
		})
	}
	return int32(replicas)
}
