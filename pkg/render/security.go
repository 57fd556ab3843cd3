package render

import (
	"bytes"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

const (
	volumeKeytab = "kerberos-keytab-volume"
	keytabDir    = "/opt/kerberos/kerberos-keytab"

	volumeKrb5 = "kerberos-krb5conf-volume"
	krb5File   = "krb5.conf"
	krb5Path   = "/etc/" + krb5File
)

// usesKeytab tells whether a keytab is to be mounted, and fails on half of the pair.
//
//	step taken (mounts) | keytab  | principal | keytab
//	no                  | any     | any       | not mounted, the option stays as it is
//	yes                 | not set | not set   | not mounted
//	yes                 | set     | set       | mounted
//	yes                 | one of them set     | error
func (b *builder) usesKeytab() bool {
	enabled := b.mounts(key.KerberosMountEnabled)
	keytab, principal := isSet(b.text(key.Keytab)), isSet(b.text(key.Principal))
	if enabled && keytab != principal {
		b.fail(&SpecError{
			Where:   key.Keytab.Key,
			Problem: "must be set together with " + key.Principal.Key + ", or neither of them",
		})
	}
	return enabled && keytab && principal
}

// setKeytabPath points the option to where the pods find the keytab. The file is known before it is mounted, because
// the configuration is.
func (b *builder) setKeytabPath() {
	if !b.usesKeytab() {
		return
	}
	b.keytab = b.text(key.Keytab)
	b.conf.Set(key.Keytab, keytabDir+"/"+path.Base(b.keytab))
}

// addKeytab makes the Secret with the keytab.
func (b *builder) addKeytab() {
	if b.keytab == "" {
		return
	}
	content, there := b.in.KerberosFiles[b.keytab]
	if !there {
		b.fail(&SpecError{
			Where: key.Keytab.Key, Value: b.keytab,
			Problem: "is not among the operator's files: " + b.keytabRemedy(),
		})
		return
	}
	b.made.Secrets = append(b.made.Secrets, &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: b.metadata(KeytabName(b.in.Name), nil),
		Data:       map[string][]byte{path.Base(b.keytab): bytes.Clone(content)},
	})
}

func (b *builder) keytabRemedy() string {
	if b.standalone() {
		return "mount it there"
	}
	return "mount it there, or set " + key.KerberosMountEnabled.Key + " to false and mount it with spec.podTemplate"
}

// mountKeytab mounts the keytab.
func (b *builder) mountKeytab(p *pod) {
	if b.keytab == "" {
		return
	}
	p.mount(volumeKeytab,
		corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: KeytabName(b.in.Name)}},
		corev1.VolumeMount{MountPath: keytabDir})
}

// krb5 is the path of krb5.conf; empty when it is not mounted.
func (b *builder) krb5() string {
	file := b.text(key.Krb5Path)
	if !b.mounts(key.KerberosMountEnabled) || !isSet(file) {
		return ""
	}
	return file
}

// addKrb5 makes the ConfigMap with krb5.conf. Without the file there is no ConfigMap but still the mount, as in Flink's
// client: pods wait until somebody makes it.
func (b *builder) addKrb5() {
	file := b.krb5()
	if file == "" {
		return
	}
	name, item := Krb5ConfName(b.in.Name), path.Base(file)
	if content, there := b.in.KerberosFiles[file]; there {
		b.addConfigMap(name, nil, map[string]string{item: string(content)})
	} else {
		b.note(key.Krb5Path.Key + " names " + file + ", which the operator does not have: pods wait for ConfigMap " + name +
			" with the key " + item)
	}
}

// mountKrb5 mounts krb5.conf where Java looks for it.
func (b *builder) mountKrb5(p *pod) {
	file := b.krb5()
	if file == "" {
		return
	}
	p.mount(volumeKrb5,
		corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: Krb5ConfName(b.in.Name)},
			Items:                []corev1.KeyToPath{{Key: path.Base(file), Path: krb5File}},
		}},
		corev1.VolumeMount{MountPath: krb5Path, SubPath: krb5File})
}

func isSet(text string) bool { return strings.TrimSpace(text) != "" }
