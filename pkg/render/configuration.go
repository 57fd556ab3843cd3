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

// addConfiguration makes the ConfigMap with the Flink configuration and the log configuration.
func (b *builder) addConfiguration() {
	name, text, err := flinkconf.Files(b.conf, b.in.Spec.FlinkVersion)
	if err != nil {
		b.fail(&SpecError{
			Where: "spec.flinkConfiguration", Problem: "cannot be written as the configuration file of this Flink version",
			Err: err,
		})
		return
	}
	data, _ := b.logConfiguration()
	data[name] = text
	b.addConfigMap(ConfigMapName(b.in.Name), b.clusterLabels(), data)
}

// mountConfiguration mounts it over the image's own configuration directory.
func (b *builder) mountConfiguration(p *pod) {
	_, files := b.logConfiguration()
	files = append(files, flinkconf.BehaviourOf(b.in.Spec.FlinkVersion).ConfigFile)
	p.mount(
		volumeConfig, configMap(ConfigMapName(b.in.Name), files...), corev1.VolumeMount{MountPath: b.text(key.ConfDir)},
	)
}

// logConfiguration gives the log files with their content, and their names in the order of Flink's client.
//
//	spec.logConfiguration | log files
//	nil                   | the operator's
//	set, even to {}       | those given, and no other
func (b *builder) logConfiguration() (data map[string]string, names []string) {
	logs := b.in.Spec.LogConfiguration
	if logs == nil {
		logs = b.in.LogFiles
	}
	data = map[string]string{}
	for _, file := range logFiles {
		if content, there := logs[file]; there {
			data[file] = content
			names = append(names, file)
		}
	}
	return data, names
}

// addPodTemplate makes the ConfigMap with the template of the TaskManagers that the JobManager makes.
func (b *builder) addPodTemplate() {
	if b.taskManager.template == nil {
		return
	}
	text, err := podtemplate.Print(b.taskManager.template)
	if err != nil {
		b.fail(&SpecError{Where: "spec.taskManager.podTemplate", Problem: "cannot be printed", Err: err})
	}
	b.addConfigMap(PodTemplateName(b.in.Name), b.clusterLabels(), map[string]string{podtemplate.FileName: text})
}

// mountPodTemplate mounts that template. The JobManager looks for the file when it starts, whatever the configuration
// says.
func (b *builder) mountPodTemplate(p *pod) {
	if b.taskManager.template == nil {
		return
	}
	p.mount(volumePodTemplate, configMap(PodTemplateName(b.in.Name), podtemplate.FileName),
		corev1.VolumeMount{MountPath: podTemplateDir})
}

func (b *builder) addConfigMap(name string, labels, data map[string]string) {
	b.made.ConfigMaps = append(b.made.ConfigMaps, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: b.metadata(name, labels),
		Data:       data,
	})
}
