package job

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What is refused is tried at each look for ten seconds, then less and less.
func TestWhenARefusedActionIsTriedAgain(t *testing.T) {
	remove := plan.RemoveFinalizer{Finalizer: "f"}
	since := func(d time.Duration) *metav1.Time { at := metav1.NewTime(noon.Add(-d)); return &at }
	before := func(effect string) *v1beta1.Refused { return &v1beta1.Refused{Effect: effect} }
	for name, row := range map[string]struct {
		action plan.Action
		before *v1beta1.Refused
		moves  *metav1.Time
		counts bool
	}{
		"none":                                {nil, nil, nil, false},
		"one that nobody refuses":             {plan.WakeClock{}, nil, nil, false},
		"one of a movement that just began":   {remove, nil, since(9 * time.Second), false},
		"one of a movement of ten seconds":    {remove, nil, since(10 * time.Second), true},
		"one of no movement":                  {remove, nil, nil, true},
		"one that was refused before":         {remove, before(remove.String()), since(time.Second), true},
		"another one that was refused before": {remove, before("another"), since(time.Second), false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Status.Refused, s.Resource.Status.PaceSince = row.before, row.moves
		})
		if _, counts := Refusal(v).Again(row.action, "Forbidden", "no"); counts != row.counts {
			t.Errorf("%s: counted %t, want %t", name, counts, row.counts)
		}
	}
}

// A result that has none of what was refused ends the count, wherever it has its actions.
func TestWhereARefusedActionIsLookedFor(t *testing.T) {
	refused, other := plan.CancelJob{JobID: "refused"}, plan.CancelJob{JobID: "other"}
	for name, row := range map[string]struct {
		r    Result
		held bool
	}{
		"first":    {Result{Actions: []plan.Action{refused}, Finish: []plan.Action{other}}, true},
		"later":    {Result{Actions: []plan.Action{other}, Finish: []plan.Action{refused}}, true},
		"at last":  {Result{Actions: []plan.Action{other}, Last: []plan.Action{refused}}, true},
		"nowhere":  {Result{Actions: []plan.Action{other}}, false},
		"unlooked": {Result{Situation: plan.Unobservable}, false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Status.Refused = &v1beta1.Refused{Effect: refused.String(), Retry: v1beta1.Retry{
				Generation: 1, After: metav1.NewTime(noon.Add(time.Minute)),
			}}
		})
		if held := Refusal(v).hold(&row.r); held != row.held {
			t.Errorf("%s: held %t, want %t", name, held, row.held)
		}
		if kept := v.Want.Refused != nil; kept != (name != "nowhere") {
			t.Errorf("%s: the count is kept %t", name, kept)
		}
	}
}

func TestInWhichSituationSomethingFailed(t *testing.T) {
	at := metav1.NewTime(noon)
	lost := &v1beta1.LostProgress{Suspected: &at}
	for name, row := range map[string]struct {
		stored plan.Situation
		lost   *v1beta1.LostProgress
		want   plan.Situation
	}{
		"none yet":                                  {"", nil, plan.Waiting},
		"its state is lost":                         {plan.StateLost, nil, plan.Waiting},
		"nobody knows what became of it":            {plan.Unaccounted, nil, plan.Waiting},
		"it is steady":                              {plan.Steady, nil, plan.Steady},
		"it is steady, and may have lost progress":  {plan.Steady, lost, plan.Waiting},
		"it is stopped":                             {plan.Stopping, nil, plan.Stopping},
		"it is stopped, and may have lost progress": {plan.Stopping, lost, plan.Stopping},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Status.Situation, s.Resource.Status.LostProgress = string(row.stored), row.lost
		})
		if got := Report(v).triedIn(); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// When a savepoint was taken is known of the last one, if that is where the job starts from.
func TestWhenASavepointWasTaken(t *testing.T) {
	last := func(path string, at int64) *v1beta1.SavepointInfo {
		return &v1beta1.SavepointInfo{LastSavepoint: &v1beta1.Savepoint{Location: path, TimeStamp: at}}
	}
	from := v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://a"}
	for name, row := range map[string]struct {
		info *v1beta1.SavepointInfo
		want bool
	}{
		"none":             {nil, false},
		"none is the last": {&v1beta1.SavepointInfo{}, false},
		"the last":         {last("s3://a", 1700000000000), true},
		"another":          {last("s3://b", 1700000000000), false},
		"at no time":       {last("s3://a", 0), false},
	} {
		v := newLife(t, func(s *Seen) { s.Resource.Status.JobStatus.SavepointInfo = row.info })
		if got := LastState(v).taken(from); (got != nil) != row.want {
			t.Errorf("%s: taken at %v", name, got)
		}
	}
}

// What a person reads of a start that Flink refuses does not come and go with each try.
func TestARefusedStartIsToldOn(t *testing.T) {
	told := func(kind, reason string, generation int64) func(s *Seen) {
		return func(s *Seen) {
			s.Resource.Status.Conditions = []metav1.Condition{{Type: kind, Reason: reason, ObservedGeneration: generation}}
		}
	}
	failed := string(plan.ReasonRestoreFailed)
	for name, row := range map[string]struct {
		told  func(s *Seen)
		ready bool
		state v1beta1.FlinkJobState // as Flink lists it; empty: not at all
		want  bool
	}{
		"it tries again":              {told(summary.Stalled, failed, 1), false, "", true},
		"it is ready, and has no job": {told(summary.Stalled, failed, 1), true, "", true},
		"its job begins":              {told(summary.Stalled, failed, 1), true, v1beta1.FlinkJobInitializing, true},
		"its job runs":                {told(summary.Stalled, failed, 1), true, v1beta1.FlinkJobRunning, false},
		"something else was told":     {told(summary.Stalled, "StopFailed", 1), false, "", false},
		"another generation's":        {told(summary.Stalled, failed, 7), false, "", false},
		"nothing was told":            {func(*Seen) {}, false, "", false},
		"another condition's":         {told(summary.Ready, failed, 1), false, "", false},
	} {
		v := newLife(t, row.told)
		if v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerDeploying; row.ready {
			v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
		}
		if row.state != "" {
			v.Job = &Job{ID: "a", State: row.state}
		}
		if got := (settling)(v).refusedBefore(); (got != nil) != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRequirementsOfASpec(t *testing.T) {
	for name, row := range map[string]struct {
		asks    string
		now     plan.Bounds
		want    plan.Bounds
		differs bool
	}{
		"more":                   {"4", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 4}, true},
		"less":                   {"2", plan.Bounds{Lower: 1, Upper: 4}, plan.Bounds{Lower: 1, Upper: 2}, true},
		"less than the lower":    {"2", plan.Bounds{Lower: 3, Upper: 4}, plan.Bounds{Lower: 2, Upper: 2}, true},
		"the upper, and a lower": {"2", plan.Bounds{Lower: 3, Upper: 2}, plan.Bounds{Lower: 2, Upper: 2}, true},
		"as it is":               {"2", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 2}, false},
		"none":                   {"0", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 2}, false},
		"no number":              {"x", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 2}, false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"pipeline.jobvertex-parallelism-overrides":"` + vertex + `:` + row.asks + `"}`,
			)
		})
		got, differs := (rescaling)(v).requirements(map[string]plan.Bounds{vertex: row.now, "other": {Lower: 1, Upper: 9}})
		if got[vertex] != row.want || differs != row.differs || got["other"] != (plan.Bounds{Lower: 1, Upper: 9}) {
			t.Errorf("%s: %v %t, want %v %t", name, got, differs, row.want, row.differs)
		}
	}
}

// A JobManager that does not answer keeps its job's last word for a minute, from when that was heard or its pod became
// ready.
func TestHowLongAJobManagerMayBeSilent(t *testing.T) {
	for name, row := range map[string]struct {
		jobManager v1beta1.JobManagerDeploymentStatus
		state      v1beta1.FlinkJobState
		heard      time.Duration
		want       bool
	}{
		"since a moment":   {v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling, time.Second, true},
		"since a minute":   {v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling, time.Minute, false},
		"it answers":       {v1beta1.JobManagerReady, v1beta1.FlinkJobReconciling, time.Second, false},
		"its job is known": {v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobRunning, time.Second, false},
	} {
		v := newLife(t, func(s *Seen) {})
		v.Want.JobManagerDeploymentStatus, v.Want.JobStatus.State = row.jobManager, row.state
		v.Want.JobStatus.UpdateTime = strconv.FormatInt(noon.Add(-row.heard).UnixMilli(), 10)
		if got := unanswered(v); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

func TestWhichStopsKeepState(t *testing.T) {
	for how, want := range map[v1beta1.StopKind]bool{
		v1beta1.StopSavepoint: true, v1beta1.StopCancel: true, v1beta1.StopStateless: false, v1beta1.StopLastState: false,
		v1beta1.StopNone: false,
	} {
		if keepsState(how) != want {
			t.Errorf("%q: %t", how, !want)
		}
	}
}

func TestWhoseHealthIsChecked(t *testing.T) {
	on := func(s *Seen) {
		s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"kubernetes.operator.cluster.health-check.enabled":"true"}`,
		)
		deployed(t, s)
	}
	for name, row := range map[string]struct {
		then func(s *Seen)
		want bool
	}{
		"off":                  {func(*Seen) {}, false},
		"an application":       {on, true},
		"a session job":        {func(s *Seen) { on(s); s.Kind = v1beta1.JobKindFlinkSessionJob }, false},
		"a session cluster":    {func(s *Seen) { s.Resource.Spec.Job = nil; on(s) }, false},
		"nothing was deployed": {func(s *Seen) { on(s); neverDeployed(s) }, false},
	} {
		if got := Health(newLife(t, row.then)).Checked(); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}
