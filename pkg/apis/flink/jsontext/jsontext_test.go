package jsontext

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestPrint(t *testing.T) {
	rows := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"HTML":        {"angle brackets and ampersands stay", "<a>&b", `"<a>&b"`},
		"quotes":      {"JSON demands it", `a"b\c`, `"a\"b\\c"`},
		"number text": {"numbers in raw text are kept", json.RawMessage(`[1.50, 1e3]`), `[1.50,1e3]`},
		"key order": {
			"raw objects keep their order and repetitions", json.RawMessage(`{"b":1,"a":2,"b":3}`), `{"b":1,"a":2,"b":3}`,
		},
	}
	for name, row := range rows {
		got, err := Print(row.value)
		if err != nil || got != row.want {
			t.Errorf("%s (%s): %s, %v", name, row.reason, got, err)
		}
	}
}

func TestPrintFailsOnWhatIsNotJSON(t *testing.T) {
	for name, value := range map[string]any{
		"broken raw text": json.RawMessage(`{"a":`),
		"NaN":             Double(math.NaN()),
		"infinity":        Double(math.Inf(-1)),
		"a channel":       make(chan int),
	} {
		if text, err := Print(value); err == nil {
			t.Errorf("%s printed %s", name, text)
		}
	}
}

func TestDoublePrintsAsJava(t *testing.T) {
	rows := map[string]struct {
		reason string
		value  float64
	}{
		"0.0":                     {"a fraction is always printed", 0},
		"1.0":                     {"a fraction is always printed", 1},
		"0.25":                    {"plain", 0.25},
		"-1.5":                    {"sign", -1.5},
		"0.001":                   {"the smallest plain one", 1e-3},
		"9.9E-4":                  {"below it comes an exponent", 0.00099},
		"9999999.0":               {"the largest plain whole one", 9999999},
		"1.0E7":                   {"above it comes an exponent without a plus", 1e7},
		"1.2345678E8":             {"digits are kept", 123456780},
		"1.7976931348623157E308":  {"the largest", math.MaxFloat64},
		"-1.7976931348623157E308": {"the smallest", -math.MaxFloat64},
	}
	for want, row := range rows {
		got, err := Print(Double(row.value))
		if err != nil || got != want {
			t.Errorf("%g (%s): %s, want %s, %v", row.value, row.reason, got, want, err)
		}
	}
}

func TestDoublesReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.Float64().Draw(rt, "f")
		text, err := Print(Double(f))
		if err != nil {
			rt.Fatal(err)
		}
		var back float64
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != f {
			rt.Fatalf("%g printed as %s reads back as %g, %v", f, text, back, err)
		}
	})
}
