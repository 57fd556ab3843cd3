package cron

import (
	"errors"
	"fmt"
	"slices"
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

// field is one position of an expression.
type field struct {
	// name is that in messages.
	name string
	// min and max bound its numbers, both included.
	min, max int
	// names stand for its numbers, from min on; nil is none.
	names []string
}

var fields = [positions]field{
	seconds:   {name: "seconds", min: 0, max: 59},
	minutes:   {name: "minutes", min: 0, max: 59},
	hours:     {name: "hours", min: 0, max: 23},
	monthDays: {name: "day of month", min: 1, max: 31},
	months: {
		name: "month", min: 1, max: 12, names: strings.Fields("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
	},
	weekDays: {name: "day of week", min: 1, max: 7, names: strings.Fields("SUN MON TUE WED THU FRI SAT")},
	years:    {name: "year", min: 1970, max: 2299},
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

// Parse reads what Quartz reads, in any case. An error names the field and the element.
//
//	field        | range     | names   | beside number, a-b, a/n, a-b/n, *, */n and lists
//	seconds      | 0-59      |         |
//	minutes      | 0-59      |         |
//	hours        | 0-23      |         |
//	day of month | 1-31      |         | ?  L  L-n  LW  L-nW  nW
//	month        | 1-12      | JAN-DEC |
//	day of week  | 1-7 (Sun) | SUN-SAT | ?  L  nL  n#week
//	year         | 1970-2299 |         | the field may be absent
//
// Exactly one of the two day fields is `?`. Ranges may wrap round (22-2) except for years. L stands in no list, # once
// in a field.
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
		if err := e.field(at, part); err != nil {
			return Expression{}, fmt.Errorf("cron expression %.80q: %s %.80q: %w", text, fields[at].name, part, err)
		}
	}
	return e, nil
}

// field takes a field into the expression.
func (e *Expression) field(at int, part string) error {
	switch isDays := at == monthDays || at == weekDays; {
	case isDays && strings.Contains(part, "L") && strings.Contains(part, ","):
		return errors.New("L is not possible in a list")
	case isDays && strings.Count(part, "#") > 1:
		return errors.New("only one # is possible")
	}
	for element := range strings.SplitSeq(part, ",") {
		if err := e.add(at, element); err != nil {
			return err
		}
	}
	return nil
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
			if slices.Contains(f.names, first) != slices.Contains(f.names, last) {
				return nil, errors.New("a range is either of numbers or of names")
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
			return nil, errors.New("the first year must not be after the last")
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
	if i := slices.Index(f.names, text); i >= 0 {
		return f.min + i, nil
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
