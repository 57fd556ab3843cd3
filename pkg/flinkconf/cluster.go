package flinkconf

import (
	"fmt"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Ports that a cluster's Services and containers name, for options that would let Flink choose.
const (
	BlobPort           = 6124
	TaskManagerRPCPort = 6122
	RestPort           = 8081
)

// Main classes of native clusters.
const (
	applicationEntrypoint = "org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint"
	sessionEntrypoint     = "org.apache.flink.kubernetes.entrypoint.KubernetesSessionClusterEntrypoint"
)

// clusterConfig turns the effective configuration into what the cluster receives, as Flink's Kubernetes client does.
//
//	option                                          | set to                        | when
//	------------------------------------------------+-------------------------------+----------------------------
//	kubernetes.operator.*, job.autoscaler.*         | removed                       | always
//	internal.cluster.execution-mode                 | NORMAL                        | native
//	kubernetes.internal.jobmanager.entrypoint.class | the main class                | native
//	blob.server.port                                | 6124                          | 0 or not set
//	taskmanager.rpc.port                            | 6122                          | 0 or not set
//	rest.bind-port                                  | 8081                          | 0
//	high-availability                               | high-availability.type        | HA is set, before 1.17
//	high-availability.jobmanager.port               | jobmanager.rpc.port           | HA, 0 or not set
//	jobmanager.rpc.address                          | <name>.<namespace>            | no HA, or standalone
//	keys of the client's own machine                | removed                       | always
func clusterConfig(effective Config, in DeployInput) (Config, error) {
	c := ForCluster(effective)
	standalone := in.Spec.DesiredMode() == v1beta1.ModeStandalone
	if !standalone {
		c.Set(key.ExecutionMode, "NORMAL")
		c.Set(key.JobManagerEntrypointClass, entrypoint(in.Spec))
	}
	for _, port := range []struct {
		option Option
		fixed  int
	}{{key.BlobPort, BlobPort}, {key.TaskManagerPort, TaskManagerRPCPort}, {key.RestBindPort, RestPort}} {
		if err := fixPort(c, port.option, port.fixed); err != nil {
			return nil, err
		}
	}
	tellHighAvailability(c, BehaviourOf(in.Spec.FlinkVersion))
	ha := HighAvailabilityOf(c).Active()
	if ha {
		rpc, err := c.Int(key.JobManagerPort)
		if err != nil {
			return nil, err
		}
		if err := fixPort(c, key.HAJobManagerPort, rpc); err != nil {
			return nil, err
		}
	}
	if !ha || standalone {
		c.Set(key.JobManagerAddress, in.Name+"."+in.Namespace)
	}
	for _, option := range notForCluster() {
		c.Unset(option)
	}
	return c, nil
}

// notForCluster are the options that only mean something where the client runs, or that would keep a process in a pod
// from listening on the pod's address.
func notForCluster() []Option {
	return []Option{
		key.KubeConfigFile, key.ConfigDir, key.RestBindAddress, key.JobManagerBindHost, key.TaskManagerBindHost,
		key.TaskManagerHost,
	}
}

func entrypoint(spec *v1beta1.FlinkDeploymentSpec) string {
	if spec.IsSession() {
		return sessionEntrypoint
	}
	return applicationEntrypoint
}

// fixPort replaces a port that Flink would choose. Services need one port, so a range is an error.
func fixPort(c Config, option Option, fixed int) error {
	port, err := strconv.Atoi(c.Get(option))
	if err != nil {
		return fmt.Errorf(
			"option %q is %q: a Service needs one fixed port, ranges are not possible", option.Key, c.Get(option),
		)
	}
	if port == 0 {
		c.Set(option, strconv.Itoa(fixed))
	}
	return nil
}
