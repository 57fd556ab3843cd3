package validation

import (
	"errors"
	"strconv"
	"strings"
)

// periodJoint joins the two parts of an excluded period that must both hold.
const periodJoint = "&&"

// dailyLimits are the largest hour, minute, second and millisecond of a daily time.
var dailyLimits = []uint64{23, 59, 59, 999}

// checkExcludedPeriod says why one element of job.autoscaler.excluded.periods is wrong, or returns nil.
//
//	parts          | verdict
//	daily          | ok       H:M[:S[:ms]]-H:M[:S[:ms]], start before end
//	cron           | ok       Quartz, see checkCron
//	daily && cron  | ok       in either order
//	daily && daily | refused
//	cron && cron   | refused
//	more than two  | refused
//	anything else  | refused
func checkExcludedPeriod(period string) error {
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
		if err := checkCron(part); err != nil {
			return errors.New("the value is neither a valid daily expression nor a valid cron expression: " + err.Error())
		}
	}
	if len(parts) == 2 && daily != 1 {
		return errors.New("a joined value needs one daily expression and one cron expression")
	}
	return nil
}

// isDaily reports whether text is a daily range whose start lies before its end.
func isDaily(text string) bool {
	from, to, ranged := strings.Cut(text, "-")
	start, startOK := parseDailyTime(from)
	end, endOK := parseDailyTime(to)
	return ranged && startOK && endOK && start < end
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
