package health

import (
	"testing"
	"time"
)

// at is a time some seconds into the tests.
func at(seconds int) time.Time { return time.Unix(int64(1_700_000_000+seconds), 0) }

// based is the record of a first look.
func based(seconds int, restarts int64) *Record {
	r := Judge(nil, Options{}, at(seconds), Seen{Restarts: restarts})
	return &r
}

func TestRestarts(t *testing.T) {
	rows := map[string]struct {
		last         *Record
		window       time.Duration
		threshold    int64
		now          int
		restarts     int64
		healthy      bool
		base, baseAt int64
		reason       string
	}{
		"the first look": {nil, time.Minute, 1, 60, 100, true, 100, 60, "nothing to compare with"},
		"as many as allowed": {
			based(0, 0), 5 * time.Minute, 100, 120, 100, true, 0, 0, "the threshold itself is allowed",
		},
		"one more": {
			based(0, 0), 5 * time.Minute, 100, 120, 101, false, 0, 0, "the base stays within the window",
		},
		"in twice the window": {
			based(0, 0), time.Minute, 100, 120, 500, false, 500, 120, "half of them fell into one window",
		},
		"too few in twice the window": {
			based(0, 0), time.Minute, 250, 120, 501, true, 501, 120, "scaled to 250.5, cut to 250",
		},
		"at the very end of the window": {
			based(0, 0), 2 * time.Minute, 64, 120, 65, false, 0, 0, "the base is not older than the window",
		},
		"fewer than before": {
			based(0, 50), time.Minute, 1, 30, 10, true, 10, 30, "another process counts from nothing",
		},
		"none since long ago": {
			based(0, 7), time.Minute, 1, 86400, 7, true, 7, 86400, "a job that does not restart",
		},
		"a burst after a quiet day": {
			based(0, 0), 2 * time.Minute, 64, 86400, 100, true, 100, 86400,
			"it is not known when in the day: counted from here on",
		},
		"a younger record": {
			based(60, 0), time.Minute, 1, 30, 100, true, 0, 60, "a clock is wrong: nothing is concluded",
		},
		"at the same moment": {
			based(60, 0), time.Minute, 1, 60, 2, false, 0, 60, "no time has passed and nothing is scaled",
		},
		"an unhealthy one that gets on": {
			&Record{TimeStamp: at(0).UnixMilli(), NumRestartsEvaluationTimeStamp: at(0).UnixMilli()}, time.Minute, 1, 30, 0,
			true, 0, 0, "the verdict is of this look",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := Judge(
				row.last, Options{RestartsWindow: row.window, RestartsThreshold: row.threshold}, at(row.now),
				Seen{Restarts: row.restarts},
			)
			if got.HealthResult.Healthy != row.healthy {
				t.Errorf("healthy %t (%s), want %t: %s", got.HealthResult.Healthy, got.Why(), row.healthy, row.reason)
			}
			if got.NumRestarts != row.base || got.NumRestartsEvaluationTimeStamp != at(int(row.baseAt)).UnixMilli() {
				t.Errorf(
					"base %d of %d, want %d of %d: %s", got.NumRestarts, got.NumRestartsEvaluationTimeStamp, row.base,
					at(int(row.baseAt)).UnixMilli(), row.reason,
				)
			}
		})
	}
}

// The rows of the Java operator: the job began, or completed its newest checkpoint, at base; it is now 240 s.
func TestCheckpointProgress(t *testing.T) {
	rows := []struct {
		base                      int
		window, interval, timeout int // seconds; 0 is unset
		tolerable                 int
		healthy                   bool
	}{
		{120, 60, 30, 30, 0, false}, {120, 60, 0, 30, 0, false}, {120, 0, 30, 30, 0, false}, {120, 0, 0, 30, 0, true},
		{120, 60, 60, 30, 0, true}, {10, 60, 60, 30, 0, false}, {120, 60, 30, 10, 3, true}, {10, 60, 30, 10, 3, false},
		{120, 60, 30, 60, 0, true}, {10, 60, 30, 60, 0, false}, {120, 60, 10, 30, 3, true}, {10, 60, 10, 30, 3, false},
		{120, 180, 30, 30, 0, true},
	}
	for _, row := range rows {
		c := Checkpointing{
			Window: seconds(row.window), Interval: seconds(row.interval), Timeout: seconds(row.timeout),
			Tolerable: row.tolerable,
		}
		o := Options{RestartsWindow: time.Minute, RestartsThreshold: 64, ProgressWindow: c.ProgressWindow()}
		got := Judge(based(0, 0), o, at(240), Seen{Progress: at(row.base)})
		if got.HealthResult.Healthy != row.healthy {
			t.Errorf("%+v: healthy %t (%s)", row, got.HealthResult.Healthy, got.Why())
		}
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func TestProgressIsFlinksOwnTime(t *testing.T) {
	o := Options{RestartsWindow: time.Minute, RestartsThreshold: 64, ProgressWindow: time.Minute}
	first := Judge(nil, o, at(0), Seen{Checkpoints: 3, Progress: at(-10)})
	if got := Judge(&first, o, at(3600), Seen{Checkpoints: 3, Progress: at(3590)}); !got.HealthResult.Healthy {
		t.Errorf("a checkpoint ten seconds ago is progress, whatever was seen an hour ago: %s", got.Text())
	}
	if got := Judge(&first, o, at(3600), Seen{}); !got.HealthResult.Healthy {
		t.Errorf("a job without checkpoints cannot fail to complete them: %s", got.Text())
	}
	both := Judge(&first, o, at(120), Seen{Restarts: 10_000, Progress: at(0)})
	if want := "Restart count hit threshold: 64|Cluster is not able to complete checkpoints"; both.Why() != want {
		t.Errorf("got %q, want %q", both.Why(), want)
	}
}

func TestTheTextIsTheJavaOperators(t *testing.T) {
	r := Judge(nil, Options{}, at(0), Seen{Restarts: 2, Checkpoints: 5, Progress: at(-1)})
	want := `{"timeStamp":1700000000000,"numRestarts":2,"numRestartsEvaluationTimeStamp":1700000000000,` +
		`"numCompletedCheckpoints":5,` +
		`"numCompletedCheckpointsIncreasedTimeStamp":1699999999000,"healthResult":{"healthy":true,"error":null}}`
	if r.Text() != want {
		t.Errorf("got  %s\nwant %s", r.Text(), want)
	}
	if back, ok := Parse(want); !ok || back != r {
		t.Errorf("read back as %+v, %t", back, ok)
	}
	for _, text := range []string{"", "{", "{}", `{"timeStamp":0,"numRestarts":4}`, `"text"`} {
		if _, ok := Parse(text); ok {
			t.Errorf("%q is taken for a record", text)
		}
	}
}

func TestWhatIsNews(t *testing.T) {
	base := Judge(nil, Options{}, at(0), Seen{Restarts: 2, Checkpoints: 5, Progress: at(-1)})
	later, more, ill := base, base, base
	later.TimeStamp, later.NumRestartsEvaluationTimeStamp, later.NumCompletedCheckpoints = 9e12, 9e12, 99
	more.NumRestarts = 3
	why := "no"
	ill.HealthResult = Result{Error: &why}
	rows := map[string]struct {
		a, b string
		same bool
	}{
		"times and checkpoints":  {base.Text(), later.Text(), true},
		"restarts":               {base.Text(), more.Text(), false},
		"the verdict":            {base.Text(), ill.Text(), false},
		"a first record":         {"", base.Text(), false},
		"no record":              {"", "", true},
		"one that is dropped":    {base.Text(), "", false},
		"one that is unreadable": {"{", base.Text(), false},
	}
	for name, row := range rows {
		if got := SameMeaning(row.a, row.b); got != row.same {
			t.Errorf("%s: same %t, want %t", name, got, row.same)
		}
	}
}

// Of a record without a text people read what the Java operator says then.
func TestWhy(t *testing.T) {
	empty, text := "", "no checkpoint"
	rows := map[string]struct {
		result Result
		want   string
	}{
		"healthy": {Result{Healthy: true, Error: &text}, ""}, "without a text": {Result{}, "Restarting unhealthy job"},
		"with an empty one": {Result{Error: &empty}, "Restarting unhealthy job"}, "with one": {Result{Error: &text}, text},
	}
	for name, row := range rows {
		if got := (Record{HealthResult: row.result}).Why(); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The first record is news, and so is that it is gone.
func TestTheFirstRecordIsNews(t *testing.T) {
	record := Record{TimeStamp: 1}.Text()
	if SameMeaning("", record) || SameMeaning(record, "") || !SameMeaning("", "") {
		t.Error("want both to be news")
	}
}
