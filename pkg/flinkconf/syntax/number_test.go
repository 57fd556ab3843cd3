package syntax

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFormatFloat(t *testing.T) {
	tenth := 0.1 // a variable, because Go computes constants exactly
	for name, tc := range map[string]struct {
		number float64
		want   string
		reason string
	}{
		"whole":        {1, "1.0", "there is always a decimal point"},
		"fraction":     {0.5, "0.5", "as few digits as read back the same number"},
		"product":      {tenth * 3, "0.30000000000000004", "no rounding for looks"},
		"large":        {1e7, "1.0E7", "an exponent from ten million on"},
		"below large":  {9999999, "9999999.0", "and none below"},
		"small":        {0.001, "0.001", "no exponent down to a thousandth"},
		"below small":  {0.0001, "1.0E-4", "and one below"},
		"limit factor": {4294967296 / 2.048, "2.097152E9", "the limit factor of 4Gi over 2048m"},
		"infinite":     {math.Inf(-1), "-Infinity", "Java's word for it"},
		"none":         {math.NaN(), "NaN", "Java's word for it"},
		"zero":         {0, "0.0", "zero has a decimal point too"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := FormatFloat(tc.number); got != tc.want {
				t.Errorf("FormatFloat(%v) = %q, want %q: %s", tc.number, got, tc.want, tc.reason)
			}
		})
	}
}

func TestParseFloatRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"":         "nothing is no number",
		"inf":      "Java knows Infinity only",
		"nan":      "Java knows NaN only",
		"infinity": "a capital letter at its start",
		"INFINITY": "and small ones after it",
		"1_0":      "underscores are Go's, not Java's",
		"1dd":      "one type letter at most",
		"half":     "words are no numbers",
		"٣":        "digits are ASCII",
	} {
		if f, err := ParseFloat(text); err == nil {
			t.Errorf("ParseFloat(%q) = %v, want an error: %s", text, f, reason)
		}
	}
}

func TestParseFloatReads(t *testing.T) {
	for text, want := range map[string]float64{
		"0.5": 0.5, " 1e-3 ": 0.001, "0.5f": 0.5, "2D": 2, "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if got, err := ParseFloat(text); err != nil || got != want {
			t.Errorf("ParseFloat(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	if got, err := ParseFloat("NaN"); err != nil || !math.IsNaN(got) {
		t.Errorf("ParseFloat(NaN) = %v, %v", got, err)
	}
}

func TestFloatReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		if got, err := ParseFloat(FormatFloat(f)); err != nil || got != f {
			t.Fatalf("%v printed as %q reads back as %v, %v", f, FormatFloat(f), got, err)
		}
	})
}

func TestParseBool(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "TRUE": true, "False": false} {
		if got, err := ParseBool(text); err != nil || got != want {
			t.Errorf("ParseBool(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "yes", "1", " true"} {
		if _, err := ParseBool(text); err == nil {
			t.Errorf("ParseBool(%q) succeeds, want an error: only true and false are booleans", text)
		}
	}
}
