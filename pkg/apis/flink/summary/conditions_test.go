package summary

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

var (
	monday  = time.Date(2026, 1, 5, 8, 0, 0, 123456789, time.UTC)
	tuesday = monday.Add(24 * time.Hour)
)

func condition(conditionType string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message}
}

func yes(conditionType string) metav1.Condition {
	return condition(conditionType, metav1.ConditionTrue, "Fine", "it is")
}

func no(conditionType, reason string) metav1.Condition {
	return condition(conditionType, metav1.ConditionFalse, reason, "because of "+reason)
}

func types(list []metav1.Condition) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Type)
	}
	return strings.Join(names, " ")
}

func TestReadyIsDerived(t *testing.T) {
	unknown := condition(ClusterAvailable, metav1.ConditionUnknown, "CannotLook", "no answer")
	rows := map[string]struct {
		reason string
		list   []metav1.Condition
		status metav1.ConditionStatus
		why    string
	}{
		"nothing said": {"a kind without parts is ready unless something is wrong", nil, "True", Ready},
		"all well": {
			"every part is true",
			[]metav1.Condition{yes(SpecAccepted), yes(ClusterAvailable), yes(JobRunning), yes(StateSafe)}, "True", Ready,
		},
		"stalled": {
			"stalled beats everything",
			[]metav1.Condition{
				condition(Reconciling, "True", "Deploying", ""), condition(Stalled, "True", "NodeUnreachable", "n"),
				no(JobRunning, "Failed"),
			},
			"False", "NodeUnreachable",
		},
		"reconciling": {
			"under way is not ready, even when all parts are",
			[]metav1.Condition{condition(Reconciling, "True", "Upgrading", ""), yes(JobRunning)}, "False", "Upgrading",
		},
		"stalled false": {"says nothing", []metav1.Condition{no(Stalled, "Fine"), yes(JobRunning)}, "True", Ready},
		"invalid spec": {
			"the running job has the old spec",
			[]metav1.Condition{no(SpecAccepted, "Invalid"), yes(ClusterAvailable), yes(JobRunning)}, "False", "Invalid",
		},
		"cluster down": {
			"comes before the job", []metav1.Condition{no(ClusterAvailable, "Missing"), no(JobRunning, "Unknown")}, "False",
			"Missing",
		},
		"job down": {
			"the cluster alone is not enough", []metav1.Condition{yes(ClusterAvailable), no(JobRunning, "Restarting")},
			"False", "Restarting",
		},
		"cannot look": {
			"not known is not ready and not unready", []metav1.Condition{unknown, yes(JobRunning)}, "Unknown", "CannotLook",
		},
		"cannot look, job down": {
			"what is known to be wrong wins over what is not known", []metav1.Condition{unknown, no(JobRunning, "Failed")},
			"False", "Failed",
		},
		"suspended": {
			"the spec asks for it",
			[]metav1.Condition{yes(SpecAccepted), no(ClusterAvailable, ReasonSuspended), no(JobRunning, ReasonSuspended)},
			"True", ReasonSuspended,
		},
		"finished": {
			"a batch job that ended well is as wanted",
			[]metav1.Condition{yes(ClusterAvailable), no(JobRunning, ReasonFinished)}, "True", ReasonFinished,
		},
		"finished, cannot look": {
			"not known wins over what is settled", []metav1.Condition{unknown, no(JobRunning, ReasonFinished)}, "Unknown",
			"CannotLook",
		},
		"suspended spec refused": {
			"that reason settles nothing for a spec", []metav1.Condition{no(SpecAccepted, ReasonSuspended)}, "False",
			ReasonSuspended,
		},
		"state not safe": {
			"a job runs before its first checkpoint", []metav1.Condition{yes(JobRunning), no(StateSafe, "NoCheckpoint")},
			"True", Ready,
		},
		"Running false": {
			"the reference's condition has no say", []metav1.Condition{no(Running, "Reconciling"), yes(JobRunning)}, "True",
			Ready,
		},
	}
	for name, row := range rows {
		got := DeriveReady(row.list)
		if got.Type != Ready || got.Status != row.status || got.Reason != row.why {
			t.Errorf("%s (%s): %s %s, want %s %s", name, row.reason, got.Status, got.Reason, row.status, row.why)
		}
		list := SetConditions(nil, At{Now: monday, Generation: 1}, row.list...)
		if err := CheckConditions(list, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSetConditionsOrderAndContent(t *testing.T) {
	foreign := condition("example.org/Audited", "True", "Yes", "kept as it is")
	foreign.LastTransitionTime = metav1.NewTime(monday)
	old := []metav1.Condition{foreign, yes(Reconciling), yes("Another")}
	wanted := []metav1.Condition{yes(StateSafe), yes(Running), yes(JobRunning), yes(SpecAccepted), no(Ready, "Ignored")}
	got := SetConditions(old, At{Now: tuesday, Generation: 7}, wanted...)
	if names := types(got); names != "Running Ready SpecAccepted JobRunning StateSafe Another example.org/Audited" {
		t.Errorf("conditions: %s", names)
	}
	for _, c := range got {
		switch {
		case c.Type == foreign.Type:
			if !cmp.Equal(c, foreign) {
				t.Errorf("a foreign condition changed: %s", cmp.Diff(foreign, c))
			}
		case c.Type == Running:
			if c.ObservedGeneration != 0 {
				t.Errorf("Running has observed generation %d, the reference leaves it out", c.ObservedGeneration)
			}
		case c.Type == Ready:
			if c.Status != metav1.ConditionTrue || c.ObservedGeneration != 7 {
				t.Errorf("Ready was set, not derived: %+v", c)
			}
		case c.Type == JobRunning:
			if c.ObservedGeneration != 7 || !c.LastTransitionTime.Time.Equal(tuesday.Truncate(time.Second)) {
				t.Errorf("JobRunning: %+v", c)
			}
		}
	}
}

func TestTransitionTimes(t *testing.T) {
	since := func(c metav1.Condition, at time.Time) metav1.Condition {
		c.LastTransitionTime = metav1.NewTime(at)
		return c
	}
	rows := map[string]struct {
		reason string
		old    []metav1.Condition
		wanted metav1.Condition
		want   time.Time
	}{
		"new": {"it begins now, in whole seconds", nil, yes(JobRunning), tuesday.Truncate(time.Second)},
		"same status": {
			"kept to the nanosecond as the reference wrote it", []metav1.Condition{since(yes(JobRunning), monday)},
			yes(JobRunning), monday,
		},
		"same status, other": {
			"reason and message do not count", []metav1.Condition{since(no(JobRunning, "A"), monday)}, no(JobRunning, "B"),
			monday,
		},
		"status changed": {
			"it begins now", []metav1.Condition{since(yes(JobRunning), monday)}, no(JobRunning, "A"),
			tuesday.Truncate(time.Second),
		},
		"there twice": {
			"the first entry counts",
			[]metav1.Condition{since(yes(JobRunning), monday), since(yes(JobRunning), monday.Add(time.Hour))},
			yes(JobRunning), monday,
		},
		"only others": {
			"their times are theirs", []metav1.Condition{since(yes(StateSafe), monday)}, yes(JobRunning),
			tuesday.Truncate(time.Second),
		},
		"same without time": {
			"a missing time is filled in", []metav1.Condition{yes(JobRunning)}, yes(JobRunning),
			tuesday.Truncate(time.Second),
		},
		"odd status is Unknown": {
			"text we do not know", []metav1.Condition{since(condition(JobRunning, "Unknown", "A", ""), monday)},
			condition(JobRunning, "perhaps", "A", ""), monday,
		},
	}
	for name, row := range rows {
		before := slices.Clone(row.old)
		got := find(SetConditions(row.old, At{Now: tuesday, Generation: 1}, row.wanted), JobRunning)
		if !got.LastTransitionTime.Time.Equal(row.want) {
			t.Errorf("%s (%s): %s, want %s", name, row.reason, got.LastTransitionTime, row.want)
		}
		if diff := cmp.Diff(before, row.old); diff != "" {
			t.Errorf("%s: the old list was changed:\n%s", name, diff)
		}
	}
}

func TestAbnormalConditionsWhileTrue(t *testing.T) {
	rows := map[string]struct {
		reason string
		wanted []metav1.Condition
		want   string
	}{
		"false ones": {"absent means false", []metav1.Condition{no(Reconciling, "A"), no(Stalled, "B")}, "Ready"},
		"both": {
			"they exclude each other; stalled is the one to see", []metav1.Condition{yes(Reconciling), yes(Stalled)},
			"Ready Stalled",
		},
		"reconciling": {"under way", []metav1.Condition{yes(Reconciling), no(Stalled, "B")}, "Ready Reconciling"},
		"twice":       {"the first counts", []metav1.Condition{yes(JobRunning), no(JobRunning, "A")}, "Ready JobRunning"},
	}
	for name, row := range rows {
		got := SetConditions([]metav1.Condition{yes(Stalled)}, At{Now: monday, Generation: 1}, row.wanted...)
		if types(got) != row.want {
			t.Errorf("%s (%s): %s", name, row.reason, types(got))
		}
	}
}

func TestOneLine(t *testing.T) {
	rows := map[string]struct {
		reason, text string
		limit        int
		want         string
	}{
		"short":          {"stays", "a b", 10, "a b"},
		"lines":          {"become one", " a\n\tb\r\n\r\nc ", 10, "a b c"},
		"control":        {"bytes that break terminals go", "a\x00\x1b\u0085\u2028b", 10, "a b"},
		"cut":            {"ends in an ellipsis within the limit", "0123456789", 9, "012345…"},
		"exactly":        {"is not cut", "0123456789", 10, "0123456789"},
		"cut in a rune":  {"never inside a character", "ääääää", 10, "äää…"},
		"no room":        {"not even for the ellipsis", "0123456789", 3, ""},
		"invalid UTF-8":  {"is replaced", "a\xffb", 10, "a\uFFFDb"},
		"nothing":        {"stays nothing", "", 0, ""},
		"only the break": {"is nothing", "\n \n", 5, ""},
	}
	for name, row := range rows {
		got := OneLine(row.text, row.limit)
		if got != row.want || len(got) > max(row.limit, 0) {
			t.Errorf("%s (%s): %q (%d bytes)", name, row.reason, got, len(got))
		}
	}
}

// Whatever is wanted, the list passes the checker, and setting it again one day
// later changes nothing: an unchanged world writes no status.
func TestSetConditionsProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		statuses := rapid.SampledFrom([]metav1.ConditionStatus{"True", "False", "Unknown", "", "odd"})
		conditions := rapid.SliceOf(rapid.Custom(func(rt *rapid.T) metav1.Condition {
			return condition(rapid.SampledFrom(order).Draw(rt, "type"), statuses.Draw(rt, "status"),
				rapid.OneOf(rapid.Just("Suspended"), rapid.String()).Draw(rt, "reason"), rapid.String().Draw(rt, "message"))
		}))
		generation := rapid.Int64Range(1, 1<<40).Draw(rt, "generation")
		old, wanted := conditions.Draw(rt, "old"), conditions.Draw(rt, "wanted")
		list := SetConditions(old, At{Now: monday, Generation: generation}, wanted...)
		if err := CheckConditions(list, generation); err != nil {
			rt.Fatalf("%v", err)
		}
		for _, c := range list {
			if len(c.Message) > MaxMessageLength || !utf8.ValidString(c.Message) {
				rt.Fatalf("message %q", c.Message)
			}
		}
		again := SetConditions(list, At{Now: tuesday, Generation: generation}, wanted...)
		if diff := cmp.Diff(list, again); diff != "" {
			rt.Fatalf("setting the same again changes the list:\n%s", diff)
		}
	})
}
