package cron

import "time"

// Next is the first time after t at which the expression fires, on a whole second in UTC; false when there is none any
// more.
func (e Expression) Next(t time.Time) (time.Time, bool) {
	t = t.UTC().Truncate(time.Second).Add(time.Second)
	if t.Year() < fields[years].min {
		t = time.Date(fields[years].min, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	for year := t.Year(); year <= fields[years].max; year++ {
		if !e.sets[years].has(year) {
			continue
		}
		for m := time.January; m <= time.December; m++ {
			if !e.sets[months].has(int(m)) || (year == t.Year() && m < t.Month()) {
				continue
			}
			if found, ok := e.inMonth(monthOf(year, m), t); ok {
				return found, true
			}
		}
	}
	return time.Time{}, false
}

// Matches reports whether the expression fires in the second of a time, on the clocks of its location.
func (e Expression) Matches(t time.Time) bool {
	hour, minute, second := t.Clock()
	return e.sets[years].has(t.Year()) && e.sets[months].has(int(t.Month())) &&
		e.onDay(monthOf(t.Year(), t.Month()), t.Day()) &&
		e.sets[hours].has(hour) && e.sets[minutes].has(minute) && e.sets[seconds].has(second)
}

// inMonth is the first time of a month that is not before t.
func (e Expression) inMonth(m month, t time.Time) (time.Time, bool) {
	for day := 1; day <= m.last; day++ {
		begin := time.Date(m.year, m.month, day, 0, 0, 0, 0, time.UTC)
		if !begin.AddDate(0, 0, 1).After(t) || !e.onDay(m, day) {
			continue
		}
		from := 0
		if begin.Before(t) {
			from = int(t.Sub(begin) / time.Second)
		}
		if second, ok := e.inDay(from); ok {
			return begin.Add(time.Duration(second) * time.Second), true
		}
	}
	return time.Time{}, false
}

func (e Expression) onDay(m month, day int) bool {
	for _, rule := range e.days {
		if rule(m, day) {
			return true
		}
	}
	return e.days == nil
}

// inDay is the first second of a day, from one on, that the expression fires at.
func (e Expression) inDay(from int) (int, bool) {
	for hour := from / 3600; hour < 24; hour++ {
		if !e.sets[hours].has(hour) {
			continue
		}
		for minute := 0; minute < 60; minute++ {
			begin := hour*3600 + minute*60
			if begin+59 < from || !e.sets[minutes].has(minute) {
				continue
			}
			for second := max(0, from-begin); second < 60; second++ {
				if e.sets[seconds].has(second) {
					return begin + second, true
				}
			}
		}
	}
	return 0, false
}
