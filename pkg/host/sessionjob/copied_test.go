package sessionjob_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// A status that was copied, as a restored backup has it, does nothing to the job of the resource that it is from.
func TestCopiedIsAsDrawn(t *testing.T) {
	copies := func(w *enginetest.SessionJob) {
		w.Snapshot.Resource.UID, w.Snapshot.Resource.Name = "uid-of-copy", "copy"
		w.Bump()
	}
	unsigned := func(w *enginetest.SessionJob) { w.Snapshot.Resource.Status.WrittenFor = "" }
	late := func(w *enginetest.SessionJob) {
		millis, _ := strconv.ParseInt(w.Status().JobStatus.StartTime, 10, 64)
		w.Snapshot.Resource.CreationTimestamp = metav1.NewTime(time.UnixMilli(millis).Add(time.Minute))
	}
	rows := map[string]struct {
		row  string
		then func(w *enginetest.SessionJob)
	}{
		"never ran": {
			"W1",
			func(w *enginetest.SessionJob) { w.Snapshot.Resource.Status = v1beta1.FlinkSessionJobStatus{} },
		},
		"its own":              {"W2", func(*enginetest.SessionJob) {}},
		"copied":               {"W3", copies},
		"of the Java operator": {"W4", func(w *enginetest.SessionJob) { unsigned(w); copies(w) }},
		"nobody can look":      {"W5", func(w *enginetest.SessionJob) { unsigned(w); copies(w); late(w); w.Deaf = true }},
		"copied from the Java operator": {"W6", func(w *enginetest.SessionJob) {
			unsigned(w)
			copies(w)
			late(w)
			w.Others = []session.Other{{UID: "uid-of-etl", JobID: w.Status().JobStatus.JobID}}
		}},
		"restored": {"W7", func(w *enginetest.SessionJob) {
			unsigned(w)
			copies(w)
			late(w)
			w.Others = []session.Other{{UID: "uid-of-other", JobID: "ff"}}
		}},
	}
	drawn := drawing.Read(t, "copied.go", "copied")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			row.then(w)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			p := w.Round()
			then := "go on"
			switch {
			case p.Situation == plan.Unobservable:
				then = "wait"
			case p.Rule == "copied":
				then = "it is a copy"
			}
			if err := drawn.Holds(row.row, drawing.Row{"then": then}); err != nil {
				t.Errorf("%v; rounds %q", err, w.Log)
			}
			if then != "it is a copy" {
				return
			}
			stalled := ""
			for _, c := range w.Status().Conditions {
				if c.Type == summary.Stalled && c.Status == metav1.ConditionTrue {
					stalled = c.Reason + " " + c.Message
				}
			}
			if len(w.Running()) != 1 || len(w.Runs) != 1 || !strings.Contains(stalled, "StatusCopied ") ||
				!strings.Contains(stalled, `{"writtenFor":"uid-of-copy"}`) {
				t.Errorf("running %q, runs %d, stalled %q", w.Running(), len(w.Runs), stalled)
			}
			w.Delete()
			w.Run()
			if len(w.Running()) != 1 || len(w.Snapshot.Resource.Finalizers) != 0 ||
				len(w.Told(plan.ReasonJobLeftRunning)) != 1 {
				t.Errorf("deleted: running %q, finalizers %q", w.Running(), w.Snapshot.Resource.Finalizers)
			}
		})
	}
	if err := drawn.Shown("copied", shown...); err != nil {
		t.Error(err)
	}
}

// Who is told so takes the job over.
func TestACopyIsGivenItsJob(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Snapshot.Resource.UID = "uid-of-restored"
	w.Bump()
	w.Run()
	if w.Status().WrittenFor != "uid-of-etl" {
		t.Fatalf("written for %q", w.Status().WrittenFor)
	}
	w.Snapshot.Resource.Status.WrittenFor = "uid-of-restored"
	w.Bump()
	w.UntilSteady()
	w.Delete()
	untilGone(w)
	if len(w.Running()) != 0 {
		t.Errorf("running %q", w.Running())
	}
}
