package v1beta1

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestQuantityKeepsItsText(t *testing.T) {
	rows := map[string]struct {
		reason string
		json   string
		text   Quantity
		value  string // canonical; empty when it cannot be parsed
	}{
		"text":       {"the usual form", `"1024m"`, "1024m", "1024m"},
		"not normal": {"1000m stays 1000m although Kubernetes would print 1", `"1000m"`, "1000m", "1"},
		"integer":    {"the schema allows numbers", `2`, "2", "2"},
		"fraction":   {"stored as a number by some clients", `0.5`, "0.5", "500m"},
		"large":      {"no float on the way", `9007199254740993`, "9007199254740993", "9007199254740993"},
		"unreadable": {"reported later, with its path", `"abc"`, "abc", ""},
		"spaces":     {"are forgiven", `" 2Gi "`, " 2Gi ", "2Gi"},
		"null":       {"is not set", `null`, "", ""},
		"escaped":    {"JSON escapes are resolved", `"\u0032Gi"`, "2Gi", "2Gi"},
	}
	for name, row := range rows {
		var q Quantity = "before"
		if err := json.Unmarshal([]byte(row.json), &q); err != nil || q != row.text {
			t.Errorf("%s (%s): %q, %v", name, row.reason, q, err)
			continue
		}
		parsed, err := q.Parse()
		if row.value == "" {
			if err == nil || !strings.Contains(err.Error(), string(row.text)) {
				t.Errorf("%s: parsed as %s, error %v", name, parsed.String(), err)
			}
			continue
		}
		if err != nil || parsed.String() != row.value {
			t.Errorf("%s (%s): %s, %v", name, row.reason, parsed.String(), err)
		}
	}
}

func TestQuantityRefusesOtherJSON(t *testing.T) {
	for _, odd := range []string{`true`, `{"amount":"1"}`, `[1]`} {
		var q Quantity
		if err := json.Unmarshal([]byte(odd), &q); err == nil {
			t.Errorf("%s became %q", odd, q)
		}
	}
	var q Quantity
	if err := q.UnmarshalJSON([]byte(`"unfinished`)); err == nil {
		t.Error("an unfinished string became a quantity")
	}
}

func TestResourceRequirementsRoundTrip(t *testing.T) {
	for _, written := range []string{
		`{}`,
		`{"requests":{}}`,
		`{"limits":{"cpu":"1"},"requests":{"cpu":"0.5","memory":"1024m"}}`,
		`{"claims":[{"name":"gpu","request":"one"}],"limits":{"nvidia.com/gpu":"1"}}`,
	} {
		var r ResourceRequirements
		if err := json.Unmarshal([]byte(written), &r); err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		if got, err := json.Marshal(r); err != nil || string(got) != written {
			t.Errorf("%s came back as %s, %v", written, got, err)
		}
	}
}
