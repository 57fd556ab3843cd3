package jsontext

import (
	"encoding/json"
	"testing"
)

// A string without an escape keeps its text: it is what the string would be printed as.
func FuzzPrintRaw(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b"}`, `["\u00e4","\n"]`, "\"\xff\"", "\"\u2028\"", `"\\"`, `"\"`, `"\ud800"`, "1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		got, err := Print(json.RawMessage(text))
		if err != nil {
			t.Fatalf("Print(%q): %v", text, err)
		}
		var again any
		if err := json.Unmarshal([]byte(got), &again); err != nil {
			t.Fatalf("Print(%q) = %q: %v", text, got, err)
		}
		want, err := Print(again)
		if _, isText := value.(string); isText && (err != nil || got != want) {
			t.Fatalf("Print(%q) = %q, the string it means is printed as %q, %v", text, got, want, err)
		}
	})
}
