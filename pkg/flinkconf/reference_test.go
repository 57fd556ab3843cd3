package flinkconf_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/confyaml"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
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

// TestReferenceFiles: over versions, modes and kinds, our file says what the Java operator's file says.
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
		if diff := cmp.Diff(entries(t, file, want.Lines), entries(t, file, lines), sorted); diff != "" {
			t.Errorf("%s %s (-Java +ours):\n%s", want.Spec.FlinkVersion, want.Spec.FlinkConfiguration, diff)
		}
	}
}

// sorted compares the annotations, a map, by their set: Java prints them in the order of a HashMap.
var sorted = cmp.FilterPath(func(p cmp.Path) bool {
	index, is := p.Last().(cmp.MapIndex)
	return is && index.Key().String() == "kubernetes.jobmanager.annotations"
}, cmp.Comparer(func(a, b string) bool {
	left, err := syntax.SplitMap(a)
	right, err2 := syntax.SplitMap(b)
	byKey := cmpopts.SortSlices(func(a, b [2]string) bool { return a[0] < b[0] })
	return err == nil && err2 == nil && cmp.Equal(left, right, byKey)
}))

// entries are those of config.yaml or flink-conf.yaml.
func entries(t *testing.T, file string, lines []string) map[string]string {
	t.Helper()
	if file != flinkconf.StandardFile {
		flat := map[string]string{}
		for _, line := range lines {
			name, value, _ := strings.Cut(line, ": ")
			flat[name] = value
		}
		return flat
	}
	flat, err := confyaml.Parse(strings.Join(lines, "\n") + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return flat
}
