package syntax

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FormatFloat prints a number as Java's Double.toString does: always with a decimal point ("1.0", "0.5"), and with an
// exponent ("1.0E-4", "1.0E7") below 1/1000 and from ten million on.
func FormatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0 || math.Abs(f) >= 1e-3 && math.Abs(f) < 1e7:
		return withPoint(strconv.FormatFloat(f, 'f', -1, 64))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent) // always digits: strconv printed them
	return withPoint(mantissa) + "E" + strconv.Itoa(n)
}

func withPoint(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	return digits + ".0"
}

// ParseFloat reads a decimal number such as "0.5" or "1e-3" as Java's Double.parseDouble does; white space around it
// and a trailing d or f are accepted. Hexadecimal forms are not: nobody writes them in a Flink configuration.
func ParseFloat(text string) (float64, error) {
	trimmed := javaTrim(text)
	digits := strings.TrimRight(trimmed, "dDfF")
	if len(trimmed)-len(digits) > 1 || strings.Contains(digits, "_") || isWord(digits) {
		return 0, fmt.Errorf("%q is not a number: expected a decimal number such as 0.5", text)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a number: expected a decimal number such as 0.5", text)
	}
	return f, nil
}

// isWord tells the spellings of infinity and not-a-number apart: Go reads more of them than Java.
func isWord(s string) bool {
	word := strings.TrimLeft(s, "+-")
	if word == "Infinity" || word == "NaN" {
		return false
	}
	return word != "" && (word[0] == 'i' || word[0] == 'I' || word[0] == 'n' || word[0] == 'N')
}

// ParseBool reads true or false in any case.
func ParseBool(text string) (bool, error) {
	switch {
	case strings.EqualFold(text, "true"):
		return true, nil
	case strings.EqualFold(text, "false"):
		return false, nil
	}
	return false, fmt.Errorf("%q is not a boolean: expected true or false", text)
}
