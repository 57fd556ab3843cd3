package render

import (
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

const (
	volumeUserLib = "user-lib-dir"
	userLibDir    = "/opt/flink/usrlib"
)

// standaloneSteps are the steps of the Java operator's StandaloneKubernetesJobManagerFactory and
// StandaloneKubernetesTaskManagerFactory, in their order. There is no ConfigMap with a pod template, because nobody in
// the cluster makes pods, and a jar is not asked for: an image may have the job on its class path.
func (b *builder) standaloneSteps() steps {
	return steps{
		checks: []func(){b.checkSelectorLabels},
		jobManager: []func(*pod){
			b.initJobManager, b.addSecretEnv, b.mountSecrets, b.mountClaims, b.setStandaloneCommand, b.mountHadoop,
			b.mountKeytab, b.mountKrb5, b.mountConfiguration, b.mountUserLib,
		},
		taskManager: []func(*pod){
			b.initTaskManager, b.addSecretEnv, b.mountSecrets, b.mountClaims, b.setTaskManagerCommand, b.mountHadoop,
			b.mountKeytab, b.mountKrb5, b.mountConfiguration,
		},
		objects: []func(){
			b.addInternalService, b.addRestService, b.addHadoop, b.addKeytab, b.addKrb5, b.addConfiguration,
		},
	}
}

// mountUserLib gives the JobManager of an application an empty directory for user jars. Without the directory Flink
// looks for the entry class on its own class path only, and not in pipeline.classpaths.
//
//	cluster     | pipeline.classpaths | main container mounts /opt/flink/usrlib... | mounted
//	session     | any                 | any                                        | nothing
//	application | not set             | any                                        | nothing
//	application | set                 | yes                                        | nothing
//	application | set                 | no                                         | user-lib-dir, empty
//
// The empty directory hides what the image has there, as it does with the Java operator: a job whose jar is there gets
// a note.
func (b *builder) mountUserLib(p *pod) {
	jars := b.list(key.PipelineClasspaths)
	if b.in.Spec.IsSession() || len(jars) == 0 {
		return
	}
	own := slices.ContainsFunc(p.main.VolumeMounts, func(mount corev1.VolumeMount) bool {
		return strings.HasPrefix(mount.MountPath, userLibDir)
	})
	if own {
		return
	}
	p.mount(volumeUserLib, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		corev1.VolumeMount{MountPath: userLibDir})
	for _, jar := range jars {
		if uri, err := url.Parse(jar); err == nil && uri.Scheme == "file" && strings.HasPrefix(uri.Path, userLibDir+"/") {
			b.note(jar + " is below " + userLibDir + ", where standalone mode mounts an empty directory over the image's: " +
				"put the jar elsewhere in the image, or mount it there with spec.jobManager.podTemplate")
		}
	}
}
