package jsontext

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Print prints a value as compact JSON, in which <, > and & stand for themselves. It fails on what encoding/json cannot
// print: invalid raw text, NaN, channels.
func Print(value any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// Double prints as Java's Double.toString does: 1.0, 0.25, 1.0E7, 1.0E-4. The hash of a spec in a status is over it.
type Double float64

// MarshalJSON prints the number; NaN and infinities have no JSON.
func (d Double) MarshalJSON() ([]byte, error) {
	if f := float64(d); math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%v is not a JSON number", f)
	}
	return []byte(d.String()), nil
}

// String prints any number: always with a decimal point, and with an exponent below 1/1000 and from ten million on.
func (d Double) String() string {
	f := float64(d)
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
