package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// historyKinds are the kinds that have a history: each runs a job of one name.
var historyKinds = map[string]func(h *harness, changes ...change){
	"FlinkDeployment": func(h *harness, changes ...change) {
		h.apply("demo", application(append([]change{stateful("savepoint")}, changes...)...))
		h.untilStable("demo")
	},
	"FlinkSessionJob": func(h *harness, changes ...change) {
		h.runs("demo", sessionJob("session", append([]change{stateful("savepoint")}, changes...)...), sessionCluster())
	},
}

// revisions are those of a resource, newest first.
func (h *harness) revisions(name string) []history.Revision {
	h.t.Helper()
	uid := string(h.resource(name).GetUID())
	var all []history.Revision
	for _, u := range h.w.Kube.List(kubesim.Revisions, namespace, map[string]string{history.LabelUID: uid}) {
		r, err := history.Read(u)
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, r)
	}
	history.NewestFirst(all)
	return all
}

// story is a history in a line for each revision: what it began from, what ended it and what it left.
func (h *harness) story(name string) string {
	h.t.Helper()
	var lines []string
	for _, r := range h.revisions(name) {
		line := fmt.Sprintf("%d from %s (%s)", r.Number, normal(r.From.Path), r.From.Reason)
		if r.Stable != nil {
			line += ", stable"
		}
		if e := r.Ended; e != nil {
			line += ", ended by " + e.By
			if e.Why != "" {
				line += ": " + e.Why
			}
			if e.Left != nil {
				line += fmt.Sprintf(", left %s %s", e.Left.Kind, normal(e.Left.Path))
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// askedForRevisions counts the requests for revisions since the last call, by agent and verb.
func (h *harness) askedForRevisions() map[string]int {
	counts := map[string]int{}
	for _, r := range h.w.Tap.Requests() {
		if r.Resource == "controllerrevisions" {
			counts[r.Agent+" "+r.Verb]++
		}
	}
	return counts
}

// Each start that is let run has a revision, with the spec that the user wrote, the state that it began from and the
// one that it left: one write for the start, one for its end, and no request while nothing begins or ends.
func TestEachReleasedStartHasARevision(t *testing.T) {
	for kind, runs := range historyKinds {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			h.w.Tap.Forget()
			runs(h)
			h.edit("demo", parallelism(3))
			h.untilStable("demo")
			expect(t, "history", h.story("demo"), "2 from s3://s/<savepoint> (StopWithSavepoint)\n"+
				"1 from  (FirstStart), stable, ended by Upgrade, left Savepoint s3://s/<savepoint>")
			counts := h.askedForRevisions()
			expect(t, "revisions made", counts["reconcile create"], 2)
			expect(t, "ends written", counts["reconcile patch"], 1)
			all := h.revisions("demo")
			mode, _, _ := unstructured.NestedString(all[1].Spec, "job", "upgradeMode")
			n, _, _ := unstructured.NestedInt64(all[0].Spec, "job", "parallelism")
			expect(t, "what is kept of the specs", fmt.Sprint(mode, " ", n), "savepoint 3")

			h.w.Tap.Forget()
			h.pass(time.Hour)
			if quiet := h.askedForRevisions(); len(quiet) > 0 {
				t.Errorf("a quiet job asks for its history: %v", quiet)
			}
			h.edit("demo", jobState("suspended"))
			h.untilSuspended("demo")
			h.pass(10 * time.Minute)
			if got := h.story("demo"); !strings.HasPrefix(got, "2 from s3://s/<savepoint> (StopWithSavepoint), stable, "+
				"ended by Suspend, left Savepoint s3://s/<savepoint>\n") {
				t.Errorf("a suspended job has the history\n%s", got)
			}
			h.edit("demo", jobState("running"))
			h.untilStable("demo")
			if got := h.story("demo"); strings.Count(got, "\n") != 2 || strings.Count(got, "ended by Suspend") != 1 {
				t.Errorf("a resumed job has the history\n%s", got)
			}
		})
	}
}

// The oldest revisions go; none that is needed does.
func TestOldRevisionsGo(t *testing.T) {
	for kind, runs := range historyKinds {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			runs(h, option("kubernetes.operator.revision-history.limit", "3"))
			for n := range int64(5) {
				h.edit("demo", parallelism(3+n))
				h.untilStable("demo")
			}
			h.edit("demo", jobState("suspended"))
			h.untilSuspended("demo")
			var numbers []int64
			for _, r := range h.revisions("demo") {
				numbers = append(numbers, r.Number)
			}
			expect(t, "revisions", fmt.Sprint(numbers), "[6 5 4]")
			useRights(t.Name(), h.w.Tap.Requests()) // no story has so many starts
		})
	}
}

// Without a history nothing is asked for.
func TestAHistoryMayBeOff(t *testing.T) {
	for kind, runs := range historyKinds {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			h.w.Tap.Forget()
			runs(h, option("kubernetes.operator.revision-history.limit", "0"))
			expect(t, "requests for revisions", len(h.askedForRevisions()), 0)
			if s := h.status("demo").Revision; s != nil {
				t.Errorf("status.revision is %+v", s)
			}
		})
	}
}

// A history that may not be written holds nothing up, and is made when it may be.
func TestARefusedRevisionHoldsNothingUp(t *testing.T) {
	for kind, runs := range historyKinds {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			h.refused = true
			allow := h.w.Tap.Inject(wire.Fault{
				Match: func(r wire.Request) bool { return r.Resource == "controllerrevisions" }, Status: 403,
			})
			runs(h)
			h.edit("demo", parallelism(3))
			h.untilStable("demo")
			expect(t, "revisions", len(h.revisions("demo")), 0)
			expect(t, "status.error", h.status("demo").Error, "")
			allow()
			h.edit("demo", parallelism(4))
			h.untilStable("demo")
			expect(t, "history", h.story("demo"), "3 from s3://s/<savepoint> (StopWithSavepoint)\n"+
				"2 from s3://s/<savepoint> (StopWithSavepoint), stable, ended by Upgrade, left Savepoint s3://s/<savepoint>")
		})
	}
}

// Wherever a function dies, each start has one revision, and the end of each but the newest is told.
func TestARevisionIsWrittenOnceWhereverTheFunctionDies(t *testing.T) {
	for kind, runs := range historyKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			points := 0
			for n := 1; ; n += 2 { // every other one: it is long
				h := install(&harness{t: t, direct: true})
				h.w.Tap.Inject(crashAfter(n))
				runs(h)
				h.edit("demo", parallelism(3))
				h.untilStable("demo")
				h.edit("demo", jobState("suspended"))
				h.untilSuspended("demo")
				h.edit("demo", jobState("running"))
				h.untilStable("demo")
				all := h.revisions("demo")
				expect(t, fmt.Sprintf("revisions after a crash after effect %d", n), len(all), 3)
				for i, r := range all {
					want := []string{"", "Suspend", "Upgrade"}[i]
					if by := ""; r.Number != int64(3-i) || (r.Ended != nil) != (want != "") {
						t.Errorf("after effect %d: revision %d: %+v", n, r.Number, r.Ended)
					} else if r.Ended != nil {
						by = r.Ended.By
						expect(t, fmt.Sprintf("what ended revision %d, crash after effect %d", r.Number, n), by, want)
					}
				}
				if t.Failed() || h.crashes == 0 {
					break
				}
				points++
			}
			if points < 10 {
				t.Errorf("%d crash points", points)
			}
		})
	}
}

// What is rolled back by itself says why.
func TestARollbackIsInTheHistory(t *testing.T) {
	h := newHarness(t)
	h.image("broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	h.apply("demo", application(stateful("savepoint"), highlyAvailable,
		option("kubernetes.operator.deployment.rollback.enabled", "true")))
	h.untilStable("demo")
	h.edit("demo", field("image", "broken"))
	h.until("it is rolled back", func() bool {
		return h.status("demo").LifecycleState == v1beta1.LifecycleRolledBack
	})
	all := h.revisions("demo")
	expect(t, "revisions", len(all), 3)
	if e := all[1].Ended; e == nil || e.By != "Rollback" || e.Why == "" {
		t.Errorf("the failed start ended %+v", e)
	}
	image, _, _ := unstructured.NestedString(all[0].Spec, "image")
	if image == "broken" || image == "" {
		t.Errorf("what was rolled back to has image %q", image)
	}
}

// rollBack patches a resource as kn flink rollback does.
func (h *harness) rollBack(name string, to history.Revision, from string) {
	h.t.Helper()
	made, err := edit.Rollback(h.resource(name), to, from, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.patch(name, made.Patch)
	if h.untilStable(name); made.After != nil {
		h.patch(name, made.After)
		h.untilStable(name)
	}
}

func (h *harness) patch(name string, made map[string]any) {
	h.t.Helper()
	patch, err := json.Marshal(made["spec"])
	if err != nil {
		h.t.Fatal(err)
	}
	h.edit(name, func(spec map[string]any) {
		now, err := json.Marshal(spec)
		if err == nil {
			now, err = jsonpatch.MergePatch(now, patch)
		}
		next := &unstructured.Unstructured{}
		if err == nil {
			err = next.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"x","spec":` + string(now) + `}`))
		}
		if err != nil {
			h.t.Fatal(err)
		}
		clear(spec)
		for field, value := range next.Object["spec"].(map[string]any) {
			spec[field] = value
		}
	})
}

// Row C8: a rollback to any of the last five revisions has the spec of that start, and the job counts on from the state
// that was promised: what it has now, what the revision left, a path, or none.
func TestC8ARollbackStartsFromWhatItPromises(t *testing.T) {
	for kind, runs := range historyKinds {
		for to := range 5 {
			for _, from := range []string{edit.StateNow, edit.StateThen, edit.StateEmpty, "s3://s/savepoint-mine"} {
				if chosen := from != edit.StateNow && from != edit.StateThen; chosen && to != 2 {
					continue // it does not depend on the revision
				}
				t.Run(fmt.Sprintf("%s back %d %s", kind, to, strings.ReplaceAll(from, "/", "-")), func(t *testing.T) {
					t.Parallel()
					h := install(&harness{t: t, direct: true})
					h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 1000})
					runs(h)
					for n := range int64(5) {
						h.pass(time.Minute)
						h.edit("demo", parallelism(3+n))
						h.untilStable("demo")
					}
					h.pass(time.Minute)
					all := h.revisions("demo")
					expect(t, "revisions", len(all), 5)
					target := all[to]
					if to == 0 && (from == edit.StateNow || from == edit.StateThen) {
						_, err := edit.Rollback(h.resource("demo"), target, from, nil)
						if from == edit.StateThen && err == nil {
							t.Error("what runs has left no state, and a rollback to it is made")
						}
						return
					}
					before := h.job("demo").Progress
					h.rollBack("demo", target, from)
					h.holdsRollback(target, from, before)
				})
			}
		}
	}
}

// holdsRollback holds what runs after a rollback to what was promised; before is how far the job was.
func (h *harness) holdsRollback(to history.Revision, from string, before int64) {
	h.t.Helper()
	j := h.job("demo")
	wanted, _, _ := unstructured.NestedInt64(to.Spec, "job", "parallelism")
	expect(h.t, "parallelism", int64(j.Parallelism), wanted)
	switch from {
	case edit.StateNow:
		if j.From == nil || j.From.Progress < before {
			h.t.Errorf("the job was at %d and began from %+v", before, j.From)
		}
	case edit.StateEmpty:
		if j.From != nil {
			h.t.Errorf("the job began from %+v", j.From)
		}
	case edit.StateThen:
		if j.From == nil || j.From.Path != to.Ended.Left.Path || j.From.Progress >= before {
			h.t.Errorf("the job was at %d and began from %+v, want %s", before, j.From, to.Ended.Left.Path)
		}
	default:
		if j.From == nil || j.From.Path != from || j.Progress < 1000 {
			h.t.Errorf("the job began from %+v, want %s", j.From, from)
		}
	}
	expect(h.t, "what runs is in the history", h.revisions("demo")[0].Number, 7)
	mode, _, _ := unstructured.NestedString(h.resource("demo").Object, "spec", "job", "upgradeMode")
	if mode != "savepoint" {
		h.t.Errorf("the upgradeMode is %q since the rollback", mode)
	}
}
