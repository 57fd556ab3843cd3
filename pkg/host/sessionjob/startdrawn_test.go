package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// decides looks, and is what one round would do for an open start.
func decides(w *enginetest.SessionJob, seen func(w *enginetest.SessionJob)) plan.Plan {
	w.Look()
	if seen != nil {
		seen(w)
	}
	return sessionjob.Make(w.Snapshot)
}

func TestAwaitJarIsAsDrawn(t *testing.T) {
	empty := strings.Replace(enginetest.HostedStateless, `"jarURI":"https://repo/etl.jar"`, `"entryClass":"org.Main"`, 1)
	lists := func(w *enginetest.SessionJob) {
		w.Snapshot.Jars = plan.Present([]session.Jar{{Name: w.Status().Intent.OperationID + ".jar"}})
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row     string
		spec    string
		uploads bool
		then    func(w *enginetest.SessionJob)
		seen    func(w *enginetest.SessionJob)
	}{
		"not listed by anybody": {
			"U1",
			enginetest.HostedStateless,
			true,
			(*enginetest.SessionJob).Opens,
			func(w *enginetest.SessionJob) {
				w.Snapshot.Jars = plan.Unknown[[]session.Jar]("response 404")
			},
		},
		"there": {
			"U2",
			enginetest.HostedStateless,
			false,
			func(w *enginetest.SessionJob) { w.Run() },
			lists,
		},
		"there, as somebody uploaded": {"U2", enginetest.HostedStateless, true, (*enginetest.SessionJob).Opens, lists},
		"cannot be had": {"U3", enginetest.HostedStateless, true, func(w *enginetest.SessionJob) {
			w.Missing = "https://repo/etl.jar"
			w.Run()
		}, nil},
		"cannot be had, its time comes": {"U5", enginetest.HostedStateless, true, func(w *enginetest.SessionJob) {
			w.Missing = "https://repo/etl.jar"
			w.Run()
			w.Sleep(time.Minute)
		}, nil},
		"empty":          {"U4", empty, false, (*enginetest.SessionJob).Opens, nil},
		"to be uploaded": {"U5", enginetest.HostedStateless, true, (*enginetest.SessionJob).Opens, nil},
		"asked for":      {"U6", enginetest.HostedStateless, false, func(w *enginetest.SessionJob) { w.Run() }, nil},
		"asked twice": {"U7", enginetest.HostedStateless, false, func(w *enginetest.SessionJob) {
			w.Run()
			w.Sleep(submit.UploadTakes)
			w.Run()
			w.Sleep(submit.UploadTakes)
		}, nil},
		"not asked for": {"U8", enginetest.HostedStateless, false, (*enginetest.SessionJob).Opens, nil},
		"asked long ago": {
			"U8",
			enginetest.HostedStateless,
			false,
			func(w *enginetest.SessionJob) { w.Run(); w.Sleep(submit.UploadTakes) },
			nil,
		},
		"asked of before": {
			"U8",
			enginetest.HostedStateless,
			false,
			func(w *enginetest.SessionJob) { w.Run(); w.Replaces() },
			nil,
		},
	}
	drawn := drawing.Read(t, "../session/submit/upload.go", "awaitJar")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, row.spec)
			w.Uploads = row.uploads
			row.then(w)
			p := decides(w, row.seen)
			if err := drawn.Holds(row.row, drawing.Row{"then": jarIn(w, p)}); err != nil {
				t.Errorf("%v; rounds %q, then %s", err, w.Log, p)
			}
		})
	}
	if err := drawn.Shown("awaitJar", shown...); err != nil {
		t.Error(err)
	}
}

// jarIn is what a plan does for the jar of a start.
func jarIn(w *enginetest.SessionJob, p plan.Plan) string {
	for _, a := range p.Actions {
		switch a.(type) {
		case plan.UploadJar:
			return "upload it"
		case plan.RequestUpload:
			return "ask for the upload"
		}
	}
	status := w.Snapshot.Resource.Status
	if changed, is := p.Status.(*v1beta1.FlinkSessionJobStatus); is {
		status = *changed
	}
	if status.Intent.Step == v1beta1.StepReleased {
		return "it is there"
	}
	for _, c := range status.Conditions {
		if c.Type == summary.Reconciling || (c.Type == summary.Stalled && c.Status == "True") {
			return map[plan.Reason]string{
				plan.ReasonJarsUnavailable: "wait for their list", plan.ReasonJarUploading: "wait for the upload",
				"JarNotFound":            "wait for the next attempt",
				plan.ReasonUploadOverdue: "wait for a person, or the next attempt",
			}[plan.Reason(c.Reason)]
		}
	}
	return ""
}

func TestCarryReleaseIsAsDrawn(t *testing.T) {
	refused := func(w *enginetest.SessionJob) {
		w.Refuses = "no such class"
		w.Run()
	}
	changes := func(w *enginetest.SessionJob) {
		d := enginetest.SessionCluster()
		d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
		w.Snapshot.Cluster = plan.Present(d)
	}
	rows := map[string]struct {
		// row is the way through the drawing, see package drawing.
		row  string
		then func(w *enginetest.SessionJob)
	}{
		"runs": {"K1", func(w *enginetest.SessionJob) {
			for len(w.Jobs) == 0 {
				w.Round()
			}
		}},
		"runs, its jar is gone": {"K2", func(w *enginetest.SessionJob) {
			for len(w.Jobs) == 0 {
				w.Round()
			}
			w.Jars = nil
		}},
		"no answer":                   {"K3", func(w *enginetest.SessionJob) { w.Asks(); w.Silent = true }},
		"its JobManager was replaced": {"K4", func(w *enginetest.SessionJob) { w.Asks(); w.Replaces() }},
		"its JobManager is another": {"K4", func(w *enginetest.SessionJob) {
			w.Asks()
			d := enginetest.JobManager()
			d.UID = "uid-of-another"
			w.Snapshot.JobManager = plan.Present(d)
		}},
		"its JobManager is ready by another clock": {"K6", func(w *enginetest.SessionJob) { w.Asks(); w.ReadyAgain() }},
		"its jar is gone":                          {"K6", func(w *enginetest.SessionJob) { w.Asks(); w.Jars = nil }},
		"its cluster changes":                      {"K5", func(w *enginetest.SessionJob) { w.Releases(); changes(w) }},
		"its cluster changes, and was asked":       {"K5", func(w *enginetest.SessionJob) { w.Asks(); changes(w) }},
		"asked":                                    {"K6", (*enginetest.SessionJob).Asks},
		"asked, and nobody knows": {"K6", func(w *enginetest.SessionJob) {
			w.Unsaid = "response 504"
			w.Run()
		}},
		"refused": {"K7", refused},
		"asked long ago, and changed since": {"K8", func(w *enginetest.SessionJob) {
			w.Asks()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--other"} })
			w.Sleep(11 * time.Minute)
		}},
		"asked of another process, and changed since": {"K4", func(w *enginetest.SessionJob) {
			w.Asks()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--other"} })
			w.Sleep(11 * time.Minute)
			w.Replaces()
		}},
		"asked very long ago, and changed since": {"K9/O2", func(w *enginetest.SessionJob) {
			w.Asks()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--other"} })
			w.Sleep(time.Hour)
		}},
		"refused, its time comes": {"K9/O1", func(w *enginetest.SessionJob) { refused(w); w.Sleep(time.Minute) }},
		"refused, its jar stays, its time": {"K9/O2", func(w *enginetest.SessionJob) {
			w.KeepsJars = true
			refused(w)
			w.Sleep(time.Minute)
		}},
		"released, its jar is gone": {"K9/O1", func(w *enginetest.SessionJob) { w.Releases(); w.Jars = nil }},
		"released long ago":         {"K9/O2", func(w *enginetest.SessionJob) { w.Releases(); w.Sleep(time.Minute) }},
		"asked long ago":            {"K9/O2", func(w *enginetest.SessionJob) { w.Asks(); w.Sleep(10 * time.Minute) }},
		"released for another JobManager": {"K9/O2", func(w *enginetest.SessionJob) {
			w.Releases()
			d := enginetest.JobManager()
			d.UID = "uid-of-another"
			w.Snapshot.JobManager = plan.Present(d)
		}},
		"released": {"K9/O3", (*enginetest.SessionJob).Releases},
	}
	drawn := drawing.Read(t, "../session/submit/start.go", "CarryRelease", "runOnce")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			row.then(w)
			p := decides(w, nil)
			if err := drawn.Holds(row.row, drawing.Row{"then": releaseIn(w, p)}); err != nil {
				t.Errorf("%v; rounds %q, then %s", err, w.Log, p)
			}
		})
	}
	for _, declaration := range []string{"CarryRelease", "runOnce"} {
		if err := drawn.Shown(declaration, shown...); err != nil {
			t.Error(err)
		}
	}
}

// releaseIn is what a plan does for a start that is released.
func releaseIn(w *enginetest.SessionJob, p plan.Plan) string {
	stored, deletes := false, ""
	for _, a := range p.Actions {
		switch a.(type) {
		case plan.DeleteJar:
			deletes = ", delete it"
		case plan.UploadJar:
			return "upload it, see awaitJar"
		case plan.RunJar:
			return "run it"
		case plan.Record:
			stored = true
		}
	}
	status, _ := p.Status.(*v1beta1.FlinkSessionJobStatus)
	switch {
	case status != nil && status.Intent == nil:
		return "close the intent" + deletes
	case stored && p.Rule == "carryOn":
		return "store the release again"
	case p.Rule == "carryOn":
		return "wait"
	}
	return "leave room"
}
