//go:build nightly

package workloads

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/maven"
)

// logback is a directory of jars, made of those of Flink as examples/logback/Dockerfile makes it.
func logback(t *testing.T) string {
	t.Helper()
	said, err := os.ReadFile("../../examples/logback/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	removed := regexp.MustCompile(`(?m)^RUN rm /opt/flink/lib/(\S+)$`).FindSubmatch(said)
	if removed == nil {
		t.Fatal("the Dockerfile removes nothing")
	}
	project, err := os.ReadFile("../../examples/logback/pom.xml")
	if err != nil {
		t.Fatal(err)
	}
	added, err := maven.Jars(t.Context(), "logback", project)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(home(t, "2.2", exampleJobs), "lib")+"/")); err != nil {
		t.Fatal(err)
	}
	jars, err := filepath.Glob(filepath.Join(dir, string(removed[1])))
	if err != nil || len(jars) == 0 {
		t.Fatalf("no jars are removed: %v", err)
	}
	for _, jar := range jars {
		if err := os.Remove(jar); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(added)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAJobLogsByLogback: with Logback's jars in place of Log4j's, the pods' logs are as logback-console.xml says.
func TestAJobLogsByLogback(t *testing.T) {
	const name = "logback"
	ns.Apply(t, ns.Example(
		t, name+".yaml", "image: registry.example.com/flink-logback:2.2", "image: flink:2.2",
		"  jobManager:\n", `  podTemplate:
    spec:
      containers:
      - name: flink-main-container
        volumeMounts:
        - {name: lib, mountPath: /opt/flink/lib}
      volumes:
      - name: lib
        hostPath: {path: `+logback(t)+`, type: Directory}
  jobManager:
`,
	))
	ns.Stable(t, name, nil)
	const line = `(?m)^\d\d:\d\d:\d\d\.\d{3} `
	text := printedAs(t, name, line+`INFO  \[.+\] \w+ - `)
	if !regexp.MustCompile(line + `DEBUG \[.+\] Checkpoint`).MatchString(text) {
		t.Error("no line of the one logger whose level is DEBUG")
	}
	for _, trouble := range []string{"SLF4J:", "StatusLogger", "|-ERROR", "|-WARN"} {
		if strings.Contains(text, trouble) {
			t.Errorf("the pods say %s:\n%s", trouble, text)
		}
	}
}
