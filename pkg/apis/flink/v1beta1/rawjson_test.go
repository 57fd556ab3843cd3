package v1beta1

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestFlinkConfigurationKeepsTheText(t *testing.T) {
	rows := map[string]struct {
		reason string
		spec   string
		text   string
		empty  bool
	}{
		"flat": {"the usual form", `{"flinkConfiguration":{"b.c":"1","a":2}}`, `{"b.c":"1","a":2}`, false},
		"nested": {
			"order and nesting are the user's", `{"flinkConfiguration":{"z":{"y":[1,"2",null]},"z.y":true}}`,
			`{"z":{"y":[1,"2",null]},"z.y":true}`, false,
		},
		"same key twice": {
			"the last wins, which the reader must see", `{"flinkConfiguration":{"a":"1","a":"2"}}`, `{"a":"1","a":"2"}`,
			false,
		},
		"number text": {
			"1.50 is not 1.5 as an option's text", `{"flinkConfiguration":{"a":1.50}}`, `{"a":1.50}`, false,
		},
		"absent":            {"the default is an empty object", `{}`, `{}`, true},
		"null":              {"is absent", `{"flinkConfiguration":null}`, `{}`, true},
		"empty":             {"holds no entry", `{"flinkConfiguration":{ }}`, `{ }`, true},
		"null value inside": {"is an entry", `{"flinkConfiguration":{"a":null}}`, `{"a":null}`, false},
		"not an object": {
			"the schema lets it in; the reader of the configuration reports it", `{"flinkConfiguration":"a: b"}`, `"a: b"`,
			false,
		},
	}
	for name, row := range rows {
		var spec FlinkDeploymentSpec
		if err := json.Unmarshal([]byte(row.spec), &spec); err != nil {
			t.Errorf("%s (%s): %v", name, row.reason, err)
			continue
		}
		if got := spec.FlinkConfiguration.String(); got != row.text || spec.FlinkConfiguration.IsZero() != row.empty {
			t.Errorf("%s (%s): %s, empty %t", name, row.reason, got, spec.FlinkConfiguration.IsZero())
		}
	}
}

func TestAbsentConfigurationIsNotPrinted(t *testing.T) {
	for want, spec := range map[string]FlinkSessionJobSpec{
		`{}`:                                   {},
		`{"flinkConfiguration":{}}`:            {FlinkConfiguration: FlinkConfiguration(`{}`)},
		`{"flinkConfiguration":{"a":{"b":1}}}`: {FlinkConfiguration: FlinkConfiguration(`{"a":{"b":1}}`)},
	} {
		got, err := json.Marshal(spec)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", want, got, err)
		}
	}
}

func TestConfigurationCopiesAreApart(t *testing.T) {
	text := []byte(`{"a":"1"}`)
	var c FlinkConfiguration
	if err := c.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	text[2] = 'X'
	clone := c.DeepCopy()
	clone[2] = 'Y'
	if c.String() != `{"a":"1"}` {
		t.Errorf("a copy shares its bytes: %s", c)
	}
	if (*FlinkConfiguration)(nil).UnmarshalJSON(text) == nil || (*TemplateMetadata)(nil).UnmarshalJSON(text) == nil {
		t.Error("decoding into nil must be an error, not a panic")
	}
}

func TestTemplateMetadataIsStoredAsWritten(t *testing.T) {
	written := `{"metadata":{"labels":{"b":"1","a":"2"},"unknown":[1]},"spec":{}}`
	var template FlinkDeploymentTemplate
	if err := json.Unmarshal([]byte(written), &template); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(template)
	if err != nil || string(got) != written || template.Metadata.IsZero() {
		t.Errorf("%s, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"metadata":null}`), &template); err != nil || !template.Metadata.IsZero() {
		t.Errorf("null metadata: %s, %v", template.Metadata, err)
	}
	if text, err := TemplateMetadata(nil).MarshalJSON(); string(text) != "null" || err != nil {
		t.Errorf("absent metadata prints %s, %v", text, err)
	}
}

// The dynamic client turns typed values into maps: the raw texts must come
// through as data.
func TestRawTextsConvertToUnstructured(t *testing.T) {
	spec := FlinkDeploymentSpec{FlinkConfiguration: FlinkConfiguration(`{"a":{"b":1}}`)}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := content["flinkConfiguration"].(map[string]any)["a"].(map[string]any)["b"]; got != int64(1) {
		t.Errorf("a.b is %v (%T)", got, got)
	}
	if len(content) != 1 {
		t.Errorf("absent fields are written: %v", content)
	}
}
