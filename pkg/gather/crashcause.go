package gather

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkrest/javatrace"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// crashCause is the root cause that the log of a JobManager container that crashed ends with, and the specs of the
// session jobs of a session cluster, whose secrets may be in it. Nothing of it is told while they cannot be listed.
func (g *Gatherer) crashCause(
	ctx context.Context, seen cluster.Snapshot,
) (plan.Observed[string], []*v1beta1.FlinkDeploymentSpec) {
	pods, _ := seen.Pods.Get()
	crash, crashed := podfailure.Crashed(pods)
	if !crashed || g.Brief {
		return plan.Observed[string]{}, nil
	}
	var hosted []*v1beta1.FlinkDeploymentSpec
	if seen.Resource.Spec.IsSession() {
		all, err := g.hostedSpecs(ctx, seen.Resource)
		if err != nil {
			return plan.Unknown[string](oneLine(err)), nil
		}
		hosted = all
	}
	log, err := g.Kube.Log(
		ctx,
		kube.Log{
			Namespace: crash.Namespace, Pod: crash.Pod, Container: crash.Container, Previous: crash.Previous, Lines: logLines,
		},
	)
	if err != nil {
		return plan.Unknown[string](oneLine(err)), hosted
	}
	cause := javatrace.Summary(javatrace.EndOf(log))
	if cause == "" {
		return plan.Absent[string](), hosted
	}
	return plan.Present(cause), hosted
}

// hostedSpecs are the specs of the session jobs of a session cluster.
func (g *Gatherer) hostedSpecs(
	ctx context.Context, cluster *v1beta1.FlinkDeployment,
) ([]*v1beta1.FlinkDeploymentSpec, error) {
	var all []*v1beta1.FlinkDeploymentSpec
	query := kube.Query{Resource: v1beta1.FlinkSessionJobGVR, Namespace: cluster.Namespace, Limit: listed}
	err := pages(ctx, g.Kube, query, func(u *unstructured.Unstructured) error {
		if j, _, err := v1beta1.DecodeSessionJob(u.Object); err == nil && session.ClusterOf(&j) == cluster.Name {
			all = append(all, flinkconf.SpecsOf(&j)...)
		}
		return nil
	})
	return all, err
}
