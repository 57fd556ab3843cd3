package subject

import (
	"fmt"
	"time"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/options"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// config is the configuration that talks about what runs: composed from the spec acted on last, with the operator's own
// keys of the Resource as it is now, so that they count without a new deployment. Before the first deployment it is the
// spec's own. One that cannot be composed falls back to the installation's defaults: validation reports it.
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

// mostTimeout bounds one call to Flink, whatever kubernetes.operator.flink.client.timeout says: a pass has 20 s.
const mostTimeout = 10 * time.Second

// Endpoint is where the running cluster's JobManager answers: Service <id>-rest, with the port and scheme it was
// deployed with.
func (v *Subject) Endpoint() plan.Endpoint {
	r := v.Seen.Resource
	scheme := "http"
	if options.Read(v.config().Bool, key.RestSSLEnabled, false) {
		scheme = "https"
	}
	return plan.Endpoint{
		URL: fmt.Sprintf(
			"%s://%s-rest.%s.svc:%d", scheme, r.Name, r.Namespace, options.Read(v.config().Int, key.RestPort, 8081),
		),
		Timeout: min(mostTimeout, options.Read(v.config().Duration, key.FlinkClientTimeout, mostTimeout)),
	}
}

// RenderStart makes the objects of the open start. Everything in them follows from the intent, so that every pass makes
// the same.
func (v *Subject) RenderStart(intent *v1beta1.Intent) (cluster render.Cluster, jobID string, err error) {
	r := v.Seen.Resource
	if intent.SpecBase != "" { // storedspec.Read could not
		return render.Cluster{}, "", fmt.Errorf("the intent's spec was stored as a change of %s, which is another one now;"+
			" another restartNonce starts the resource's own spec", intent.SpecBase)
	}
	spec, err := v1beta1.ParseReconciledDeployment(intent.Spec)
	if err != nil {
		return render.Cluster{}, "", fmt.Errorf("the intent's spec cannot be read: %w", err)
	}
	start := flinkconf.Start{
		JobID: intent.JobID, JobResultStoreDir: plan.DeriveID(r.UID, intent.OverResourceVersion, plan.PurposeJobResults),
	}
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

// RenderIngress makes the Ingress of a spec; nil when it asks for none. managed is kubernetes.operator.ingress.manage:
// without it we leave Ingresses alone.
func (v *Subject) RenderIngress(
	spec v1beta1.FlinkDeploymentSpec,
) (wanted *networkingv1.Ingress, managed bool, err error) {
	r, config := v.Seen.Resource, v.compose(&spec)
	if !options.Read(config.Bool, key.IngressManage, true) {
		return nil, false, nil
	}
	wanted, err = render.MakeIngress(render.IngressInput{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, Spec: spec.Ingress,
		RestPort: int32(options.Read(config.Int, key.RestPort, 8081)),
	})
	return wanted, true, err
}

// compose is the configuration of a spec that is being started.
func (v *Subject) compose(spec *v1beta1.FlinkDeploymentSpec) flinkconf.Config {
	r := v.Seen.Resource
	composed, err := flinkconf.Observe(flinkconf.ObserveInput{
		Operator: v.Seen.Operator, Namespace: r.Namespace, Name: r.Name, Deployed: spec, Current: spec,
	})
	if err != nil {
		v.Note("configuration: " + err.Error())
		return v.Seen.Operator.Default(r.Namespace, spec.FlinkVersion)
	}
	return composed
}

// DropsUnclaimed reports whether a start of the spec from a savepoint or checkpoint leaves out the state that its job
// does not claim, without a word of Flink. From high-availability data Flink never does: it refuses to start then.
func (v *Subject) DropsUnclaimed(spec *v1beta1.FlinkDeploymentSpec) bool {
	c := v.compose(spec)
	for _, option := range []conf.Option{key.RecoveryIgnoreUnclaimedState, key.IgnoreUnclaimedState} {
		if c.Has(option) {
			return options.Read(c.Bool, option, false)
		}
	}
	return false
}

// SavepointDirectory is where a stop writes its savepoint: as the configuration that runs has it, else as the wanted
// one has it. Empty means that neither says so.
func (v *Subject) SavepointDirectory() string {
	if directory, _, _ := v.SavepointTarget(); directory != "" {
		return directory
	}
	return v.compose(&v.Spec).Get(key.SavepointDir)
}

// TaskManagerInfo feeds the scale subresource of an application that is started.
func (v *Subject) TaskManagerInfo(spec v1beta1.FlinkDeploymentSpec) *v1beta1.TaskManagerInfo {
	config := v.compose(&spec)
	parallelism, slots := options.Read(
		config.Int, key.DefaultParallelism, 1,
	), max(1, options.Read(config.Int, key.TaskSlots, 1))
	return &v1beta1.TaskManagerInfo{
		LabelSelector: render.TaskManagerSelector(v.Seen.Resource.Name), Replicas: int32((parallelism + slots - 1) / slots),
	}
}

// ErrorBounds are the options that bound status.error.
func (v *Subject) ErrorBounds() summary.ErrorBounds { return plan.ErrorBounds(v.config()) }
