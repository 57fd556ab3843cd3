package syntax

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// durationUnit is one unit of org.apache.flink.util.TimeUtils.
type durationUnit struct {
	nanos  int64
	labels []string // the first one is printed, all are read
}

// durationUnits are listed from the largest to the smallest, as FormatDuration tries them.
var durationUnits = []durationUnit{
	{24 * int64(time.Hour), []string{"d", "day", "days"}},
	{int64(time.Hour), []string{"h", "hour", "hours"}},
	{int64(time.Minute), []string{"min", "m", "minute", "minutes"}},
	{int64(time.Second), []string{"s", "sec", "secs", "second", "seconds"}},
	{int64(time.Millisecond), []string{"ms", "milli", "millis", "millisecond", "milliseconds"}},
	{int64(time.Microsecond), []string{"µs", "micro", "micros", "microsecond", "microseconds"}},
	{1, []string{"ns", "nano", "nanos", "nanosecond", "nanoseconds"}},
}

// DurationSyntax says in one line what ParseDuration accepts, for error messages.
const DurationSyntax = "a whole number with one of the units d, h, min, s, ms, µs, ns, or without a unit for " +
	"milliseconds"

// ParseDuration reads a Flink duration such as "5 min" or "90s". A number without unit is milliseconds. Only whole,
// non-negative numbers are accepted. A duration that Java can hold but Go cannot (more than about 292 years, for
// example Long.MAX_VALUE milliseconds, a common way to say never) becomes the longest Go duration.
func ParseDuration(text string) (time.Duration, error) {
	number, label, err := splitNumber(text)
	if err != nil {
		return 0, fmt.Errorf("%w: expected %s", err, DurationSyntax)
	}
	unit, ok := int64(time.Millisecond), true
	if label != "" {
		unit, ok = durationUnitOf(label)
	}
	if !ok {
		return 0, fmt.Errorf("time unit %q is unknown: expected %s", label, DurationSyntax)
	}
	value, ok := new(big.Int).SetString(number, 10)
	if !ok {
		return 0, fmt.Errorf("%q is not a number: expected %s", number, DurationSyntax)
	}
	nanos := value.Mul(value, big.NewInt(unit))
	seconds := new(big.Int).Div(nanos, big.NewInt(int64(time.Second)))
	if !seconds.IsInt64() {
		return 0, fmt.Errorf("%s does not fit into a Java duration: use a smaller number", number)
	}
	if !nanos.IsInt64() {
		return math.MaxInt64, nil
	}
	return time.Duration(nanos.Int64()), nil
}

// FormatDuration prints a duration as Flink does: a whole number and the largest unit that divides it ("5 min", "90
// s"). Zero is "0 ms".
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0 ms"
	}
	for _, u := range durationUnits {
		if int64(d)%u.nanos == 0 {
			return strconv.FormatInt(int64(d)/u.nanos, 10) + " " + u.labels[0]
		}
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

func durationUnitOf(label string) (int64, bool) {
	for _, u := range durationUnits {
		for _, l := range u.labels {
			if l == label {
				return u.nanos, true
			}
		}
	}
	return 0, false
}

// splitNumber cuts a trimmed text into its leading digits and the lower-cased rest.
func splitNumber(text string) (number, unit string, err error) {
	trimmed := javaTrim(text)
	if trimmed == "" {
		return "", "", fmt.Errorf("the text is empty")
	}
	end := 0
	for end < len(trimmed) && trimmed[end] >= '0' && trimmed[end] <= '9' {
		end++
	}
	if end == 0 {
		return "", "", fmt.Errorf("%q does not start with a number", trimmed)
	}
	return trimmed[:end], strings.ToLower(javaTrim(trimmed[end:])), nil
}

// javaTrim is String.trim: it drops every leading and trailing character up to and including the space, and no other
// white space.
func javaTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}
