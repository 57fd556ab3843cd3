package flinkconf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// flattenByTokens is the slow twin of Flatten: it reads the tokens of encoding/json.
func flattenByTokens(raw v1beta1.FlinkConfiguration) (flinkconf.Config, error) {
	flat := flinkconf.Config{}
	if raw.IsZero() {
		return flat, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("begins with %v: %w", first, err)
	}
	return flat, flattenObject(dec, "", flat)
}

// flattenObject reads entries up to the closing brace.
func flattenObject(dec *json.Decoder, parent string, flat flinkconf.Config) error {
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		path := fmt.Sprint(name)
		if parent != "" {
			path = parent + "." + path
		}
		if err := flattenValue(dec, path, flat); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func flattenValue(dec *json.Decoder, path string, flat flinkconf.Config) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return flattenObject(dec, path, flat)
	case json.Delim('['):
		items, err := listTexts(dec)
		if err != nil {
			return err
		}
		if len(items) > 0 {
			flat[path] = strings.Join(items, ";")
		}
		return nil
	}
	flat[path] = scalarText(token)
	return nil
}

// listTexts reads the items of a list up to the closing bracket. Lists and objects inside have no text of their own.
func listTexts(dec *json.Decoder) ([]string, error) {
	var items []string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if _, nested := token.(json.Delim); !nested {
			items = append(items, scalarText(token))
			continue
		}
		if err := skipNested(dec); err != nil {
			return nil, err
		}
		items = append(items, "")
	}
	_, err := dec.Token()
	return items, err
}

// skipNested reads to the end of an object or list whose opening was just read.
func skipNested(dec *json.Decoder) error {
	for depth := 1; depth > 0; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

// scalarText is what Jackson's asText gives for a JSON scalar.
func scalarText(token json.Token) string {
	switch value := token.(type) {
	case nil:
		return "null"
	case json.Number:
		return numberText(string(value))
	default:
		return fmt.Sprint(value)
	}
}

func numberText(text string) string {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // JSON numbers parse; one out of range is infinity in Java too
		return syntax.FormatFloat(f)
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// What Flatten scans means what encoding/json reads.
func FuzzFlatten(f *testing.F) {
	for _, seed := range []string{
		`{"a": {"b": [1, {"c": 2}]}}`, `{}`, `{"a": 1e400}`, `[`, `{"a": null, "a": {}}`, "null ", `{"a":1,}`, `{"a":1}}`,
		`{"a" 1}`, `{"\u0061\n":"\ud83d\ude00","b":"\ud83d","c":"\x"}`, "{\"a\xff\":\"\xfe\"}", `{,}`, `{"a":tru}`,
		`{"a":[1,[2,{"b":"c"}],"d",null]}`, `{"a":01,"b":+1}`, `{"a":-}`, `{"a":[1,]}`, `{"a":[,1]}`, `{"a":"b"`,
		"{\"a\":\"\t\"}", "{\"a\u2028\":1} x", `{"a":{}}`, `{"a":[]}`, `{"a":-0.0,"b":1E5,"c":-0}`, `{1:2}`, `{"a":NaN}`,
		`{"a":1 "b":2}`, "{\"a\":\x001}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := v1beta1.FlinkConfiguration(text)
		flat, err := flinkconf.Flatten(raw)
		if (flat == nil) != (err != nil) {
			t.Fatalf("Flatten(%q) = %v, %v", text, flat, err)
		}
		slow, slowErr := flattenByTokens(raw)
		if (err == nil) != (slowErr == nil) {
			t.Fatalf("Flatten(%q) fails with %v, by tokens with %v", text, err, slowErr)
		}
		if diff := cmp.Diff(slow, flat); err == nil && diff != "" {
			t.Fatalf("Flatten(%q):\n%s", text, diff)
		}
	})
}

func BenchmarkFlatten(b *testing.B) {
	entries := map[string]any{}
	for i := range 20 {
		entries[fmt.Sprintf("kubernetes.operator.option-%d", i)] = "some text"
		entries[fmt.Sprintf("taskmanager.option-%d", i)] = map[string]any{"size": i, "on": true}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := flinkconf.Flatten(text); err != nil {
			b.Fatal(err)
		}
	}
}
