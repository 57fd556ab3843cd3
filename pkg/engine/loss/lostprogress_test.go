package loss

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// A checkpoint may be one of the run that was restored from it when its number is not below that of its first one.
func TestWhichCheckpointsMayBeOfTheRun(t *testing.T) {
	rows := map[string]struct {
		first, restored, times int64
		want                   bool
	}{
		"it has made none":                      {0, 7, 2, false},
		"an older one":                          {5, 4, 2, false},
		"its first one":                         {5, 5, 2, true},
		"a later one":                           {5, 6, 2, true},
		"as it began, its numbers do not":       {5, 5, 1, false},
		"as it began, and its numbers do":       {1, 1, 1, true},
		"as it began, or after its second one":  {2, 2, 1, false},
		"again, and its numbers began with one": {1, 3, 2, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			c := world.Checkpoints{First: row.first, Restored: &world.Restored{Number: row.restored, Times: row.times}}
			if got := mayBeOwnOf(c); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

func TestWhichNumbersBeganAnew(t *testing.T) {
	rows := map[string]struct {
		known string // the newest known checkpoint; empty: none
		first int64
		want  bool
	}{
		"with one":                       {"", 1, true},
		"with another, and none known":   {"", 4, false},
		"with one, after a known one":    {"s3://c/chk-7", 1, true},
		"with one, after one unnumbered": {"s3://c/savepoint-x", 1, true},
		"after the known one":            {"s3://c/chk-7", 8, false},
		"with the known one":             {"s3://c/chk-7", 7, true},
		"after one unnumbered":           {"s3://c/savepoint-x", 2, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.known != "" {
					s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a", Path: row.known}
				}
			})
			if got := beganAnew(v, row.first); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// Flink refuses to begin a job that was to start from its last state, where that is gone.
func TestWhichJobWasRefused(t *testing.T) {
	rows := map[string]struct {
		from  string
		state v1beta1.FlinkJobState
		want  bool
	}{
		"failed, from its last state": {v1beta1.LastStatePlaceholder, v1beta1.FlinkJobFailed, true},
		"failed, from a savepoint":    {"s3://s/1", v1beta1.FlinkJobFailed, false},
		"runs, from its last state":   {v1beta1.LastStatePlaceholder, v1beta1.FlinkJobRunning, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.JobStatus.UpgradeSavepointPath = row.from })
			v.Job = &world.Job{State: row.state}
			if got := refusedToBegin(v); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// The statistics of a job that has ended show what it was restored from once they are of after its end, unless it never
// had tasks.
func TestWhenStatisticsShowARestore(t *testing.T) {
	rows := map[string]struct {
		ago     time.Duration
		noGraph bool
		want    bool
	}{
		"ended long ago":                {time.Hour, false, true},
		"ended just now":                {0, false, false},
		"ended long ago, without tasks": {time.Hour, true, false},
		"ended just now, without tasks": {0, true, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Flink.NoGraph = row.noGraph })
			v.Job = &world.Job{State: v1beta1.FlinkJobFailed, EndTime: guesttest.Noon.Add(-row.ago)}
			if got := showsRestore(v); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// A start from the last state is suspected to begin from less than the job had; one from a path, or of a job whose
// state is given up, begins from what it is given.
func TestWhichStartIsSuspected(t *testing.T) {
	rows := map[string]struct {
		mode v1beta1.UpgradeMode
		from v1beta1.StartPoint
		want bool
	}{
		"from its last state": {v1beta1.UpgradeModeLastState, v1beta1.StartPoint{Kind: v1beta1.StartLastState}, true},
		"from a savepoint": {
			v1beta1.UpgradeModeLastState, v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://s/1"}, false,
		},
		"stateless": {v1beta1.UpgradeModeStateless, v1beta1.StartPoint{Kind: v1beta1.StartLastState}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Job.UpgradeMode = row.mode
				s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a", Path: "s3://c/chk-7"}
			})
			Starts(v, &v1beta1.Intent{Purpose: v1beta1.PurposeUpgrade, From: &row.from})
			if got := facts.Suspected(v.Want.LostProgress); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

func TestWhoGivesAStateUp(t *testing.T) {
	rows := map[string]struct {
		purpose v1beta1.IntentPurpose
		mode    v1beta1.UpgradeMode
		want    bool
	}{
		"a recovery":              {v1beta1.PurposeRecover, v1beta1.UpgradeModeSavepoint, false},
		"a recovery, stateless":   {v1beta1.PurposeRecover, v1beta1.UpgradeModeStateless, false},
		"an upgrade":              {v1beta1.PurposeUpgrade, v1beta1.UpgradeModeSavepoint, false},
		"a stateless upgrade":     {v1beta1.PurposeUpgrade, v1beta1.UpgradeModeStateless, true},
		"who chose another state": {v1beta1.PurposeRedeploy, v1beta1.UpgradeModeSavepoint, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Spec.Job.UpgradeMode = row.mode })
			if got := AbandonsState(v, &v1beta1.Intent{Purpose: row.purpose}); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// What a status that is too large would have told of lost progress is kept, unless its operation comes again, or as
// much is told.
func TestWhatIsKeptOfARefusedStatus(t *testing.T) {
	at := metav1.NewTime(guesttest.Noon)
	seen := &v1beta1.LostProgress{Before: "1", Seen: &at}
	unknown := &v1beta1.LostProgress{Before: "1", Unknown: &at}
	suspicion := &v1beta1.LostProgress{Before: "1", Suspected: &at}
	rows := map[string]struct {
		stored, refused *v1beta1.LostProgress
		start           string
		open, intent    string // operations
		want            bool
	}{
		"nothing was told":              {nil, seen, "2", "", "", true},
		"nothing was to be told":        {nil, nil, "2", "", "", false},
		"it has not begun":              {nil, seen, "", "", "", false},
		"less was told":                 {suspicion, seen, "2", "", "", true},
		"less was told, nobody knows":   {suspicion, unknown, "2", "", "", true},
		"nobody knew":                   {unknown, seen, "2", "", "", true},
		"as much was told":              {seen, seen, "2", "", "", false},
		"more was told":                 {seen, unknown, "2", "", "", false},
		"in the operation that is open": {nil, seen, "2", "op", "op", true},
		"in another one, which comes":   {nil, seen, "2", "op", "next", false},
		"in one that begins, none open": {nil, seen, "2", "", "next", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			of := func(operation string) *v1beta1.Intent {
				if operation == "" {
					return nil
				}
				return &v1beta1.Intent{OperationID: operation}
			}
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.LostProgress, s.Resource.Status.Intent = row.stored, of(row.open)
			})
			run := v1beta1.JobStatus{StartTime: row.start}
			if got := KeepFromRefused(v, run, row.refused, of(row.intent)); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// available is a host whose JobManager is ready since then.
type available struct {
	guesttest.Guest
	at time.Time
}

func (a *available) AvailableAt() metav1.Time { return metav1.NewTime(a.at) }

// A change waits for what a job was restored from for a minute, from when it was suspected and from when its JobManager
// was ready.
func TestHowLongAChangeWaitsForARestore(t *testing.T) {
	rows := map[string]struct {
		suspected, ready time.Duration
		want             bool
	}{
		"just suspected":         {time.Second, time.Hour, true},
		"just ready":             {time.Hour, time.Minute - 1, true},
		"ready for a minute":     {time.Hour, time.Minute, false},
		"suspected for a minute": {time.Minute, time.Hour, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				at := metav1.NewTime(guesttest.Noon.Add(-row.suspected))
				s.Resource.Status.LostProgress = &v1beta1.LostProgress{Suspected: &at}
			})
			v.Job, v.Host = &world.Job{
				State: v1beta1.FlinkJobRunning,
			}, &available{
				guesttest.Guest{Look: v},
				guesttest.Noon.Add(-row.ready),
			}
			if got := AwaitsRestore(v); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// A run that began without its data is told of once: of its start time, and where the loss is seen.
func TestLostDataIsToldOnce(t *testing.T) {
	at := metav1.NewTime(guesttest.Noon)
	rows := map[string]struct {
		stored *v1beta1.LostProgress
		start  string // that is stored; the run's is 2
		told   bool
	}{
		"nothing is told":           {nil, "2", false},
		"it is told":                {&v1beta1.LostProgress{Seen: &at}, "2", true},
		"it is suspected":           {&v1beta1.LostProgress{Suspected: &at}, "2", false},
		"that of an earlier run is": {&v1beta1.LostProgress{Seen: &at}, "1", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.LostProgress, s.Resource.Status.JobStatus.StartTime = row.stored, row.start
			})
			v.Want.JobStatus.StartTime = "2"
			loseOnce(v, dataAnother, "uid-2")
			if told := len(v.Events) == 0; told != row.told || v.Want.JobStatus.HighAvailabilityData.UID != "uid-2" {
				t.Errorf("told before: %t, want %t; %+v", told, row.told, v.Events)
			}
		})
	}
}
