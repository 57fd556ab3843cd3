package syntax

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
)

// FormatFloat prints a number as Java's Double.toString does.
func FormatFloat(f float64) string { return jsontext.Double(f).String() }

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
