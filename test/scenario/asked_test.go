package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What a decision reads of the world stands twice: in its rules, and in the questions that are asked for it. They are
// held to each other from both sides:
//
//	a part that was not asked for, and is there   changes nothing of the plan, but for what mayAdd lists
//	a part that was asked for, and is not known   changes the plan, now and then: else nobody needs the question

// addition is what a part that was not asked for may add to a plan.
type addition struct {
	part string
	// field of the status that it may change, with all below it.
	field string
	// of is of which resources; nil means all.
	of  func(i inquiry) bool
	why string
}

// mayAdd lists what may differ. What only rides along with another write may differ with it.
var mayAdd = []addition{
	{"Flink.Facts", "clusterInfo", nil, "figures for people, which ride along with what else is written"},
	{
		"Flink.Checkpoints", "jobStatus.checkpoint.path", nil,
		"that there is one counts: a newer path is worth no question, nor a write, until the job is stopped",
	},
	{"Flink.Checkpoints", "jobStatus.checkpoint.taken", nil, "as its path"},
	{"Flink.Checkpoints", "jobStatus.checkpoint", stateless, "no start of it needs its state"},
	{"Flink.Checkpoints", "jobStatus.lastStateUnread", stateless, "as its checkpoint; the next look at its end asks"},
	{"Flink.Checkpoints", "revision", stateless, "how its start ended is noted by the look that writes its end"},
	{
		"HAData", "jobStatus.checkpoint", nil,
		"Flink's statistics are asked for that, and the data when something starts from it",
	},
	{"HANodes", "jobStatus.checkpoint", nil, "as HAData"},
	{
		"HAData", "jobStatus.highAvailabilityData.forgotten", nil,
		"a job that began again is noticed by its start time, and then the data is asked for",
	},
	{"HANodes", "jobStatus.highAvailabilityData.forgotten", nil, "as HAData"},
}

func stateless(i inquiry) bool {
	return i.job == nil || i.job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless
}

// everything asks for all that there is.
var everything = gather.Revise{
	Deployment: func(q *deployment.Questions, i *deployment.Inquiry) { *q = i.All() },
	SessionJob: func(q *sessionjob.Questions, i *sessionjob.Inquiry) { *q = i.All() },
	Nodes: func(_ []string, i *deployment.Inquiry) []string {
		var all []string
		for _, pods := range []plan.Observed[[]corev1.Pod]{i.Seen.Pods, i.Seen.TaskManagers} {
			list, _ := pods.Get()
			for _, pod := range list {
				if name := pod.Spec.NodeName; name != "" && !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
		return all
	},
	Flink: func(more *ask.More, s world.Seen) {
		*more = ask.More{
			Facts: true, Failure: true, Checkpoints: true, Retention: true, Graph: true, Health: true, Progress: time.Hour,
			LateStops: s.Resource.Status.GivenUpStop != nil, Requests: true, Exceptions: mostExceptions,
			Requirements: true,
		}
	},
}

// mostExceptions are more than a job of a random run has.
const mostExceptions = 10

// inquiry holds one decision to what was asked for it.
type inquiry struct {
	t testing.TB
	// what names the resource, for people.
	what string
	// asked and all are the parts of two snapshots of the same moment, in the same order: as asked for, and everything.
	asked, all []observedPart
	// before is the plan of what was asked for; decide makes that of what the asked parts hold now.
	before plan.Plan
	decide func() plan.Plan
	// status is the stored one.
	status any
	// job is that of the spec.
	job *v1beta1.JobSpec
}

// agrees holds that nothing that was not asked for would have led to another plan.
func (i inquiry) agrees() {
	missing := i.missing()
	for _, n := range missing {
		defer i.put(n)()
	}
	if after := i.decide(); printed(after) == printed(i.before) {
		return
	}
	for _, n := range missing {
		i.asked[n].value.SetZero()
	}
	for _, n := range missing {
		back := i.put(n)
		if what := i.changed(i.asked[n].name, i.before, i.decide()); len(what) > 0 {
			i.t.Errorf(
				"%s is not asked for of %s, and changes what is decided, %s:\n%s", i.asked[n].name, i.what, i.before,
				strings.Join(what, "\n"),
			)
		}
		back()
	}
}

// missing are the parts that were not asked for and have an answer.
func (i inquiry) missing() []int {
	var all []int
	for n, part := range i.asked {
		if part.value.IsZero() && isKnown(i.all[n].value) {
			all = append(all, n)
		}
	}
	return all
}

// put answers a question, and returns what takes the answer back.
func (i inquiry) put(n int) (back func()) {
	i.asked[n].value.Set(i.all[n].value)
	return i.asked[n].value.SetZero
}

// isKnown reports whether somebody looked at a part, and saw what there is.
func isKnown(v reflect.Value) bool {
	if v.Kind() == reflect.Map {
		return v.Len() > 0
	}
	unknown := v.MethodByName("IsUnknown")
	return unknown.IsValid() && !unknown.Call(nil)[0].Bool()
}

// changed says what of a plan a part has changed that it may not.
func (i inquiry) changed(part string, before, after plan.Plan) []string {
	ridesAlong := (before.Status == nil) != (after.Status == nil)
	adds := false
	different := slices.DeleteFunc(differences("", i.tree(before.Status), i.tree(after.Status)), func(f string) bool {
		closes := strings.HasPrefix(f, "intent: ") && strings.Contains(f, "step:Released")
		along := ridesAlong &&
			(closes || strings.HasPrefix(f, "clusterInfo") || strings.HasPrefix(f, "jobStatus.checkpoint."))
		may := slices.ContainsFunc(mayAdd, func(a addition) bool {
			return a.part == part && strings.HasPrefix(f, a.field) && (a.of == nil || a.of(i))
		})
		adds = adds || may
		return along || may
	})
	if adds { // it is stored first, and a savepoint of the history is disposed of in the next round
		for _, p := range []*plan.Plan{&before, &after} {
			p.Actions = slices.DeleteFunc(slices.Clone(p.Actions), func(a plan.Action) bool {
				_, disposes := a.(plan.DisposeSavepoint)
				return disposes
			})
		}
		different = slices.DeleteFunc(different, func(f string) bool {
			return strings.HasPrefix(f, "jobStatus.savepointInfo.savepointHistory: ")
		})
	}
	if a, b := acts(before, ridesAlong), acts(after, ridesAlong); a != b {
		different = append(different, "plan: "+a+" instead of "+b)
	}
	if !reflect.DeepEqual(before.Events, after.Events) {
		different = append(different, fmt.Sprintf("events: %v instead of %v", before.Events, after.Events))
	}
	return different
}

// acts prints what a plan does; without what goes with any write of the status when one is more.
func acts(p plan.Plan, ridesAlong bool) string {
	if ridesAlong {
		p.Actions = slices.DeleteFunc(slices.Clone(p.Actions), func(a plan.Action) bool {
			_, wakes := a.(plan.WakeClock)
			return wakes
		})
		return p.String()
	}
	return p.String() + " " + string(p.Requeue)
}

// tree is a status as a plan leaves it: the stored one, when it writes none.
func (i inquiry) tree(status any) any {
	if status == nil {
		status = i.status
	}
	text, err := json.Marshal(status)
	var tree any
	if err == nil {
		err = json.Unmarshal(text, &tree)
	}
	if err != nil {
		i.t.Fatal(err)
	}
	return tree
}

// differences are the fields in which two trees differ, a line each.
func differences(at string, a, b any) []string {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		return []string{fmt.Sprintf("%s: %v instead of %v", strings.TrimPrefix(at, "."), a, b)}
	}
	keys := map[string]bool{}
	for k := range x {
		keys[k] = true
	}
	for k := range y {
		keys[k] = true
	}
	var all []string
	for _, k := range names(keys) {
		all = append(all, differences(at+"."+k, x[k], y[k])...)
	}
	return all
}

// needs counts how often it mattered what was asked for, by part and by the situation that was found.
type needs struct {
	mu    sync.Mutex
	asked map[asked]*need
}

type asked struct{ part, found string }

type need struct{ tried, mattered int }

// needed and sessionNeeded are the needs of all runs in this process, of FlinkDeployments and of FlinkSessionJobs.
var needed, sessionNeeded needs

// enough is how often an answer is left out until it is sure that nobody needs it.
const enough = 200

// judge counts a decision that was made again without one of the parts, if that was asked for and answered.
func (n *needs) judge(parts []observedPart, part string, whole, blind plan.Plan) {
	at := slices.IndexFunc(parts, func(p observedPart) bool { return p.name == part })
	if !isKnown(parts[at].value) {
		return
	}
	mattered := printed(whole) != printed(blind)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked == nil {
		n.asked = map[asked]*need{}
	}
	row := asked{part, string(whole.Situation)}
	if n.asked[row] == nil {
		n.asked[row] = &need{}
	}
	n.asked[row].tried++
	if mattered {
		n.asked[row].mattered++
	}
}

// needless are the parts that were left out often enough and never mattered; rows are the situations of which that is
// true.
func (n *needs) needless(enough int) (parts, rows []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := map[string]need{}
	for row, one := range n.asked {
		sum := all[row.part]
		all[row.part] = need{sum.tried + one.tried, sum.mattered + one.mattered}
		if one.mattered == 0 && one.tried >= enough {
			rows = append(rows, fmt.Sprintf("%s in %s (%d times)", row.part, row.found, one.tried))
		}
	}
	for part, sum := range all {
		if sum.mattered == 0 && sum.tried >= enough {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	slices.Sort(rows)
	return parts, rows
}

// report fails for parts that nobody needs, and logs the situations in which nobody needed one.
func (n *needs) report(t *testing.T) {
	parts, rows := n.needless(enough)
	if len(parts) > 0 {
		t.Errorf("asked for, and never of any interest: %s", strings.Join(parts, ", "))
	}
	if len(rows) > 0 {
		t.Logf("asked for, and of no interest in these runs: %s", strings.Join(rows, ", "))
	}
}
