package job

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
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

// What the newest start was given: nothing, or a path that it can be given again.
func TestWhatTheNewestStartWasGiven(t *testing.T) {
	const stateless, savepoint = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint
	for name, row := range map[string]struct {
		mode        v1beta1.UpgradeMode
		path        string
		first       bool
		empty, from bool
	}{
		"nothing":                        {stateless, "", false, true, false},
		"a path, and needs none":         {stateless, "s3://a", false, false, false},
		"a path":                         {savepoint, "s3://a", false, false, true},
		"no path that is known":          {savepoint, "", false, false, false},
		"its last state":                 {savepoint, v1beta1.LastStatePlaceholder, false, false, false},
		"the first one":                  {savepoint, "", true, true, false},
		"the first one, from a path":     {savepoint, "s3://a", true, true, true},
		"the first one, begun once more": {savepoint, v1beta1.LastStatePlaceholder, true, false, false},
		"its last state, by last-state":  {v1beta1.UpgradeModeLastState, "s3://a", false, false, false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Spec.Job.UpgradeMode = row.mode
			deployed(t, s)
			if row.first {
				text, err := v1beta1.ReconciledDeployment{
					Spec: s.Resource.Spec, Meta: &v1beta1.ReconciledMetadata{FirstDeployment: true},
				}.Text()
				if err != nil {
					t.Fatal(err)
				}
				s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
			}
			s.Resource.Status.JobStatus.UpgradeSavepointPath = row.path
		})
		if got := (facts)(v).startedEmpty(); got != row.empty {
			t.Errorf("%s: from nothing %t, want %t", name, got, row.empty)
		}
		if got := (facts)(v).startedFromPath(); got != row.from {
			t.Errorf("%s: from a path %t, want %t", name, got, row.from)
		}
	}
}

func TestWhatAValidatorSays(t *testing.T) {
	for name, row := range map[string]struct {
		judged Judged
		want   plan.Reason
	}{
		"nothing":             {Judged{}, ""},
		"yes":                 {Judged{Verdict: &v1beta1.Verdict{}}, ""},
		"no":                  {Judged{Verdict: &v1beta1.Verdict{Refusal: "no"}}, plan.ReasonRefusedByValidator},
		"one does not answer": {Judged{Unanswered: "it"}, plan.ReasonValidatorUnavailable},
		"one says no, one nothing": {
			Judged{Unanswered: "it", Verdict: &v1beta1.Verdict{Refusal: "no"}}, plan.ReasonValidatorUnavailable,
		},
	} {
		if got := row.judged.objection().Reason; got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// Options without effect are told once for each spec that is judged.
func TestOptionsWithoutEffectAreToldOnce(t *testing.T) {
	judged := func(kind string, generation int64) func(s *Seen) {
		return func(s *Seen) {
			s.Resource.Status.Conditions = []metav1.Condition{{Type: kind, ObservedGeneration: generation}}
		}
	}
	for name, row := range map[string]struct {
		then func(s *Seen)
		told bool
	}{
		"a new spec":                         {judged(summary.SpecAccepted, 0), true},
		"a resource that is new":             {func(*Seen) {}, true},
		"the same spec":                      {judged(summary.SpecAccepted, 1), false},
		"the same spec in another condition": {judged(summary.Ready, 1), true},
		"one that nobody can read":           {func(s *Seen) { s.SpecProblem = "no object" }, false},
		"one that is deleted": {func(s *Seen) {
			at := metav1.NewTime(noon)
			s.Resource.DeletionTimestamp = &at
		}, false},
		"one without such options": {func(s *Seen) { s.Resource.Spec.FlinkConfiguration = nil }, false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.plugins.listeners.audit.class":"a.B"}`,
			)
			row.then(s)
		})
		before := len(v.Events)
		Conclusion(v).tellNoEffect()
		if got := len(v.Events) > before; got != row.told {
			t.Errorf("%s: told %t, want %t", name, got, row.told)
		}
	}
}

// High-availability data goes with a deletion, and with a stop whose successor does not need it.
func TestWhichStopTakesTheDataAlong(t *testing.T) {
	const upgrade, deletion = v1beta1.PurposeUpgrade, v1beta1.PurposeDelete
	for name, row := range map[string]struct {
		purpose        v1beta1.IntentPurpose
		stop           v1beta1.StopKind
		ended, session bool
		want           bool
	}{
		"a deletion":                      {deletion, v1beta1.StopLastState, false, false, true},
		"a deletion of a session cluster": {deletion, "", false, true, true},
		"a stateless stop":                {upgrade, v1beta1.StopStateless, false, false, true},
		"a stop of nothing":               {upgrade, "", false, false, true},
		"by last-state":                   {upgrade, v1beta1.StopLastState, false, false, false},
		"by last-state, and it has ended": {upgrade, v1beta1.StopLastState, true, false, true},
		"a session cluster's upgrade":     {upgrade, v1beta1.StopStateless, false, true, false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{Purpose: row.purpose, Stop: row.stop, Ended: row.ended}
			if row.session {
				sessionDeployed(t)(s)
			}
		})
		if got := HAData(v).GoesWithStop(); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

// What waits for a person does not keep the clock fast; an invalid spec beside what goes on does not slow it.
func TestWhatKeepsTheClockFast(t *testing.T) {
	stalls := func(reason plan.Reason) *plan.Cause { return &plan.Cause{Reason: reason, Message: "no"} }
	for name, row := range map[string]struct {
		situation plan.Situation
		stall     *plan.Cause
		problem   string
		want      v1beta1.Pace
	}{
		"it is stopped":                          {plan.Stopping, nil, "", v1beta1.PaceFast},
		"it is steady":                           {plan.Steady, nil, "", v1beta1.PaceSlow},
		"it is stopped, and waits for a person":  {plan.Stopping, stalls("StopFailed"), "", v1beta1.PaceSlow},
		"it is stopped beside an invalid spec":   {plan.Stopping, nil, "no", v1beta1.PaceFast},
		"it is stopped, an invalid spec is told": {plan.Stopping, stalls("SpecInvalid"), "no", v1beta1.PaceFast},
		"both":                                   {plan.Stopping, stalls("StopFailed"), "no", v1beta1.PaceSlow},
	} {
		v := newLife(t, func(*Seen) {})
		v.Problem, v.ProblemReason = row.problem, "SpecInvalid"
		Conclusion(v).summarize(status.Verdict{Situation: row.situation, Stall: row.stall})
		if v.Want.Pace != row.want {
			t.Errorf("%s: %s, want %s", name, v.Want.Pace, row.want)
		}
	}
}

// A round begins an operation where it stores an intent and none was open.
func TestWhichRoundBeginsAnOperation(t *testing.T) {
	intent := func(id string, step v1beta1.IntentStep) *v1beta1.Intent {
		return &v1beta1.Intent{OperationID: id, Step: step}
	}
	for name, row := range map[string]struct {
		was, is *v1beta1.Intent
		want    bool
	}{
		"none":                       {nil, nil, false},
		"the first":                  {nil, intent("1", v1beta1.StepStarting), true},
		"the same":                   {intent("1", v1beta1.StepStarting), intent("1", v1beta1.StepReleased), false},
		"after one that is released": {intent("1", v1beta1.StepReleased), intent("2", v1beta1.StepStopping), true},
		"in place of an open one":    {intent("1", v1beta1.StepStopping), intent("2", v1beta1.StepStarting), false},
		"its end":                    {intent("1", v1beta1.StepReleased), nil, false},
	} {
		v := newLife(t, func(s *Seen) { s.Resource.Status.Intent = row.was })
		if v.Want.Intent = row.is; v.BeginsOperation() != row.want {
			t.Errorf("%s: %t, want %t", name, !row.want, row.want)
		}
	}
}

// A state is chosen anew by a nonce that neither the spec acted on last nor the one that runs has.
func TestWhichSpecChoosesAState(t *testing.T) {
	one, two := int64(1), int64(2)
	for name, row := range map[string]struct {
		was, is *int64
		then    func(s *Seen)
		problem string
		want    bool
	}{
		"no nonce":             {nil, nil, nil, "", false},
		"the same":             {&one, &one, nil, "", false},
		"another":              {&one, &two, nil, "", true},
		"another, invalid":     {&one, &two, nil, "no", false},
		"nothing was deployed": {&one, &two, neverDeployed, "", false},
		"taken away":           {&one, nil, nil, "", false},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Spec.Job.InitialSavepointPath, s.Resource.Spec.Job.SavepointRedeployNonce = "s3://a", row.was
			deployed(t, s)
			if s.Resource.Spec.Job.SavepointRedeployNonce = row.is; row.then != nil {
				row.then(s)
			}
		})
		v.Problem = row.problem
		if got := Goal(v).choosesState(); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}
