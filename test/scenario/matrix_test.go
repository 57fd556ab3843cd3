package scenario

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

// Every combination of what decides whether a job's state outlives its stop: what becomes of its checkpoints, where
// high availability keeps them, how it is upgraded, whether there is a place for savepoints, how it does, and what
// happens to it.

var rewriteMatrix = flag.Bool("rewrite-matrix", false, "write testdata/retention.txt again")

// dial is one value of a dimension.
type dial struct {
	name    string
	changes []change
	code    string // the retention that the job's code sets, which wins over that of the spec
}

// lacks takes an option away.
func lacks(key string) change {
	return func(spec map[string]any) { delete(spec["flinkConfiguration"].(map[string]any), key) }
}

var (
	retentions = []dial{
		{name: "retained", changes: []change{retention(job.RetainedOnCancellation)}},
		{name: "deleted-on-cancel", changes: []change{retention(job.DeletedOnCancellation)}},
		{name: "never-retained", changes: []change{retention(job.NeverRetained)}},
		{
			name: "deleted by code", changes: []change{retention(job.RetainedOnCancellation)},
			code: job.DeletedOnCancellation,
		},
		{name: "never by code", changes: []change{retention(job.RetainedOnCancellation)}, code: job.NeverRetained},
	}
	availabilities = []dial{{name: "no-ha"}, {name: "kubernetes-ha", changes: []change{highlyAvailable}}}
	upgradeModes   = []dial{
		{name: "savepoint", changes: []change{stateful("savepoint")}},
		{name: "last-state", changes: []change{stateful("last-state")}},
		{
			name:    "last-state without savepoint-dir",
			changes: []change{stateful("last-state"), lacks("execution.checkpointing.savepoint-dir")},
		},
	}
)

// healths are how the job does when the event comes. keep is called with the first job before each step until another
// one starts.
var healths = []struct {
	name string
	keep func(j *job.Job, now time.Time)
}{
	{"healthy", func(*job.Job, time.Time) {}},
	{"restarting", func(j *job.Job, now time.Time) {
		if j.State == job.Running {
			j.Restart("java.io.IOException", "the source cannot be read", now)
		}
	}},
	{"failed", func(j *job.Job, now time.Time) {
		if !j.State.Ended() {
			j.Fail("java.io.IOException", "the source cannot be read", now)
		}
	}},
}

// happenings are what happens to the job, once it has completed a checkpoint.
var happenings = []struct {
	name    string
	changes []change // of the first spec
	do      func(m *combination)
}{
	{"upgrade", nil, func(m *combination) { m.edit(demo, parallelism(4)) }},
	{"suspend-resume", nil, func(m *combination) {
		m.edit(demo, jobState("suspended"))
		m.steps(60)
		m.edit(demo, jobState("running"))
	}},
	{
		"other-version", nil,
		func(m *combination) { m.edit(demo, field("image", "flink:2.0"), field("flinkVersion", "v2_0")) },
	},
	{"fails-restarted", []change{option("kubernetes.operator.job.restart.failed", "true")}, func(m *combination) {
		m.first(func(j *job.Job) { j.Fail("java.lang.IllegalStateException", "no such topic", m.w.Clock.Now()) })
	}},
	{"cancelled-elsewhere", nil, func(m *combination) { m.first(func(j *job.Job) { j.Cancel(m.w.Clock.Now()) }) }},
	{"rolled-back", []change{rolledBack}, func(m *combination) { m.edit(demo, field("image", "flink:broken")) }},
}

// combination is one run.
type combination struct {
	*harness
	name   string
	spec   map[string]any
	code   string // the retention that the job's code sets
	keep   func(j *job.Job, now time.Time)
	do     func(m *combination)
	states *states
	job    string // the ID of the first job
	ends   string // what a user sees in the end
}

// first does something to the first job, while it is the one.
func (m *combination) first(do func(j *job.Job)) {
	if j := m.w.Flink.Job(namespace, demo, m.job); j != nil {
		m.flink(demo, do)
	}
}

func (m *combination) steps(n int) {
	for range n {
		if len(m.w.Flink.Starts(namespace, demo)) == 1 {
			m.first(func(j *job.Job) { m.keep(j, m.w.Clock.Now()) })
		}
		m.step()
		m.states.look()
	}
}

// outcome is what a user sees in the end. A job that came back with less than it had fails the test by itself.
func (m *combination) outcome() string {
	s := m.status(demo)
	starts := m.w.Flink.Starts(namespace, demo)
	unsafe := meta.IsStatusConditionFalse(s.Conditions, summary.StateSafe)
	stalled := meta.FindStatusCondition(s.Conditions, summary.Stalled)
	running := m.running(demo)
	switch {
	case unsafe:
		return fmt.Sprintf(
			"a person decides: %s, job %s", meta.FindStatusCondition(s.Conditions, summary.StateSafe).Reason, running,
		)
	case stalled != nil && stalled.Status == metav1.ConditionTrue:
		return fmt.Sprintf("stalled: %s, job %s", stalled.Reason, running)
	case s.Situation != "Steady" && s.Situation != "Suspended":
		return fmt.Sprintf("waits: %s, job %s", s.Situation, running)
	case len(starts) == 1 && s.LifecycleState == v1beta1.LifecycleStable && running == "RUNNING":
		return "never stopped"
	case running != "RUNNING":
		return "VIOLATION: " + string(s.LifecycleState) + " and the job is " + running
	}
	last := starts[len(starts)-1]
	from := "nothing"
	switch {
	case strings.Contains(last.From, "/savepoint-"):
		from = "savepoint"
	case strings.Contains(last.From, "/chk-"):
		from = "checkpoint"
	}
	return fmt.Sprintf("%s from its %s", s.LifecycleState, from)
}

// combinations are all that pass validation: a rollback needs high availability.
func combinations() []*combination {
	var all []*combination
	for _, r := range retentions {
		for _, a := range availabilities {
			for _, u := range upgradeModes {
				for _, health := range healths {
					for _, happens := range happenings {
						if happens.name == "rolled-back" && a.name == "no-ha" {
							continue
						}
						all = append(all, &combination{
							name: strings.Join([]string{r.name, a.name, u.name, health.name, happens.name}, ", "),
							spec: application(slices.Concat(u.changes, r.changes, a.changes, happens.changes)...),
							code: r.code, keep: health.keep, do: happens.do,
						})
					}
				}
			}
		}
	}
	return all
}

// run is one combination from its first start to where a user sees nothing change any more.
func (m *combination) run(t *testing.T) {
	m.harness = install(&harness{t: t, direct: true})
	m.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	m.states = newStates(m.harness)
	m.w.Flink.ScriptJob(demo, job.Script{Retain: m.code})
	m.apply(demo, m.spec)
	m.untilStable(demo)
	m.checkpoints(demo)
	m.states.look()
	m.job = m.w.Flink.Job(namespace, demo, "").ID
	m.steps(2)
	m.do(m)
	m.steps(150)
	m.ends = m.outcome()
	if strings.HasPrefix(m.ends, "VIOLATION") || strings.HasSuffix(m.ends, "from its nothing") {
		t.Errorf("%s\n%s", m.ends, m.describe())
	}
}

func TestEveryCombinationKeepsItsState(t *testing.T) {
	all := combinations()
	t.Run("all", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				m.run(t)
				m.harness, m.states = nil, nil
			})
		}
	})
	var text strings.Builder
	for _, m := range all {
		fmt.Fprintf(&text, "%-95s %s\n", m.name, m.ends)
	}
	path := filepath.Join("testdata", "retention.txt")
	if *rewriteMatrix {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" && !t.Failed() {
		t.Errorf(
			"what users see has changed; to accept it: go test ./test/scenario -run %s -rewrite-matrix\n%s", t.Name(), diff,
		)
	}
}
