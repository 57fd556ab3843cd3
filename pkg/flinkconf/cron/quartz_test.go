package cron

import "testing"

// The rules are those of Quartz, also where a wider reading would be possible.
func TestParseTakesWhatQuartzTakes(t *testing.T) {
	for expression, row := range map[string]struct {
		reason string
		legal  bool
	}{
		"0 0 12 * * ?":                   {"every noon", true},
		"0 15 10 ? * *":                  {"every day at a quarter past ten", true},
		"0 15 10 * * ? 2005":             {"the year is the seventh field", true},
		"0 0/5 14,18 * * ?":              {"steps and lists", true},
		"0 10,44 14 ? 3 WED":             {"names of days", true},
		"0 15 10 ? * MON-FRI":            {"ranges of names", true},
		"0 15 10 ? JAN-MAR,DEC 2#3":      {"names of months, the third Monday", true},
		"0 15 10 ? * 6L 2002-2005":       {"the last Friday, ranges of years", true},
		"0 15 10 ? * 6L 2005-2005":       {"a range of one year", true},
		"0 15 10 ? * fril":               {"case does not matter", true},
		"0 15 10 ? * L":                  {"Saturday", true},
		"0 15 10 L * ?":                  {"the last day of the month", true},
		"0 15 10 L-3 * ?":                {"the third to last day", true},
		"0 15 10 LW * ?":                 {"the last weekday", true},
		"0 15 10 L-3W * ?":               {"the weekday nearest to the third to last day", true},
		"0 15 10 15W * ?":                {"the weekday nearest to the 15th", true},
		"*/10 * 22-2 1/5 * ?":            {"ranges that wrap round", true},
		"/10 * * ? * 7-1":                {"a step of everything", true},
		"0  0\t12 * * ?":                 {"any blanks", true},
		"0 0 0 ? * 1-5/2":                {"steps of ranges", true},
		"59 59 23 31 12 ?":               {"the last values", true},
		"* * * ? * 2,5555":               {"no such day of the week", false},
		"0 0 12 * *":                     {"five fields are a Unix expression", false},
		"0 0 12 * * ? 2005 x":            {"eight fields", false},
		"0 0 12 * * *":                   {"both day fields are given", false},
		"0 0 12 ? * ?":                   {"neither day field is given", false},
		"? 0 12 * * ?":                   {"? stands for days only", false},
		"60 0 12 * * ?":                  {"no such second", false},
		"0 60 12 * * ?":                  {"no such minute", false},
		"0 0 24 * * ?":                   {"no such hour", false},
		"0 0 0 32 * ?":                   {"no such day", false},
		"0 0 0 0 * ?":                    {"no such day", false},
		"0 0 0 ? 13 1":                   {"no such month", false},
		"0 0 0 ? * 0":                    {"no such day of the week", false},
		"0 0 0 ? * 8":                    {"no such day of the week", false},
		"0 0 0 ? FOO 1":                  {"no such month", false},
		"0 0 0 ? * FOO":                  {"no such day of the week", false},
		"0 0 0 ? * MON-6":                {"names and numbers do not mix", false},
		"0 0 0 ? * 2#6":                  {"no month has six of a day", false},
		"0 0 0 ? * 2#0":                  {"the first is 1", false},
		"0 0 0 ? * 2#1,3#1":              {"one # only", false},
		"0 0 0 L,5 * ?":                  {"L stands alone", false},
		"0 0 0 L-31 * ?":                 {"no month has it", false},
		"0 0 0 ? * L,2":                  {"L stands alone", false},
		"0 0 0 32W * ?":                  {"no such day", false},
		"0 0 L * * ?":                    {"L is for days", false},
		"0/60 * * * * ?":                 {"a step longer than the field", false},
		"0/x * * * * ?":                  {"no step", false},
		"0,,5 * * * * ?":                 {"an empty element", false},
		"5- * * * * ?":                   {"no end", false},
		"-5 * * * * ?":                   {"no beginning", false},
		"0 0 0 ? * 2 2010-2005":          {"years do not wrap round", false},
		"0 0 0 ? * 2 1969":               {"before all time", false},
		"":                               {"nothing", false},
		"-1":                             {"a number of Flink, which means never", false},
		"0 0 0 L-x * ?":                  {"no number", false},
		"? 0 0 1 1 ?":                    {"neither day field is open", false},
		"a b c d e f":                    {"words", false},
		"99999999999999999999 * * * * ?": {"no such number", false},
	} {
		if _, err := Parse(expression); (err == nil) != row.legal {
			t.Errorf("%q (%s): %v", expression, row.reason, err)
		}
	}
}
