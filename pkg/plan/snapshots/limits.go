package snapshots

import (
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// misreadsCleanup reports whether an option that decides what is cleaned up cannot be read: then nothing is.
func (f Facts) misreadsCleanup() bool {
	for c, options := range map[*conf.Config][]conf.Option{
		&f.Config: {
			key.SavepointCleanupEnabled, key.SavepointHistoryMaxCount, key.SavepointHistoryMaxAge, key.RetainedCheckpoints,
		},
		&f.Defaults: {key.SavepointHistoryMaxCountThreshold, key.SavepointHistoryMaxAgeThreshold},
	} {
		if slices.ContainsFunc(options, func(o conf.Option) bool { return c.Check(o) != nil }) {
			return true
		}
	}
	return false
}

// reads reports whether the job may still read the state at a path.
func (f Facts) reads(path string) bool {
	return Reader{Wanted: f.Wanted, Status: f.Status, Intent: f.Intent}.Reads(path)
}

// maxCount is how many of a type are kept, at least one: for savepoints kubernetes.operator.savepoint.history.max.count
// under its threshold, for checkpoints execution.checkpointing.num-retained.
func (f Facts) maxCount(t Type) int {
	if t == Checkpoint {
		return max(1, read(f.Config.Int, key.RetainedCheckpoints, 1))
	}
	return max(
		1,
		capped(
			f.Config.Int, f.Defaults.Int,
			limits{key.SavepointHistoryMaxCount, key.SavepointHistoryMaxCountThreshold, f.Defaults},
		),
	)
}

// maxAge is how old savepoints may get: kubernetes.operator.savepoint.history.max.age under its threshold; zero means
// any age.
func (f Facts) maxAge(t Type) time.Duration {
	if t == Checkpoint {
		return 0
	}
	return capped(
		f.Config.Duration, f.Defaults.Duration,
		limits{key.SavepointHistoryMaxAge, key.SavepointHistoryMaxAgeThreshold, f.Defaults},
	)
}

// limits are an option of the job and the one of the operator that bounds it.
type limits struct {
	option, threshold conf.Option
	defaults          conf.Config
}

func capped[T int | time.Duration](own, operator func(conf.Option) (T, error), l limits) T {
	value, err := own(l.option)
	if err != nil {
		value = read(operator, l.option, value)
	}
	if !l.defaults.Has(l.threshold) {
		return value
	}
	return min(value, read(operator, l.threshold, value))
}

// Kept says why the savepoints of a job are never disposed of; empty when they may be.
//
//	execution.state-recovery.claim-mode  why
//	LEGACY                               checkpoints may share files with what the job was started from, for ever
//	CLAIM                                Flink owns what the job was started from, and deletes it itself
func Kept(c flinkconf.Config) string {
	mode, err := c.Enum(key.RestoreMode)
	switch {
	case err != nil:
		return "who owns its files is not known: " + err.Error()
	case mode == "LEGACY":
		return "with " + key.RestoreMode.Key + " LEGACY checkpoints of the job may need its files"
	case mode == "CLAIM":
		return "with " + key.RestoreMode.Key + " CLAIM Flink deletes what it does not need any more"
	}
	return ""
}
