package testsuite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/processes"
)

// Stage is what the tests of a package run on.
type Stage struct {
	// Dir is a directory of its own.
	Dir   string
	stops []func() error
}

// Stop has something stopped when the tests are over.
func (s *Stage) Stop(with func() error) { s.stops = append(s.stops, with) }

// Main is what a TestMain does: it does not return. A start that fails stops what it has started.
func Main(m *testing.M, start func(*Stage) error) { os.Exit(run(m.Run, start)) }

func run(tests func() int, start func(*Stage) error) int {
	dir, err := os.MkdirTemp("", strings.TrimSuffix(filepath.Base(os.Args[0]), ".test")+"-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code, stage := 0, &Stage{Dir: dir}
	if err = start(stage); err == nil {
		code = tests()
	}
	for _, stop := range slices.Backward(stage.stops) {
		err = errors.Join(err, stop())
	}
	if left := processes.Of(dir); len(left) != 0 {
		err = errors.Join(err, fmt.Errorf("processes are left: %v", left))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code != 0 {
		fmt.Fprintln(os.Stderr, "the logs are kept in", dir)
		return code
	}
	if err := remove(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Dir is a directory of a test that starts a node: t.TempDir, whose removal is tried again.
func Dir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kn-flink-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("the logs are kept in ", dir)
		} else if err := remove(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// remove removes a directory in which something may still be written for a moment: a kubelet has no way to wait for the
// volumes that it was setting up when it was stopped.
func remove(dir string) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for end := time.Now().Add(removal); ; <-tick.C {
		if err := os.RemoveAll(dir); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// removal is how long that may take.
const removal = time.Minute

// pause lies between two looks, and longest is how much of the time between them counts: a machine that slept, or a
// process that was stopped, has not waited.
const (
	pause   = 50 * time.Millisecond
	longest = time.Second
)

// Eventually fails the test if a condition does not hold within the limit. An error ends the wait, too.
func Eventually(t *testing.T, limit time.Duration, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for waited, before := time.Duration(0), time.Now(); ; {
		ok, err := condition(t.Context())
		if ok {
			return
		}
		now := time.Now()
		waited, before = waited+min(now.Sub(before), longest), now
		if err == nil && waited > limit {
			err = fmt.Errorf("not within %s", limit)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		<-tick.C
	}
}
