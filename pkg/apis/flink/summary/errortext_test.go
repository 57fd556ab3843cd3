package summary

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func said(text string) *string { return &text }

func TestErrorText(t *testing.T) {
	label := func(pattern, name string) ErrorLabel {
		return ErrorLabel{Pattern: regexp.MustCompile(pattern), Label: name}
	}
	chain := []Cause{
		{Type: "Outer", Message: said("top level")},
		{Type: "RestClientException", Message: said("rest client exception message"), HTTPResponseCode: 400},
		{Type: "DeploymentFailedException", Message: said("dfe message"), Reason: "dfe reason"},
		{Type: "Innermost", Message: said("fourth")},
	}
	rows := map[string]struct {
		reason string
		chain  []Cause
		stack  string
		change func(*ErrorBounds)
		want   string
	}{
		"no error": {"nothing to say", nil, "", nil, ``},
		"validation": {
			"one error without causes",
			[]Cause{{Type: TypeValidation, Message: said("Job parallelism must be larger than 0")}}, "", nil,
			`{"type":"org.apache.flink.kubernetes.operator.exception.ValidationException","message":"Job parallelism must ` +
				`be larger than 0","additionalMetadata":{},"throwableList":[]}`,
		},
		"chain": {
			"two causes by default, each with its own facts", chain, "stack", nil,
			`{"type":"Outer","message":"top level","additionalMetadata":{},"throwableList":[` +
				`{"type":"RestClientException","message":"rest client exception message",` +
				`"additionalMetadata":{"httpResponseCode":400}},` +
				`{"type":"DeploymentFailedException","message":"dfe message","additionalMetadata":{"reason":"dfe reason"}}]}`,
		},
		"stack trace": {
			"only the outermost has one, and only when enabled", chain[2:], "stack\n\tat x",
			func(b *ErrorBounds) { b.StackTrace, b.StackTraceLength = true, 7 },
			`{"type":"DeploymentFailedException","message":"dfe message","stackTrace":"stack\n\t",` +
				`"additionalMetadata":{"reason":"dfe reason"},` +
				`"throwableList":[{"type":"Innermost","message":"fourth","additionalMetadata":{}}]}`,
		},
		"bounds of zero": {
			"fields are empty, not absent", chain, "stack",
			func(b *ErrorBounds) { *b = ErrorBounds{StackTrace: true} },
			`{"type":"","message":"","stackTrace":"","additionalMetadata":{},"throwableList":[]}`,
		},
		"no message": {
			"the member is left out", []Cause{{Type: "T"}}, "",
			func(b *ErrorBounds) { b.Labels = []ErrorLabel{label("x", "L")} },
			`{"type":"T","additionalMetadata":{},"throwableList":[]}`,
		},
		"labels": {
			"each link looks at itself and its own causes; several may match", chain[:3], "",
			func(b *ErrorBounds) {
				b.Labels = []ErrorLabel{
					label("rest client .*", "rest"), label("dfe", "dfe"), label("test rest client", "never"),
					{Label: "no pattern"},
				}
			},
			`{"type":"Outer","message":"top level","additionalMetadata":{"labels":["rest","dfe"]},"throwableList":[` +
				`{"type":"RestClientException","message":"rest client exception message",` +
				`"additionalMetadata":{"httpResponseCode":400,"labels":["rest","dfe"]}},` +
				`{"type":"DeploymentFailedException","message":"dfe message","additionalMetadata":{"reason":"dfe reason",` +
				`"labels":["dfe"]}}]}`,
		},
		"all facts": {
			"the order of the members is fixed", []Cause{{Type: "T", Message: said("m"), Reason: "r", HTTPResponseCode: 503}},
			"",
			func(b *ErrorBounds) { b.Labels = []ErrorLabel{label("m", "l")} },
			`{"type":"T","message":"m","additionalMetadata":{"reason":"r","httpResponseCode":503,"labels":["l"]},` +
				`"throwableList":[]}`,
		},
		"more room than causes": {
			"the chain ends first", chain[3:], "", func(b *ErrorBounds) { b.CauseCount = 100 },
			`{"type":"Innermost","message":"fourth","additionalMetadata":{},"throwableList":[]}`,
		},
		"characters": {
			"length counts Java characters, a pair counts two and is never split",
			[]Cause{{Type: "ä😀😀", Message: said("<a>\n\u2028")}}, "",
			func(b *ErrorBounds) { b.FieldLength = 4 },
			"{\"type\":\"ä😀\",\"message\":\"<a>\\n\",\"additionalMetadata\":{},\"throwableList\":[]}",
		},
	}
	for name, row := range rows {
		bounds := DefaultErrorBounds()
		if row.change != nil {
			row.change(&bounds)
		}
		got, err := ErrorText(row.chain, row.stack, bounds)
		if err != nil || got != row.want {
			t.Errorf("%s (%s): %v\n got %s\nwant %s", name, row.reason, err, got, row.want)
		}
	}
}

func TestErrorTextOfALongMessageIsBounded(t *testing.T) {
	long := said(strings.Repeat("x", 10_000))
	got, err := ErrorText(
		[]Cause{
			{Type: "T", Message: long}, {Type: "U", Message: long}, {Type: "V", Message: long}, {Type: "W", Message: long},
		},
		"", DefaultErrorBounds(),
	)
	if err != nil || len(got) < 3*2048 || len(got) > 3*2048+300 {
		t.Errorf("%d characters, %v", len(got), err)
	}
}

// The text that the Java operator stored for a refused spec is the one we store.
func TestErrorTextAsRecorded(t *testing.T) {
	text, err := os.ReadFile("../v1beta1/testdata/golden/live-ha-7-invalid-update.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var resource struct {
		Status struct {
			Error string `json:"error"`
		} `json:"status"`
	}
	if err := yaml.Unmarshal(text, &resource); err != nil {
		t.Fatal(err)
	}
	got, err := ErrorText(
		[]Cause{{Type: TypeValidation, Message: said("Job parallelism must be larger than 0")}}, "", DefaultErrorBounds(),
	)
	if err != nil || got != resource.Status.Error {
		t.Errorf("%s, recorded %s, %v", got, resource.Status.Error, err)
	}
}
