package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// AsksDeployed reports whether to read the configuration that the JobManager was made with: its Deployment is there,
// and status does not speak of it.
func AsksDeployed(v *world.Look) bool {
	standing, _ := v.Host.Standing()
	status := v.Resource().Status
	named := status.Deployed != nil && status.Deployed.DeploymentUID == v.Host.Incarnation()
	return standing == world.There && !named && (status.Intent == nil || status.Intent.Step != v1beta1.StepStarting)
}
