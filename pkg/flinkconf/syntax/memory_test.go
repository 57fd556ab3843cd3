package syntax

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFormatMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		bytes  int64
		want   string
		reason string
	}{
		"gigabytes":      {2 << 30, "2 gb", "the largest unit that divides"},
		"megabytes":      {1600 << 20, "1600 mb", "1600 mb is no whole number of gb"},
		"odd":            {1001, "1001 bytes", "nothing divides"},
		"zero":           {0, "0 bytes", "every unit divides zero, and then Flink prints bytes"},
		"whole terabyte": {1 << 40, "1099511627776 bytes", "Flink has no unit after tb to stop at"},
		"and a half":     {3 << 39, "1536 gb", "a terabyte and a half stops at tb"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := FormatMemory(tc.bytes); got != tc.want {
				t.Errorf("FormatMemory(%d) = %q, want %q: %s", tc.bytes, got, tc.want, tc.reason)
			}
		})
	}
}

func TestParseMemoryErrors(t *testing.T) {
	for name, tc := range map[string]struct{ text, says, reason string }{
		"kubernetes":   {"2Gi", `unit "gi" is unknown`, "Kubernetes units are not Flink units"},
		"accepted":     {"2Gi", "b, kb, mb, gb, tb", "the error says what is accepted"},
		"fraction":     {"1.5g", `unit ".5g" is unknown`, "whole numbers only"},
		"negative":     {"-1g", "does not start with a number", "sizes are not negative"},
		"long number":  {"9223372036854775808", "too large", "more than 63 bits"},
		"long product": {"9007199254740992 kb", "more than 64 bits", "the product counts"},
		"wraps to small": {
			"18014398509481985 kb",
			"more than 64 bits",
			"a product that wraps around to a small number is noticed",
		},
		"empty": {"", "is empty", "nothing is no size"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseMemory(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ParseMemory(%q) error = %v, want it to say %q: %s", tc.text, err, tc.says, tc.reason)
			}
		})
	}
}

func TestMemoryReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(memoryUnits).Draw(t, "unit")
		n := rapid.Int64Range(0, math.MaxInt64/unit.bytes).Draw(t, "n") * unit.bytes
		if got, err := ParseMemory(FormatMemory(n)); err != nil || got != n {
			t.Fatalf("%d printed as %q reads back as %d, %v", n, FormatMemory(n), got, err)
		}
	})
}

func FuzzParseMemory(f *testing.F) {
	for _, seed := range []string{
		"2g",
		"2048 mb",
		"100",
		"1024K",
		"2 Gi",
		"",
		"9223372036854775807",
		"16t",
		"8388608 tb",
		"\u212a1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseMemory(text)
		if err != nil {
			return
		}
		if again, err := ParseMemory(FormatMemory(n)); n < 0 || err != nil || again != n {
			t.Fatalf("%q is %d, printed %q, read %d, %v", text, n, FormatMemory(n), again, err)
		}
	})
}
