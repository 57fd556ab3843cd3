package subject

import (
	"fmt"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// config is the configuration that talks about what runs: composed from the spec acted on last, with the operator's own keys of the
// Resource as it is now, so that they count without a new deployment. Before the first deployment it is the spec's own. One that
// cannot be composed falls back to the installation's defaults: validation reports it.
func (v *Subject) config() flinkconf.Config {
	if v.observed != nil {
		return v.observed
	}
	r := v.Seen.Resource
	deployed, current := &v.Spec, &r.Spec
	if running := v.Running(); running != nil {
		deployed = running
	}
	if v.Seen.SpecProblem != "" {
		current = nil
	}
	composed, err := flinkconf.Observe(flinkconf.ObserveInput{
		Operator: v.Seen.Operator, Namespace: r.Namespace, Name: r.Name, Deployed: deployed, Current: current,
	})
	if err != nil {
		v.Note("configuration: " + err.Error())
		composed = v.Seen.Operator.Default(r.Namespace, deployed.FlinkVersion)
	}
	v.observed = composed
	return composed
}

// read is the value of an option, or its default when the text cannot be read: validation reports that.
func read[T any](get func(conf.Option) (T, error), option conf.Option, fallback T) T {
	value, err := get(option)
	if err != nil {
		return fallback
	}
	return value
}

// RecoveryEnabled is kubernetes.operator.jm-deployment-recovery.enabled.
func (v *Subject) RecoveryEnabled() bool {
	return read(v.config().Bool, key.JMDeploymentRecoveryEnabled, true)
}

// RestartsFailed is kubernetes.operator.job.restart.failed.
func (v *Subject) RestartsFailed() bool { return read(v.config().Bool, key.JobRestartFailed, false) }

// SavepointOnDeletion is kubernetes.operator.job.savepoint-on-deletion.
func (v *Subject) SavepointOnDeletion() bool {
	return read(v.config().Bool, key.JobSavepointOnDeletion, false)
}

// BlocksOnSessionJobs is kubernetes.operator.session.deletion.block-on-session-jobs.
func (v *Subject) BlocksOnSessionJobs() bool {
	return read(v.config().Bool, key.SessionDeletionBlockOnSessionJobs, true)
}

// BlocksOnUnmanagedJobs is kubernetes.operator.session.deletion.block-on-unmanaged-jobs.
func (v *Subject) BlocksOnUnmanagedJobs() bool {
	return read(v.config().Bool, key.SessionDeletionBlockOnUnmanagedJobs, true)
}

// MaxCheckpointAge is kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age; zero means unset.
func (v *Subject) MaxCheckpointAge() time.Duration {
	return read(v.config().Duration, key.JobUpgradeLastStateMaxCheckpointAge, 0)
}

// UpgradeOptions are the options that decide how a job is stopped.
func (v *Subject) UpgradeOptions() upgrade.Options {
	c := v.config()
	return upgrade.Options{
		LastStateFallback: read(c.Bool, key.JobUpgradeLastStateFallbackEnabled, true),
		JobCancel:         read(c.Bool, key.JobUpgradeLastStateJobCancelEnabled, false),
		MaxCheckpointAge:  v.MaxCheckpointAge(),
		SavepointDir:      c.Has(key.SavepointDir),
	}
}

// SavepointTarget is where and how savepoints are written: directory, format, and whether a stop drains the job.
func (v *Subject) SavepointTarget() (directory, format string, drain bool) {
	c := v.config()
	return c.Get(key.SavepointDir), c.Get(key.SavepointFormatType), read(c.Bool, key.JobDrainOnSavepointDeletion, false)
}

// CheckpointTimeout is execution.checkpointing.timeout, after which Flink gives a savepoint up.
func (v *Subject) CheckpointTimeout() time.Duration {
	return read(v.config().Duration, key.CheckpointingTimeout, 10*time.Minute)
}

// RollbackEnabled is kubernetes.operator.deployment.rollback.enabled.
func (v *Subject) RollbackEnabled() bool {
	return read(v.config().Bool, key.DeploymentRollbackEnabled, false)
}

// ReadinessTimeout is kubernetes.operator.deployment.readiness.timeout.
func (v *Subject) ReadinessTimeout() time.Duration {
	return read(v.config().Duration, key.DeploymentReadinessTimeout, 5*time.Minute)
}

// ShutdownTTL is kubernetes.operator.jm-deployment.shutdown-ttl.
func (v *Subject) ShutdownTTL() time.Duration {
	return read(v.config().Duration, key.JMDeploymentShutdownTTL, 24*time.Hour)
}

// CleanupTimeout is kubernetes.operator.resource.cleanup.timeout: how long the pods of a cluster may take to end before they are named.
func (v *Subject) CleanupTimeout() time.Duration {
	return read(v.config().Duration, key.ResourceCleanupTimeout, 5*time.Minute)
}

// Propagation is kubernetes.operator.resource.deletion.propagation.
func (v *Subject) Propagation() metav1.DeletionPropagation {
	return metav1.DeletionPropagation(read(v.config().Enum, key.ResourceDeletionPropagation, string(metav1.DeletePropagationForeground)))
}

// mostTimeout bounds one call to Flink, whatever kubernetes.operator.flink.client.timeout says: a pass has 20 s.
const mostTimeout = 10 * time.Second

// Endpoint is where the running cluster's JobManager answers: Service <id>-rest, with the port and scheme it was deployed with.
func (v *Subject) Endpoint() plan.Endpoint {
	r := v.Seen.Resource
	scheme := "http"
	if read(v.config().Bool, key.RestSSLEnabled, false) {
		scheme = "https"
	}
	return plan.Endpoint{
		URL:     fmt.Sprintf("%s://%s-rest.%s.svc:%d", scheme, r.Name, r.Namespace, read(v.config().Int, key.RestPort, 8081)),
		Timeout: min(mostTimeout, read(v.config().Duration, key.FlinkClientTimeout, mostTimeout)),
	}
}

// RenderStart makes the objects of the open start. Everything in them follows from the intent, so that every pass makes the same.
func (v *Subject) RenderStart(intent *v1beta1.Intent) (cluster render.Cluster, jobID string, err error) {
	r := v.Seen.Resource
	spec, err := v1beta1.ParseReconciledDeployment(intent.Spec)
	if err != nil {
		return render.Cluster{}, "", fmt.Errorf("the intent's spec cannot be read: %w", err)
	}
	start := flinkconf.Start{JobID: intent.JobID, JobResultStoreDir: plan.DeriveID(r.UID, intent.OverResourceVersion, plan.PurposeJobResults)}
	if intent.From != nil {
		start.LastState = intent.From.Kind == v1beta1.StartLastState && intent.From.Path != ""
		if intent.From.Kind == v1beta1.StartSavepoint {
			start.SavepointPath = intent.From.Path
		}
	}
	composed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator: v.Seen.Operator, Namespace: r.Namespace, Name: r.Name, UID: string(r.UID), Generation: intent.Generation,
		Spec: &spec.Spec, Start: start,
	})
	if err != nil {
		return render.Cluster{}, "", err
	}
	cluster, err = render.NativeCluster(render.Input{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, Spec: spec.Spec, Config: composed, Operation: intent.OperationID,
		LogFiles: v.Seen.LogFiles,
	})
	return cluster, composed.JobID, err
}

// RenderIngress makes the Ingress of a spec; nil when it asks for none or Ingresses are not managed.
func (v *Subject) RenderIngress(spec v1beta1.FlinkDeploymentSpec) (*networkingv1.Ingress, error) {
	if spec.Ingress == nil {
		return nil, nil
	}
	r := v.Seen.Resource
	config := v.compose(&spec)
	if !read(config.Bool, key.IngressManage, true) {
		v.Tell(plan.Event{Warning: true, Reason: "IngressManagement", Component: plan.ComponentOperator, Once: true,
			Message: "spec.ingress is set, but kubernetes.operator.ingress.manage is false: no Ingress is made"})
		return nil, nil
	}
	return render.MakeIngress(render.IngressInput{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, Spec: spec.Ingress, RestPort: int32(read(config.Int, key.RestPort, 8081)),
	})
}

// compose is the configuration of a spec that is being started.
func (v *Subject) compose(spec *v1beta1.FlinkDeploymentSpec) flinkconf.Config {
	r := v.Seen.Resource
	composed, err := flinkconf.Observe(flinkconf.ObserveInput{Operator: v.Seen.Operator, Namespace: r.Namespace, Name: r.Name, Deployed: spec, Current: spec})
	if err != nil {
		v.Note("configuration: " + err.Error())
		return v.Seen.Operator.Default(r.Namespace, spec.FlinkVersion)
	}
	return composed
}

// TaskManagerInfo feeds the scale subresource of an application that is started.
func (v *Subject) TaskManagerInfo(spec v1beta1.FlinkDeploymentSpec) *v1beta1.TaskManagerInfo {
	config := v.compose(&spec)
	parallelism, slots := read(config.Int, key.DefaultParallelism, 1), max(1, read(config.Int, key.TaskSlots, 1))
	return &v1beta1.TaskManagerInfo{
		LabelSelector: render.TaskManagerSelector(v.Seen.Resource.Name), Replicas: int32((parallelism + slots - 1) / slots),
	}
}

// errorBounds are the options that bound status.error.
func (v *Subject) errorBounds() summary.ErrorBounds {
	c, bounds := v.config(), summary.DefaultErrorBounds()
	bounds.FieldLength = read(c.Int, key.ExceptionFieldMaxLength, bounds.FieldLength)
	bounds.CauseCount = read(c.Int, key.ExceptionThrowableListMaxCount, bounds.CauseCount)
	return bounds
}
