package autoscaler_test

import (
	"regexp"
	"slices"
	"testing"
)

// difference are recorded cases that come out differently here.
type difference struct {
	// rule says why; ADR 44 states it.
	rule string
	// shows is what each difference that is found must contain: nothing else of the case may differ.
	shows string
	cases []string
}

// differences are all there are.
var differences = []difference{
	{
		"a coefficient of observed scalability that is not a number is 1", `no error, recorded is java.lang.NumberFormat`,
		[]string{"vs-s-0106", "vs-s-0107", "vs-s-0108", "vs-s-0109", "vs-s-0110"},
	},
	{
		"an option that cannot be read is an error, also where it would not have been used", `error could not read "job\.`,
		[]string{"vs-s-0130"},
	},
	{
		"busy time without the aggregate that is asked for is not known", `no error, recorded is java.lang.NullPointer`,
		[]string{"col-s-0006"},
	},
	{"a parallelism below 1 is an error", `must be at least 1, none was recorded`, []string{"vs-s-0119"}},
	{
		"a daily range that ends in a dash is an error, as validation says", `^valid|^error "14:01-14:02-" is neither`,
		[]string{"cal-s-0010"},
	},
	{"a daily range covers an hour that the clocks repeat both times", `^excluded`, []string{"cal-s-0086"}},
	{
		"a duration below 0, or below 1 microsecond, is read and written as it is",
		`(?s)^(stored restarts|read from .{4}).*Duration: |^scalingTracking.*restartDuration: 1E-9`,
		[]string{
			"exec-s-0098", "st-s-0006", "st-s-0015", "st-s-0027", "st-s-0029", "st-s-0030", "st-s-0031", "st-s-0035",
			"st-s-0036",
		},
	},
	{
		"memory, room and quota are those of what executors leave (FLINK-40534)",
		`(?s)^(calls|scaled|state) |^events .*(Configuration recommendation|ResourceQuotaReached)`,
		[]string{
			"exec-s-0053", "exec-s-0084", "exec-s-0120", "exec-s-0201", "exec-s-0219", "exec-s-0239", "exec-s-0251",
			"exec-s-0275", "exec-s-0296", "exec-s-0298",
		},
	},
	{
		"a stored null, or a scale down without recommendations, is an empty value and no error",
		`no error, recorded is java.lang.NullPointer`, []string{"st-s-0042", "st-s-0046", "st-s-0066", "st-s-0116"},
	},
	{
		"stored overrides are read in either form with either configuration file",
		`^parallelismOverrides|no error, recorded is java.lang.IllegalArgument`, []string{"st-s-0055", "st-s-0095"},
	},
}

// differs reports by which rule a case is listed, and which of what was found the rule does not cover.
func differs(id string, found []string) (rule string, others []string) {
	for _, d := range differences {
		if slices.Contains(d.cases, id) {
			shows := regexp.MustCompile(d.shows)
			return d.rule, slices.DeleteFunc(slices.Clone(found), shows.MatchString)
		}
	}
	return "", found
}

func TestListedDifferencesCoverNothingElse(t *testing.T) {
	const error = "no error, recorded is java.lang.NullPointerException: x"
	if rule, others := differs("st-s-0042", []string{error, "value differs"}); rule == "" || len(others) != 1 {
		t.Errorf("rule %q lets %v through", rule, others)
	}
	if rule, others := differs("st-s-0001", []string{error}); rule != "" || len(others) != 1 {
		t.Errorf("a case that is not listed is excused by %q", rule)
	}
}
