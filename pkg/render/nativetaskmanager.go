package render

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// MakeNativeTaskManager makes the pod that the JobManager of a native cluster will make of a TaskManager, as Flink's
// KubernetesTaskManagerFactory does: what the API server is asked about before a start. Its command is not Flink's, and
// resources of an external-resource.* option are left out. Nil in standalone mode.
//
// The error is that of MakeCluster.
func MakeNativeTaskManager(in Input) (*corev1.PodTemplateSpec, error) {
	b, err := newBuilder(in)
	if err != nil || b.standalone() {
		return nil, err
	}
	p, err := newPod(b.taskManager)
	if err != nil {
		return nil, err
	}
	for _, decorate := range []func(*pod){
		b.initNativeTaskManager, b.addSecretEnv, b.mountSecrets, b.mountClaims, b.mountHadoop, b.mountKeytab, b.mountKrb5,
		b.mountConfiguration,
	} {
		decorate(p)
	}
	if b.err != nil {
		return nil, b.err
	}
	made := p.template()
	return &made, nil
}

// taskManagerPort is that of a TaskManager's RPC endpoint in native mode, unless the option names another one (Flink:
// Constants.TASK_MANAGER_RPC_PORT).
const taskManagerPort int32 = 6122

// initNativeTaskManager lays the fields of Flink's InitTaskManagerDecorator over the template, by the rules of
// initJobManager. It is never restarted.
func (b *builder) initNativeTaskManager(p *pod) {
	b.addToPod(p, b.taskManager)
	account := choose(b.has(key.TaskManagerServiceAccount), b.text(key.TaskManagerServiceAccount),
		firstNonBlank(p.spec.DeprecatedServiceAccount, p.spec.ServiceAccountName))
	p.spec.ServiceAccountName, p.spec.DeprecatedServiceAccount = account, account
	p.spec.RestartPolicy = corev1.RestartPolicyNever
	p.spec.HostNetwork = b.flag(key.HostNetworkEnabled)
	p.spec.DNSPolicy = dnsPolicy(p.spec.HostNetwork, p.spec.DNSPolicy)
	main := &p.main
	main.Image = choose(b.has(key.Image), b.image(), main.Image)
	main.ImagePullPolicy = corev1.PullPolicy(choose(
		b.has(key.ImagePullPolicy), b.enum(key.ImagePullPolicy), string(main.ImagePullPolicy),
	))
	if b.float(key.TaskManagerCPU) < 0 { // as many as slots
		b.conf[key.TaskManagerCPU.Key] = strconv.Itoa(b.number(key.TaskSlots))
	}
	b.size(main, b.taskManager, b.taskManagerMebibytes())
	if !p.spec.HostNetwork {
		port := b.port(key.TaskManagerPort)
		if port == 0 {
			port = taskManagerPort
		}
		main.Ports = append(main.Ports, corev1.ContainerPort{Name: PortTaskManager, ContainerPort: port})
	}
	b.addEnvironment(main, b.taskManager)
	b.addLogDir(main)
}
