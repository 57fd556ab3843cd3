package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ParentOf is the FlinkBlueGreenDeployment that a resource with these owners is a side of, which has to look again when
// it moved; nil when it is none.
func ParentOf(owners []metav1.OwnerReference) []plan.Dependant {
	for _, o := range owners {
		if o.Kind == v1beta1.KindFlinkBlueGreenDeployment && o.APIVersion == v1beta1.APIVersion {
			return []plan.Dependant{{Kind: o.Kind, Name: o.Name}}
		}
	}
	return nil
}
