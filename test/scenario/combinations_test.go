package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// oneIn has no factor in common with the sizes of the rows, so that what is left out differs from row to row.
const oneIn = 11

// TestNoJobIsCalledSteadyWithLessThanItHad carries every combination out, each as a script of commands that random runs
// draw from, held by the same judge:
//
//	retention      kept, deleted on cancellation, never kept; the last two also by the job's code
//	availability   none, Kubernetes, ZooKeeper
//	upgrade mode   savepoint, last-state
//	edit           parallelism, restart nonce, suspension and resumption, another Flink version
//	job            healthy, restarting, failed
//	end            as it comes; without restarts, and the JobManager's process or the TaskManagers' ends last;
//	               with two restarts that are used up, and the JobManager's process ends last
//
// One in KNFLINK_SCENARIO_COMBINATIONS, a different one of each row of the last two; 1 is all of them.
func TestNoJobIsCalledSteadyWithLessThanItHad(t *testing.T) {
	const usedUp = "restarts used up, JobManager last"
	every, at := setting("KNFLINK_SCENARIO_COMBINATIONS", oneIn), 0
	retentions := map[string]string{
		"kept": "retention 0", "deleted": "retention 1", "never kept": "retention 2",
		"deleted by code": "retention-in-code 2", "never kept by code": "retention-in-code 3",
	}
	edits := map[string][]string{
		"parallelism": {"parallelism 3"}, "restart nonce": {"restart 7"}, "another version": {"version 1"},
		"suspension": {"suspend 0", "wait-long 0", "resume 0"},
	}
	jobs := map[string][]string{
		"healthy": nil, "restarting": {"fail-over 0"}, "failed": {"fail-job 0", "wait 12"},
	}
	ends := map[string][]string{
		"": nil, "without restarts, JobManager last": {"restart-strategy 1", "jobmanagers-end-slowly 4"},
		"without restarts, TaskManagers last": {"restart-strategy 1", "taskmanagers-end-slowly 4"},
		usedUp:                                {"restart-strategy 6", "jobmanagers-end-slowly 4"},
	}
	restarts := map[string][]string{usedUp: {"fail-over 0", "wait 12", "fail-over 0", "wait 12"}}
	for n, mode := range modes {
		if n < 1 || n > 6 {
			continue // the others differ in what does not matter here
		}
		for _, retention := range names(retentions) {
			for _, edit := range names(edits) {
				for _, job := range names(jobs) {
					for _, end := range names(ends) {
						script := slices.Concat(ends[end],
							[]string{retentions[retention], fmt.Sprintf("apply %d", n), "wait-long 0"},
							restarts[end], jobs[job], edits[edit], []string{"wait-long 0"})
						name := strings.Join([]string{mode.name, retention, edit, job, end}, ", ")
						if at++; at%every == 0 {
							t.Run(name, func(t *testing.T) { t.Parallel(); holds(t, script) })
						}
					}
				}
			}
		}
	}
}

// holds carries a script out.
func holds(t *testing.T, script []string) {
	t.Helper()
	if failure, _ := attempt(t, script); failure != "" {
		t.Errorf("%s\nto replay: KNFLINK_SCENARIO_SCRIPT=<file with these lines>\n%s", failure, strings.Join(script, "\n"))
	}
}
