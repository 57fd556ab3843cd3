package sessionjob

import (
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// A status that was copied, as a restored backup has it, does nothing to the job of the resource that it is from.
func TestCopiedIsAsDrawn(t *testing.T) {
	copies := func(w *fixture) {
		w.s.Resource.UID, w.s.Resource.Name = "uid-of-copy", "copy"
		w.bump()
	}
	unsigned := func(w *fixture) { w.s.Resource.Status.WrittenFor = "" }
	late := func(w *fixture) {
		millis, _ := strconv.ParseInt(w.status().JobStatus.StartTime, 10, 64)
		w.s.Resource.CreationTimestamp = metav1.NewTime(time.UnixMilli(millis).Add(time.Minute))
	}
	rows := map[string]struct {
		row  string
		then func(w *fixture)
	}{
		"never ran":            {"W1", func(w *fixture) { w.s.Resource.Status = v1beta1.FlinkSessionJobStatus{} }},
		"its own":              {"W2", func(*fixture) {}},
		"copied":               {"W3", copies},
		"of the Java operator": {"W4", func(w *fixture) { unsigned(w); copies(w) }},
		"nobody can look":      {"W5", func(w *fixture) { unsigned(w); copies(w); late(w); w.deaf = true }},
		"copied from the Java operator": {"W6", func(w *fixture) {
			unsigned(w)
			copies(w)
			late(w)
			w.others = []session.Other{{UID: "uid-of-etl", JobID: w.status().JobStatus.JobID}}
		}},
		"restored": {"W7", func(w *fixture) {
			unsigned(w)
			copies(w)
			late(w)
			w.others = []session.Other{{UID: "uid-of-other", JobID: "ff"}}
		}},
	}
	drawn := drawing.Read(t, "copied.go", "copied")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			w.untilSteady()
			row.then(w)
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			p := w.round()
			then := "go on"
			switch {
			case p.Situation == plan.Unobservable:
				then = "wait"
			case p.Rule == "copied":
				then = "it is a copy"
			}
			if err := drawn.Holds(row.row, drawing.Row{"then": then}); err != nil {
				t.Errorf("%v; rounds %q", err, w.log)
			}
			if then != "it is a copy" {
				return
			}
			stalled := ""
			for _, c := range w.status().Conditions {
				if c.Type == summary.Stalled && c.Status == metav1.ConditionTrue {
					stalled = c.Reason + " " + c.Message
				}
			}
			if len(w.running()) != 1 || len(w.runs) != 1 || !strings.Contains(stalled, "StatusCopied ") ||
				!strings.Contains(stalled, `{"writtenFor":"uid-of-copy"}`) {
				t.Errorf("running %q, runs %d, stalled %q", w.running(), len(w.runs), stalled)
			}
			w.delete()
			w.run()
			if len(w.running()) != 1 || len(w.s.Resource.Finalizers) != 0 ||
				len(w.told(plan.ReasonJobLeftRunning)) != 1 {
				t.Errorf("deleted: running %q, finalizers %q", w.running(), w.s.Resource.Finalizers)
			}
		})
	}
	if err := drawn.Shown("copied", shown...); err != nil {
		t.Error(err)
	}
}

// Who is told so takes the job over.
func TestACopyIsGivenItsJob(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.s.Resource.UID = "uid-of-restored"
	w.bump()
	w.run()
	if w.status().WrittenFor != "uid-of-etl" {
		t.Fatalf("written for %q", w.status().WrittenFor)
	}
	w.s.Resource.Status.WrittenFor = "uid-of-restored"
	w.bump()
	w.untilSteady()
	w.delete()
	w.untilGone()
	if len(w.running()) != 0 {
		t.Errorf("running %q", w.running())
	}
}
