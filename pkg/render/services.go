package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// addInternalService makes the headless Service that TaskManagers find the JobManager by. With high availability they
// find it by its address in the leader record.
//
//	mode       | high availability | Service
//	native     | no                | made
//	native     | yes               | not made
//	standalone | any               | made
func (b *builder) addInternalService() {
	if b.highlyAvailable() && !b.standalone() {
		return
	}
	service := b.service(InternalServiceName(b.in.Name), key.InternalServiceLabels, key.InternalServiceAnnotations)
	service.Spec.ClusterIP = corev1.ClusterIPNone
	service.Spec.Ports = []corev1.ServicePort{
		servicePort(PortJobManager, b.numberedPort(key.JobManagerPort)),
		servicePort(PortBlob, b.port(key.BlobPort)),
	}
	b.made.Services = append(b.made.Services, service)
}

// addRestService makes the Service of the REST endpoint.
//
//	kubernetes.rest-service.exposed.type | type         | clusterIP
//	ClusterIP                            | ClusterIP    | -
//	Headless_ClusterIP                   | ClusterIP    | None
//	NodePort                             | NodePort     | -
//	LoadBalancer                         | LoadBalancer | -
func (b *builder) addRestService() {
	service := b.service(RestServiceName(b.in.Name), key.RestServiceLabels, key.RestServiceAnnotations)
	switch exposed := b.enum(key.RestServiceExposedType); exposed {
	case "Headless_ClusterIP":
		service.Spec.Type, service.Spec.ClusterIP = corev1.ServiceTypeClusterIP, corev1.ClusterIPNone
	default:
		service.Spec.Type = corev1.ServiceType(exposed)
	}
	service.Spec.Ports = []corev1.ServicePort{{
		Name: PortRest, Port: b.numberedPort(key.RestPort), TargetPort: intstr.FromInt32(b.port(key.RestBindPort)),
	}}
	b.made.Services = append(b.made.Services, service)
}

// servicePort is a port that is the same in the Service and in the pod.
func servicePort(name string, port int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: port, TargetPort: intstr.FromInt32(port)}
}

// service makes what both Services share. Labels of the user's are an option since Flink 2.2.
func (b *builder) service(name string, labels, annotations conf.Option) *corev1.Service {
	metadata := b.metadata(name, b.clusterLabels())
	if b.in.Spec.FlinkVersion.AtLeast(v1beta1.FlinkV2_2) {
		metadata.Labels = overlay(b.mapping(labels), metadata.Labels)
	}
	metadata.Annotations = overlay(b.mapping(annotations), metadata.Annotations)
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metadata,
		Spec:       corev1.ServiceSpec{Selector: b.selector(b.jobManager)},
	}
}
