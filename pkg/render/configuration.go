package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

const (
	volumeConfig      = "flink-config-volume"
	volumePodTemplate = "pod-template-volume"
	podTemplateDir    = "/opt/flink/pod-template"
)

// logFiles are the log configuration files that Flink's client ships, in its order.
var logFiles = []string{"logback-console.xml", "log4j-console.properties"}

// mountConfiguration makes the ConfigMap with the Flink configuration and the log configuration and mounts it over the
// image's own configuration directory.
//
//	spec.logConfiguration | log files
//	nil                   | the operator's
//	set, even to {}       | those given, and no other
func (b *builder) mountConfiguration(p *pod) {
	name, text, err := flinkconf.Files(b.conf, b.in.Spec.FlinkVersion)
	if err != nil {
		b.fail(&SpecError{
			Where: "spec.flinkConfiguration", Problem: "cannot be written as the configuration file of this Flink version",
			Err: err,
		})
		return
	}
	logs := b.in.Spec.LogConfiguration
	if logs == nil {
		logs = b.in.LogFiles
	}
	data := map[string]string{name: text}
	var files []string
	for _, file := range logFiles {
		if content, there := logs[file]; there {
			data[file] = content
			files = append(files, file)
		}
	}
	configName := ConfigMapName(b.in.Name)
	b.addConfigMap(configName, ClusterLabels(b.in.Name), data)
	p.mount(
		volumeConfig, configMap(configName, append(files, name)...), corev1.VolumeMount{MountPath: b.text(key.ConfDir)},
	)
}

// mountPodTemplate makes the ConfigMap with the TaskManagers' template. The JobManager looks for the file when it
// starts, whatever the configuration says.
func (b *builder) mountPodTemplate(p *pod) {
	if b.taskManagers == nil {
		return
	}
	name := PodTemplateName(b.in.Name)
	b.addConfigMap(
		name, ClusterLabels(b.in.Name), map[string]string{podtemplate.FileName: podtemplate.Print(b.taskManagers)},
	)
	p.mount(volumePodTemplate, configMap(name, podtemplate.FileName), corev1.VolumeMount{MountPath: podTemplateDir})
}

func (b *builder) addConfigMap(name string, labels, data map[string]string) {
	b.made.ConfigMaps = append(b.made.ConfigMaps, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: b.metadata(name, labels),
		Data:       data,
	})
}
