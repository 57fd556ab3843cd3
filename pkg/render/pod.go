package render

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// pod is a component's pod while it is decorated: its main container stands apart and comes last in the end.
type pod struct {
	metadata metav1.ObjectMeta
	spec     corev1.PodSpec
	main     corev1.Container
}

// newPod starts from the template: the main container is taken out of it, or is empty when the template has none.
func newPod(c component) (*pod, error) {
	template := corev1.PodTemplateSpec{}
	text, err := json.Marshal(c.template)
	if err == nil {
		err = json.Unmarshal(text, &template)
	}
	if err != nil {
		return nil, &SpecError{
			Where: "spec.podTemplate merged with " + c.field, Problem: "is not a pod template", Err: err,
		}
	}
	p := &pod{metadata: template.ObjectMeta, spec: template.Spec}
	p.spec.Containers = nil
	for _, container := range template.Spec.Containers {
		if container.Name == podtemplate.MainContainer {
			p.main = container
			continue
		}
		p.spec.Containers = append(p.spec.Containers, container)
	}
	p.main.Name = podtemplate.MainContainer
	return p, nil
}

// template gives the finished pod.
func (p *pod) template() corev1.PodTemplateSpec {
	spec := p.spec
	spec.Containers = append(spec.Containers[:len(spec.Containers):len(spec.Containers)], p.main)
	return corev1.PodTemplateSpec{ObjectMeta: p.metadata, Spec: spec}
}

// mount adds a volume to the pod and mounts it in the main container.
func (p *pod) mount(name string, source corev1.VolumeSource, at corev1.VolumeMount) {
	at.Name = name
	p.spec.Volumes = append(p.spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	p.main.VolumeMounts = append(p.main.VolumeMounts, at)
}

// configMap is a volume source with some of a ConfigMap's keys as files of the same name; all keys when none is named.
func configMap(name string, keys ...string) corev1.VolumeSource {
	var items []corev1.KeyToPath
	for _, key := range keys {
		items = append(items, corev1.KeyToPath{Key: key, Path: key})
	}
	return corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Items: items,
	}}
}

// choose decides between the explicit option, the template and the option's default, in this order.
func choose(explicit bool, option, template string) string {
	if !explicit && template != "" {
		return template
	}
	return option
}

func firstNonBlank(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}
