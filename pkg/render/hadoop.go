package render

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

const (
	volumeHadoop = "hadoop-config-volume"
	hadoopDir    = "/opt/hadoop/conf"
	envHadoopDir = "HADOOP_CONF_DIR"
)

// hadoopFiles are the files of a Hadoop configuration that are mounted, in the order of Flink's client.
var hadoopFiles = []string{"core-site.xml", "hdfs-site.xml"}

// hadoop tells which ConfigMap has the Hadoop configuration, and with which content when it has to be made.
//
//	step taken (mounts) | ConfigMap named | operator has files | ConfigMap
//	no                  | any             | any                | none
//	yes                 | yes             | any                | that one, whole
//	yes                 | no              | yes                | one made of them
//	yes                 | no              | no                 | none
func (b *builder) hadoop() (source corev1.VolumeSource, files map[string]string, some bool) {
	if !b.mounts(key.HadoopConfMountEnabled) {
		return source, nil, false
	}
	if named := strings.TrimSpace(b.text(key.HadoopConfConfigMap)); named != "" {
		return configMap(named), nil, true
	}
	files = map[string]string{}
	var found []string
	for _, name := range hadoopFiles {
		if content, there := b.in.HadoopFiles[name]; there {
			files[name] = content
			found = append(found, name)
		}
	}
	return configMap(HadoopConfigName(b.in.Name), found...), files, len(found) > 0
}

// addHadoop makes the ConfigMap with the operator's Hadoop configuration.
func (b *builder) addHadoop() {
	if _, files, some := b.hadoop(); some && files != nil {
		b.addConfigMap(HadoopConfigName(b.in.Name), b.clusterLabels(), files)
	}
}

// mountHadoop mounts the Hadoop configuration and says where it is.
func (b *builder) mountHadoop(p *pod) {
	source, _, some := b.hadoop()
	if !some {
		return
	}
	p.mount(volumeHadoop, source, corev1.VolumeMount{MountPath: hadoopDir})
	p.main.Env = append(p.main.Env, corev1.EnvVar{Name: envHadoopDir, Value: hadoopDir})
}
