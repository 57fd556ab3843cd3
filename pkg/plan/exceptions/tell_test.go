package exceptions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func ms(n int64) time.Time { return time.UnixMilli(n) }

// failures are entries whose first line tells when they were.
func failures(at ...int64) []Entry {
	var all []Entry
	for _, n := range at {
		all = append(
			all, Entry{At: ms(n), StackTrace: fmt.Sprintf("java.io.IOException: at %d\n\tat a.B.c(B.java:1)\n", n)},
		)
	}
	return all
}

func TestTell(t *testing.T) {
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixMilli() }
	job := Job{ID: "j", Modified: ms(5000)}
	usual := Options{Limit: 10, Lines: 1}
	rows := map[string]struct {
		last    *Record
		entries []Entry
		options Options
		told    []int64
		newest  int64
		reason  string
	}{
		"nothing failed": {nil, nil, usual, nil, 0, ""},
		"only what is newer": {
			&Record{JobID: "j", Newest: 2500}, failures(1000, 2000, 3000), usual, []int64{3000}, 3000, "",
		},
		"what was told": {
			&Record{JobID: "j", Newest: 3000}, failures(1000, 2000, 3000), usual, nil, 3000, "each once",
		},
		"newest first": {
			&Record{JobID: "j"}, failures(1000, 3000, 2000), usual, []int64{3000, 2000, 1000}, 3000, "",
		},
		"no more than the limit": {
			&Record{JobID: "j"}, failures(1000, 2000, 3000), Options{Limit: 2, Lines: 1}, []int64{3000, 2000}, 3000,
			"older ones are given up",
		},
		"another job": {
			&Record{JobID: "i", Newest: 9000}, failures(1000), usual, []int64{1000}, 1000, "it began under our eyes",
		},
		"a first look, an hour ago": {nil, failures(ago(time.Hour)), usual, nil, ago(time.Hour), "history of before"},
		"a first look, a minute ago": {
			nil, failures(ago(time.Minute)), usual, []int64{ago(time.Minute)}, ago(time.Minute), "what a user looks for now",
		},
		"a first look, both": {
			nil, failures(ago(time.Hour), ago(time.Minute)), usual, []int64{ago(time.Minute)}, ago(time.Minute), "",
		},
		"none at all": {&Record{JobID: "j"}, failures(1000), Options{}, nil, 1000, "switched off"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			record, events := Tell(row.last, job, row.entries, row.options, now)
			var told []int64
			for _, e := range events {
				var at int64
				if _, err := fmt.Sscanf(e.Message, "java.io.IOException: at %d", &at); err != nil {
					t.Fatal(err)
				}
				told = append(told, at)
				if !e.Warning || e.Reason != "JobException" || e.Component != "Job" ||
					!strings.HasPrefix(e.Key, "jobmanager-exception-") ||
					e.Annotations["exception-timestamp"] != ms(at).UTC().Format(time.RFC3339Nano) {
					t.Errorf("event %+v", e)
				}
			}
			if diff := cmp.Diff(row.told, told); diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.reason, diff)
			}
			if want := (Record{JobID: "j", Newest: row.newest, Modified: 5000}); record != want {
				t.Errorf("record %+v, want %+v: %s", record, want, row.reason)
			}
			if again, more := Tell(&record, job, row.entries, row.options, now); again != record || len(more) != 0 {
				t.Errorf("told again: %+v, %+v", again, more)
			}
		})
	}
}

// What an event says
func TestMessages(t *testing.T) {
	rows := map[string]struct {
		trace string
		lines int
		want  string
	}{
		"two of four":   {"a\nb\nc\nd", 2, "a\nb\n... (2 more lines)"},
		"all":           {"a\nb\n", 5, "a\nb"},
		"exactly":       {"a\nb", 2, "a\nb"},
		"none":          {"a\nb", 0, "... (2 more lines)"},
		"nothing there": {"", 5, ""},
		"of Windows":    {"a\r\nb\r\nc", 1, "a\n... (2 more lines)"},
		"too long":      {strings.Repeat("ä", 2000) + "\nb", 1, strings.Repeat("ä", 490) + "... (1 more lines)"},
		"too long, odd": {"a" + strings.Repeat("ä", 2000), 1, "a" + strings.Repeat("ä", 499)},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := firstLines(row.trace, row.lines)
			if got != row.want && (name != "too long" || len(got) > mostMessage ||
				!strings.HasSuffix(got, "(1 more lines)")) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// What an event is annotated with
func TestAnnotations(t *testing.T) {
	e := Entry{At: ms(1_700_000_000_123), StackTrace: "x", TaskName: "Source (1/2)", Endpoint: "10.0.0.7:6122",
		TaskManagerID: "demo-taskmanager-1-1",
		Labels: map[string]string{
			"type": "USER", "a key/with: things": "v", strings.Repeat("k", 90): "long", "ends-": "e",
		}}
	got := makeEvent(e, 5).Annotations
	want := map[string]string{
		"exception-timestamp": "2023-11-14T22:13:20.123Z", "task-name": "Source (1/2)", "endpoint": "10.0.0.7:6122",
		"tm-id":              "demo-taskmanager-1-1",
		"failure-label-type": "USER", "failure-label-a-key-with--things": "v",
		"failure-label-" + strings.Repeat("k", 49): "long", "failure-label-ends": "e",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := makeEvent(Entry{At: ms(0), StackTrace: "x"}, 5).Annotations; len(got) != 1 {
		t.Errorf("a failure of the whole job names no task: %v", got)
	}
}

// What Kubernetes takes in the name of an annotation stays, up to both ends of each range; all else becomes a dash.
func TestNamesOfLabels(t *testing.T) {
	if got, want := annotationKey("x@AZ[`az{/09:-_.x"), "x-AZ--az--09--_.x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A text that is no record of a job counts as none.
func TestParse(t *testing.T) {
	for _, text := range []string{"", "x", "{}", `{"jobId":"j","newest":"x"}`} {
		if got := Parse(text); got != nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func TestEqualTextsAreOneEvent(t *testing.T) {
	entries := []Entry{{At: ms(2000), StackTrace: "x", TaskName: "new"}, {At: ms(1000), StackTrace: "x", TaskName: "old"}}
	record, events := Tell(&Record{JobID: "j"}, Job{ID: "j"}, entries, Options{Limit: 10, Lines: 5}, now)
	if len(events) != 1 || events[0].Annotations["task-name"] != "new" || record.Newest != 2000 {
		t.Errorf("got %+v, %+v", record, events)
	}
}

func TestDue(t *testing.T) {
	asked := &Record{JobID: "j", Modified: 5000}
	rows := map[string]struct {
		last   *Record
		job    Job
		want   bool
		reason string
	}{
		"steady":         {asked, Job{ID: "j", Modified: ms(5000)}, false, "no task changed, so none failed"},
		"a task changed": {asked, Job{ID: "j", Modified: ms(6000)}, true, ""},
		"a task changed a moment ago": {
			&Record{JobID: "j", Modified: now.UnixMilli() - 1}, Job{ID: "j", Modified: ms(now.UnixMilli() - 1)}, true,
			"the first answer may have been of before it failed",
		},
		"a task changed, and a steady tick was since": {
			&Record{JobID: "j", Modified: now.UnixMilli() - 120_000}, Job{ID: "j", Modified: ms(now.UnixMilli() - 120_000)},
			false, "the second answer was not",
		},
		"nobody asked yet":   {nil, Job{ID: "j", Modified: ms(5000)}, true, ""},
		"another job":        {&Record{JobID: "i", Modified: 5000}, Job{ID: "j", Modified: ms(5000)}, true, ""},
		"Flink does not say": {asked, Job{ID: "j"}, false, "a job that is being set up has no tasks"},
		"it has ended": {
			asked, Job{ID: "j", Ended: true, Moved: true, End: now.Add(-time.Hour)}, true,
			"the state before was not terminal",
		},
		"it had ended": {
			asked, Job{ID: "j", Ended: true, End: now.Add(-time.Hour), Modified: ms(6000)}, false,
			"the state before was terminal",
		},
		"it had ended a moment ago": {
			asked, Job{ID: "j", Ended: true, End: now.Add(-time.Second)}, true, "the first answer may have been an old one",
		},
		"it had ended two minutes ago": {
			asked, Job{ID: "j", Ended: true, End: now.Add(-2 * time.Minute)}, false, "no cache is that old",
		},
		"it has FAILED, and that is not told": {
			asked, Job{ID: "j", Ended: true, Failed: true, End: now.Add(-29 * time.Minute)}, true,
			"no status could be stored since",
		},
		"it has FAILED, and that is told": {
			&Record{JobID: "j", Newest: now.Add(-30 * time.Minute).UnixMilli()},
			Job{ID: "j", Ended: true, Failed: true, End: now.Add(-29 * time.Minute)}, false, "its tasks took a minute to end",
		},
		"it has FAILED long ago": {
			asked, Job{ID: "j", Ended: true, Failed: true, End: now.Add(-30 * time.Minute)}, false, "that is history",
		},
		"another job than was asked for has FAILED": {
			&Record{JobID: "i", Newest: now.UnixMilli()},
			Job{ID: "j", Ended: true, Failed: true, End: now.Add(-29 * time.Minute)}, true, "nothing is told of this one",
		},
		"it ended, and nobody asked": {
			nil, Job{ID: "j", Ended: true, End: now.Add(-time.Hour)}, false, "history of before",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := Due(row.last, row.job, now); got != row.want {
				t.Errorf("%t: %s", got, row.reason)
			}
		})
	}
}

func TestSameMeaning(t *testing.T) {
	text := func(id string, newest, modified int64) string { return Record{id, newest, modified}.Text() }
	rows := map[string]struct {
		old, next string
		want      bool
		reason    string
	}{
		"asked again": {
			text("j", 0, 1), text("j", 0, 2), true, "the tasks of a batch job change all the time",
		},
		"told": {
			text("j", 0, 1), text("j", 2, 1), false, "what was told must be known to the next function",
		},
		"asked again after it was told": {text("j", 2, 1), text("j", 2, 3), false, "once, so that no look asks again"},
		"and after that":                {text("j", 2, 3), text("j", 2, 4), true, ""},
		"asked again in that moment":    {text("j", 2, 1), text("j", 2, 2), false, "that it was asked for is stored"},
		"and after that moment":         {text("j", 2, 2), text("j", 2, 3), true, ""},
		"another job":                   {text("i", 2, 3), text("j", 2, 3), false, ""},
		"first":                         {"", text("j", 0, 1), false, ""},
		"never":                         {"", "", true, ""},
		"of somebody else":              {"x", text("j", 0, 1), false, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := SameMeaning(row.old, row.next); got != row.want {
				t.Errorf("%t: %s", got, row.reason)
			}
		})
	}
}

// However looks and failures interleave, each failure that a look finds among the newest is told once.
func TestEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var history []Entry
		last := &Record{JobID: "j"}
		told := map[string]int{}
		at := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			for range rapid.IntRange(0, 4).Draw(t, "failures") {
				at += rapid.Int64Range(1, 5).Draw(t, "later")
				history = append(history, failures(at)...)
			}
			record, events := Tell(last, Job{ID: "j"}, history, Options{Limit: 100, Lines: 1}, now)
			for _, e := range events {
				told[e.Message]++
			}
			last = Parse(record.Text())
		}
		for _, e := range history {
			if n := told[firstLines(e.StackTrace, 1)]; n != 1 {
				t.Fatalf("%s was told %d times", e.StackTrace, n)
			}
		}
	})
}
