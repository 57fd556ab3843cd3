package scenario

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/golden"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

var rewriteTranscripts = flag.Bool("rewrite-transcripts", false, "write testdata/transcripts again")

// told are the stories that have a transcript, by the name of its file.
var told = map[string]string{
	"start":                "an application comes up",
	"session":              "a session cluster comes up",
	"upgrade-stateless":    "a stateless upgrade",
	"upgrade-savepoint":    "an upgrade by savepoint",
	"upgrade-last-state":   "an upgrade by last state",
	"upgrade-cancel":       "an upgrade by cancellation",
	"suspend-resume":       "suspended with a savepoint and resumed",
	"redirected":           "two edits in one",
	"redeploy":             "redeployed from a savepoint",
	"deletion-savepoint":   "deleted in the foreground, with a savepoint first",
	"rollback":             "a failed upgrade by last state is rolled back",
	"invalid":              "an invalid first spec, then a valid one",
	"lost-cluster":         "the JobManager Deployment of a highly available job is deleted",
	"failed-job":           "failed with its checkpoints, and restarted when it fails",
	"savepoint-fails":      "a savepoint that fails, then succeeds",
	"checkpoint-discarded": "last state, and a cancellation deletes checkpoints",
	"unhealthy":            "a highly available job restarts all the time",
	"snapshot-recorded":    "a savepoint recorded in status",
	"session-job-start":    "a session job comes up",
	"session-job-upgrade":  "a session job is upgraded by savepoint",
}

// A transcript is what the functions were told, decided and showed in a story, one thing a line, in the order in which
// it happened. An event that led to nothing is left out. Identifiers are numbered, because a request more would change
// them.
//
//	-- 4s                                     how much later the lines that follow are
//	event    update FlinkDeployment demo      what was delivered to a function
//	round    Stopping: delete cluster demo    what a round of a pass decided, with its notes
//	request  FlinkDeployment demo health      a pass that was asked for
//	status   CREATED DEPLOYED ...             what was stored, where it differs from the line before
//	told     Normal Submit: ...               a Kubernetes Event on the resource
type transcript struct {
	h  *harness
	mu sync.Mutex
	// lines are what happened so far; event is the one that was delivered last, until something follows from it.
	lines       []string
	event       string
	begun, last time.Time
	status      map[string]string // by resource
	told        map[string]bool
	numbers     map[string]int
}

func newTranscript(h *harness) *transcript {
	r := &transcript{
		h: h, begun: h.w.Clock.Now(), last: h.w.Clock.Now(), told: map[string]bool{}, numbers: map[string]int{},
		status: map[string]string{},
	}
	before := h.watch.stored
	h.transcript, h.watch.stored = r, func(d *v1beta1.FlinkDeployment) {
		r.stored(d)
		if before != nil {
			before(d)
		}
	}
	h.restart() // the functions log to it from now on
	return r
}

var identifier = regexp.MustCompile(
	`\b(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|savepoint-[0-9a-f]{6}-[0-9a-f]{12})\b`)

func (r *transcript) add(kind, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.h.w.Clock.Now(); !now.Equal(r.last) {
		r.lines, r.last = append(r.lines, "-- "+now.Sub(r.begun).String()), now
	}
	if r.event != "" {
		r.lines, r.event = append(r.lines, r.event), ""
	}
	text = identifier.ReplaceAllStringFunc(text, func(id string) string {
		if r.numbers[id] == 0 {
			r.numbers[id] = len(r.numbers) + 1
		}
		return fmt.Sprintf("<%d>", r.numbers[id])
	})
	for line := range strings.SplitSeq(text, "\n") {
		r.lines = append(r.lines, fmt.Sprintf("%-8s %s", kind, line))
		kind = ""
	}
}

// delivered notes an event, to be told when something follows from it.
func (r *transcript) delivered(e cloudevents.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	parts := strings.Split(strings.TrimSuffix(e.Type(), ".v1"), ".")
	text := parts[len(parts)-1]
	for _, name := range []string{"kind", "name", "reason"} {
		if value, is := e.Extensions()[name].(string); is {
			text += " " + value
		}
	}
	r.event = fmt.Sprintf("%-8s %s", "event", text)
}

// log takes the lines of the functions' logs.
func (r *transcript) log() zapcore.Core {
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"})
	return zapcore.NewCore(encoder, zapcore.AddSync(r), zap.InfoLevel)
}

// Write takes one line of a log.
func (r *transcript) Write(line []byte) (int, error) {
	var entry struct {
		Message   string `json:"msg"`
		Key       string
		Actions   string
		Reason    string
		ErrorKind string `json:"error_kind"`
		Error     string
		Notes     []string
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		return 0, err
	}
	switch entry.Message {
	case "round":
		text := entry.Actions
		if entry.Error != "" {
			text += fmt.Sprintf("\nfailed: %s %s", entry.ErrorKind, entry.Error)
		}
		for _, note := range entry.Notes {
			text += "\nnote: " + note
		}
		r.add("round", text)
	case "pass requested":
		r.add("request", entry.Key+" "+entry.Reason)
	}
	return len(line), nil
}

// stored tells of a status that was stored.
func (r *transcript) stored(d *v1beta1.FlinkDeployment) {
	s := d.Status
	text := fmt.Sprintf("%s %s job=%s jobManager=%s %s pace=%s", s.LifecycleState, s.ReconciliationStatus.State,
		orDash(string(s.JobStatus.State)), s.JobManagerDeploymentStatus, s.Situation, s.Pace)
	if d.Kind == v1beta1.KindFlinkSessionJob {
		text = d.Name + ": " + text
	}
	if i := s.Intent; i != nil {
		text += fmt.Sprintf("\nintent %s %s of generation %d", i.Purpose, i.Step, i.Generation)
		if i.Stop != "" {
			text += ", stop " + string(i.Stop)
		}
		if i.Ended {
			text += ", ended"
		}
		if i.From != nil {
			text += fmt.Sprintf(", from %s %s (%s)", i.From.Kind, i.From.Path, i.From.Reason)
		}
	}
	for _, c := range s.Conditions {
		if tells(c) {
			text += fmt.Sprintf("\n%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
		}
	}
	if s.Error != "" {
		text += "\nerror " + s.Error
	}
	if text != r.status[d.Name] {
		r.add("status", text)
		r.status[d.Name] = text
	}
}

// tells reports whether a condition says more than that all is well.
func tells(c metav1.Condition) bool {
	switch c.Type {
	case summary.Stalled, summary.Reconciling:
		return c.Status == metav1.ConditionTrue
	case summary.StateSafe, summary.SpecAccepted, summary.IngressReady:
		return c.Status != metav1.ConditionTrue
	}
	return false
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// tellEvents tells the Kubernetes Events that are new.
func (r *transcript) tellEvents() {
	texts := []string{}
	for _, u := range r.h.w.Kube.List(kubesim.Events, namespace, nil) {
		kind, _, _ := unstructured.NestedString(u.Object, "involvedObject", "kind")
		job := kind == v1beta1.KindFlinkSessionJob
		if kind != v1beta1.KindFlinkDeployment && !job || r.told[string(u.GetUID())+u.GetResourceVersion()] {
			continue
		}
		r.told[string(u.GetUID())+u.GetResourceVersion()] = true
		text := func(name string) string {
			value, _, _ := unstructured.NestedString(u.Object, name)
			return value
		}
		told := text("type") + " " + text("reason") + ": " + text("message")
		if name, _, _ := unstructured.NestedString(u.Object, "involvedObject", "name"); job {
			told = name + ": " + told
		}
		texts = append(texts, told)
	}
	slices.Sort(texts)
	for _, text := range texts {
		r.add("told", text)
	}
}

func TestTranscripts(t *testing.T) {
	for _, file := range names(told) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			s, found := scenarios[told[file]]
			if !found {
				t.Fatalf("there is no scenario %q", told[file])
			}
			h := newHarness(t)
			r := newTranscript(h)
			s.story(h)
			h.rest()
			got := fmt.Sprintf("# %s: %s\n%s\n", told[file], s.reason, strings.Join(r.lines, "\n"))
			path := filepath.Join("testdata", "transcripts", file+".txt")
			golden.Compare(
				t, path, got, *rewriteTranscripts, "go test ./test/scenario -run TestTranscripts -rewrite-transcripts",
			)
		})
	}
}
