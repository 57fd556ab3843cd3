package summary

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func goodList() []metav1.Condition {
	return SetConditions(nil, At{Now: monday, Generation: 4}, yes(Running), yes(SpecAccepted), yes(JobRunning))
}

func TestCheckConditionsAcceptsWhatWeSet(t *testing.T) {
	if err := CheckConditions(goodList(), 4); err != nil {
		t.Error(err)
	}
	foreign := metav1.Condition{Type: "zzz", Status: "odd", Message: "two\nlines", ObservedGeneration: 99}
	if err := CheckConditions(append(goodList(), foreign), 4); err != nil {
		t.Errorf("a condition of someone else is none of our business: %v", err)
	}
}

func TestCheckConditionsFindsEachFault(t *testing.T) {
	edit := func(conditionType string, change func(*metav1.Condition)) []metav1.Condition {
		list := goodList()
		change(find(list, conditionType))
		return list
	}
	with := func(extra ...metav1.Condition) []metav1.Condition {
		list := goodList()
		for _, c := range extra {
			list = append(list, finish(c, nil, At{Now: monday, Generation: 4}))
		}
		return list
	}
	rows := map[string]struct {
		reason string
		list   []metav1.Condition
		says   string
	}{
		"no Ready": {"kstatus needs it", nil, "Ready is missing"},
		"Ready not derived": {
			"it contradicts the others", edit(JobRunning, func(c *metav1.Condition) { c.Status = metav1.ConditionFalse }),
			"the others make it False",
		},
		"Ready message": {
			"the whole condition is derived", edit(Ready, func(c *metav1.Condition) { c.Message = "hand-made" }),
			"the others make it",
		},
		"both abnormal":      {"kstatus cannot show both", with(yes(Reconciling), yes(Stalled)), "exclude each other"},
		"abnormal and false": {"absent says it", with(no(Stalled, "A")), "leave it out"},
		"out of order": {
			"the list must be deterministic", with(yes(StateSafe), yes(ClusterAvailable)), "not in order",
		},
		"twice": {"lists are maps by type", with(yes(JobRunning)), "there twice"},
		"generation ahead": {
			"it speaks of a spec that is not there yet",
			edit(JobRunning, func(c *metav1.Condition) { c.ObservedGeneration = 5 }), "ahead",
		},
		"no generation": {
			"nobody knows which spec it speaks of", edit(JobRunning, func(c *metav1.Condition) { c.ObservedGeneration = 0 }),
			"no observed generation",
		},
		"odd status": {
			"three values only", edit(SpecAccepted, func(c *metav1.Condition) { c.Status = "yes" }), "none of True",
		},
		"reason with a space": {
			"one CamelCase word", edit(Running, func(c *metav1.Condition) { c.Reason = "two words" }), "CamelCase",
		},
		"no reason": {
			"required by metav1.Condition", edit(Running, func(c *metav1.Condition) { c.Reason = "" }), "CamelCase",
		},
		"reason ends in comma": {
			"the pattern of metav1.Condition", edit(Running, func(c *metav1.Condition) { c.Reason = "A," }), "CamelCase",
		},
		"reason begins with 1": {
			"the pattern of metav1.Condition", edit(Running, func(c *metav1.Condition) { c.Reason = "1A" }), "CamelCase",
		},
		"message of two lines": {
			"one line fits a table", edit(Running, func(c *metav1.Condition) { c.Message = "a\nb" }), "one bounded line",
		},
		"endless message": {
			"status has a size limit", edit(Running, func(c *metav1.Condition) { c.Message = strings.Repeat("x", 2000) }),
			"one bounded line",
		},
		"no transition time": {
			"required by metav1.Condition", edit(Running, func(c *metav1.Condition) { c.LastTransitionTime = metav1.Time{} }),
			"no transition time",
		},
		"Ready unknown reason": {
			"the reason is derived, too", edit(Ready, func(c *metav1.Condition) { c.Reason = "Other" }), "the others make it",
		},
		"abnormal and unknown": {
			"absent says it", with(condition(Reconciling, metav1.ConditionUnknown, "A", "")), "leave it out",
		},
		"empty list is checked": {"an empty list has no Ready either", []metav1.Condition{}, "Ready is missing"},
	}
	for name, row := range rows {
		if err := CheckConditions(row.list, 4); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s (%s): %v", name, row.reason, err)
		}
	}
}

func TestCheckEnds(t *testing.T) {
	rows := map[string]struct {
		reason string
		wanted []metav1.Condition
		ends   bool
	}{
		"all is well":  {"Ready is True, which is Current", []metav1.Condition{yes(JobRunning)}, true},
		"suspended":    {"as asked", []metav1.Condition{no(JobRunning, ReasonSuspended)}, true},
		"under way":    {"InProgress, and it is", []metav1.Condition{no(JobRunning, "A"), yes(Reconciling)}, true},
		"stalled":      {"Failed", []metav1.Condition{no(JobRunning, "A"), yes(Stalled)}, true},
		"failed":       {"InProgress for ever", []metav1.Condition{no(JobRunning, "A")}, false},
		"not known":    {"InProgress for ever", []metav1.Condition{condition(JobRunning, "Unknown", "A", "")}, false},
		"not accepted": {"InProgress for ever", []metav1.Condition{no(SpecAccepted, "A"), yes(JobRunning)}, false},
	}
	for name, row := range rows {
		err := CheckEnds(SetConditions(nil, At{Now: monday, Generation: 1}, row.wanted...))
		if (err == nil) != row.ends {
			t.Errorf("%s (%s): %v", name, row.reason, err)
		}
	}
	if err := CheckEnds(nil); err != nil {
		t.Errorf("a resource without conditions was not looked at yet: %v", err)
	}
}
