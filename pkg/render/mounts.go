package render

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// mountSecrets mounts each Secret of kubernetes.secrets at its path.
func (b *builder) mountSecrets(p *pod) {
	secrets := b.mapping(key.Secrets)
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		p.mount(volumeName(name, "-volume"),
			corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}},
			corev1.VolumeMount{MountPath: secrets[name]})
	}
}

// addSecretEnv sets each variable of kubernetes.env.secretKeyRef from its Secret.
func (b *builder) addSecretEnv(p *pod) {
	for _, item := range b.mappings(key.EnvSecretKeyRef) {
		p.main.Env = append(p.main.Env, corev1.EnvVar{
			Name: b.required(key.EnvSecretKeyRef, item, "env"),
			ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: b.required(key.EnvSecretKeyRef, item, "secret")},
				Key:                  b.required(key.EnvSecretKeyRef, item, "key"),
			}},
		})
	}
}

// mountClaims mounts each claim of kubernetes.persistent-volume-claims at its path, an option since Flink 2.3.
func (b *builder) mountClaims(p *pod) {
	if !b.in.Spec.FlinkVersion.AtLeast(v1beta1.FlinkV2_3) {
		return
	}
	readOnly := b.flag(key.PersistentVolumeClaimReadOnly)
	claims := b.mapping(key.PersistentVolumeClaims)
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		p.mount(volumeName(name, "-pvc"),
			corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name, ReadOnly: readOnly},
			},
			corev1.VolumeMount{MountPath: claims[name], ReadOnly: readOnly})
	}
}

// volumeName names the volume of an object as Flink does, name and suffix. An object's name may be longer than a
// volume's and may have dots, which Flink passes on and Kubernetes refuses: such a name is cut and told apart by a
// hash.
func volumeName(object, suffix string) string {
	if !strings.Contains(object, ".") && len(object)+len(suffix) <= maxLabel {
		return object + suffix
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(object)) // a hash never fails
	tail := fmt.Sprintf("-%08x%s", sum.Sum32(), suffix)
	head := strings.ReplaceAll(object, ".", "-")
	return head[:min(len(head), maxLabel-len(tail))] + tail
}
