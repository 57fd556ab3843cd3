package peak

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// often is how much garbage may be there beside what is needed, in percent: what is measured is need, not what the
// garbage collector leaves until there is a reason.
const often = 20

// Of is the highest heap during the work, in bytes, above what there was before it. goMemLimit is the GOMEMLIMIT of the
// function that does it.
func Of(t testing.TB, goMemLimit int64, work func()) int64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(often))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(goMemLimit))
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heap := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	before := heap()
	done, highest := make(chan struct{}), make(chan int64)
	go func() {
		most := heap()
		for ticks := time.NewTicker(500 * time.Microsecond); ; {
			select {
			case <-ticks.C:
				most = max(most, heap())
			case <-done:
				ticks.Stop()
				highest <- max(most, heap())
				return
			}
		}
	}()
	work()
	close(done)
	return <-highest - before
}

// Lowest is the lowest of three peaks of work that keeps nothing: a loaded machine collects late, and what it has not
// collected is not needed.
func Lowest(t testing.TB, goMemLimit int64, work func()) int64 {
	t.Helper()
	return min(Of(t, goMemLimit, work), Of(t, goMemLimit, work), Of(t, goMemLimit, work))
}

// MiB is for limits, and for texts.
const MiB = 1 << 20
