package render

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// MakeCluster makes the objects of a cluster: an application cluster when spec.job is set, else a session cluster. In
// native mode the JobManager makes the TaskManagers' pods; in standalone mode they are a Deployment of their own.
//
// The error is a *SpecError, or a *conf.ValueError for an option that does not parse.
//
//	object      | name                     | when
//	Deployment  | <id>                     | always
//	Service     | <id>                     | without high availability; in standalone mode always
//	Service     | <id>-rest                | always
//	ConfigMap   | hadoop-config-<id>       | the operator has Hadoop files, and no ConfigMap of the user's is named
//	Secret      | kerberos-keytab-<id>     | keytab and principal are set
//	ConfigMap   | kerberos-krb5conf-<id>   | the path of krb5.conf is set and the operator has the file
//	ConfigMap   | flink-config-<id>        | always
//	ConfigMap   | pod-template-<id>        | native, and the TaskManagers have a pod template
//	Deployment  | <id>-taskmanager         | standalone
func MakeCluster(in Input) (Cluster, error) {
	if err := checkClusterID(in.Name); err != nil {
		return Cluster{}, err
	}
	b, err := newBuilder(in)
	if err != nil {
		return Cluster{}, err
	}
	for _, check := range b.steps.checks {
		check()
	}
	b.made.JobManager = b.decorated(b.jobManager, b.steps.jobManager, b.jobManagerReplicas)
	if b.standalone() {
		b.made.TaskManager = b.decorated(b.taskManager, b.steps.taskManager, b.taskManagerReplicas)
	}
	for _, add := range b.steps.objects {
		add()
	}
	if b.err != nil {
		return Cluster{}, b.err
	}
	return b.made, nil
}

// steps are what a mode does, in the order of the factories of Flink's client.
type steps struct {
	// checks refuse what would not start.
	checks []func()
	// jobManager decorates the JobManager's pod.
	jobManager []func(*pod)
	// taskManager decorates the pod of the TaskManagers; empty when the JobManager makes them.
	taskManager []func(*pod)
	// objects adds what is neither a Deployment nor a pod.
	objects []func()
}

// builder carries what the steps share. Each of them adds to a pod or to the objects made.
type builder struct {
	reader      // the configuration of the cluster: what the ConfigMap will say
	in          Input
	steps       steps
	jobManager  component
	taskManager component
	// keytab is the operator's path of the Kerberos keytab; empty when none is mounted.
	keytab string
	made   Cluster
}

func newBuilder(in Input) (*builder, error) {
	b := &builder{in: in, jobManager: jobManagerComponent(), taskManager: taskManagerComponent()}
	b.steps = b.nativeSteps()
	if b.standalone() {
		b.steps = b.standaloneSteps()
	}
	if err := b.layerTemplates(); err != nil {
		return nil, err
	}
	b.conf = in.Config.Cluster.Clone()
	b.checkTemplateFile(key.JobManagerPodTemplateFile, b.jobManager.template)
	b.checkTemplateFile(key.TaskManagerPodTemplateFile, b.taskManager.template)
	b.setKeytabPath()
	return b, b.err
}

func (b *builder) standalone() bool { return b.in.Spec.DesiredMode() == v1beta1.ModeStandalone }

// mounts tells whether a step that an option switches is taken. The Java operator's standalone factories always take
// it.
//
//	mode       | option | taken
//	native     | true   | yes
//	native     | false  | no
//	standalone | any    | yes
func (b *builder) mounts(option conf.Option) bool { return b.standalone() || b.flag(option) }

func (b *builder) note(text string) { b.made.Notes = append(b.made.Notes, text) }
