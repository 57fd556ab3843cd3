package bounded_test

import (
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

func TestAStreamReadsWhatTheDecoderReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.MarshalIndent(map[string]any{
			"a": anyValue(3).Draw(t, "a"), "b": []any{anyValue(2).Draw(t, "b0"), anyValue(2).Draw(t, "b1")},
		}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		s := bounded.NewStream(iotest.OneByteReader(strings.NewReader(string(text))))
		if err := s.Object(func(name string) error {
			value, size, err := s.Value(nil, bounded.Limits{})
			if counted, _ := bounded.JSON(value, bounded.Limits{}); counted.Values != size.Values {
				t.Errorf("%s: %d values, and read at once %d", value, size.Values, counted.Values)
			}
			got[name] = string(value)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if got[name] != string(value) {
				t.Errorf("%s: %s, want %s", name, got[name], value)
			}
		}
		if s.Read != len(text) {
			t.Errorf("%d bytes were read of %d", s.Read, len(text))
		}
	})
}

func TestAStreamGoesOnAfterAValueThatIsTooLarge(t *testing.T) {
	text := `{"a":[1,2,{"b":"` + strings.Repeat("x", 100_000) + `"},[]], "c" : 7}`
	for name, most := range map[string]bounded.Limits{
		"bytes": {Bytes: 1000}, "values": {Values: 3}, "levels": {Depth: 1}, "flat": {Flat: 50},
	} {
		t.Run(name, func(t *testing.T) {
			s := bounded.NewStream(strings.NewReader(text))
			got := map[string]string{}
			err := s.Object(func(name string) error {
				value, _, err := s.Value(nil, most)
				if over := new(bounded.TooLarge); errors.As(err, &over) {
					got[name], err = "too large", nil
				} else {
					got[name] = string(value)
				}
				return err
			})
			if diff := cmp.Diff(map[string]string{"a": "too large", "c": "7"}, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestAStreamSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1`: "unexpected EOF", `{"a"`: "unexpected EOF", `{"a" 1}`: "instead of :", `[1]`: "instead of {",
		`{a:1}`: "name of a member", `{"a":}`: "instead of a value", ``: "unexpected EOF",
		`{"a":1 "b":2}`: "instead of }",
	} {
		s := bounded.NewStream(strings.NewReader(text))
		err := s.Object(func(string) error { return s.Skip() })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestAStreamKeepsNothingOfWhatIsSkipped(t *testing.T) {
	s := bounded.NewStream(io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(endless{}, 64<<20),
		strings.NewReader(`","b":1}`)))
	before := allocated()
	if err := s.Object(func(string) error { return s.Skip() }); err != nil {
		t.Fatal(err)
	}
	if taken := allocated() - before; taken > 1<<20 {
		t.Errorf("to skip 64 MiB takes %d bytes", taken)
	}
}

// endless is a long text.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// allocated is what was ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
