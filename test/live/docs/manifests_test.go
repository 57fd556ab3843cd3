//go:build docs

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/docs"
)

// whole is the resource that an extract is laid over, by its kind.
var whole = map[string]string{
	"FlinkDeployment": `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: demo}
spec:
  image: flink:2.2
  flinkVersion: v2_2
  serviceAccount: flink
  jobManager: {resource: {memory: 1024m, cpu: 0.5}}
  taskManager: {resource: {memory: 1024m, cpu: 0.5}}
  job: {jarURI: "local:///opt/flink/usrlib/job.jar", parallelism: 1, upgradeMode: stateless}
`,
	"FlinkBlueGreenDeployment": `
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata: {name: demo}
spec:
  template:
    spec:
      image: flink:2.2
      flinkVersion: v2_2
      serviceAccount: flink
      jobManager: {resource: {memory: 1024m, cpu: 0.5}}
      taskManager: {resource: {memory: 1024m, cpu: 0.5}}
      job: {jarURI: "local:///opt/flink/usrlib/job.jar", parallelism: 1, upgradeMode: stateless}
`,
}

// targets are what snapshots of the pages and the examples are of. They are there, suspended.
var targets = []string{"demo", "application", "checkpoint-ha"}

// TestManifests applies each manifest of a page, and each example, as a dry run: schema, policies and the webhook judge
// it.
func TestManifests(t *testing.T) {
	pages, err := docs.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, &docs.Page{Path: "docs/manifests.md"})
	defer s.end(t)
	for _, name := range targets {
		text, err := over(whole["FlinkDeployment"], "metadata: {name: "+name+"}\nspec: {job: {state: suspended}}\n")
		if err != nil {
			t.Fatal(err)
		}
		s.must(t, "kubectl apply -f - <<'EOF'\n"+text+"EOF")
	}
	applied := 0
	for _, p := range pages {
		for _, item := range p.Items {
			f := item.Fence
			if f == nil || f.Lang != "yaml" || f.Kind != "test" && f.Kind != "part" {
				continue
			}
			text := f.Body
			if f.Kind == "part" {
				if text, err = over(whole[f.Of], text); err != nil {
					t.Errorf("%s:%d: %v", p.Path, item.Line, err)
					continue
				}
			}
			applied++
			s.dryRun(t, p.Path, text)
		}
	}
	examples, err := filepath.Glob(filepath.Join(root, "examples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		applied++
		s.dryRun(t, file, string(text))
	}
	t.Logf("%d manifests were applied as a dry run", applied)
	if applied < 40 {
		t.Errorf("only %d manifests were found", applied)
	}
}

func (s *session) dryRun(t *testing.T, of, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "jars.example.com", "93.184.215.14") // the webhook looks it up, without DNS here
	file := filepath.Join(s.dir, "manifest.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, all, err := s.run(t.Context(), "kubectl apply --dry-run=server -f manifest.yaml"); err != nil {
		t.Errorf("%s: %v\n%s", of, err, all)
	}
}

// over is a resource with an extract laid over it, map by map.
func over(base, extract string) (string, error) {
	var a, b map[string]any
	if err := yaml.Unmarshal([]byte(base), &a); err != nil {
		return "", err
	}
	if err := yaml.UnmarshalStrict([]byte(extract), &b); err != nil {
		return "", err
	}
	lay(a, b)
	text, err := yaml.Marshal(a)
	return string(text), err
}

func lay(under, above map[string]any) {
	for name, value := range above {
		if map1, is := under[name].(map[string]any); is {
			if map2, is := value.(map[string]any); is {
				lay(map1, map2)
				continue
			}
		}
		under[name] = value
	}
}

func TestAnExtractIsLaidOverItsResource(t *testing.T) {
	text, err := over("a: {b: 1, c: 2}\n", "a: {c: 3, d: [4]}\n")
	if err != nil || strings.Join(strings.Fields(text), " ") != "a: b: 1 c: 3 d: - 4" {
		t.Errorf("%q, %v", text, err)
	}
}
