package flinkconf

import (
	"errors"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// ObserveInput is what the configuration of a running cluster depends on.
type ObserveInput struct {
	// Operator has the defaults.
	Operator Operator
	// Namespace and Name are the FlinkDeployment's.
	Namespace, Name string
	// Deployed is the spec that the cluster was started with: the last reconciled one, or the last stable one after a
	// rollback. nil before the first deployment.
	Deployed *v1beta1.FlinkDeploymentSpec
	// Current is the spec of the resource now; its options of the operator and the autoscaler, and its savepoint
	// directory, count without a redeployment. So does the removal of such an option.
	Current *v1beta1.FlinkDeploymentSpec
	// Cluster is the configuration of the session cluster; only ObserveSessionJob reads it.
	Cluster Config
	// Started are the options that what runs was started with, see Started; nil means that they are not known, and
	// follow from the spec and today's defaults.
	Started Config
}

// ErrNotDeployed says that nothing was deployed yet, so there is no running cluster to know the configuration of.
var ErrNotDeployed = errors.New("nothing was deployed yet: there is no configuration of a running cluster")

// Observe composes the configuration to talk to a running cluster with.
func Observe(in ObserveInput) (Config, error) {
	if in.Deployed == nil {
		return nil, ErrNotDeployed
	}
	defaults := in.Operator.Default(in.Namespace, in.Deployed.FlinkVersion)
	c, err := compose(DeployInput{Namespace: in.Namespace, Name: in.Name, Spec: in.Deployed}, defaults)
	if err != nil {
		return nil, err
	}
	withStarted(c, in.Started, started)
	if in.Current == nil {
		return c, nil
	}
	return in.withCurrent(c, defaults)
}

// ofTheJobManager begin the options that a JobManager reads for itself alone, such as how old its statistics may be. A
// session job has no say in them.
var ofTheJobManager = []string{"jobmanager.", "jobstore.", "rest.", "web."}

// ObserveSessionJob does the same for a session job: its specs have the job and its own flinkConfiguration only, over
// Cluster.
func ObserveSessionJob(in ObserveInput) (Config, error) {
	if in.Deployed == nil {
		return nil, ErrNotDeployed
	}
	own := v1beta1.FlinkSessionJobSpec{Job: in.Deployed.Job, FlinkConfiguration: in.Deployed.FlinkConfiguration}
	c, err := SessionJob(in.Cluster, in.Name, &own)
	if err != nil {
		return nil, err
	}
	withStarted(c, in.Started, startedJob)
	for name := range c {
		if slices.ContainsFunc(ofTheJobManager, func(of string) bool { return strings.HasPrefix(name, of) }) {
			delete(c, name)
			if text, ok := in.Cluster[name]; ok {
				c[name] = text
			}
		}
	}
	if in.Current == nil {
		return c, nil
	}
	return in.withCurrent(c, in.Cluster)
}

// withCurrent lets the options of Current count that need no redeployment. One that it does not have any more is that
// of defaults.
func (in ObserveInput) withCurrent(c, defaults Config) (Config, error) {
	current, err := Own(in.Current.FlinkConfiguration)
	if err != nil {
		return nil, err
	}
	removed := current
	if in.Deployed.FlinkConfiguration.String() != in.Current.FlinkConfiguration.String() {
		if removed, err = Own(in.Deployed.FlinkConfiguration); err != nil {
			return nil, err
		}
	}
	for name := range removed {
		if isOurs(name) {
			delete(c, name)
			if text, ok := defaults[name]; ok {
				c[name] = text
			}
		}
	}
	for name, text := range current {
		if isOurs(name) {
			c[name] = text
		}
	}
	if dir, ok := current.Lookup(key.SavepointDir); ok {
		c.Set(key.SavepointDir, dir)
	}
	return c, nil
}

// isOurs reports whether an option is for the operator or the autoscaler, not for Flink.
func isOurs(name string) bool {
	return strings.HasPrefix(name, key.OperatorPrefix) || strings.HasPrefix(name, key.AutoscalerPrefix)
}

// SessionJob composes the configuration of a session job: that of its cluster, observed, the job's own
// flinkConfiguration and the options of its JobSpec. It serves for submitting and for observing.
func SessionJob(cluster Config, name string, spec *v1beta1.FlinkSessionJobSpec) (Config, error) {
	own, err := Own(spec.FlinkConfiguration)
	if err != nil {
		return nil, err
	}
	c := cluster.Merge(own)
	if spec.Job != nil {
		applyJob(c, name, spec.Job, BehaviourOf(v1beta1.FlinkVersion(c.Get(key.FlinkVersion))))
	}
	return c, nil
}

// ForAutoscaler returns the configuration that the autoscaler works with: its REST timeout follows the operator's
// unless it has its own.
func ForAutoscaler(c Config) Config {
	own := c.Clone()
	own.SetDefault(key.AutoscalerRestClientTimeout, c.Get(key.FlinkClientTimeout))
	return own
}

// UsesSnapshotResources tells whether snapshots of a resource are FlinkStateSnapshot objects: the operator's defaults
// and the resource's effective configuration both have to say so.
func UsesSnapshotResources(defaults, effective Config) (bool, error) {
	general, err := defaults.Bool(key.SnapshotResourceEnabled)
	if err != nil || !general {
		return false, err
	}
	return effective.Bool(key.SnapshotResourceEnabled)
}

// Submitted are the options that the run of a session job's jar is given: all but those of the operator, of the
// autoscaler, and of the cluster itself, and but the state to start from. Flink takes that from them when the request
// names none (JarRunHandler), and which state it is, a start decides.
func Submitted(c Config) map[string]string {
	own := map[string]string{}
	c = c.Clone()
	dropStatePath(c)
	for name, text := range c {
		if !isOurs(name) && !strings.HasPrefix(name, "$internal.") {
			own[name] = text
		}
	}
	return own
}
