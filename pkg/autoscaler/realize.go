package autoscaler

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Parallelism is what the stored overrides make of those of the user. It is nil when nothing is stored: the user's
// stay.
//
//	vertex     stored   of the user   excluded   then it is
//	in either  yes      -             no         stored
//	in either  yes      yes           yes        the user's
//	in either  yes      no            yes        stored
//	in either  no       yes           -          the user's
func Parallelism(stored, user map[string]string, excluded []string) map[string]string {
	if len(stored) == 0 {
		return nil
	}
	merged := maps.Clone(stored)
	for vertex, parallelism := range user {
		if _, has := stored[vertex]; !has || slices.Contains(excluded, vertex) {
			merged[vertex] = parallelism
		}
	}
	return merged
}

// ParallelismText is the text of the option for a parallelism. Where the deployed text says the same it is used again,
// so that another order is no change.
func ParallelismText(wanted map[string]string, deployed string) string {
	if was, err := store.ReadParallelism(deployed); err == nil && maps.Equal(was, wanted) {
		return deployed
	}
	return store.WriteParallelism(wanted)
}

// Tune lays what memory tuning has set over a flat configuration, which it changes.
func Tune(c conf.Config, changes model.ConfigChanges) {
	for _, name := range changes.Removals {
		delete(c, name)
	}
	maps.Copy(c, changes.Overrides)
}

// TunedMemory is the memory of a TaskManager process after Tune, in bytes: what the configuration says, else what it
// is now. At most 0 is not known.
func TunedMemory(c conf.Config, now int64) int64 {
	if bytes, err := c.Memory(key.TaskManagerProcessMemory); err == nil && c.Has(key.TaskManagerProcessMemory) {
		return bytes
	}
	return now
}

// SetMemory sets the memory of TaskManagers in a spec, which it changes, from one number of bytes to another. It
// reports whether the spec says anything of memory; where it does not, nothing is set.
//
//	resources            resource   then
//	requests             -          the request is the new memory, and a limit grows or shrinks alike
//	limits only          -          the limit is the new memory
//	neither              set        its memory is the new memory
//	neither              not set    nothing
func SetMemory(s *v1beta1.TaskManagerSpec, from, to int64) bool {
	const memory = "memory"
	if s == nil || from <= 0 || to <= 0 {
		return false
	}
	bytes := strconv.FormatInt(to, 10)
	if r := s.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		if len(r.Requests) == 0 {
			r.Limits[memory] = v1beta1.Quantity(bytes)
			return true
		}
		r.Requests[memory] = v1beta1.Quantity(bytes)
		if limit, err := r.Limits[memory].Parse(); err == nil {
			scaled := math.Round(limit.AsApproximateFloat64() * float64(to) / float64(from))
			r.Limits[memory] = v1beta1.Quantity(strconv.FormatInt(int64(scaled), 10))
		}
		return true
	}
	if s.Resource == nil || s.Resource.Memory == "" {
		return false
	}
	s.Resource.Memory = bytes
	return true
}
