package job

import (
	"testing"
	"time"
)

// runsFrom is a job that began from a savepoint and runs, with a checkpoint when that is asked for.
func runsFrom(t *testing.T, claim string, checkpoint bool) (*Job, *Storage, func() time.Time) {
	t.Helper()
	storage, now := NewStorage(), time.Unix(1000, 0)
	later := func() time.Time { now = now.Add(time.Second); return now }
	from := Snapshot{Path: "s3://s/savepoint-from", Savepoint: true, Progress: 5}
	storage.Put(from)
	j := New(Options{
		ID: "0123456789abcdef0123456789abcdef", Parallelism: 1, CheckpointDir: "s3://c", Retain: RetainedOnCancellation,
		Attempts: 2, Claim: claim,
	}, storage, &from, now)
	j.Step(later(), true)
	if checkpoint {
		j.Begin(Trigger{ID: "1", Kind: OneCheckpoint}, now)
		j.Step(later(), true)
	}
	if j.State != Running || (j.Latest(false) != nil) != checkpoint {
		t.Fatalf("%s with %+v", j.State, j.Checkpoints)
	}
	return j, storage, later
}

// A fail-over finds what it goes back to, or the job fails as often as it may.
func TestAFailOverReadsTheFiles(t *testing.T) {
	rows := map[string]struct {
		claim      string
		checkpoint bool
		disposed   bool
		want       State
	}{
		"of what it began from":                                       {"", false, false, Running},
		"of what it began from, which is gone":                        {"", false, true, Failed},
		"of a checkpoint, and what it began from is gone":             {"", true, true, Running},
		"of a checkpoint that claims nothing":                         {NoClaim, true, true, Running},
		"of a checkpoint that is built on what it began from":         {Legacy, true, true, Failed},
		"of a checkpoint that is built on what Flink claimed":         {Claimed, true, false, Running},
		"of a checkpoint that is built on a legacy one that is there": {Legacy, true, false, Running},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j, storage, later := runsFrom(t, row.claim, row.checkpoint)
			if row.disposed && !storage.Dispose(j.From.Path) {
				t.Fatal("it was not there")
			}
			j.Restart("X", "no such topic", later())
			for range 10 {
				j.Step(later(), true)
			}
			if j.State != row.want {
				t.Errorf("%s, want %s; it goes back to %+v", j.State, row.want, j.Restored)
			}
		})
	}
}

// What Flink has claimed it removes, and what is built on its files is whole all the same.
func TestWhatIsClaimedGoesWithTheFirstCheckpoint(t *testing.T) {
	for claim, there := range map[string]bool{"": true, NoClaim: true, Legacy: true, Claimed: false} {
		j, storage, _ := runsFrom(t, claim, true)
		if _, found := storage.Get(j.From.Path); found != there {
			t.Errorf("%q: the savepoint is there: %t, want %t", claim, found, there)
		}
		if _, found := storage.Get(j.Latest(false).Path); !found {
			t.Errorf("%q: the checkpoint is not whole", claim)
		}
	}
}
