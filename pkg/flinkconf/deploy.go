package flinkconf

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Names that a composed configuration tells the cluster or the operator's own later look.
const (
	// GenerationAnnotation marks the JobManager Deployment and its pods with the generation of the resource they were
	// made for.
	GenerationAnnotation = "flinkdeployment.flink.apache.org/generation"
	// LastStateMarker is the savepoint path of a last-state start: it makes Flink fail instead of starting empty when the
	// HA data is gone.
	LastStateMarker = "KUBERNETES_OPERATOR_LAST_STATE"
)

// DeployInput is everything that a composition depends on.
type DeployInput struct {
	// Operator has the defaults.
	Operator Operator
	// Namespace, Name and UID are the FlinkDeployment's.
	Namespace, Name, UID string
	// Generation is the FlinkDeployment's; 0 leaves the generation annotation out.
	Generation int64
	// Spec is the spec to deploy. Never nil.
	Spec *v1beta1.FlinkDeploymentSpec
	// Start says what an application starts from. It does not matter for a session cluster.
	Start Start
	// Started are the options that the start was begun with, see Started; nil means that they follow from the rest.
	Started Config
}

// Start are the facts of one start of an application's job.
type Start struct {
	// JobID is 32 hexadecimal digits. A job ID that the user fixed in the configuration wins over it.
	JobID string
	// SavepointPath is the savepoint or retained checkpoint to start from; empty is none.
	SavepointPath string
	// LastState starts from the HA data of the job; SavepointPath is then not looked at.
	LastState bool
	// JobResultStoreDir is the last part of the job result store's path. It has to be new for every start, so that the
	// result of an earlier one cannot end this one. Needed when HA storage is configured.
	JobResultStoreDir string
}

// Deployed is a composed configuration.
type Deployed struct {
	// Effective is everything, with the options of the operator and the autoscaler.
	Effective Config
	// Cluster is what the cluster receives; Files prints it.
	Cluster Config
	// JobID is the ID of the application's job; empty for a session cluster.
	JobID string
}

// Deploy composes the configuration that a FlinkDeployment is started with. The error names the spec field or the
// option that cannot be used.
//
//	step, later wins                                                       | where
//	-----------------------------------------------------------------------+-----------------
//	base, namespace defaults, version defaults                             | Operator.Default
//	spec.flinkConfiguration                                                | Own
//	REST service type, web.cancel.enable, version                          | applyDefaults
//	image, pull policy, service account                                    | applyImage
//	names of pod template files                                            | applyPodTemplates
//	memory, cpu, replicas                                                  | applyResources
//	execution target and job                                               | applyJobOrSession
//	namespace, cluster ID, HA cluster ID                                   | applyIdentity
//	what the start was begun with, whatever the defaults are by now        | withStarted
//	generation, owner, state to start from, job result store, job ID       | applyStart
//	operator and autoscaler options out, ports and addresses in            | clusterConfig
func Deploy(in DeployInput) (Deployed, error) {
	effective, err := compose(in, in.Operator.Default(in.Namespace, in.Spec.FlinkVersion))
	if err != nil {
		return Deployed{}, err
	}
	withStarted(effective, in.Started, started)
	jobID, err := applyStart(effective, in)
	if err != nil {
		return Deployed{}, err
	}
	cluster, err := clusterConfig(effective, in)
	if err != nil {
		return Deployed{}, err
	}
	return Deployed{Effective: effective, Cluster: cluster, JobID: jobID}, nil
}

// compose is what Deploy and Observe share: everything that follows from defaults, spec and name.
func compose(in DeployInput, defaults Config) (Config, error) {
	user, err := Own(in.Spec.FlinkConfiguration)
	if err != nil {
		return nil, err
	}
	c := defaults.Merge(user)
	applyDefaults(c, in.Spec)
	if err := applyImage(c, in.Spec); err != nil {
		return nil, err
	}
	if err := applyPodTemplates(c, in.Spec); err != nil {
		return nil, err
	}
	if err := applyResources(c, in.Spec); err != nil {
		return nil, err
	}
	if err := applyJobOrSession(c, in.Name, in.Spec); err != nil {
		return nil, err
	}
	applyIdentity(c, in.Namespace, in.Name)
	return c, nil
}

// applyDefaults fills in what the operator wants different from Flink.
func applyDefaults(c Config, spec *v1beta1.FlinkDeploymentSpec) {
	c.SetDefault(key.RestServiceExposedType, "ClusterIP")
	c.SetDefault(key.WebCancelEnable, "false")
	c.Set(key.FlinkVersion, string(spec.FlinkVersion))
}

func applyImage(c Config, spec *v1beta1.FlinkDeploymentSpec) error {
	if !blank(spec.Image) {
		c[BehaviourOf(spec.FlinkVersion).ImageKey] = spec.Image
	}
	if !blank(spec.ImagePullPolicy) {
		c.Set(key.ImagePullPolicy, spec.ImagePullPolicy)
		known, err := c.Enum(key.ImagePullPolicy)
		if err != nil || known != spec.ImagePullPolicy {
			return fmt.Errorf(
				"spec.imagePullPolicy %q is unknown: write one of %q", spec.ImagePullPolicy, key.ImagePullPolicy.Values,
			)
		}
	}
	if spec.ServiceAccount != "" {
		c.Set(key.ServiceAccount, spec.ServiceAccount)
	}
	return nil
}

func applyIdentity(c Config, namespace, name string) {
	c.Set(key.Namespace, namespace)
	c.Set(key.ClusterID, name)
	if HighAvailabilityOf(c).Active() {
		c.Set(key.HAClusterID, name)
	}
}
