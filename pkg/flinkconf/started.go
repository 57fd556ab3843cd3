package flinkconf

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// started are the options of Flink by which what runs is found or judged: where it answers, where it keeps its
// high-availability data, what it does with checkpoints and savepoints, how it schedules. They count as they were when
// it was started. TestWhatRunsIsJudgedByWhatItWasStartedWith holds the list to what pkg/plan reads.
var started = []conf.Option{
	key.RestPort, key.RestSSLEnabled, key.RestCacheRefresh, key.RestAsyncStoreDuration,
	key.HighAvailability, key.HAClusterID, key.ZooKeeperQuorum, key.ZooKeeperRoot, key.ZooKeeperACL,
	key.ZooKeeperExecutionPlans, key.ZooKeeperJobGraphs, // the first reads the other where it is not set
	key.CheckpointingInterval, key.CheckpointingTimeout, key.TolerableFailedCheckpoints, key.RetainedCheckpoints,
	key.CheckpointDir, key.CheckpointSubdir, key.SavepointDir, key.RestoreMode,
	key.Scheduler, key.SchedulerMode,
}

// Started are those of the options of a configuration that status records for what is started with it: under their
// present names, and never nil. An address with credentials in it is left out, and is composed anew: status has no
// secrets.
func Started(c Config) Config { return pick(c, started) }

// StartedJob are those of a session job. What the JobManager reads for itself, and where its high-availability data is,
// its cluster says.
func StartedJob(c Config) Config { return pick(c, startedJob) }

// startedJob are those of started that a session job has a say in.
var startedJob = slices.DeleteFunc(slices.Clone(started), func(o conf.Option) bool {
	return slices.ContainsFunc(append([]string{"high-availability"}, ofTheJobManager...), func(of string) bool {
		return strings.HasPrefix(o.Key, of)
	})
})

func pick(c Config, options []conf.Option) Config {
	all := Config{}
	for _, option := range options {
		if text, set := c.Lookup(option); set && recordable(text) {
			all[option.Key] = text
		}
	}
	return all
}

// withStarted has what was recorded count in a configuration that was composed anew; nil means that nothing is known.
// An option that was not set is not set.
func withStarted(c, recorded Config, options []conf.Option) {
	if recorded == nil {
		return
	}
	for _, option := range options {
		now, set := c.Lookup(option)
		then, wasSet := recorded[option.Key]
		switch {
		case set == wasSet && now == then, set && !wasSet && !recordable(now):
		case wasSet:
			c.UnsetAll(option)
			c.Set(option, then)
		default:
			c.UnsetAll(option)
		}
	}
}

// recordable reports whether a value has no credentials, such as those of s3://key:secret@bucket.
func recordable(text string) bool { return !strings.Contains(text, "@") }
