package facts

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

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
		v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.JobStatus.SavepointInfo = row.info })
		if got := StateTaken(v, from); (got != nil) != row.want {
			t.Errorf("%s: taken at %v", name, got)
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
	on := func(s *world.Seen) {
		s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"kubernetes.operator.cluster.health-check.enabled":"true"}`,
		)
		guesttest.Deployed(t, s)
	}
	for name, row := range map[string]struct {
		then func(s *world.Seen)
		want bool
	}{
		"off":                  {func(*world.Seen) {}, false},
		"an application":       {on, true},
		"a session job":        {func(s *world.Seen) { on(s); s.Kind = v1beta1.JobKindFlinkSessionJob }, false},
		"a session cluster":    {func(s *world.Seen) { s.Resource.Spec.Job = nil; on(s) }, false},
		"nothing was deployed": {func(s *world.Seen) { on(s); guesttest.NeverDeployed(s) }, false},
	} {
		if got := HealthChecked(guesttest.NewLife(t, row.then)); got != row.want {
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
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.Job.UpgradeMode = row.mode
			guesttest.Deployed(t, s)
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
		if got := startedEmpty((*world.Look)(v)); got != row.empty {
			t.Errorf("%s: from nothing %t, want %t", name, got, row.empty)
		}
		if got := startedFromPath((*world.Look)(v)); got != row.from {
			t.Errorf("%s: from a path %t, want %t", name, got, row.from)
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
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{Purpose: row.purpose, Stop: row.stop, Ended: row.ended}
			if row.session {
				guesttest.SessionDeployed(t)(s)
			}
		})
		if got := HAGoesWithStop(v); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

// A state is chosen anew by a nonce that neither the spec acted on last nor the one that runs has.
func TestWhichSpecChoosesAState(t *testing.T) {
	one, two := int64(1), int64(2)
	for name, row := range map[string]struct {
		was, is *int64
		then    func(s *world.Seen)
		problem string
		want    bool
	}{
		"no nonce":             {nil, nil, nil, "", false},
		"the same":             {&one, &one, nil, "", false},
		"another":              {&one, &two, nil, "", true},
		"another, invalid":     {&one, &two, nil, "no", false},
		"nothing was deployed": {&one, &two, guesttest.NeverDeployed, "", false},
		"taken away":           {&one, nil, nil, "", false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.Job.InitialSavepointPath, s.Resource.Spec.Job.SavepointRedeployNonce = "s3://a", row.was
			guesttest.Deployed(t, s)
			if s.Resource.Spec.Job.SavepointRedeployNonce = row.is; row.then != nil {
				row.then(s)
			}
		})
		v.Problem = row.problem
		if got := ChoosesState(v); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}
