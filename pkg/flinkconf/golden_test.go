package flinkconf_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// golden is one cluster that the Java operator started: the resource, and the configuration file in its ConfigMap.
type golden struct {
	Namespace  string                      `json:"namespace"`
	Name       string                      `json:"name"`
	Generation int64                       `json:"generation"`
	Spec       v1beta1.FlinkDeploymentSpec `json:"spec"`
	Start      struct {
		JobID             string `json:"jobID"`
		SavepointPath     string `json:"savepointPath"`
		LastState         bool   `json:"lastState"`
		JobResultStoreDir string `json:"jobResultStoreDir"`
	} `json:"start"`
	File    string         `json:"file"`
	Lines   []string       `json:"lines"`   // flink-conf.yaml
	Entries map[string]any `json:"entries"` // config.yaml
}

func (g golden) input(t *testing.T) flinkconf.DeployInput {
	return flinkconf.DeployInput{
		Operator: operator(t), Namespace: g.Namespace, Name: g.Name, UID: "UID", Generation: g.Generation, Spec: &g.Spec,
		Start: flinkconf.Start{JobID: g.Start.JobID, SavepointPath: g.Start.SavepointPath, LastState: g.Start.LastState,
			JobResultStoreDir: g.Start.JobResultStoreDir},
	}
}

// operator is the base configuration of the golden clusters' operator.
func operator(t *testing.T) flinkconf.Operator {
	t.Helper()
	text, err := os.ReadFile("testdata/operator.conf")
	if err != nil {
		t.Fatal(err)
	}
	base, err := flinkconf.LoadDir(map[string]string{flinkconf.LegacyFile: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return flinkconf.NewOperator(base)
}

// What differs from run to run stands as a placeholder in the golden files.
var (
	templateFile = regexp.MustCompile(`/tmp/flink_op_generated_podTemplate_(\d+|<n>)\.yaml`)
	uidOf        = regexp.MustCompile(`<uid:[^>]*>`)
)

func normalise(text string) string {
	return uidOf.ReplaceAllString(templateFile.ReplaceAllString(text, "<tmp>"), "UID")
}

// TestGoldenConfigMaps: the file we print equals the one that Flink's own client put into the cluster's ConfigMap.
func TestGoldenConfigMaps(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want golden
			if err := yaml.UnmarshalStrict([]byte(normalise(string(text))), &want); err != nil {
				t.Fatal(err)
			}
			deployed, err := flinkconf.Deploy(want.input(t))
			if err != nil {
				t.Fatal(err)
			}
			name, got, err := flinkconf.Files(deployed.Cluster, want.Spec.FlinkVersion)
			if err != nil || name != want.File {
				t.Fatalf("Files() = %q, %v, want %q", name, err, want.File)
			}
			compareFile(t, want, normalise(got))
		})
	}
}

func compareFile(t *testing.T, want golden, got string) {
	t.Helper()
	if want.Entries == nil {
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		slices.Sort(lines)
		if diff := cmp.Diff(want.Lines, lines); diff != "" {
			t.Errorf("lines differ (-Java +ours):\n%s", diff)
		}
		return
	}
	var entries map[string]any
	if err := yaml.UnmarshalStrict([]byte(got), &entries); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Entries, entries); diff != "" {
		t.Errorf("entries differ (-Java +ours):\n%s", diff)
	}
}
