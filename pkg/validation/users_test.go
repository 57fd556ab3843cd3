package validation_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"knative.dev/pkg/apis"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// Manifests as users write them are judged at admission as their comments say: a line "# Admission: " for each
// document, with accepted, or with warned or refused and what the message has.
func TestUsersManifests(t *testing.T) {
	files, err := filepath.Glob("testdata/users/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var wanted []string
			for line := range strings.Lines(string(text)) {
				if want, is := strings.CutPrefix(strings.TrimSpace(line), "# Admission: "); is {
					wanted = append(wanted, want)
				}
			}
			documents := bytes.Split(text, []byte("\n---\n"))
			if len(documents) != len(wanted) {
				t.Fatalf("%d documents, %d expectations", len(documents), len(wanted))
			}
			for i, document := range documents {
				judged(t, wanted[i], judge(t, document))
			}
		})
	}
}

func judge(t *testing.T, document []byte) *apis.FieldError {
	t.Helper()
	var kind struct{ Kind string }
	if err := yaml.Unmarshal(document, &kind); err != nil {
		t.Fatal(err)
	}
	switch kind.Kind {
	case v1beta1.KindFlinkDeployment:
		var d v1beta1.FlinkDeployment
		if err := yaml.Unmarshal(document, &d); err != nil {
			t.Fatal(err)
		}
		return validation.Deployment(validation.DeploymentInput{Namespace: "team-a", Name: d.Name, Spec: d.Spec, New: true})
	case v1beta1.KindFlinkSessionJob:
		var j v1beta1.FlinkSessionJob
		if err := yaml.Unmarshal(document, &j); err != nil {
			t.Fatal(err)
		}
		return validation.SessionJob(validation.SessionJobInput{Namespace: "team-a", Spec: j.Spec})
	}
	t.Fatalf("kind %q", kind.Kind)
	return nil
}

func judged(t *testing.T, want string, found *apis.FieldError) {
	t.Helper()
	verdict, parts, _ := strings.Cut(want, ":")
	got := "accepted"
	switch {
	case validation.Problems(found) != nil:
		got = "refused"
	case found != nil:
		got = "warned"
	}
	if got != verdict {
		t.Errorf("%s, want %s: %s", got, want, validation.Message(found))
	}
	for part := range strings.SplitSeq(parts, " | ") {
		if !strings.Contains(validation.Message(found), strings.TrimSpace(part)) {
			t.Errorf("%q does not say %q", validation.Message(found), part)
		}
	}
}
