package v1beta1

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

const writtenTemplate = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},` +
	`"spec":{"containers":[{"name":"flink-main-container","newerField":{"a":1},` +
	`"resources":{"limits":{"cpu":"1000m"}}}]},"status":{}}`

func decodeTemplate(t *testing.T, text string) *PodTemplate {
	t.Helper()
	template := &PodTemplate{}
	if err := json.Unmarshal([]byte(text), template); err != nil {
		t.Fatal(err)
	}
	return template
}

func TestPodTemplatePrintsWhatWasWritten(t *testing.T) {
	template := decodeTemplate(t, writtenTemplate)
	if template.Template().Spec.Containers[0].Resources.Limits.Cpu().MilliValue() != 1000 {
		t.Errorf("typed view: %v", template.Spec)
	}
	for name, copied := range map[string]*PodTemplate{"itself": template, "a deep copy": template.DeepCopy()} {
		if got, err := json.Marshal(copied); err != nil || string(got) != writtenTemplate {
			t.Errorf("%s prints %s, %v", name, got, err)
		}
	}
}

func TestAChangedPodTemplateIsTyped(t *testing.T) {
	template := decodeTemplate(t, writtenTemplate)
	template.Spec.Hostname = "changed"
	got, err := json.Marshal(template)
	if err != nil || !strings.Contains(string(got), `"hostname":"changed"`) ||
		strings.Contains(string(got), "newerField") {
		t.Errorf("a changed template prints %s, %v", got, err)
	}
	fresh := PodTemplate{PodTemplateSpec: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Hostname: "h"}}}
	if got, err := json.Marshal(fresh); err != nil || !strings.Contains(string(got), `"hostname":"h"`) {
		t.Errorf("a template made in code prints %s, %v", got, err)
	}
}

func TestPodTemplateEquality(t *testing.T) {
	rows := map[string]struct {
		reason, a, b string
		want         bool
	}{
		"quantities": {"1000m is 1", `{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1000m"}}}]}}`,
			`{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]}}`, true},
		"leftovers": {"apiVersion, kind and status are dropped on use", writtenTemplate,
			`{"metadata":{"name":"x"},"spec":{"containers":[{"name":"flink-main-container",` +
				`"resources":{"limits":{"cpu":"1"}}}]}}`, true},
		"hostname": {"makes another pod", `{"spec":{"hostname":"a"}}`, `{"spec":{"hostname":"b"}}`, false},
	}
	for name, row := range rows {
		a, b := decodeTemplate(t, row.a), decodeTemplate(t, row.b)
		if got := a.Equal(*b); got != row.want {
			t.Errorf("%s (%s): equal %t", name, row.reason, got)
		}
		// go-cmp uses Equal: specs can be compared without options.
		if got := cmp.Equal(a, b); got != row.want {
			t.Errorf("%s: cmp.Equal %t", name, got)
		}
	}
}

func TestPodTemplateThatCannotBeRead(t *testing.T) {
	for _, odd := range []string{
		`[]`, `{"spec":{"containers":"none"}}`, `{"spec":{"containers":[{"resources":{"limits":{"cpu":"abc"}}}]}}`,
	} {
		template := &PodTemplate{}
		if err := json.Unmarshal([]byte(odd), template); err == nil {
			t.Errorf("%s was read as %v", odd, template)
		}
	}
}
