package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
)

// What is scanned to its end is JSON, and all JSON is.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":null}],"c":"\u00e4"}`, `[]`, `"\x"`, `{"a":}`, `[1,]`, `tru`, `01`, `1 2`, ``, "\"\t\"",
		"{\"\xff\":\"\xff\"}", `"a`,
		strings.Repeat("[", 20000) + strings.Repeat("]", 20000), strings.Repeat("[", 9999) + strings.Repeat("]", 9999),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := jsontext.NewScan(text)
		whole := s.Skip() && s.Ends()
		if valid := json.Valid([]byte(text)); valid != whole {
			t.Errorf("%q is JSON: %t, scanned to its end: %t", text, valid, whole)
		}
	})
}
