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

// mountHadoop mounts the Hadoop configuration and says where it is.
//
//	mount enabled | ConfigMap named | operator has files | mounted
//	no            | any             | any                | nothing
//	yes           | yes             | any                | that ConfigMap, whole
//	yes           | no              | yes                | a ConfigMap made of them
//	yes           | no              | no                 | nothing
func (b *builder) mountHadoop(p *pod) {
	if !b.flag(key.HadoopConfMountEnabled) {
		return
	}
	source := configMap(strings.TrimSpace(b.text(key.HadoopConfConfigMap)))
	if source.ConfigMap.Name == "" {
		files := map[string]string{}
		var found []string
		for _, name := range hadoopFiles {
			if content, there := b.in.HadoopFiles[name]; there {
				files[name] = content
				found = append(found, name)
			}
		}
		if len(found) == 0 {
			return
		}
		source = configMap(HadoopConfigName(b.in.Name), found...)
		b.addConfigMap(HadoopConfigName(b.in.Name), ClusterLabels(b.in.Name), files)
	}
	p.mount(volumeHadoop, source, corev1.VolumeMount{MountPath: hadoopDir})
	p.main.Env = append(p.main.Env, corev1.EnvVar{Name: envHadoopDir, Value: hadoopDir})
}
