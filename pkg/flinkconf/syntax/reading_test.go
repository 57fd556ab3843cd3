package syntax

import (
	"math"
	"strconv"
	"testing"
)

func mustInt(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// floatOf reads the bits of a double, in hexadecimal.
func floatOf(t *testing.T, bits string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(bits, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(n)
}
