package scenario

import (
	"fmt"
	"strings"
	"testing"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// arguments are the program arguments of a job with a password.
func arguments(password, in string) change {
	return jobField("args", []any{"--db-password", password, "--in", in})
}

// What the functions post to the Brokers, to listeners and to each other, holds no secret: neither of the job's
// arguments and options, nor of its cluster's, nor what looks like one. It holds the rest of each text.
func TestPostedEventsHoldNoSecret(t *testing.T) {
	const said = "cannot log in with kQx7Zw, mNp4Rt and hunter2 at https://a:urlpass@h/x"
	const hidden = "cannot log in with ******, ****** and ****** at https://a:******@h/x"
	stories := map[string]struct {
		happens func(h *harness)
		posted  map[string]string // what is told by an event of this type
	}{
		"its job fails": {func(h *harness) {
			h.flink(demo, func(j *job.Job) { j.Fail("java.lang.IllegalStateException", said, h.w.Clock.Now()) })
			h.until("it has failed", h.settled(demo, "FAILED"))
		}, map[string]string{event.TypeStatus: hidden, event.TypeEvent: hidden}},
		"its arguments change": {func(h *harness) {
			h.edit(demo, arguments("hunter3", "b"))
			h.untilStable(demo)
		}, map[string]string{event.TypeEvent: "Spec[job.args.3 : a "}},
		"its savepoint fails": {func(h *harness) {
			h.w.Flink.ScriptJob(demo, job.Script{SnapshotFails: said})
			h.edit(demo, parallelism(4))
			h.until("it says so", func() bool { return strings.Contains(h.condition(demo, "Reconciling"), "cannot log in") })
		}, map[string]string{event.TypeStatus: hidden, event.TypeEvent: hidden}},
	}
	for name, story := range stories {
		for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
			t.Run(name+", "+host, func(t *testing.T) {
				h := newHarness(t)
				h.onSession = onSession
				h.apply(demo, application(stateful("savepoint"), arguments("hunter2", "a"),
					option("s3.secret-key", "kQx7Zw"), option("taskmanager.mine.password", "mNp4Rt")))
				h.untilStable(demo)
				story.happens(h)
				h.mu.Lock()
				defer h.mu.Unlock()
				for _, e := range append(append([]cloudevents.Event{}, h.listeners...), h.control...) {
					for _, secret := range []string{"hunter", "kQx7", "mNp4", "urlpass"} {
						if strings.Contains(e.String(), secret) || strings.Contains(string(e.Data()), secret) {
							t.Errorf("%s is in %s", secret, e)
						}
					}
				}
				for eventType, says := range story.posted {
					told := ""
					for _, e := range h.listeners {
						if e.Type() == eventType {
							told += fmt.Sprintf("%s\n", e.Data())
						}
					}
					if !strings.Contains(told, says) {
						t.Errorf("no %s says %q: %s", eventType, says, told)
					}
				}
			})
		}
	}
}
