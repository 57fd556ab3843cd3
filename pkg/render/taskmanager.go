package render

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// PortTaskManager is the port of a TaskManager's RPC endpoint (Flink: Constants.TASK_MANAGER_RPC_PORT_NAME).
const PortTaskManager = "taskmanager-rpc"

// initTaskManager lays the fields of the Java operator's InitStandaloneTaskManagerDecorator over the template.
//
//	field                      | template and option
//	image, pull policy         | the option always, or its default
//	service account            | the option always
//	hostNetwork, dnsPolicy     | the template always
//	labels, annotations        | template, then options, then the selector's labels
//	pull secrets, tolerations, | template, then options
//	environment                |
//	node selector              | template, then options by key
//	cpu, memory                | the options always
//	other resources            | the template always
func (b *builder) initTaskManager(p *pod) {
	b.addToPod(p, b.taskManager)
	account := b.text(key.TaskManagerServiceAccount)
	p.spec.ServiceAccountName, p.spec.DeprecatedServiceAccount = account, account
	main := &p.main
	b.noteImage(main)
	main.Image, main.ImagePullPolicy = b.image(), corev1.PullPolicy(b.enum(key.ImagePullPolicy))
	b.checkTaskManagerCPU()
	b.size(main, b.taskManager, b.taskManagerMebibytes())
	main.Ports = append(main.Ports, corev1.ContainerPort{
		Name: PortTaskManager, ContainerPort: b.port(key.TaskManagerPort),
	})
	b.addEnvironment(main, b.taskManager)
	b.addLogDir(main)
}

// noteImage tells of an image in the TaskManagers' template, which nobody looks at: the JobManager may run another.
func (b *builder) noteImage(main *corev1.Container) {
	if main.Image != "" && main.Image != b.image() {
		b.note("the TaskManagers' pod template names the image " + main.Image +
			", which standalone mode does not look at: they run " + b.image() + "; name the image in spec.image")
	}
}

// checkTaskManagerCPU refuses a size that is not written: only native mode takes the number of slots for it, and
// Kubernetes refuses a pod that asks for less than nothing.
func (b *builder) checkTaskManagerCPU() {
	if b.float(key.TaskManagerCPU) < 0 {
		b.fail(&SpecError{
			Where: key.TaskManagerCPU.Key, Value: b.text(key.TaskManagerCPU),
			Problem: "must be set in standalone mode: write spec.taskManager.resources.requests.cpu",
		})
	}
}
