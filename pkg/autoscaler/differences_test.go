package autoscaler_test

import "slices"

// differences are the recorded cases that come out differently here, each with the rule that says why. ADR 41 states
// the rules.
var differences = []struct {
	rule  string
	cases []string
}{
	{
		"a coefficient of observed scalability that is not a number is 1",
		[]string{"vs-s-0106", "vs-s-0107", "vs-s-0108", "vs-s-0109", "vs-s-0110"},
	},
	{"an option that cannot be read is an error, also where it would not have been used", []string{"vs-s-0130"}},
	{"a daily range that ends in a dash is an error, as validation says", []string{"cal-s-0010"}},
	{"a daily range covers an hour that the clocks repeat both times", []string{"cal-s-0086"}},
	{
		"a duration below 0, or below 1 microsecond, is read and written as it is",
		[]string{
			"exec-s-0098", "st-s-0006", "st-s-0015", "st-s-0027", "st-s-0029", "st-s-0030", "st-s-0031", "st-s-0035",
			"st-s-0036",
		},
	},
	{
		"a stored null, or a scale down without recommendations, is an empty value and no error",
		[]string{"st-s-0042", "st-s-0046", "st-s-0066", "st-s-0116"},
	},
	{"stored overrides are read in either form with either configuration file", []string{"st-s-0055", "st-s-0095"}},
	{"a parallelism below 1 is an error", []string{"vs-s-0119"}},
}

// differs reports whether a case is listed, and by which rule.
func differs(id string) (string, bool) {
	for _, d := range differences {
		if slices.Contains(d.cases, id) {
			return d.rule, true
		}
	}
	return "", false
}
