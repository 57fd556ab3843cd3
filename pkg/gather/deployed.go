package gather

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// deployed reads the configuration that a cluster was deployed with, whoever deployed it: the files of the ConfigMap
// that its pods mount.
func (g *Gatherer) deployed(ctx context.Context, namespace, name string) plan.Observed[flinkconf.Config] {
	u, found, err := g.Kube.Get(
		ctx, kube.Object{Resource: kube.ConfigMaps, Namespace: namespace, Name: render.ConfigMapName(name)},
	)
	return observe(u, found, err, func(u *unstructured.Unstructured) (flinkconf.Config, error) {
		files, _, err := unstructured.NestedStringMap(u.Object, "data")
		if err != nil {
			return nil, err
		}
		return flinkconf.LoadDir(files)
	})
}
