package world

import (
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// Changed is what the spec that counts changes of what runs. It is that of the spec acted on last, which must be there,
// but where the job was being rescaled in place for a spec that was taken back since. First match wins:
//
//	the specs   a rescale of the job was begun   the spec is valid, and no operation is   then
//	            and is not recorded              open; the job is to run, and has not
//	                                             ended
//	differ      -                                -                                        what differs
//	are equal   no                               -                                        nothing
//	are equal   yes                              no                                       nothing
//	are equal   yes                              yes                                      a scaling
func (v *Look) Changed() specdiff.Change {
	diff := v.difference()
	atRest := v.Problem == "" && v.Want.Intent == nil
	runs := v.LastRunning() && v.WantsRunning() && !v.Want.JobStatus.State.IsTerminal()
	if !diff.Kind.Effective() && v.Want.Rescaling && atRest && runs {
		return specdiff.Change{Kind: specdiff.Scale, Text: "the job was being rescaled, and its spec no longer asks for that"}
	}
	return diff
}

// AsksForMore reports whether the spec asks for something else than what was acted on last.
func (v *Look) AsksForMore() bool {
	return v.Last == nil || v.WantsRunning() != v.LastRunning() || v.Changed().Kind.Effective()
}
