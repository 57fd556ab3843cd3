package flinksim

import (
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// warmStory is what test/flinksim/record did in playWarm.
func warmStory() story {
	finish := func(j *job.Job, now time.Time) { j.Finish(now) }
	return story{aSession(nil), steps(
		"jar-upload-to-plan", "jar-plan", "jar-plan-main-fails", "jar-plan-unknown-jar", "jar-upload-empty",
		"jar-plan-class-path", "jar-run-class-path", waits(3), acts(21, cancel), waits(3),
		"jar-upload-warm-up", "jar-run-warm-up", waits(3), acts(22, finish), waits(3),
		but("job-warm-up", map[string]string{".name": "one name for all"}), "checkpoints-warm-up", "overview-warm",
	)}
}
