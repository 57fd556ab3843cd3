package flinkconf_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// reference is one generated resource and the configuration file that the Java operator's own classes made of it.
type reference struct {
	Namespace, Name, UID string
	Generation           int64
	Base                 flinkconf.Config
	Spec                 v1beta1.FlinkDeploymentSpec
	Start                struct {
		JobID, SavepointPath string
		LastState            bool
		JobResultStoreDir    string
	}
	File  string
	Lines []string
}

// TestReferenceFiles: over versions, modes and kinds, our file says what the Java operator's file says, with the same
// scalars.
func TestReferenceFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []reference
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		t.Fatalf("no references: %v", err)
	}
	for _, want := range all {
		deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
			Operator: flinkconf.NewOperator(want.Base), Namespace: want.Namespace, Name: want.Name, UID: want.UID,
			Generation: want.Generation,
			Spec:       &want.Spec, Start: flinkconf.Start(want.Start),
		})
		if err != nil {
			t.Errorf("%+v: %v", want.Spec, err)
			continue
		}
		user, _ := flinkconf.Flatten(want.Spec.FlinkConfiguration)
		written := flinkconf.NewOperator(want.Base).Default("", "").Merge(user)
		if want.Spec.IsSession() { // ours leaves it out, see TestNoSessionJobHasAConfiguredPath
			for name, text := range written {
				if name == "execution.savepoint.path" || name == "execution.state-recovery.path" {
					deployed.Cluster[name] = text
				}
			}
		}
		if _, there := written["high-availability"]; !there { // ours adds it, see TestHighAvailabilityOfOldVersions
			delete(deployed.Cluster, "high-availability")
		}
		file, got, err := flinkconf.Files(deployed.Cluster, want.Spec.FlinkVersion)
		if err != nil || file != want.File {
			t.Errorf("Files() = %q, %v, want %q", file, err, want.File)
			continue
		}
		lines := strings.Split(strings.TrimSuffix(normalise(got), "\n"), "\n")
		if diff := cmp.Diff(tree(t, file, want.Lines), tree(t, file, lines)); diff != "" {
			t.Errorf("%s %s (-Java +ours):\n%s", want.Spec.FlinkVersion, want.Spec.FlinkConfiguration, diff)
		}
		slices.Sort(lines)
		slices.Sort(want.Lines)
		if diff := cmp.Diff(want.Lines, lines); diff != "" {
			t.Errorf("%s: lines (-Java +ours):\n%s", want.Spec.FlinkVersion, diff)
		}
	}
}

// tree reads config.yaml, in which the order of entries has no meaning; flat lines are compared as they are.
func tree(t *testing.T, file string, lines []string) map[string]any {
	t.Helper()
	entries := map[string]any{}
	if file == flinkconf.StandardFile {
		if err := yaml.UnmarshalStrict([]byte(strings.Join(lines, "\n")+"\n"), &entries); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}
