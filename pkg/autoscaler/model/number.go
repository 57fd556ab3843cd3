package model

import (
	"math"
	"strconv"
)

// NaN is the number that means "not known".
var NaN = math.NaN()

// Inf is the rate of a vertex that was never busy.
var Inf = math.Inf(1)

// IsFinite reports whether a number is neither NaN nor infinite.
func IsFinite(x float64) bool { return x-x == 0 }

// Round3 rounds to three decimals, half away from zero, on the shortest decimal text of the number as
// java.math.BigDecimal does. NaN and infinities are kept; so is a number that would become zero.
func Round3(x float64) float64 {
	if !IsFinite(x) || x == math.Trunc(x) {
		return x
	}
	rounded, err := strconv.ParseFloat(decimal(x, 3), 64)
	if err != nil || rounded == 0 {
		return x
	}
	return rounded
}

// CeilTo rounds up to a number of decimals, away from zero, on the shortest decimal text.
func CeilTo(x float64, decimals int) float64 {
	if !IsFinite(x) {
		return x
	}
	text, cut := cutDecimals(x, decimals)
	if cut != "" && !allZero(cut) {
		text = increment(text)
	}
	rounded, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return x
	}
	return rounded
}

// Fixed prints a number with two decimals as Java's %.2f does: half up on the decimal text, where C and Go take the
// binary value. Infinity and NaN are words.
func Fixed(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return decimal(x, 2)
}

// Round rounds half up to a whole number as Math.round does, within 64 bits; NaN is 0.
func Round(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return 0
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	floor := math.Floor(x)
	if x-floor >= 0.5 {
		floor++
	}
	return floor
}

// Int is the conversion of a number to 32 bits as Java does it: cut, within the bounds, and NaN is 0.
func Int(x float64) int { return cut(x, math.MinInt32, math.MaxInt32) }

// Long is the same for 64 bits.
func Long(x float64) int64 { return cut[int64](x, math.MinInt64, math.MaxInt64) }

func cut[T int | int64](x float64, least, most T) T {
	switch {
	case math.IsNaN(x):
		return 0
	case x >= float64(most):
		return most
	case x <= float64(least):
		return least
	}
	return T(x)
}

// decimal prints a finite number with so many decimals, half away from zero on its shortest text.
func decimal(x float64, decimals int) string {
	text, cut := cutDecimals(x, decimals)
	if cut != "" && cut[0] >= '5' {
		return increment(text)
	}
	return text
}

// cutDecimals is the shortest text of a number with exactly so many decimals, and the digits cut off behind them.
func cutDecimals(x float64, decimals int) (text, cut string) {
	text = strconv.FormatFloat(x, 'f', -1, 64)
	point := -1
	for i := range len(text) {
		if text[i] == '.' {
			point = i
		}
	}
	if point < 0 {
		point = len(text)
		text += "."
	}
	end := point + 1 + decimals
	for len(text) < end {
		text += "0"
	}
	return text[:end], text[end:]
}

// increment adds one to the last digit of a decimal text, away from zero.
func increment(text string) string {
	digits := []byte(text)
	for i := len(digits) - 1; i >= 0; i-- {
		switch {
		case digits[i] == '.':
		case digits[i] == '-':
			return "-1" + string(digits[1:])
		case digits[i] == '9':
			digits[i] = '0'
		default:
			digits[i]++
			return string(digits)
		}
	}
	return "1" + string(digits)
}

func allZero(digits string) bool {
	for i := range len(digits) {
		if digits[i] != '0' {
			return false
		}
	}
	return true
}
