package cron

import (
	"fmt"
	"strconv"
	"strings"
)

// The positions of an expression.
const (
	seconds = iota
	minutes
	hours
	monthDays
	months
	weekDays
	years
	positions
)

// field is the range of one position and the names of its numbers, from the lowest on.
type field struct {
	min, max int
	names    []string
}

var fields = [positions]field{
	seconds: {0, 59, nil}, minutes: {0, 59, nil}, hours: {0, 23, nil}, monthDays: {1, 31, nil},
	months:   {1, 12, strings.Fields("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC")},
	weekDays: {1, 7, strings.Fields("SUN MON TUE WED THU FRI SAT")},
	years:    {1970, 2299, nil},
}

// set holds the numbers of one position; nil holds all.
type set map[int]bool

func (s set) has(n int) bool { return s == nil || s[n] }

// Expression is a parsed cron expression. The zero value fires every second.
type Expression struct {
	sets [positions]set
	// days are the rules of the day field that is not `?`; nil means every day.
	days []dayRule
}

// Parse reads six or seven fields: seconds, minutes, hours, day of month, month, day of week and, if wanted, the year.
// Exactly one of the two day fields is `?`.
func Parse(text string) (Expression, error) {
	var e Expression
	parts := strings.Fields(strings.ToUpper(text))
	if len(parts) != positions && len(parts) != positions-1 {
		return e, fmt.Errorf("cron expression %.80q has %d fields, want 6 or 7", text, len(parts))
	}
	if (parts[monthDays] == "?") == (parts[weekDays] == "?") {
		return e, fmt.Errorf("cron expression %.80q: exactly one of day of month and day of week must be ?", text)
	}
	for at, part := range parts {
		if part == "?" && (at == monthDays || at == weekDays) {
			continue
		}
		for element := range strings.SplitSeq(part, ",") {
			if err := e.add(at, element); err != nil {
				return Expression{}, fmt.Errorf("cron expression %.80q: %q: %w", text, element, err)
			}
		}
	}
	return e, nil
}

// add takes one element of a field into the expression.
func (e *Expression) add(at int, element string) error {
	if rule, special, err := parseDay(at, element); special || err != nil {
		e.days = append(e.days, rule)
		return err
	}
	numbers, err := expand(at, element)
	if err != nil {
		return err
	}
	if at == monthDays || at == weekDays {
		e.days = append(e.days, numbersRule(at, numbers))
		return nil
	}
	if e.sets[at] == nil {
		e.sets[at] = set{}
	}
	for _, n := range numbers {
		e.sets[at][n] = true
	}
	return nil
}

// expand lists the numbers of one plain element.
//
//	element   numbers
//	*         all
//	a         a
//	a-b       from a to b; round the end of the range when b is smaller, but not for years
//	a/n       from a to the highest, every n-th; n = 0 means a alone
//	a-b/n     from a to b, every n-th; n = 0 means a alone
//	*/n, /n   from the lowest to the highest, every n-th; n = 0 means all
func expand(at int, element string) ([]int, error) {
	f := fields[at]
	body, stepText, stepped := strings.Cut(element, "/")
	step := 1
	if stepped {
		n, err := number(stepText, 0, f.max)
		if err != nil {
			return nil, err
		}
		step = n
	}
	from, to := f.min, f.max
	switch {
	case body == "*", body == "" && stepped:
		step = max(step, 1)
	default:
		first, last, ranged := strings.Cut(body, "-")
		var err error
		if from, err = f.value(first); err != nil {
			return nil, err
		}
		switch {
		case ranged:
			if to, err = f.value(last); err != nil {
				return nil, err
			}
		case !stepped:
			to = from
		}
	}
	if step == 0 {
		return []int{from}, nil
	}
	if to < from {
		if at == years {
			return nil, fmt.Errorf("the first year must not be after the last")
		}
		to += f.max - f.min + 1
	}
	var list []int
	for n := from; n <= to; n += step {
		wrapped := n
		if n > f.max {
			wrapped = n - (f.max - f.min + 1)
		}
		list = append(list, wrapped)
	}
	return list, nil
}

// value reads a number or a name.
func (f field) value(text string) (int, error) {
	for i, name := range f.names {
		if text == name {
			return f.min + i, nil
		}
	}
	return number(text, f.min, f.max)
}

func number(text string, lowest, highest int) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || int(n) < lowest || int(n) > highest {
		return 0, fmt.Errorf("%.20q is not a number from %d to %d", text, lowest, highest)
	}
	return int(n), nil
}
