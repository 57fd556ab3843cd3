package job

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// givenUpStop remembers the stops with savepoint that were given up: such a request may still reach Flink, and end a
// job that was to go on.
type givenUpStop Life

// tookEffect reports whether the job was finished by a stop with savepoint that had been given up: a request that came
// late has ended what was to go on. Its newest state is the savepoint of a stop then.
func (v givenUpStop) tookEffect() bool {
	c, known := v.Seen.Flink.Checkpoints.Get()
	return v.mayHaveEnded(v.Want.JobStatus.State) && known && c.Kind == KindStop && !c.Discarded
}

// lateFor is how long after it was given up a stop may still reach Flink: a process that was frozen, or a request that
// was held up, goes on within minutes. Whoever stops the job later is a person.
const lateFor = time.Hour

// mostEarlier bounds how many stops that were given up are remembered besides the newest. With as many, whose stop it
// was is not known.
const mostEarlier = 20

// observe forgets the stops that were given up once the job was finished by somebody else's. All requests have to say
// so; what is not known counts as ours.
//
//	Flink's answer about our request  the job's end, its savepoint                       it was
//	not known                         the end is younger than rest.async.store-duration  somebody else's
//	failed                            the savepoint began after ours was given up        somebody else's
//	otherwise                         -                                                  ours
//
// They are forgotten, too, where the job's statistics show for a while that it finished without a savepoint of a stop:
// they are not asked about for ever.
func (v givenUpStop) observe() {
	if v.byItself() {
		v.Want.GivenUpStop = nil
		return
	}
	answers, asked := v.Seen.Flink.LateStops.Get()
	if !asked || v.Job == nil || !v.tookEffect() || len(v.Want.GivenUpStop.Earlier) >= mostEarlier {
		return
	}
	now := v.Seen.Flink.Clock
	if now.IsZero() {
		now = v.Seen.Now
	}
	c, _ := v.Seen.Flink.Checkpoints.Get()
	given := v.Want.GivenUpStop.At.Add(now.Sub(v.Seen.Now)) // by Flink's clock
	for _, answer := range answers {
		remembers := now.Sub(v.Job.EndTime) < v.RemembersStops()-statisticsRoom
		switch {
		case answer.State == StopNotKnown && remembers:
		case answer.State == StopFailed && c.Completed.After(given.Add(statisticsRoom)):
		default:
			return
		}
	}
	v.Want.GivenUpStop = nil
}

// byItself reports whether a job that may have been finished by a stop was not.
func (v givenUpStop) byItself() bool {
	c, known := v.Seen.Flink.Checkpoints.Get()
	none := v.Seen.Flink.Checkpoints.IsAbsent() || known && c.Kind != KindStop
	return v.Job != nil && v.mayHaveEnded(v.Want.JobStatus.State) && none && v.Since(v.EndedAt()) > recentEnd
}

// mayHaveEnded reports whether a job in such a state may be one whose stop was given up.
func (v givenUpStop) mayHaveEnded(state v1beta1.FlinkJobState) bool {
	given := v.Want.GivenUpStop
	if state != v1beta1.FlinkJobFinished || given == nil || given.JobID != v.Want.JobStatus.JobID {
		return false
	}
	return given.At.IsZero() || v.EndedAt().Sub(given.At.Time) < lateFor
}
