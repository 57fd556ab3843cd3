package scenario

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What status tells a person to do, and what it names for that.

var (
	patchAdvice = regexp.MustCompile(
		`kubectl patch flinkdeployment ` + demo + ` -n ` + namespace + ` --type=merge -p '([^']*)'`,
	)
	annotateAdvice = regexp.MustCompile(`kubectl annotate flinkdeployment ` + demo + ` -n ` + namespace + ` (\S+)=true`)
	pathTold       = regexp.MustCompile(`The newest checkpoint that is known is (\S+?)\.(?: |$)`)
)

// needsPerson are the reasons for which a resource may wait for a person after something that only a person can make
// good: where the state is, or what else stands there. What a person does is in the message.
var needsPerson = []plan.Reason{
	plan.ReasonLastStateUnknown, plan.ReasonStateUnknown, plan.ReasonUpgradeFailed, plan.ReasonRestoreFailed,
	plan.ReasonCheckpointNotFound, plan.ReasonCheckpointDiscarded, plan.ReasonCheckpointForgotten,
	plan.ReasonRollbackImpossible, plan.ReasonUnaccounted,
}

// holdsAdvice holds, of each status that is stored, that it says what a person can do where it calls for one, and that
// the checkpoint it names as the newest is there.
func (r *run) holdsAdvice(d *v1beta1.FlinkDeployment) {
	for _, kind := range []string{summary.StateSafe, summary.Stalled} {
		c := meta.FindStatusCondition(d.Status.Conditions, kind)
		bad := c != nil && (c.Status == metav1.ConditionTrue) == (kind == summary.Stalled)
		if !bad || !slices.Contains(needsPerson, plan.Reason(c.Reason)) {
			continue
		}
		if !strings.Contains(c.Message, "kubectl ") {
			r.t.Errorf("%s %s says nothing that a person can do: %s", kind, c.Reason, c.Message)
		}
		told := pathTold.FindStringSubmatch(c.Message)
		if told == nil {
			continue
		}
		named, there := r.w.Storage.Get(told[1])
		if !there && r.w.Storage.Lacks(told[1]) == "" {
			continue // Flink itself has removed it since somebody looked
		}
		if newer := r.newerKnown(d, named.Progress); newer != "" || !there {
			r.t.Errorf("%s names %s as the newest, there: %t, and status knows %q", kind, told[1], there, newer)
		}
	}
}

// callsForFiles holds, at rest, that a job which failed because a person had deleted the files that it needs calls for
// one: nothing that it does by itself helps.
func (r *run) callsForFiles() {
	s := r.status(demo)
	failed := s.JobStatus.State == v1beta1.FlinkJobFailed && len(r.states.removed) > 0 &&
		strings.Contains(s.Error+r.condition(demo, summary.JobRunning), "Cannot find checkpoint")
	if failed && meta.FindStatusCondition(s.Conditions, summary.StateSafe) == nil &&
		!strings.HasPrefix(strings.TrimPrefix(r.condition(demo, summary.Stalled), "True JobFailed"), "True") {
		r.t.Errorf("its files are gone, it failed, and status calls for nobody\n%s", r.describe())
	}
}

// newerKnown is a savepoint of the history of status that is there and has more than this progress; empty: none.
func (r *run) newerKnown(d *v1beta1.FlinkDeployment, progress int64) string {
	info := d.Status.JobStatus.SavepointInfo
	if info == nil {
		return ""
	}
	for _, savepoint := range info.SavepointHistory {
		if s, there := r.w.Storage.Get(savepoint.Location); there && s.Progress > progress && s.JobID != "" {
			return savepoint.Location
		}
	}
	return ""
}

// followsAdvice does what status asks of the user, once the resource waits for that, and holds that it helps. There is
// a state to choose: the newest that the job made, or another one. What ZooKeeper has is not removed here.
func (r *run) followsAdvice() {
	r.t.Helper()
	stalled := r.condition(demo, summary.Stalled)
	if r.excused == "" || !strings.HasPrefix(stalled, "True") || !r.there() {
		return
	}
	patch, annotate := patchAdvice.FindStringSubmatch(stalled), annotateAdvice.FindStringSubmatch(stalled)
	switch {
	case patch != nil:
		r.patches(patch[1])
	case annotate != nil && advised(stalled) == plan.ReasonUnaccounted && r.w.Flink.JobManagers(namespace, demo) > 0:
		r.annotates(annotate[1])
	default:
		return
	}
	r.until("what status advises helps: "+stalled, func() bool {
		r.states.look()
		s := r.status(demo)
		return s.ObservedGeneration == r.resource(demo).GetGeneration() && (s.Situation == string(plan.Steady) ||
			s.Situation == string(plan.Ended) ||
			advised(r.condition(demo, summary.Stalled)) == plan.ReasonJobGraphUnreadable)
	})
}

// advised is the reason of a condition that calls for the user.
func advised(stalled string) plan.Reason {
	reason, _, _ := strings.Cut(strings.TrimPrefix(stalled, "True "), ":")
	return plan.Reason(reason)
}

// patches merges what a command says into the spec, with a path of the person's choice.
func (r *run) patches(text string) {
	path := "s3://mine/savepoint-of-last-resort"
	r.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true})
	if made := r.states.made(); len(made) > 0 {
		path = made[len(made)-1]
	}
	var merge struct {
		Spec struct {
			Job map[string]any `json:"job"`
		} `json:"spec"`
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "<path>", path)), &merge); err != nil {
		r.t.Errorf("what status advises cannot be read: %s: %v", text, err)
		return
	}
	for name, value := range merge.Spec.Job {
		if number, is := value.(float64); is {
			merge.Spec.Job[name] = int64(number)
		}
	}
	r.redeploys++
	r.states.chosen[path], r.states.owed[path], r.states.named[path] = r.redeploys, true, true
	r.edit(demo, func(spec map[string]any) { maps.Copy(spec["job"].(map[string]any), merge.Spec.Job) })
}

func (r *run) annotates(name string) {
	if _, err := r.w.Kube.Update(kubesim.FlinkDeployments, namespace, demo, func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{name: "true"})
	}); err != nil {
		r.t.Error(err)
	}
}
