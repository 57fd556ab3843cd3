package autoscaler_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
)

// lives lets a job of a thousand records a second run for so many minutes; how busy it is depends on the parallelism of
// its source. Each decision is stored through its bytes, and carried out at once. It returns them all with their minute
// and the parallelism of the source, and what users are told.
func (j *looked) lives(t *testing.T, minutes int, busy func(parallelism int) float64) (all, told []string) {
	t.Helper()
	parallelism := 4
	for minute := range minutes {
		r := j.look(t, minute, 1000, busy(parallelism))
		for _, e := range r.Events {
			told = append(told, fmt.Sprintf("%d %s", minute, e.Message))
		}
		if !r.Store {
			continue
		}
		kept, _, err := store.Read(store.Write(r.State))
		if err != nil {
			t.Fatal(err)
		}
		if j.state = kept; !r.Decision.Scaled() {
			continue
		}
		j.as, j.running = kept.Overrides, benchStart.Add(time.Duration(minute)*time.Minute+30*time.Second)
		next, err := strconv.Atoi(kept.Overrides[vertexID(0)])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%d: %d -> %d", minute, parallelism, next))
		parallelism = next
	}
	return all, told
}

// inVain is a job that never gets any faster: something outside of it bounds what it can process.
func inVain(int) float64 { return 990 }

// linear is one whose subtasks share the work.
func linear(parallelism int) float64 { return 990 * 4 / float64(parallelism) }

func TestAStepInVainIsTakenBackOnce(t *testing.T) {
	quick := []string{"stabilization.interval", "1 min", "metrics.window", "4 min", "scale-up.max-factor", "1.0"}
	back := append(slices.Clone(quick), "scaling.take-back-ineffective", "true", "scale-down.interval", "20 min")
	for name, row := range map[string]struct {
		minutes int
		options []string
		busy    func(int) float64
		want    []string
	}{
		"off":                    {20, quick, inVain, []string{"5: 4 -> 7", "11: 7 -> 12", "17: 12 -> 19"}},
		"on, and the step helps": {40, back, linear, []string{"5: 4 -> 7"}},
		"on, and the load stays": {
			40, back, inVain, []string{"5: 4 -> 7", "11: 7 -> 4", "31: 4 -> 7", "37: 7 -> 12"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, told := newJob(row.options...).lives(t, row.minutes, row.busy)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("decisions (-want +got):\n%s\n%s", diff, strings.Join(told, "\n"))
			}
		})
	}
}

func TestABudgetOfScalings(t *testing.T) {
	j := newJob("stabilization.interval", "1 min", "metrics.window", "4 min", "scale-up.max-factor", "1.0",
		"scaling.max-per-hour", "2", "history.max.count", "1", "history.max.age", "10 min")
	got, told := j.lives(t, 80, inVain)
	if diff := cmp.Diff([]string{"5: 4 -> 7", "11: 7 -> 12", "65: 12 -> 19", "71: 19 -> 31"}, got); diff != "" {
		t.Errorf("at most two in any hour (-want +got):\n%s", diff)
	}
	want := "Scaling execution disabled by config job.autoscaler.scaling.max-per-hour:2, recommended parallelism change:"
	if !strings.Contains(strings.Join(told, "\n"), want) {
		t.Errorf("nobody learns why:\n%s", strings.Join(told, "\n"))
	}
	if r := j.look(t, 80, 1000, 990); r.Decision.Outcome != execute.OutcomeTooOften {
		t.Errorf("the next outcome is %s", r.Decision.Outcome)
	}
}
