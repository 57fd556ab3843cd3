package observe

import (
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// givenUpStop forgets the stops that were given up once the job was finished by somebody else's. All requests have to
// say so; what is not known counts as ours.
//
//	Flink's answer about our request  the job's end, its savepoint                       it was
//	not known                         the end is younger than rest.async.store-duration  somebody else's
//	failed                            the savepoint began after ours was given up        somebody else's
//	otherwise                         -                                                  ours
//
// They are forgotten, too, where the job's statistics show for a while that it finished without a savepoint of a stop:
// they are not asked about for ever.
func givenUpStop(v *world.Look) {
	if endedByItself(v) {
		v.Want.GivenUpStop = nil
		return
	}
	answers, asked := v.Seen.Flink.LateStops.Get()
	if !asked || v.Job == nil || !facts.LateStopTookEffect(v) || len(v.Want.GivenUpStop.Earlier) >= facts.MostEarlier {
		return
	}
	now := v.Seen.Flink.Clock
	if now.IsZero() {
		now = v.Seen.Now
	}
	c, _ := v.Seen.Flink.Checkpoints.Get()
	given := v.Want.GivenUpStop.At.Add(now.Sub(v.Seen.Now)) // by Flink's clock
	for _, answer := range answers {
		remembers := now.Sub(v.Job.EndTime) < v.Options.RemembersStops()-facts.StatisticsRoom
		switch {
		case answer.State == world.StopNotKnown && remembers:
		case answer.State == world.StopFailed && c.Completed.After(given.Add(facts.StatisticsRoom)):
		default:
			return
		}
	}
	v.Want.GivenUpStop = nil
}

// endedByItself reports whether a job that may have been finished by a stop was not.
func endedByItself(v *world.Look) bool {
	c, known := v.Seen.Flink.Checkpoints.Get()
	none := v.Seen.Flink.Checkpoints.IsAbsent() || known && c.Kind != world.KindStop
	return v.Job != nil && facts.LateStopMayHaveEnded(v, v.Want.JobStatus.State) && none &&
		v.Since(v.EndedAt()) > facts.RecentEnd
}
