package render

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// NativeCluster makes the objects of a cluster in native mode: an application cluster when spec.job is set, else a
// session cluster. TaskManager pods are not among them: the JobManager makes those.
//
// The error is ErrStandalone, a *SpecError, or a *conf.ValueError for an option that does not parse.
//
//	object      | name                     | when
//	Deployment  | <id>                     | always
//	Service     | <id>                     | without high availability
//	Service     | <id>-rest                | always
//	ConfigMap   | hadoop-config-<id>       | the operator has Hadoop files, and no ConfigMap of the user's is named
//	Secret      | kerberos-keytab-<id>     | keytab and principal are set
//	ConfigMap   | kerberos-krb5conf-<id>   | the path of krb5.conf is set and the operator has the file
//	ConfigMap   | flink-config-<id>        | always
//	ConfigMap   | pod-template-<id>        | the TaskManagers have a pod template
func NativeCluster(in Input) (Cluster, error) {
	if in.Spec.DesiredMode() == v1beta1.ModeStandalone {
		return Cluster{}, ErrStandalone
	}
	if err := checkClusterID(in.Name); err != nil {
		return Cluster{}, err
	}
	b, err := newBuilder(in)
	if err != nil {
		return Cluster{}, err
	}
	pod, err := b.newPod()
	if err != nil {
		return Cluster{}, err
	}
	for _, decorate := range b.decorators() {
		decorate(pod)
	}
	b.made.JobManager = b.deployment(pod)
	if b.err != nil {
		return Cluster{}, b.err
	}
	return b.made, nil
}

// builder carries what the decorators share. Each of them adds to the pod and to the objects made.
type builder struct {
	reader // the configuration of the cluster: what the ConfigMap will say
	in     Input
	// taskManagers is the TaskManagers' pod template; nil when there is none.
	taskManagers podtemplate.Tree
	// jobManager is the JobManager's; nil when there is none.
	jobManager podtemplate.Tree
	// keytab is the operator's path of the Kerberos keytab; empty when none is mounted.
	keytab string
	made   Cluster
}

// decorators are the steps of Flink's KubernetesJobManagerFactory, in its order. The configuration file comes after the
// steps that still change the configuration.
func (b *builder) decorators() []func(*pod) {
	return []func(*pod){
		b.checkJar,
		b.initJobManager,
		b.addSecretEnv,
		b.mountSecrets,
		b.mountClaims,
		b.setCommand,
		b.addInternalService,
		b.addRestService,
		b.mountHadoop,
		b.mountKeytab,
		b.mountKrb5,
		b.mountConfiguration,
		b.mountPodTemplate,
	}
}

func newBuilder(in Input) (*builder, error) {
	b := &builder{in: in}
	if err := b.layerTemplates(); err != nil {
		return nil, err
	}
	b.conf = in.Config.Cluster.Clone()
	b.checkTemplateFile(key.JobManagerPodTemplateFile, b.jobManager)
	b.checkTemplateFile(key.TaskManagerPodTemplateFile, b.taskManagers)
	b.checkLocalUpload()
	b.setKeytabPath()
	return b, b.err
}
