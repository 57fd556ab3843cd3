package bluegreen

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ParentOf is the FlinkBlueGreenDeployment that a FlinkDeployment is a side of, which has to look again when it moved;
// nil when it is none.
func ParentOf(d *v1beta1.FlinkDeployment) []plan.Dependant {
	for _, o := range d.OwnerReferences {
		if o.Kind == v1beta1.KindFlinkBlueGreenDeployment && o.APIVersion == v1beta1.APIVersion {
			return []plan.Dependant{{Kind: o.Kind, Name: o.Name}}
		}
	}
	return nil
}
