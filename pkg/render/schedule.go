package render

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// addToPod adds to the template what an option may only add to: labels, annotations, pull secrets, and where the pod
// may run.
func (b *builder) addToPod(p *pod, c component) {
	p.metadata.Labels = overlay(p.metadata.Labels, b.labelsOf(c))
	p.metadata.Annotations = overlay(p.metadata.Annotations, b.mapping(c.annotations))
	for _, name := range b.list(key.ImagePullSecrets) {
		if name = strings.TrimSpace(name); name != "" {
			p.spec.ImagePullSecrets = append(p.spec.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
		}
	}
	p.spec.NodeSelector = overlay(p.spec.NodeSelector, b.mapping(c.nodeSelector))
	for _, members := range b.mappings(c.tolerations) {
		p.spec.Tolerations = append(p.spec.Tolerations, b.toleration(c.tolerations, lowerKeys(members)))
	}
}

func (b *builder) toleration(o conf.Option, members map[string]string) corev1.Toleration {
	toleration := corev1.Toleration{
		Key: members[memberKey], Operator: corev1.TolerationOperator(members[memberOperator]),
		Value: members[memberValue], Effect: corev1.TaintEffect(members[memberEffect]),
	}
	if text, there := members[memberTolerates]; there {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			b.fail(
				&SpecError{
					Where: o.Key, Value: text, Problem: "tolerationSeconds must be a whole number",
				},
			)
		}
		toleration.TolerationSeconds = &seconds
	}
	return toleration
}
