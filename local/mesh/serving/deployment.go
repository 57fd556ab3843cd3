package serving

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// makeDeployment is what runs a revision's pods, with the names and labels that Serving gives it.
func makeDeployment(s *service, image string, conf settings, replicas int32) *appsv1.Deployment {
	revision, template := s.revision(), s.Spec.Template
	spec := *template.Spec.PodSpec.DeepCopy()
	user := &spec.Containers[0]
	user.Name, user.Image = Container, image
	user.Ports = []corev1.ContainerPort{{Name: "user-port", ContainerPort: int32(conf.port)}}
	user.Env = append(user.Env,
		corev1.EnvVar{Name: "PORT", Value: strconv.Itoa(conf.port)}, corev1.EnvVar{Name: "K_SERVICE", Value: s.Name},
		corev1.EnvVar{Name: "K_CONFIGURATION", Value: s.Name}, corev1.EnvVar{Name: "K_REVISION", Value: revision},
	)
	grace := int64(conf.timeout.Seconds())
	spec.TerminationGracePeriodSeconds = &grace
	labels := map[string]string{labelService: s.Name, labelRevision: revision, "app": revision}
	podLabels := map[string]string{}
	for _, set := range []map[string]string{template.Metadata.Labels, labels} {
		for k, v := range set {
			podLabels[k] = v
		}
	}
	yes := true
	return &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: revision + "-deployment", Labels: labels,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: Resource.GroupVersion().String(), Kind: "Service", Name: s.Name, UID: s.UID, Controller: &yes,
				BlockOwnerDeletion: &yes,
			}},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{labelRevision: revision}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: template.Metadata.Annotations},
				Spec:       spec,
			},
		},
	}
}
