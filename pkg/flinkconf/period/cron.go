package period

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cronField is one position of a Quartz cron expression.
type cronField struct {
	// name is the field's name in messages.
	name string
	// min and max bound the field's numbers, both included.
	min, max int
	// names are the accepted three-letter names in the order of their numbers; the first stands for min.
	names []string
}

const (
	cronDayOfMonth = 3
	cronDayOfWeek  = 5
	cronYear       = 6
	// cronMaxWeek is the last legal week of `day#week`: no month has a sixth one.
	cronMaxWeek = 5
	// cronMaxOffset is the largest legal n of `L-n`.
	cronMaxOffset = 30
)

// cronFields are the positions of a Quartz expression; the seventh, the year, may be left out.
var cronFields = []cronField{
	{name: "seconds", min: 0, max: 59},
	{name: "minutes", min: 0, max: 59},
	{name: "hours", min: 0, max: 23},
	{name: "day of month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, names: strings.Fields("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC")},
	{name: "day of week", min: 1, max: 7, names: strings.Fields("SUN MON TUE WED THU FRI SAT")},
	{name: "year", min: 1970, max: 2299},
}

// checkCron says why a text is no Quartz cron expression, or returns nil.
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
// Exactly one of the two day fields must be `?`. Ranges may wrap round (22-2) except for years. Case does not matter.
func checkCron(expression string) error {
	fields := strings.Fields(strings.ToUpper(expression))
	if len(fields) < len(cronFields)-1 || len(fields) > len(cronFields) {
		return fmt.Errorf("a cron expression has 6 or 7 fields, this one has %d", len(fields))
	}
	for i, text := range fields {
		if err := checkCronField(i, text); err != nil {
			return fmt.Errorf("%s field %s: %w", cronFields[i].name, quote(text), err)
		}
	}
	if (fields[cronDayOfMonth] == "?") == (fields[cronDayOfWeek] == "?") {
		return errors.New("exactly one of day of month and day of week must be ?")
	}
	return nil
}

func checkCronField(position int, text string) error {
	dayField := position == cronDayOfMonth || position == cronDayOfWeek
	if text == "?" {
		if !dayField {
			return errors.New("? belongs to the day fields only")
		}
		return nil
	}
	elements := strings.Split(text, ",")
	if dayField && len(elements) > 1 && strings.Contains(text, "L") {
		return errors.New("L is not allowed in a list")
	}
	if strings.Count(text, "#") > 1 {
		return errors.New("only one # is possible")
	}
	for _, element := range elements {
		if err := checkCronElement(position, element); err != nil {
			return err
		}
	}
	return nil
}

func checkCronElement(position int, element string) error {
	body, step, stepped := strings.Cut(element, "/")
	if stepped {
		if err := checkCronNumber(step, 0, cronFields[position].max); err != nil {
			return fmt.Errorf("step: %w", err)
		}
	}
	switch {
	case body == "*", body == "" && stepped:
		return nil
	case position == cronDayOfMonth && !stepped && (strings.HasPrefix(body, "L") || strings.HasSuffix(body, "W")):
		return checkCronSpecialDay(body)
	case position == cronDayOfWeek && !stepped && strings.ContainsAny(body, "L#"):
		return checkCronSpecialWeekday(body)
	}
	return checkCronRange(position, body)
}

// checkCronRange checks a value or a from-to range, in numbers or names.
func checkCronRange(position int, body string) error {
	field := cronFields[position]
	from, to, ranged := strings.Cut(body, "-")
	if err := checkCronValue(field, from); err != nil || !ranged {
		return err
	}
	if err := checkCronValue(field, to); err != nil {
		return err
	}
	if slices.Contains(field.names, from) != slices.Contains(field.names, to) {
		return errors.New("a range is either of numbers or of names")
	}
	if position == cronYear && from > to {
		return errors.New("the first year must not be after the last")
	}
	return nil
}

// checkCronSpecialDay checks L, L-n, LW, L-nW and nW of the day of month.
func checkCronSpecialDay(body string) error {
	day := strings.TrimSuffix(body, "W")
	if day == "L" {
		return nil
	}
	if offset, ok := strings.CutPrefix(day, "L-"); ok {
		return checkCronNumber(offset, 0, cronMaxOffset)
	}
	return checkCronValue(cronFields[cronDayOfMonth], day)
}

// checkCronSpecialWeekday checks L, nL and n#week of the day of week.
func checkCronSpecialWeekday(body string) error {
	if body == "L" {
		return nil
	}
	day, week, nth := strings.Cut(body, "#")
	if nth {
		if err := checkCronNumber(week, 1, cronMaxWeek); err != nil {
			return fmt.Errorf("week: %w", err)
		}
	} else {
		day = strings.TrimSuffix(day, "L")
	}
	return checkCronValue(cronFields[cronDayOfWeek], day)
}

func checkCronValue(field cronField, text string) error {
	if slices.Contains(field.names, text) {
		return nil
	}
	return checkCronNumber(text, field.min, field.max)
}

func checkCronNumber(text string, lowest, highest int) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || int(n) < lowest || int(n) > highest {
		return fmt.Errorf("%s is not a value from %d to %d", quote(text), lowest, highest)
	}
	return nil
}
