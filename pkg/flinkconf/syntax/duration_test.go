package syntax

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		want   time.Duration
		reason string
	}{
		"no unit":    {"1500", 1500 * time.Millisecond, "a bare number is milliseconds"},
		"short unit": {"5m", 5 * time.Minute, "m is minutes in a duration"},
		"long unit":  {"2 Hours", 2 * time.Hour, "labels are read in any case"},
		"micro sign": {"3 µs", 3 * time.Microsecond, "the micro sign is the printed label"},
		"blanks":     {" \t7 s\n", 7 * time.Second, "Java trims the ends"},
		"zero":       {"0", 0, "zero is a duration"},
		"forever": {
			"9223372036854775807 ms",
			math.MaxInt64,
			"a Java duration beyond Go's range becomes the longest one",
		},
		"longest": {
			"9223372036854775807",
			math.MaxInt64,
			"Long.MAX_VALUE without unit is the usual way to say never",
		},
		"whole number": {"007 s", 7 * time.Second, "leading zeros do not make it octal"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDuration(tc.text)
			if err != nil || got != tc.want {
				t.Errorf("ParseDuration(%q) = %v, %v, want %v: %s", tc.text, got, err, tc.want, tc.reason)
			}
		})
	}
}

func TestParseDurationErrors(t *testing.T) {
	for name, tc := range map[string]struct{ text, says, reason string }{
		"empty":        {"  ", "is empty", "blank text is no duration"},
		"fraction":     {"1.5 s", `unit ".5 s" is unknown`, "Flink reads whole numbers only"},
		"negative":     {"-1 min", "does not start with a number", "there are no negative durations"},
		"unknown unit": {"3 weeks", `unit "weeks" is unknown`, "the error names the unit"},
		"accepted":     {"3 weeks", "d, h, min, s, ms", "the error says what is accepted"},
		"iso":          {"PT10S", "does not start with a number", "ISO 8601 is not Flink syntax"},
		"too long":     {"9223372036854775808 s", "does not fit", "more seconds than a Java duration holds"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseDuration(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ParseDuration(%q) error = %v, want it to say %q: %s", tc.text, err, tc.says, tc.reason)
			}
		})
	}
}

func TestDurationReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(durationUnits).Draw(t, "unit")
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64/unit.nanos).Draw(t, "n") * unit.nanos)
		if got, err := ParseDuration(FormatDuration(d)); err != nil || got != d {
			t.Fatalf("%v printed as %q reads back as %v, %v", d, FormatDuration(d), got, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{
		"5 min",
		"90s",
		"0",
		"1 d",
		"µs",
		"9223372036854775807 s",
		"12 \u00b5s",
		"-1 min",
		" 3\u2003h",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			return
		}
		if d < 0 {
			t.Fatalf("ParseDuration(%q) = %v is negative", text, d)
		}
		if again, err := ParseDuration(FormatDuration(d)); d != math.MaxInt64 && (err != nil || again != d) {
			t.Fatalf("%q is %v, printed %q, read %v, %v", text, d, FormatDuration(d), again, err)
		}
	})
}
