package validation_test

import (
	"strings"
	"testing"

	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/validation"
)

func TestAPathInZooKeeperThatTwoNamespacesShareIsTold(t *testing.T) {
	for name, row := range map[string]struct {
		options map[string]string
		warned  bool
	}{
		"the default":        {map[string]string{"high-availability.type": "zookeeper"}, true},
		"the older spelling": {map[string]string{"high-availability": "zookeeper"}, true},
		"a root of all": {
			map[string]string{"high-availability.type": "zookeeper", "high-availability.zookeeper.path.root": "/prod"}, true,
		},
		"a root with the namespace": {
			map[string]string{
				"high-availability.type": "zookeeper", "high-availability.zookeeper.path.root": "/flink/team-a",
			}, false,
		},
		"a chroot with the namespace": {
			map[string]string{
				"high-availability.type": "zookeeper", "high-availability.zookeeper.quorum": "zk:2181/team-a",
			}, false,
		},
		"a cluster ID with the namespace": {
			map[string]string{"high-availability.type": "zookeeper", "high-availability.cluster-id": "team-a-demo"}, false,
		},
		"high availability of Kubernetes": {map[string]string{"high-availability.type": "kubernetes"}, false},
		"none":                            {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := deployment(t)
			in.Namespace = "team-a"
			in.Spec.FlinkConfiguration = without(in.Spec.FlinkConfiguration, "high-availability.type")
			for k, v := range row.options {
				in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, k, v)
			}
			found := validation.Deployment(in).Filter(apis.WarningLevel)
			warned := found != nil && strings.Contains(found.Error(), "another namespace with the same ZooKeeper")
			if warned != row.warned {
				t.Errorf("warned %v, want %v: %v", warned, row.warned, found)
			}
		})
	}
}
