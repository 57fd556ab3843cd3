package flinksim

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What test/flinksim/record did in playEnds, and with a main that is slow.

const retentionKey = "execution.checkpointing.externalized-checkpoint-retention"

var retentions = []string{job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained}

// stopOf is the stop of the n-th job with a savepoint, under the ID of the n-th trigger.
func stopOf(n, trigger int) step {
	return posts("/jobs/"+jobOf(n)+"/stop", map[string]any{
		"targetDirectory": "file:///flink-data/stops", "triggerId": triggerOf(trigger),
	})
}

// endsStory ends a job in each way, for each retention, and looks what is left of its newest checkpoint.
func endsStory() story {
	all, n := []step{}, 40
	for _, retention := range retentions {
		for _, end := range []string{"CANCELED", "FAILED", "FINISHED", "stop"} {
			act, asked := map[string]step{
				"CANCELED": acts(n, cancel), "FAILED": acts(n, failsOver), "stop": stopOf(n, 40),
				"FINISHED": acts(n, func(j *job.Job, now time.Time) { j.Finish(now) }),
			}[end], steps()
			if end == "CANCELED" && retention == job.DeletedOnCancellation {
				asked = steps("checkpoints-canceled-delete_on_cancellation")
			}
			all = append(all, steps(
				runs(n, map[string]any{retentionKey: retention, "restart-strategy.type": "none"}, "--checkpoint-ms", "500"),
				waits(5), act, waits(5), asked,
				fact("newest-checkpoint-after-"+end+"-"+retention, newestOf(n)),
			)...)
			n++
		}
	}
	return story{aSession(nil), all}
}

// newestOf says what is left of the newest checkpoint of a job.
func newestOf(n int) func(p *play) any {
	return func(p *play) any {
		s, err := client(p.t, p.w).CheckpointStatistics(p.t.Context(), jobOf(n))
		if err != nil {
			p.t.Fatal(err)
		}
		_, there := p.w.Storage.Get(s.Latest.Completed.ExternalPath)
		return fmt.Sprintf("discarded %t, files there: %t", s.Latest.Completed.Discarded, there)
	}
}

// retentionStory runs a job with a retention of the cluster's, and one that its code sets.
func retentionStory(configured, code, recording string) story {
	n := map[string]int{
		"checkpoint-config-retain_on_cancellation": 40, "checkpoint-config-delete_on_cancellation": 44,
		"checkpoint-config-no_externalized_checkpoints": 48, "checkpoint-config-in-code": 52,
	}[recording]
	args := []string{"--checkpoint-ms", "500"}
	if code != "" {
		args = append(args, "--set", retentionKey+"="+code)
	}
	return story{aSession(map[string]string{retentionKey: configured}), steps(runs(n, nil, args...), recording)}
}

// restartsStory counts how often a job that fails again and again is started.
func restartsStory() story {
	again := func(n int, name string, options map[string]any) (all []step) {
		all = steps(runs(n, options, "--checkpoint-ms", "500"), waits(2))
		for range 9 {
			all = append(all, acts(n, func(j *job.Job, now time.Time) {
				if !j.State.Ended() {
					failsOver(j, now)
				}
			}), waits(1))
		}
		return append(all, fact("failures-of-a-job-with-restart-strategy-"+name, func(p *play) any {
			return len(p.w.Flink.Job("flink", "demo", jobOf(n)).Failures)
		}))
	}
	return story{aSession(nil), steps(
		again(53, "none", map[string]any{"restart-strategy.type": "none"}),
		again(54, "fixed-delay-2", map[string]any{
			"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "2",
		}),
	)}
}

// failedStop is a stop whose savepoint is complete, and whose tasks then fail.
func failedStop(n int, before []step, under string) []step {
	return steps(
		runs(n, map[string]any{"restart-strategy.type": "exponential-delay"},
			"--checkpoint-ms", "500", "--snapshot-ms", "1", "--fail-close-once"),
		before, stopOf(n, 41), waits(8),
		fact("job-state-after-a-stop-that-failed-after-its-savepoint"+under, stateOf(n)),
	)
}

func failedStopStory() story {
	return story{aSession(nil), steps(failedStop(62, steps(waits(5)), ""), "checkpoints-after-a-failed-stop")}
}

// adaptiveStopStory is the same under the adaptive scheduler. With 1.20 more than one checkpoint was made before, and
// the stop met one that was in progress.
func adaptiveStopStory() story {
	before := steps(
		waits(1), of("1.20", waits(4)), of("1.20", posts("/jobs/"+jobOf(90)+"/checkpoints", byHand(73))),
	)
	acked := "some subtasks may have acknowledged it"
	return story{aSession(map[string]string{"jobmanager.scheduler": "adaptive"}), steps(
		failedStop(90, before, "-adaptive"), "stop-failed-after-savepoint-adaptive",
		but("checkpoints-after-a-failed-stop-adaptive", map[string]string{
			".latest.failed.latest_ack_timestamp": acked, ".history[0].latest_ack_timestamp": acked,
		}),
	)}
}

// stateOf is the state of a job by its details; empty when there is none.
func stateOf(n int) func(p *play) any {
	return func(p *play) any {
		_, answer := p.send(http.MethodGet, "/v1/jobs/"+jobOf(n), "", nil)
		state, _ := decoded(p.t, answer).(map[string]any)["state"].(string)
		return state
	}
}

// cachesStory asks for a job that makes ten checkpoints a second, too early and too often.
func cachesStory() story {
	at := "/jobs/" + jobOf(72)
	return story{aSession(nil), steps(
		looks(at+"/checkpoints"),
		runs(72, map[string]any{"restart-strategy.type": "none"}, "--checkpoint-ms", "100"),
		fact("status-of-statistics-that-were-asked-for-before-the-job-came", func(p *play) any {
			status, _ := p.send(http.MethodGet, "/v1"+at+"/checkpoints", "", nil)
			return status
		}),
		waits(5),
		fact("different-statistics-in-10s-of-a-job-with-ten-checkpoints-a-second", func(p *play) any {
			seen, begun := map[any]bool{}, p.w.Flink.Job("flink", "demo", jobOf(72)).Latest(false).ID
			for range 100 {
				p.w.Tick(100 * time.Millisecond)
				_, answer := p.send(http.MethodGet, "/v1"+at+"/checkpoints", "", nil)
				latest := decoded(p.t, answer).(map[string]any)["latest"].(map[string]any)["completed"]
				seen[latest.(map[string]any)["id"]] = true
			}
			if made := p.w.Flink.Job("flink", "demo", jobOf(72)).Latest(false).ID - begun; made != 100 {
				p.t.Errorf("%d checkpoints in 10 s", made)
			}
			return fmt.Sprintf("at most 5: %t", len(seen) <= 5)
		}),
		waits(4), looks(at), acts(72, cancel), do(func(p *play) {
			p.w.Settle()
			if _, list := p.send(http.MethodGet, "/v1/jobs", "", nil); !strings.Contains(string(list), "CANCELED") {
				p.t.Errorf("the list is %s", list)
			}
		}),
		fact("state-by-job-details-when-the-list-says-canceled", stateOf(72)),
	)}
}

// signalStory ends the JobManager's process under three jobs, without high availability.
func signalStory(signal string) story {
	begun, files, paths := []step{}, []step{}, make([]string, len(retentions))
	for i, retention := range retentions {
		begun = append(begun, runs(80+i, map[string]any{retentionKey: retention}, "--checkpoint-ms", "500"))
		name := "checkpoint-files-after-" + signal + "-of-the-jobmanager-" + retention
		files = append(files, fact(name, func(p *play) any {
			_, there := p.w.Storage.Get(paths[i])
			return there
		}))
	}
	ends := do(func(p *play) {
		for i := range paths {
			paths[i] = p.w.Flink.Job("flink", "demo", jobOf(80+i)).Latest(false).Path
		}
		for _, pod := range p.w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "jobmanager"}) {
			p.w.Flink.Stop(pod.GetUID(), signal == "SIGKILL")
		}
	})
	return story{aSession(nil), steps(begun, waits(5), ends, files)}
}

// slowMainStory gives up on a run before main has submitted its job.
func slowMainStory() story {
	return story{aSession(nil), steps(
		fact("run-given-up-after-500ms-of-3s", func(p *play) any {
			p.w.Flink.ScriptJob("mine", job.Script{MainSteps: 3})
			return errors.Is(upload(p.t, p.w)(jobOf(7)), flinkrest.ErrUnreachable)
		}),
		fact("job-state-while-main-runs", stateOf(7)), waits(8),
		fact("job-state-after-a-run-that-was-given-up", stateOf(7)),
	)}
}
