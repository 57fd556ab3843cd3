package period

import (
	"strconv"
	"strings"
	"time"
)

// satisfies reports whether the second of a time satisfies a cron expression that checkCron accepts.
func satisfies(expression string, at time.Time) bool {
	fields := strings.Fields(strings.ToUpper(expression))
	values := []int{
		at.Second(), at.Minute(), at.Hour(), at.Day(), int(at.Month()), int(at.Weekday()) + 1, at.Year(),
	}
	for i, text := range fields {
		if text != "?" && !satisfiesField(i, text, values[i], at) {
			return false
		}
	}
	return true
}

func satisfiesField(position int, text string, value int, at time.Time) bool {
	for element := range strings.SplitSeq(text, ",") {
		body, _, stepped := strings.Cut(element, "/")
		holds := false
		switch {
		case position == cronDayOfMonth && !stepped && (strings.HasPrefix(body, "L") || strings.HasSuffix(body, "W")):
			holds = value == specialDay(body, at)
		case position == cronDayOfWeek && !stepped && strings.ContainsAny(body, "L#"):
			holds = isSpecialWeekday(body, value, at)
		default:
			holds = inRange(position, element, value)
		}
		if holds {
			return true
		}
	}
	return false
}

// inRange is for everything but the special days. A range whose end lies before its beginning goes round.
//
//	element   from      to
//	*, */n    the least the most
//	a         a         a
//	a/n       a         the most
//	a-b       a         b
func inRange(position int, element string, value int) bool {
	field := cronFields[position]
	body, stepText, stepped := strings.Cut(element, "/")
	step, _ := strconv.Atoi(stepText) // checked
	from, to := field.min, field.max
	if body != "*" && body != "" {
		first, last, ranged := strings.Cut(body, "-")
		from = field.number(first)
		switch {
		case ranged:
			to = field.number(last)
		case !stepped || step == 0:
			to = from
		}
	}
	step = max(step, 1)
	around := field.max - field.min + 1
	if to < from {
		to += around
	}
	for _, v := range []int{value, value + around} {
		if v >= from && v <= to && (v-from)%step == 0 {
			return true
		}
	}
	return false
}

// number is the value of a number or a name.
func (f cronField) number(text string) int {
	for i, name := range f.names {
		if name == text {
			return f.min + i
		}
	}
	n, _ := strconv.Atoi(text) // checked
	return n
}

// specialDay is the day of the month that L, L-n, LW, L-nW or nW means in the month of a time. W is the nearest day
// from Monday to Friday in the same month.
func specialDay(body string, at time.Time) int {
	last := lastDay(at)
	day, near := strings.CutSuffix(body, "W")
	number := last
	if offset, ok := strings.CutPrefix(day, "L-"); ok {
		n, _ := strconv.Atoi(offset) // checked
		number = last - n
	} else if day != "L" {
		n, _ := strconv.Atoi(day) // checked
		number = min(n, last)
	}
	if !near {
		return number
	}
	switch time.Date(at.Year(), at.Month(), number, 0, 0, 0, 0, time.UTC).Weekday() {
	case time.Saturday:
		if number == 1 {
			return number + 2
		}
		return number - 1
	case time.Sunday:
		if number == last {
			return number - 2
		}
		return number + 1
	default:
		return number
	}
}

// isSpecialWeekday reports whether a day of the week is meant by L (Saturday), nL (the last of the month) or n#week.
func isSpecialWeekday(body string, weekday int, at time.Time) bool {
	field := cronFields[cronDayOfWeek]
	if body == "L" {
		return weekday == field.max
	}
	if day, week, nth := strings.Cut(body, "#"); nth {
		n, _ := strconv.Atoi(week) // checked
		return weekday == field.number(day) && (at.Day()-1)/7+1 == n
	}
	return weekday == field.number(strings.TrimSuffix(body, "L")) && at.Day() > lastDay(at)-7
}

func lastDay(at time.Time) int {
	return time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
