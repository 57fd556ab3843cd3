package bounded_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

func TestJSONCountsWhatATextBecomes(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		want bounded.Size
	}{
		"nothing":         {``, bounded.Size{}},
		"an object":       {`{}`, bounded.Size{Values: 1, Depth: 1}},
		"a flat key":      {`{"a.b":"xy"}`, bounded.Size{Values: 2, Depth: 1, Keys: 1, Flat: 5}},
		"nested keys":     {`{"a":{"b":1,"cd":true}}`, bounded.Size{Values: 4, Depth: 2, Keys: 2, Flat: 4 + 8}},
		"no name":         {`{"":{"a":"x"}}`, bounded.Size{Values: 3, Depth: 2, Keys: 1, Flat: 2}},
		"a list":          {`{"a":["xy","z"]}`, bounded.Size{Values: 4, Depth: 2, Keys: 1, Flat: 1 + 2 + 1 + 1 + 1}},
		"an empty list":   {`{"a":[]}`, bounded.Size{Values: 2, Depth: 2, Keys: 1, Flat: 1}},
		"a quote":         {`{"a\"b":"c\\"}`, bounded.Size{Values: 2, Depth: 1, Keys: 1, Flat: 4 + 3}},
		"spaces":          {"{ \"a\" :\n 1 , \"b\" : null }", bounded.Size{Values: 3, Depth: 1, Keys: 2, Flat: 2 + 5}},
		"a key twice":     {`{"a":1,"a":2}`, bounded.Size{Values: 3, Depth: 1, Keys: 2, Flat: 4}},
		"braces in texts": {`{"a":"{[,:"}`, bounded.Size{Values: 2, Depth: 1, Keys: 1, Flat: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			row.want.Bytes = len(row.text)
			got, err := bounded.JSON(row.text, bounded.Limits{})
			got.Objects = 0 // those of a decoded value are compared below
			if diff := cmp.Diff(row.want, got); err != nil || diff != "" {
				t.Errorf("JSON(%s): %v\n%s", row.text, err, diff)
			}
		})
	}
}

func TestJSONStopsAtEachCeiling(t *testing.T) {
	long := strings.Repeat("k", 20_000)
	for name, row := range map[string]struct {
		text string
		most bounded.Limits
		what string
	}{
		"bytes":             {`"` + long + `"`, bounded.Limits{Bytes: 10_000}, "bytes"},
		"a wide object":     {`{` + strings.Repeat(`"a":1,`, 6_000) + `"a":1}`, bounded.FlinkConfiguration, "keys"},
		"a long list":       {`{"a":[` + strings.Repeat(`1,`, 200_000) + `1]}`, bounded.FlinkConfiguration, "flat keys"},
		"a list of objects": {`[` + strings.Repeat(`{},`, 50_000) + `{}]`, bounded.Spec, "values"},
		"one long key above many": {
			`{"` + long + `":{` + strings.Repeat(`"a":1,`, 1000) + `"a":1}}`, bounded.FlinkConfiguration, "flat keys",
		},
		"nested objects": {strings.Repeat(`{"a":`, 500), bounded.FlinkConfiguration, "levels"},
		"nested lists":   {strings.Repeat(`[`, 20_000), bounded.Limits{}, "levels"},
		"a long text":    {`{"a":"` + strings.Repeat("x", 300<<10) + `"}`, bounded.FlinkConfiguration, "flat keys"},
		"a long number":  {`{"a":` + strings.Repeat("1", 300<<10) + `}`, bounded.FlinkConfiguration, "flat keys"},
		"keys twice":     {`{` + strings.Repeat(`"`+long+`":1,`, 20) + `"a":1}`, bounded.FlinkConfiguration, "flat keys"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bounded.JSON(row.text, row.most)
			var over *bounded.TooLarge
			if !errors.As(err, &over) || !strings.Contains(over.What, row.what) {
				t.Errorf("%v, want too many %s", err, row.what)
			}
			if got := testing.AllocsPerRun(2, func() { _, _ = bounded.JSON(row.text, row.most) }); got > 30 {
				t.Errorf("%v allocations: its memory must not grow with the text", got)
			}
		})
	}
}

// counted is what Size counts, by a decoded value.
func counted(value any, depth int) (s bounded.Size) {
	add := func(of bounded.Size) {
		s.Values, s.Depth, s.Objects = s.Values+of.Values, max(s.Depth, of.Depth), s.Objects+of.Objects
	}
	s.Values = 1
	switch value := value.(type) {
	case map[string]any:
		s.Depth, s.Objects = depth+1, 1
		for _, below := range value {
			add(counted(below, depth+1))
		}
	case []any:
		s.Depth = depth + 1
		for _, below := range value {
			add(counted(below, depth+1))
		}
	}
	return s
}

func anyValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Map(rapid.StringMatching(`[a-z"\\{}\[\],: ]{0,6}`), func(s string) any { return s }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just(any(nil)),
	}
	if depth > 0 {
		below := anyValue(depth - 1)
		leaves = append(
			leaves, rapid.Map(rapid.SliceOfN(below, 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z"\\.{},:]{0,4}`), below, 0, 4), func(m map[string]any) any {
				return m
			}),
		)
	}
	return rapid.OneOf(leaves...)
}

func TestJSONCountsAsTheDecoderDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(anyValue(4).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		got, err := bounded.JSON(text, bounded.Limits{})
		want := counted(value, 0)
		if err != nil || got.Values != want.Values || got.Depth != want.Depth ||
			got.Objects != want.Objects {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	})
}

// TestCostIsAboutWhatADecodedTextTakes: pages of lists are cut by it.
func TestCostIsAboutWhatADecodedTextTakes(t *testing.T) {
	for name, text := range map[string]string{
		"small maps": `[` + strings.Repeat(`{"a":{}},`, 20_000) + `{}]`,
		"lists":      `[` + strings.Repeat(`[0],`, 20_000) + `[]]`,
		"numbers":    `[` + strings.Repeat(`1234567,`, 20_000) + `1]`,
		"texts":      `[` + strings.Repeat(`"some text of a usual length",`, 20_000) + `""]`,
		"entries":    `{"x":[` + strings.Repeat(`{"name":"A","value":"some text"},`, 50_000) + `{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			size, err := bounded.JSON(text, bounded.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			taken := held(t, text)
			if cost := size.Cost(); cost < taken*8/10 || cost > taken*4 {
				t.Errorf("it costs %d and takes %d", cost, taken)
			}
		})
	}
}

// held is what a decoded text takes in memory.
func held(t *testing.T, text string) int {
	t.Helper()
	memory := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := memory()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	after := memory()
	runtime.KeepAlive(value)
	return after - before
}

func BenchmarkJSON(b *testing.B) {
	text := `{` + strings.Repeat(`"taskmanager.memory.process.size":"1728m",`, 20_000) + `"a":1}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = bounded.JSON(text, bounded.Limits{})
	}
}
