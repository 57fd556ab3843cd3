package period

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/cron"
)

// periodJoint joins the two parts of an excluded period that must both hold.
const periodJoint = "&&"

// dailyLimits are the largest hour, minute, second and millisecond of a daily time.
var dailyLimits = []uint64{23, 59, 59, 999}

// Check says why one element of job.autoscaler.excluded.periods is wrong, or returns nil.
//
//	parts          | verdict
//	daily          | ok       H:M[:S[:ms]]-H:M[:S[:ms]], start before end
//	cron           | ok       Quartz, see cron.Parse
//	daily && cron  | ok       in either order
//	daily && daily | refused
//	cron && cron   | refused
//	more than two  | refused
//	anything else  | refused
func Check(period string) error {
	parts := strings.Split(period, periodJoint)
	if len(parts) > 2 {
		return errors.New("a period has at most two parts")
	}
	daily := 0
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if isDaily(part) {
			daily++
			continue
		}
		if _, err := cron.Parse(part); err != nil {
			return fmt.Errorf("the value is neither a valid daily expression nor a valid cron expression: %w", err)
		}
	}
	if len(parts) == 2 && daily != 1 {
		return errors.New("a joined value needs one daily expression and one cron expression")
	}
	return nil
}

// isDaily reports whether text is a daily range whose start lies before its end.
func isDaily(text string) bool {
	_, _, ok := daily(text)
	return ok
}

// daily are the first and the last millisecond of a daily range.
func daily(text string) (start, end uint64, ok bool) {
	from, to, ranged := strings.Cut(text, "-")
	start, startOK := parseDailyTime(from)
	end, endOK := parseDailyTime(to)
	return start, end, ranged && startOK && endOK && start < end
}

// parseDailyTime reads H:M[:S[:ms]] into milliseconds since midnight.
func parseDailyTime(text string) (uint64, bool) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > len(dailyLimits) {
		return 0, false
	}
	var total uint64
	for i, limit := range dailyLimits {
		var n uint64
		if i < len(parts) {
			parsed, err := strconv.ParseUint(parts[i], 10, 16)
			if err != nil || parsed > limit {
				return 0, false
			}
			n = parsed
		}
		total = total*(limit+1) + n
	}
	return total, true
}

// Excluded reports whether a time lies in one of the periods, on the clocks of its location. They are tried in their
// order, and the parts of one in theirs; the error is that of the first that cannot be read. Unlike Check, more than
// two parts, and several of one form, are taken: all must hold.
func Excluded(periods []string, at time.Time) (bool, error) {
	for _, period := range periods {
		if isBlank(period) {
			continue
		}
		holds := true
		for _, part := range strings.Split(period, periodJoint) {
			inside, err := contains(strings.TrimSpace(part), at)
			if err != nil {
				return false, err
			}
			holds = holds && inside
		}
		if holds {
			return true, nil
		}
	}
	return false, nil
}

func contains(part string, at time.Time) (bool, error) {
	if from, to, ok := daily(part); ok {
		hour, minute, second := at.Clock()
		since := uint64(((hour*60+minute)*60+second)*1000 + at.Nanosecond()/1e6)
		return from <= since && since <= to, nil
	}
	expression, err := cron.Parse(part)
	if err != nil {
		return false, fmt.Errorf("%.80q is neither a daily expression nor a cron expression: %w", part, err)
	}
	return expression.Matches(at), nil
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
