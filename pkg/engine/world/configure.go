package world

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Config is the configuration that talks about what runs: composed from the spec acted on last, with the options of
// Flink that it was started with, and the operator's own keys of the Resource as it is now, so that they count without
// a new deployment. Before the first deployment it is the spec's own. One that cannot be composed falls back to the
// installation's defaults: validation reports it.
func (v *Look) Config() flinkconf.Config {
	if v.observed != nil {
		return v.observed
	}
	deployed, current := &v.Spec, &v.Seen.Resource.Spec
	if running := v.Running(); running != nil {
		deployed = running
	}
	if v.Seen.SpecProblem != "" {
		current = nil
	}
	v.observed = v.ComposeFor(deployed, current, startOptionsOfWhatRuns(v))
	return v.observed
}

// ComposeFor is the configuration of a spec that runs, with the operator's own keys of the current one.
func (v *Look) ComposeFor(deployed, current *v1beta1.FlinkDeploymentSpec, started flinkconf.Config) flinkconf.Config {
	r := v.Seen.Resource
	in := flinkconf.ObserveInput{
		Operator: v.Seen.Operator, Namespace: r.Namespace, Name: r.Name, Deployed: deployed, Current: current,
		Started: started,
	}
	observe := flinkconf.Observe
	if v.Seen.ClusterConfig != nil {
		in.Cluster, observe = v.Seen.ClusterConfig, flinkconf.ObserveSessionJob
	}
	composed, err := observe(in)
	switch {
	case err == nil:
		return composed
	case v.Seen.ClusterConfig != nil:
		composed = v.Seen.ClusterConfig
	default:
		composed = v.Seen.Operator.Default(r.Namespace, deployed.FlinkVersion)
	}
	v.Note("configuration: " + err.Error())
	return composed
}

// Compose is the configuration of a spec that is being started: by today's defaults, but where the open start has begun
// with others.
func (v *Look) Compose(spec *v1beta1.FlinkDeploymentSpec) flinkconf.Config {
	return v.ComposeFor(spec, spec, startOptionsOfOpen(v, spec))
}

// SavepointDirectory is where a stop writes its savepoint: as the configuration that runs has it, else as the wanted
// one has it. Empty means that neither says so.
func SavepointDirectory(v *Look) string {
	if directory, _, _ := v.Options.SavepointTarget(); directory != "" {
		return directory
	}
	return v.Compose(&v.Spec).Get(key.SavepointDir)
}

// TaskManagerInfo feeds the scale subresource of an application that is started.
func TaskManagerInfo(v *Look, spec v1beta1.FlinkDeploymentSpec) *v1beta1.TaskManagerInfo {
	config := v.Compose(&spec)
	parallelism, slots := options.Read(
		config.Int, key.DefaultParallelism, 1,
	), max(1, options.Read(config.Int, key.TaskSlots, 1))
	replicas := (parallelism + slots - 1) / slots
	if spec.DesiredMode() == v1beta1.ModeStandalone {
		replicas = options.Read(config.Int, key.TaskManagerReplicas, 1)
	}
	return &v1beta1.TaskManagerInfo{
		LabelSelector: render.TaskManagerSelector(v.Seen.Resource.Name), Replicas: int32(replicas),
	}
}

// startOptionsOfWhatRuns are those that what runs was started with; nil when they are not known.
func startOptionsOfWhatRuns(v *Look) flinkconf.Config {
	status := v.Resource().Status
	switch i := status.Intent; {
	case i != nil && i.Step == v1beta1.StepStarting:
		return i.Options
	case v.Seen.Deployed.IsPresent():
		config, _ := v.Seen.Deployed.Get()
		return flinkconf.Started(config)
	case status.Deployed != nil && status.Deployed.Options == nil:
		return flinkconf.Config{}
	case status.Deployed != nil:
		return status.Deployed.Options
	}
	return nil
}

// StartOptions are those of a configuration that status records for what is started with it.
func StartOptions(v *Look, c flinkconf.Config) flinkconf.Config {
	if !v.IsApplication() {
		return flinkconf.StartedJob(c)
	}
	return flinkconf.Started(c)
}

// startOptionsOfOpen are those of the open start, when the spec is the one that it begins; nil otherwise.
func startOptionsOfOpen(v *Look, spec *v1beta1.FlinkDeploymentSpec) flinkconf.Config {
	i := v.Intent()
	if i == nil || i.Step != v1beta1.StepStarting || i.Options == nil {
		return nil
	}
	if text, err := storedspec.Text(*spec); err != nil || storedspec.Hash(text) != i.SpecHash {
		return nil
	}
	return i.Options
}
