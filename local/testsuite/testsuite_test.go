package testsuite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/kn-flink/kn-flink/local/processes"
)

func TestTheDirectoryStaysAfterAFailure(t *testing.T) {
	fails := errors.New("on purpose")
	for name, row := range map[string]struct {
		start, stop error
		tests, code int
	}{
		"all is well":        {},
		"a test fails":       {tests: 2, code: 2},
		"the start fails":    {start: fails, code: 1},
		"the stop fails":     {stop: fails, code: 1},
		"a test and the end": {stop: fails, tests: 2, code: 1},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		var done []string
		code := run(func() int { done = append(done, "tests"); return row.tests }, func(s *Stage) error {
			for _, part := range []string{"first", "second"} {
				s.Stop(func() error { done = append(done, part); return row.stop })
			}
			return row.start
		})
		want := []string{"tests", "second", "first"}
		if row.start != nil {
			want = want[1:]
		}
		if code != row.code || !slices.Equal(done, want) {
			t.Errorf("%s: code %d after %q", name, code, done)
		}
		if left, _ := filepath.Glob(os.Getenv("TMPDIR") + "/testsuite-*"); (len(left) == 0) != (code == 0) {
			t.Errorf("%s: %q is there", name, left)
		}
	}
}

func TestWhatIsStillBeingWrittenIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := make(chan struct{})
	code := run(func() int { return 0 }, func(s *Stage) error {
		s.Stop(func() error {
			begun := make(chan struct{})
			go func() {
				defer close(ended)
				for i := range 2000 {
					volume := filepath.Join(s.Dir, "volumes", strconv.Itoa(i))
					if os.MkdirAll(volume, 0o700) == nil && i == 0 {
						close(begun)
					}
				}
				_ = os.RemoveAll(s.Dir) // what was written after the end
			}()
			<-begun
			return nil
		})
		return nil
	})
	<-ended
	if code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestATestsDirectoryIsRemovedWhileItIsStillBeingWritten(t *testing.T) {
	var dir string
	ended := make(chan struct{})
	t.Run("the test", func(t *testing.T) {
		dir = Dir(t)
		begun := make(chan struct{})
		go func() {
			defer close(ended)
			for i := range 2000 {
				if os.MkdirAll(filepath.Join(dir, "volumes", strconv.Itoa(i)), 0o700) == nil && i == 0 {
					close(begun)
				}
			}
			_ = os.RemoveAll(dir) // what was written after the end
		}()
		<-begun
	})
	<-ended
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

func TestAProcessThatIsLeftIsAFailure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	left := exec.Command("sleep", "1000")
	code := run(func() int { return 0 }, func(s *Stage) error {
		left.Env = []string{"PATH=" + os.Getenv("PATH"), processes.Mark(s.Dir)}
		return left.Start()
	})
	if code != 1 {
		t.Errorf("code %d", code)
	}
	if err := left.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = left.Wait()
}
