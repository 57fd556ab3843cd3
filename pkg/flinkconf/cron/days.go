package cron

import (
	"strings"
	"time"
)

// month is one month of one year, with what the day rules ask about it.
type month struct {
	year  int
	month time.Month
	last  int          // the number of its days
	first time.Weekday // of its first day
}

func monthOf(year int, m time.Month) month {
	return month{
		year: year, month: m, last: time.Date(year, m+1, 0, 0, 0, 0, 0, time.UTC).Day(),
		first: time.Date(year, m, 1, 0, 0, 0, 0, time.UTC).Weekday(),
	}
}

// weekday is Quartz's number of a day: 1 is Sunday.
func (m month) weekday(day int) int { return (int(m.first)+day-1)%7 + 1 }

// dayRule reports whether the expression fires on a day of a month.
type dayRule func(m month, day int) bool

func numbersRule(at int, numbers []int) dayRule {
	wanted := set{}
	for _, n := range numbers {
		wanted[n] = true
	}
	if at == weekDays {
		return func(m month, day int) bool { return wanted[m.weekday(day)] }
	}
	return func(_ month, day int) bool { return wanted[day] }
}

// parseDay reads the elements that depend on the month.
//
//	day of month   fires on
//	L              the last day
//	L-n            the n-th day before the last; not in a month without it
//	nW             the working day nearest to the n-th, in the same month; not in a month without an n-th
//	LW, L-nW       the working day nearest to that day, in the same month
//
//	day of week    fires on
//	L              Saturday, as 7
//	nL             the last such day
//	n#k            the k-th such day; not in a month without it
func parseDay(at int, element string) (rule dayRule, special bool, err error) {
	switch {
	case at == monthDays && (strings.HasPrefix(element, "L") || strings.HasSuffix(element, "W")):
		rule, err = parseMonthDay(element)
		return rule, true, err
	case at == weekDays && element == "L":
		return numbersRule(weekDays, []int{7}), true, nil
	case at == weekDays && strings.Contains(element, "#"):
		rule, err = parseNthDay(element)
		return rule, true, err
	case at == weekDays && strings.HasSuffix(element, "L"):
		n, err := fields[weekDays].value(strings.TrimSuffix(element, "L"))
		return func(m month, day int) bool { return m.weekday(day) == n && day > m.last-7 }, true, err
	}
	return nil, false, nil
}

func parseMonthDay(element string) (dayRule, error) {
	day, working := strings.CutSuffix(element, "W")
	of := func(m month) int { return m.last }
	if day != "L" {
		var n int
		var err error
		if before, ok := strings.CutPrefix(day, "L-"); ok {
			n, err = number(before, 0, 30)
			of = func(m month) int { return m.last - n }
		} else {
			n, err = fields[monthDays].value(day)
			of = func(month) int { return n }
		}
		if err != nil {
			return nil, err
		}
	}
	return func(m month, day int) bool {
		wanted := of(m)
		if wanted < 1 || wanted > m.last {
			return false
		}
		if working {
			wanted = m.working(wanted)
		}
		return day == wanted
	}, nil
}

// working is the day from Monday to Friday that is nearest to a day, within the month.
func (m month) working(day int) int {
	switch m.weekday(day) {
	case 7: // Saturday
		if day == 1 {
			return day + 2
		}
		return day - 1
	case 1: // Sunday
		if day == m.last {
			return day - 2
		}
		return day + 1
	}
	return day
}

func parseNthDay(element string) (dayRule, error) {
	name, nth, _ := strings.Cut(element, "#")
	n, err := fields[weekDays].value(name)
	if err != nil {
		return nil, err
	}
	k, err := number(nth, 1, 5)
	return func(m month, day int) bool { return m.weekday(day) == n && (day-1)/7+1 == k }, err
}
