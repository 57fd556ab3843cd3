package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	found, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNext(t *testing.T) {
	rows := map[string]struct{ expression, after, want, reason string }{
		"every ten minutes": {
			"0 */10 * * * ?", "2026-11-21T11:00:00Z", "2026-11-21T11:10:00Z", "strictly later than the argument",
		},
		"every second": {
			"* * * * * ?", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "over the end of the year",
		},
		"the last second of a minute": {
			"* * * * * ?", "2026-11-21T00:00:58Z", "2026-11-21T00:00:59Z", "it belongs to its minute",
		},
		"the first year": {"0 0 0 1 * ?", "1970-05-10T00:00:00Z", "1970-06-01T00:00:00Z", "from then on, not from its begin"},
		"the last year":  {"0 0 0 1 1 ?", "2098-11-21T00:00:00Z", "2099-01-01T00:00:00Z", "it counts, too"},
		"nearest to no day": {
			"0 0 0 31W 4,5 ?", "2027-04-01T00:00:00Z", "2027-05-31T00:00:00Z", "April has no 31st",
		},
		"daily at noon": {"0 0 12 * * ?", "2026-11-21T12:00:01Z", "2026-11-22T12:00:00Z", "today's is over"},
		"day name": {
			"0 15 10 ? * MON-FRI", "2026-11-20T10:15:00Z", "2026-11-23T10:15:00Z", "the 21st is a Saturday",
		},
		"lower case": {
			"0 0 0 ? nov sat", "2026-11-01T00:00:00Z", "2026-11-07T00:00:00Z", "case does not matter",
		},
		"weekday numbers": {"0 0 0 ? * 1", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "1 is Sunday"},
		"bare L of week":  {"0 0 0 ? * L", "2026-11-15T00:00:00Z", "2026-11-21T00:00:00Z", "L is 7, Saturday"},
		"last Friday":     {"0 0 0 ? * 6L", "2026-11-01T00:00:00Z", "2026-11-27T00:00:00Z", "6 is Friday"},
		"third Friday":    {"0 0 0 ? * FRI#3", "2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z", "names beside #"},
		"fifth Monday": {
			"0 0 0 ? * 2#5", "2026-12-01T00:00:00Z", "2027-03-29T00:00:00Z", "months without one are passed over",
		},
		"last day": {"0 0 0 L 2 ?", "2026-11-21T00:00:00Z", "2027-02-28T00:00:00Z", "27 is no leap year"},
		"days before the last": {
			"0 0 0 L-3 * ?", "2026-11-21T00:00:00Z", "2026-11-27T00:00:00Z", "November has 30 days",
		},
		"nearest to a Saturday": {
			"0 0 0 21W 11 ?", "2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z", "the Friday before",
		},
		"nearest to a Sunday": {
			"0 0 0 22W 11 ?", "2026-11-01T00:00:00Z", "2026-11-23T00:00:00Z", "the Monday after",
		},
		"first is a Saturday": {
			"0 0 0 1W 8 ?", "2026-07-31T00:00:00Z", "2026-08-03T00:00:00Z", "not into the month before",
		},
		"last working day": {
			"0 0 0 LW 1 ?", "2027-01-01T00:00:00Z", "2027-01-29T00:00:00Z", "the 31st is a Sunday: not into the next month",
		},
		"hours round midnight": {
			"0 0 22-2 * * ?", "2026-11-21T23:30:00Z", "2026-11-22T00:00:00Z", "a range may go round",
		},
		"weekdays round the weekend": {
			"0 0 0 ? * FRI-MON", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "FRI SAT SUN MON",
		},
		"start and step":       {"30 5/20 * * * ?", "2026-11-21T11:25:30Z", "2026-11-21T11:45:30Z", "5, 25, 45"},
		"step of nothing":      {"0 5/0 * * * ?", "2026-11-21T11:05:00Z", "2026-11-21T12:05:00Z", "the start alone"},
		"list":                 {"0 0 6,18 * * ?", "2026-11-21T06:00:00Z", "2026-11-21T18:00:00Z", "each element counts"},
		"year":                 {"0 0 0 1 1 ? 2030", "2026-11-21T00:00:00Z", "2030-01-01T00:00:00Z", "the seventh field"},
		"leap day on a Monday": {"0 0 0 29 2 ? 2028/4", "2026-11-21T00:00:00Z", "2028-02-29T00:00:00Z", "years step too"},
		"impossible":           {"0 0 0 30 2 ?", "2026-11-21T00:00:00Z", "", "there is no 30th of February"},
		"over":                 {"0 0 0 1 1 ? 2020", "2026-11-21T00:00:00Z", "", "the year has passed"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			e, err := Parse(row.expression)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := e.Next(at(t, row.after))
			if !ok && row.want != "" || ok && got.Format(time.RFC3339) != row.want {
				t.Errorf("%s: %s after %s is %s, %t; want %q", row.reason, row.expression, row.after, got, ok, row.want)
			}
		})
	}
}

// genField draws one field and, beside it, what it means, spelled out by hand.
func genField(lowest, highest int) *rapid.Generator[[2]string] {
	return rapid.Custom(func(t *rapid.T) [2]string {
		pick := func(label string) int { return rapid.IntRange(lowest, highest).Draw(t, label) }
		var meant []string
		mean := func(from, to, step int) {
			for n := from; n <= to; n += step {
				meant = append(meant, strconv.Itoa(n))
			}
		}
		var text string
		switch rapid.IntRange(0, 5).Draw(t, "shape") {
		case 0:
			text = "*"
			mean(lowest, highest, 1)
		case 1:
			n := pick("n")
			text = strconv.Itoa(n)
			mean(n, n, 1)
		case 2:
			a, b := pick("a"), pick("b")
			text = fmt.Sprintf("%d-%d", a, b)
			if a <= b {
				mean(a, b, 1)
			} else {
				mean(a, highest, 1)
				mean(lowest, b, 1)
			}
		case 3:
			a, step := pick("a"), rapid.IntRange(1, max(1, highest)).Draw(t, "step")
			text = fmt.Sprintf("%d/%d", a, step)
			mean(a, highest, step)
		case 4:
			step := rapid.IntRange(1, max(1, highest)).Draw(t, "step")
			text = fmt.Sprintf("*/%d", step)
			mean(lowest, highest, step)
		default:
			a, b := pick("a"), pick("b")
			text = fmt.Sprintf("%d,%d", a, b)
			mean(a, a, 1)
			mean(b, b, 1)
		}
		return [2]string{text, strings.Join(meant, ",")}
	})
}

// twin says whether a time matches, second by second, with nothing of the parser.
type twin struct{ second, minute, hour, day string }

func has(list string, n int) bool { return slices.Contains(strings.Split(list, ","), strconv.Itoa(n)) }

func (w twin) matches(t time.Time, ofWeek bool) bool {
	day := t.Day()
	if ofWeek {
		day = int(t.Weekday()) + 1
	}
	return has(w.day, day) && has(w.hour, t.Hour()) && has(w.minute, t.Minute()) && has(w.second, t.Second())
}

func TestNextAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		second, minute, hour := genField(0, 59).Draw(t, "second"), genField(0, 59).Draw(t, "minute"),
			genField(0, 23).Draw(t, "hour")
		ofWeek := rapid.Bool().Draw(t, "day of week")
		var text string
		var day [2]string
		if ofWeek {
			day = genField(1, 7).Draw(t, "day")
			text = fmt.Sprintf("%s %s %s ? * %s", second[0], minute[0], hour[0], day[0])
		} else {
			day = genField(1, 31).Draw(t, "day")
			text = fmt.Sprintf("%s %s %s %s * ?", second[0], minute[0], hour[0], day[0])
		}
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		w := twin{second[1], minute[1], hour[1], day[1]}
		after := time.Unix(rapid.Int64Range(1_500_000_000, 2_500_000_000).Draw(t, "after"), 0).UTC()
		got, ok := e.Next(after)
		if !ok || !got.After(after) || !w.matches(got, ofWeek) {
			t.Fatalf("%q after %s is %s, %t", text, after, got, ok)
		}
		// Days that do not match are skipped whole, hours and minutes likewise, so that months take no time.
		for at := after.Add(time.Second); at.Before(got); {
			skip := time.Second
			switch {
			case !w.matches(
				time.Date(at.Year(), at.Month(), at.Day(), first(w.hour), first(w.minute), first(w.second), 0, time.UTC),
				ofWeek,
			):
				skip = at.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(at)
			case !has(w.hour, at.Hour()):
				skip = at.Truncate(time.Hour).Add(time.Hour).Sub(at)
			case !has(w.minute, at.Minute()):
				skip = at.Truncate(time.Minute).Add(time.Minute).Sub(at)
			case has(w.second, at.Second()):
				t.Fatalf("%q after %s: %s fires before %s", text, after, at, got)
			}
			at = at.Add(skip)
		}
	})
}

func first(list string) int {
	head, _, _ := strings.Cut(list, ",")
	n, _ := strconv.Atoi(head) // made by genField
	return n
}

// TestDaysOfMonthsAgreeWithTheCalendar walks each day of some years.
func TestDaysOfMonthsAgreeWithTheCalendar(t *testing.T) {
	working := func(d time.Time) time.Time { // nearest working day within the month
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			return d
		}
		for distance := 1; ; distance++ {
			for _, c := range []time.Time{d.AddDate(0, 0, -distance), d.AddDate(0, 0, distance)} {
				if c.Month() == d.Month() && c.Weekday() != time.Saturday && c.Weekday() != time.Sunday {
					return c
				}
			}
		}
	}
	last := func(d time.Time) time.Time { return time.Date(d.Year(), d.Month()+1, 0, 0, 0, 0, 0, time.UTC) }
	rows := map[string]func(d time.Time) bool{
		"0 0 0 L * ?":  func(d time.Time) bool { return d.AddDate(0, 0, 1).Month() != d.Month() },
		"0 0 0 LW * ?": func(d time.Time) bool { return d.Equal(working(last(d))) },
		"0 0 0 15W * ?": func(d time.Time) bool {
			return d.Equal(working(time.Date(d.Year(), d.Month(), 15, 0, 0, 0, 0, time.UTC)))
		},
		"0 0 0 1W * ?": func(d time.Time) bool {
			return d.Equal(working(time.Date(d.Year(), d.Month(), 1, 0, 0, 0, 0, time.UTC)))
		},
		"0 0 0 ? * 3L": func(d time.Time) bool {
			return d.Weekday() == time.Tuesday &&
				d.AddDate(0, 0, 7).Month() != d.Month()
		},
		"0 0 0 ? * 4#2": func(d time.Time) bool {
			return d.Weekday() == time.Wednesday && d.AddDate(0, 0, -7).Month() == d.Month() &&
				d.AddDate(0, 0, -14).Month() != d.Month()
		},
	}
	for text, fires := range rows {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Date(2019, 12, 31, 23, 59, 59, 0, time.UTC)
		want := begin
		for d := begin.Add(time.Second); d.Year() < 2029; d = d.AddDate(0, 0, 1) {
			if !fires(d) {
				continue
			}
			got, ok := e.Next(want)
			if !ok || !got.Equal(d) {
				t.Fatalf("%q after %s is %s, %t; want %s", text, want, got, ok, d)
			}
			want = d
		}
	}
}

// A time matches exactly when it is the next one after the second before it.
func TestMatchesAgreesWithNext(t *testing.T) {
	expressions := []string{
		"* * * * * ?", "*/7 3-5 22-2 ? * MON-FRI", "0 0 0 L * ?", "5 * * LW 2,4 ?", "* * * ? * 6#2", "1/3 0/2 * 15W * ?",
		"* * 14-16 * * ? 2024-2025", "30 59 23 31 12 ?",
	}
	rapid.Check(t, func(t *rapid.T) {
		e, err := Parse(rapid.SampledFrom(expressions).Draw(t, "expression"))
		if err != nil {
			t.Fatal(err)
		}
		second := time.Unix(rapid.Int64Range(1.70e9, 1.80e9).Draw(t, "second"), 0).UTC()
		if rapid.Bool().Draw(t, "one that fires") {
			if next, ok := e.Next(second); ok {
				second = next
			}
		}
		next, ok := e.Next(second.Add(-time.Second))
		if want := ok && next.Equal(second); e.Matches(second.Add(900*time.Millisecond)) != want {
			t.Fatalf("%s matches %t, next is %s", second, !want, next)
		}
	})
}

func TestMatchesCountsOnTheClocksOfTheTime(t *testing.T) {
	e, err := Parse("0 0 9 ? * THU")
	if err != nil {
		t.Fatal(err)
	}
	east := time.FixedZone("east", 2*3600)
	if thursday := time.Date(2024, 3, 7, 9, 0, 0, 0, east); !e.Matches(thursday) || e.Matches(thursday.UTC()) {
		t.Error("nine o'clock is that of the location")
	}
}
