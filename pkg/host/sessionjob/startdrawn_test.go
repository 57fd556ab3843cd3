package sessionjob

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// opens makes rounds until a start is stored.
func (w *fixture) opens() {
	for w.status().Intent == nil {
		w.round()
	}
}

// releases makes rounds until it is released.
func (w *fixture) releases() {
	for w.status().Intent == nil || w.status().Intent.Step != v1beta1.StepReleased {
		w.round()
	}
}

// asks makes rounds until Flink is asked to run the jar. It does not list the job yet.
func (w *fixture) asks() {
	for len(w.runs) == 0 {
		w.round()
	}
	w.jobs = nil
}

// replaces lets another process of the JobManager become ready.
func (w *fixture) replaces() {
	w.jars = nil
	w.readyAgain()
}

// readyAgain lets the JobManager's pod become ready anew, by the clock of its node.
func (w *fixture) readyAgain() {
	w.sleep(time.Second)
	d := jobManager()
	d.Status.Conditions[0].LastTransitionTime = metav1.NewTime(w.s.Now)
	w.s.JobManager = plan.Present(d)
}

// decides looks, and is what one round would do for an open start.
func (w *fixture) decides(seen func(w *fixture)) plan.Plan {
	w.look()
	if seen != nil {
		seen(w)
	}
	return Make(w.s)
}

func TestAwaitJarIsAsDrawn(t *testing.T) {
	empty := strings.Replace(stateless, `"jarURI":"https://repo/etl.jar"`, `"entryClass":"org.Main"`, 1)
	lists := func(w *fixture) {
		w.s.Jars = plan.Present([]session.Jar{{Name: w.status().Intent.OperationID + ".jar"}})
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row     string
		spec    string
		uploads bool
		then    func(w *fixture)
		seen    func(w *fixture)
	}{
		"not listed by anybody": {"U1", stateless, true, (*fixture).opens, func(w *fixture) {
			w.s.Jars = plan.Unknown[[]session.Jar]("response 404")
		}},
		"there":                       {"U2", stateless, false, func(w *fixture) { w.run() }, lists},
		"there, as somebody uploaded": {"U2", stateless, true, (*fixture).opens, lists},
		"cannot be had": {"U3", stateless, true, func(w *fixture) {
			w.missing = "https://repo/etl.jar"
			w.run()
		}, nil},
		"cannot be had, its time comes": {"U5", stateless, true, func(w *fixture) {
			w.missing = "https://repo/etl.jar"
			w.run()
			w.sleep(time.Minute)
		}, nil},
		"empty":          {"U4", empty, false, (*fixture).opens, nil},
		"to be uploaded": {"U5", stateless, true, (*fixture).opens, nil},
		"asked for":      {"U6", stateless, false, func(w *fixture) { w.run() }, nil},
		"asked twice": {"U7", stateless, false, func(w *fixture) {
			w.run()
			w.sleep(submit.UploadTakes)
			w.run()
			w.sleep(submit.UploadTakes)
		}, nil},
		"not asked for":   {"U8", stateless, false, (*fixture).opens, nil},
		"asked long ago":  {"U8", stateless, false, func(w *fixture) { w.run(); w.sleep(submit.UploadTakes) }, nil},
		"asked of before": {"U8", stateless, false, func(w *fixture) { w.run(); w.replaces() }, nil},
	}
	drawn := drawing.Read(t, "../session/submit/upload.go", "awaitJar")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			w.uploads = row.uploads
			row.then(w)
			p := w.decides(row.seen)
			if err := drawn.Holds(row.row, drawing.Row{"then": w.jarIn(p)}); err != nil {
				t.Errorf("%v; rounds %q, then %s", err, w.log, p)
			}
		})
	}
	if err := drawn.Shown("awaitJar", shown...); err != nil {
		t.Error(err)
	}
}

// jarIn is what a plan does for the jar of a start.
func (w *fixture) jarIn(p plan.Plan) string {
	for _, a := range p.Actions {
		switch a.(type) {
		case plan.UploadJar:
			return "upload it"
		case plan.RequestUpload:
			return "ask for the upload"
		}
	}
	status := w.s.Resource.Status
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
	refused := func(w *fixture) {
		w.refuses = "no such class"
		w.run()
	}
	changes := func(w *fixture) {
		d := sessionCluster()
		d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
		w.s.Cluster = plan.Present(d)
	}
	rows := map[string]struct {
		// row is the way through the drawing, see package drawing.
		row  string
		then func(w *fixture)
	}{
		"runs": {"K1", func(w *fixture) {
			for len(w.jobs) == 0 {
				w.round()
			}
		}},
		"runs, its jar is gone": {"K2", func(w *fixture) {
			for len(w.jobs) == 0 {
				w.round()
			}
			w.jars = nil
		}},
		"no answer":                   {"K3", func(w *fixture) { w.asks(); w.silent = true }},
		"its JobManager was replaced": {"K4", func(w *fixture) { w.asks(); w.replaces() }},
		"its JobManager is another": {"K4", func(w *fixture) {
			w.asks()
			d := jobManager()
			d.UID = "uid-of-another"
			w.s.JobManager = plan.Present(d)
		}},
		"its JobManager is ready by another clock": {"K6", func(w *fixture) { w.asks(); w.readyAgain() }},
		"its jar is gone":                          {"K6", func(w *fixture) { w.asks(); w.jars = nil }},
		"its cluster changes":                      {"K5", func(w *fixture) { w.releases(); changes(w) }},
		"its cluster changes, and was asked":       {"K5", func(w *fixture) { w.asks(); changes(w) }},
		"asked":                                    {"K6", (*fixture).asks},
		"asked, and nobody knows": {"K6", func(w *fixture) {
			w.unsaid = "response 504"
			w.run()
		}},
		"refused": {"K7", refused},
		"asked long ago, and changed since": {"K8", func(w *fixture) {
			w.asks()
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--other"} })
			w.sleep(11 * time.Minute)
		}},
		"asked of another process, and changed since": {"K4", func(w *fixture) {
			w.asks()
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--other"} })
			w.sleep(11 * time.Minute)
			w.replaces()
		}},
		"asked very long ago, and changed since": {"K9/O2", func(w *fixture) {
			w.asks()
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--other"} })
			w.sleep(time.Hour)
		}},
		"refused, its time comes": {"K9/O1", func(w *fixture) { refused(w); w.sleep(time.Minute) }},
		"refused, its jar stays, its time": {"K9/O2", func(w *fixture) {
			w.keepsJars = true
			refused(w)
			w.sleep(time.Minute)
		}},
		"released, its jar is gone": {"K9/O1", func(w *fixture) { w.releases(); w.jars = nil }},
		"released long ago":         {"K9/O2", func(w *fixture) { w.releases(); w.sleep(time.Minute) }},
		"asked long ago":            {"K9/O2", func(w *fixture) { w.asks(); w.sleep(10 * time.Minute) }},
		"released for another JobManager": {"K9/O2", func(w *fixture) {
			w.releases()
			d := jobManager()
			d.UID = "uid-of-another"
			w.s.JobManager = plan.Present(d)
		}},
		"released": {"K9/O3", (*fixture).releases},
	}
	drawn := drawing.Read(t, "../session/submit/start.go", "CarryRelease", "runOnce")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			row.then(w)
			p := w.decides(nil)
			if err := drawn.Holds(row.row, drawing.Row{"then": w.releaseIn(p)}); err != nil {
				t.Errorf("%v; rounds %q, then %s", err, w.log, p)
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
func (w *fixture) releaseIn(p plan.Plan) string {
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
