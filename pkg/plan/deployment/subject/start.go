package subject

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// AllPrepared reports whether every wanted companion was seen with the operation of the open intent.
func (v *Subject) AllPrepared(wanted []Companion) bool {
	seen, ok := v.Seen.Companions.Get()
	if !ok {
		return false
	}
	have := map[Companion]bool{}
	for _, c := range seen {
		have[c] = true
	}
	for _, c := range wanted {
		if !have[c] {
			return false
		}
	}
	return true
}

// IngressActions bring the Ingress to what the spec asks for.
func (v *Subject) IngressActions(target v1beta1.FlinkDeploymentSpec) []plan.Action {
	wanted, err := v.RenderIngress(target)
	if err != nil {
		v.Note("ingress: " + err.Error())
		return nil
	}
	if wanted != nil {
		return []plan.Action{plan.ApplyIngress{Ingress: wanted}}
	}
	if old, ok := v.Seen.Ingress.Get(); ok {
		r := v.Seen.Resource
		return []plan.Action{plan.DeleteIngress{Namespace: r.Namespace, Name: r.Name, UID: old.UID}}
	}
	return nil
}
