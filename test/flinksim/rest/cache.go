package rest

import (
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// A JobManager answers about a job from what it fetched up to web.refresh-interval ago, whatever happened since:
// DefaultExecutionGraphCache and, for checkpoint statistics, AbstractCheckpointStatsHandler (Flink 1.20 and 2.2). The
// list of jobs, the status of operations and the execution result are never cached. That a checkpoint was discarded
// shows at once: what is remembered of it is the thing itself (CompletedCheckpointStats).
const (
	graphCache      = "execution graph"
	statisticsCache = "checkpoint statistics"
)

// remembered is an entry of a cache.
type remembered struct {
	job *job.Job // nil: there was none, which the statistics remember too
	at  time.Time
}

// fetch is the job as the cache has it; nil for one that is not there.
func (c *call) fetch(cache, id string) *job.Job {
	key := cache + "/" + id
	known, ok := c.jm.Files[key].(remembered)
	j := c.jm.Job(id)
	if age := c.jm.Now().Sub(known.at); ok && age >= 0 && age < c.jm.Config.RefreshInterval() {
		known.job.Discards(j)
		return known.job
	}
	if j != nil {
		j = j.Copy()
	}
	if delete(c.jm.Files, key); j != nil || cache == statisticsCache {
		c.jm.Files[key] = remembered{j, c.jm.Now()}
	}
	return j
}
