package render

import (
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// component is one side of a cluster, the JobManager or the TaskManagers, by what shapes its Deployment and its pods.
type component struct {
	// name is the value of LabelComponent.
	name string
	// deployment names the Deployment.
	deployment func(id string) string
	// field is the pod template's in the spec, for messages.
	field string
	// template is the pod template; nil when there is none.
	template podtemplate.Tree

	labels, annotations, nodeSelector, tolerations conf.Option
	cpu, cpuFactor, memoryFactor                   conf.Option
	// environment starts the option keys that set a variable of the main container.
	environment string
}

// jobManagerComponent has the options of the JobManager, but not yet its template.
func jobManagerComponent() component {
	return component{
		name: ComponentJobManager, deployment: DeploymentName, field: "spec.jobManager.podTemplate",
		labels: key.JobManagerLabels, annotations: key.JobManagerAnnotations,
		nodeSelector: key.JobManagerNodeSelector, tolerations: key.JobManagerTolerations,
		cpu: key.JobManagerCPU, cpuFactor: key.JobManagerCPULimitFactor, memoryFactor: key.JobManagerMemoryLimitFactor,
		environment: key.JobManagerEnvPrefix,
	}
}

// taskManagerComponent has the options of the TaskManagers, but not yet their template.
func taskManagerComponent() component {
	return component{
		name: ComponentTaskManager, deployment: TaskManagerDeploymentName, field: "spec.taskManager.podTemplate",
		labels: key.TaskManagerLabels, annotations: key.TaskManagerAnnotations,
		nodeSelector: key.TaskManagerNodeSelector, tolerations: key.TaskManagerTolerations,
		cpu: key.TaskManagerCPU, cpuFactor: key.TaskManagerCPULimitFactor, memoryFactor: key.TaskManagerMemoryLimitFactor,
		environment: key.TaskManagerEnvPrefix,
	}
}
