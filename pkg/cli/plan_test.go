package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

const freshJob = `apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: fresh}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration: {s3.secret-key: plantedInSpec}
  jobManager: {resource: {memory: 1024m}}
  taskManager: {resource: {memory: 1024m}}
  job: {jarURI: "local:///job.jar", args: [--password, plantedInArgs], parallelism: 2, upgradeMode: stateless}
`

// fresh is a file with a resource that is not there.
func fresh(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fresh.yaml")
	if err := os.WriteFile(file, []byte(freshJob), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAPlanOfAFileWritesNothing(t *testing.T) {
	w := newWorld(t, "team.yaml")
	file := fresh(t)
	w.Tap.Forget()
	out, notes, code := w.run("plan", "-f", file)
	if code != 1 || !strings.Contains(out, "fresh  start") || strings.Contains(out+notes, "planted") {
		t.Errorf("exit code %d\n%s%s", code, out, notes)
	}
	for _, r := range w.Tap.Requests() {
		if r.IsWrite() {
			t.Errorf("it wrote: %s %s", r.Verb, r.Path)
		}
	}
	if w.Get(resourceOf("FlinkDeployment"), "flink", "fresh") != nil {
		t.Error("it was made")
	}
}

// Row C5: a right that is missing is named, and the plan is made of the rest.
func TestC5APlanNamesTheRightsThatAreMissing(t *testing.T) {
	for right, row := range map[string]struct {
		names string
		code  int
	}{
		"get configmaps":       {"the right to get configmaps in namespace flink-system is missing", 1},
		"get deployments":      {"the right to get deployments.apps in namespace flink is missing", 1},
		"get flinkdeployments": {"get flinkdeployments flink/fresh", 2},
		"try flinkdeployments": {"try to apply flinkdeployments flink/fresh", 2},
	} {
		t.Run(right, func(t *testing.T) {
			w := newWorld(t, "team.yaml")
			verb, resource, _ := strings.Cut(right, " ")
			w.Tap.Inject(wire.Fault{Match: wire.On(verb, resource), Status: 403})
			out, notes, code := w.run("plan", "-f", fresh(t))
			if code != row.code || !strings.Contains(out+notes, row.names) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, row.code, row.names, out, notes)
			}
		})
	}
}

func TestPlansThatCannotBeMade(t *testing.T) {
	w := newWorld(t, "team.yaml")
	for args, want := range map[string]string{
		"plan":                               "give --filename, or NAME",
		"plan orders -f x":                   "give either --filename, or NAME",
		"plan -f /no/such/file":              "read --filename",
		"plan flinksnp/nightly":              "none of the kinds",
		"plan orders -p {":                   "neither JSON nor YAML",
		"plan -f testdata/look.txt -o table": "",
	} {
		if out, notes, code := w.run(strings.Fields(args)...); code != 2 || !strings.Contains(notes, want) {
			t.Errorf("%s: exit code %d\n%s%s", args, code, out, notes)
		}
	}
}
