package subject

import (
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// HighAvailabilityUsable reports whether high-availability data may be used by a start: it is active in the configuration that runs and
// in the wanted one.
func (v *Subject) HighAvailabilityUsable() bool {
	if !v.KubernetesHA() {
		return false
	}
	return flinkconf.HighAvailabilityOf(v.compose(&v.Spec)) == flinkconf.HAKubernetes
}

// usableHAData is what the ConfigMaps say: there is data when one of a job is there, and a checkpoint when one names it.
func usableHAData(seen plan.Observed[[]HAConfigMap]) plan.Observed[upgrade.HAData] {
	found, ok := seen.Get()
	switch {
	case !ok && seen.IsAbsent():
		return plan.Absent[upgrade.HAData]()
	case !ok:
		return plan.Unknown[upgrade.HAData](seen.Why())
	}
	data, there := upgrade.HAData{}, false
	for _, c := range found {
		there = there || render.HoldsCheckpoints(c.Name)
		data.Checkpoint = data.Checkpoint || c.Checkpoint
	}
	if !there {
		return plan.Absent[upgrade.HAData]()
	}
	return plan.Present(data)
}

// RemoveHAData is the removal of the high-availability data that the round saw; false when it saw none.
func (v *Subject) RemoveHAData() (plan.Action, bool) {
	found, _ := v.Seen.HAData.Get()
	if len(found) == 0 {
		return nil, false
	}
	action := plan.DeleteHAData{Namespace: v.Seen.Resource.Namespace}
	for _, c := range found {
		action.ConfigMaps = append(action.ConfigMaps, c.ObjectVersion)
	}
	return action, true
}

// namesCheckpoint reduces the data to whether it names a checkpoint.
func namesCheckpoint(data plan.Observed[upgrade.HAData]) plan.Observed[bool] {
	d, ok := data.Get()
	switch {
	case ok:
		return plan.Present(d.Checkpoint)
	case data.IsAbsent():
		return plan.Absent[bool]()
	}
	return plan.Unknown[bool](data.Why())
}
