package flinkconf

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Values of execution.target.
const (
	TargetApplication = "kubernetes-application"
	TargetSession     = "kubernetes-session"
	TargetStandalone  = "remote"
)

// applyJobOrSession sets what the cluster runs.
//
//	option                                  | application                    | session
//	----------------------------------------+--------------------------------+--------------------
//	execution.target                        | kubernetes-application         | kubernetes-session
//	  standalone                            | remote                         | remote
//	kubernetes.internal.cluster-mode        | APPLICATION when standalone    | SESSION when standalone
//	pipeline.jars                           | the jar when native            |
//	pipeline.classpaths                     | the jar when standalone        |
//	parallelism.default                     | forced                         |
//	execution.shutdown-on-application-finish| forced false                   |
//	execution.submit-failed-job-...         | default true                   |
//	options of the job                      | applyJob                       |
func applyJobOrSession(c Config, name string, spec *v1beta1.FlinkDeploymentSpec) error {
	standalone := spec.DesiredMode() == v1beta1.ModeStandalone
	target, mode := TargetSession, "SESSION"
	if spec.Job != nil {
		target, mode = TargetApplication, "APPLICATION"
		parallelism, err := parallelism(c, spec)
		if err != nil {
			return err
		}
		c.Set(key.DefaultParallelism, strconv.Itoa(parallelism))
		c.Set(key.ShutdownOnApplicationFinish, "false")
		c.SetDefault(key.SubmitFailedJobOnApplicationError, "true")
		if err := applyJar(c, spec.Job.JarURI, standalone); err != nil {
			return err
		}
		applyJob(c, name, spec.Job, BehaviourOf(spec.FlinkVersion))
	}
	c.Set(key.Target, target)
	if standalone {
		c.Set(key.Target, TargetStandalone)
		c.Set(key.ClusterMode, mode)
	}
	return nil
}

// applyJob sets the options of a job, the same for applications and session jobs.
func applyJob(c Config, name string, job *v1beta1.JobSpec, b Behaviour) {
	c.SetDefault(key.PipelineName, name)
	if job.DesiredUpgradeMode() == v1beta1.UpgradeModeLastState {
		c.SetDefault(key.CheckpointingInterval, "5 min")
	}
	c.SetDefault(key.ExternalizedCheckpointRetention, "RETAIN_ON_CANCELLATION")
	if job.AllowNonRestoredState != nil {
		c.UnsetAll(key.RecoveryIgnoreUnclaimedState) // it would beat the key that the operator sets
		c.Set(key.IgnoreUnclaimedState, strconv.FormatBool(*job.AllowNonRestoredState))
	}
	if job.EntryClass != "" {
		c.Set(key.ApplicationMain, job.EntryClass)
	}
	c.Set(key.ApplicationArgs, argsText(job.Args, b))
}

func applyJar(c Config, jar string, standalone bool) error {
	if jar == "" {
		return nil
	}
	uri, err := url.Parse(jar)
	if err != nil {
		return fmt.Errorf("spec.job.jarURI %q cannot be read: %w", jar, err)
	}
	if !standalone {
		c.Set(key.PipelineJars, syntax.JoinList([]string{jar}))
		return nil
	}
	if uri.Scheme == "" {
		return fmt.Errorf("spec.job.jarURI %q has no scheme: write local:///path/in/the/image.jar", jar)
	}
	if uri.Scheme == "local" {
		uri.Scheme, uri.OmitHost = "file", false
	}
	c.Set(key.PipelineClasspaths, syntax.JoinList([]string{uri.String()}))
	return nil
}

// parallelism of an application.
//
//	first that applies                             | value
//	-----------------------------------------------+----------------------
//	taskManager.replicas is written                | replicas * slots
//	standalone, overrides with a positive maximum  | that maximum
//	otherwise                                      | job.parallelism
func parallelism(c Config, spec *v1beta1.FlinkDeploymentSpec) (int, error) {
	if tm := spec.TaskManager; tm != nil && tm.Replicas != nil {
		slots, err := c.Int(key.TaskSlots)
		return int(*tm.Replicas) * slots, err
	}
	if spec.DesiredMode() == v1beta1.ModeStandalone {
		highest, err := highestOverride(c)
		if err != nil || highest > 0 {
			return highest, err
		}
	}
	return int(spec.Job.Parallelism), nil
}

// highestOverride is the greatest value of pipeline.jobvertex-parallelism-overrides; 0 when there is none.
func highestOverride(c Config) (int, error) {
	overrides, err := c.Map(key.ParallelismOverrides)
	if err != nil {
		return 0, err
	}
	highest := 0
	for vertex, text := range overrides {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf(
				"option %q: parallelism %q of vertex %q is not a whole number", key.ParallelismOverrides.Key, text, vertex,
			)
		}
		highest = max(highest, n)
	}
	return highest, nil
}

// applyStandaloneReplicas sizes a standalone application that does not say how many TaskManagers it wants.
func applyStandaloneReplicas(c Config, spec *v1beta1.FlinkDeploymentSpec) error {
	if spec.Job == nil || spec.DesiredMode() != v1beta1.ModeStandalone || c.Has(key.TaskManagerReplicas) {
		return nil
	}
	wanted, err := parallelism(c, spec)
	if err != nil {
		return err
	}
	slots, err := c.Int(key.TaskSlots)
	if err != nil {
		return err
	}
	if slots < 1 {
		return fmt.Errorf("option %q is %d: set at least 1", key.TaskSlots.Key, slots)
	}
	c.Set(key.TaskManagerReplicas, strconv.Itoa((wanted+slots-1)/slots))
	return nil
}
