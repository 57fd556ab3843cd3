package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"pgregory.net/rapid"
)

var flinkView = newView(
	mapping{"/opt/flink", "/dist"},
	mapping{"/opt/flink/conf", "/copy"},
	mapping{"/tmp", "/scratch"},
	mapping{"/data", "/tmp/data"},
	mapping{"/tmp/data", "/tmp/data"},
)

func TestPathsInTextAreRewritten(t *testing.T) {
	for name, row := range map[string]struct {
		text, want string
		reason     string
	}{
		"alone":            {"/opt/flink", "/dist", "The whole text is a path."},
		"below":            {"/opt/flink/lib/a.jar", "/dist/lib/a.jar", "What is below a mapped path goes with it."},
		"longest":          {"/opt/flink/conf/x", "/copy/x", "The deeper mapping wins."},
		"URL":              {"local:///opt/flink/a.jar", "local:///dist/a.jar", "A path follows an empty authority."},
		"short URL":        {"file:/data/sp", "file:/tmp/data/sp", "Java writes file URLs with one slash."},
		"option":           {"-Dlog=/opt/flink/log", "-Dlog=/dist/log", "An option's value is a path."},
		"quoted":           {`"/opt/flink"`, `"/dist"`, "Quotes end a path."},
		"list":             {"/data:/opt/flink", "/tmp/data:/dist", "A list has several."},
		"other host":       {"hdfs://host/opt/flink/x", "hdfs://host/opt/flink/x", "It is a path on another machine."},
		"deeper":           {"/x/opt/flink", "/x/opt/flink", "It is another path."},
		"longer name":      {"/opt/flinkling", "/opt/flinkling", "It is another name."},
		"name with a dash": {"/opt/flink-1.20", "/opt/flink-1.20", "It is another name."},
		"name with a dot":  {"/data.old", "/data.old", "It is another name."},
		"real path": {
			"file:/tmp/data/sp-1", "file:/tmp/data/sp-1", "What Flink has said of a file is real already.",
		},
		"only once":           {"/data/tmp", "/tmp/data/tmp", "A real path is not rewritten again."},
		"shell default":       {"${x:-/opt/flink}", "${x:-/dist}", "A shell's default value is a path."},
		"relative":            {"opt/flink", "opt/flink", "It does not begin with a slash."},
		"nothing":             {"", "", "There is nothing to do."},
		"twice":               {"cp /data/a /data/b", "cp /tmp/data/a /tmp/data/b", "Each is rewritten."},
		"beside another path": {"/etc/opt /opt/flink", "/etc/opt /dist", "A blank separates."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := flinkView.rewrite(row.text); got != row.want {
				t.Errorf("%q becomes %q, want %q: %s", row.text, got, row.want, row.reason)
			}
		})
	}
}

func TestRewritingKeepsWhatItDoesNotKnow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if strings.Contains(text, "/") {
			text = strings.ReplaceAll(text, "/", "|")
		}
		if got := flinkView.rewrite(text); got != text {
			t.Fatalf("%q becomes %q", text, got)
		}
	})
}

func TestRewritingAPathAgreesWithLookingItUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(
			rapid.SampledFrom([]string{"opt", "flink", "conf", "tmp", "data", "x.y"}), 1, 5,
		).Draw(t, "parts")
		path := "/" + strings.Join(parts, "/")
		if got, want := flinkView.rewrite(path), flinkView.path(path); got != want {
			t.Fatalf("%s is rewritten to %s and leads to %s", path, got, want)
		}
	})
}

// tree writes files and returns their directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents reads all files below a directory, through links.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			for below, content := range contents(t, path) {
				found[entry.Name()+"/"+below] = content
			}
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name()] = string(content)
	}
	return found
}

func TestMountsLieOverTheImage(t *testing.T) {
	lower := tree(t, map[string]string{"lib/a.jar": "a", "lib/b.jar": "b", "conf/default": "d", "bin/run": "r"})
	conf := tree(t, map[string]string{"flink.yaml": "f"})
	extra := filepath.Join(tree(t, map[string]string{"x": "extra"}), "x")
	target := filepath.Join(t.TempDir(), "root")
	err := overlay(
		target, lower, map[string]string{"conf": conf, "lib/b.jar": extra, "usrlib/deep/x": extra, "conf/more": extra},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"lib/a.jar": "a", "lib/b.jar": "extra", "bin/run": "r", "conf/flink.yaml": "f", "conf/more": "extra",
		"usrlib/deep/x": "extra",
	}
	if diff := cmp.Diff(want, contents(t, target)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"flink.yaml": "f"}, contents(t, conf)); diff != "" {
		t.Errorf("the mount itself has changed, -want +got:\n%s", diff)
	}
}

func TestACopyHasRealPaths(t *testing.T) {
	source := tree(t, map[string]string{
		"..data/hidden": "x", "sub/a": "dir: /data/a\nkeep: /data\n", "binary": "\xff/data",
		"big": strings.Repeat("/data ", textLimit),
	})
	target := filepath.Join(t.TempDir(), "copy")
	verbatim := func(line string) bool { return strings.HasPrefix(line, "keep:") }
	if err := copyRewritten(target, source, flinkView, verbatim); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"sub/a": "dir: /tmp/data/a\nkeep: /data\n", "binary": "\xff/data", "big": strings.Repeat("/data ", textLimit),
	}
	if diff := cmp.Diff(want, contents(t, target)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestALayoutMeansTheSameByPathAndByText(t *testing.T) {
	home := tree(t, map[string]string{"lib/a.jar": "a", "conf/default.yaml": "dir: /data\n"})
	conf := tree(t, map[string]string{"flink.yaml": "dir: file:///data/x\nhome: /opt/flink\n"})
	data, usrlib := t.TempDir(), tree(t, map[string]string{"job.jar": "job"})
	extra := filepath.Join(tree(t, map[string]string{"log4j.properties": "log=/opt/flink/log/x\n"}), "log4j.properties")
	dir := filepath.Join(t.TempDir(), "container")
	image := Image{
		Paths: map[string]string{"/opt/flink": home}, Scratch: []string{"/opt/flink/log"},
		Rewritten: []string{"/opt/flink/conf"},
	}
	v, err := layout(dir, image, []*runtimeapi.Mount{
		{ContainerPath: "/opt/flink/conf", HostPath: conf},
		{ContainerPath: "/opt/flink/conf/log4j.properties", HostPath: extra},
		{ContainerPath: "/opt/flink/usrlib", HostPath: usrlib},
		{ContainerPath: "/data", HostPath: data},
		{ContainerPath: "/new", HostPath: filepath.Join(data, "missing")},
	})
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root/opt/flink")
	for inside, want := range map[string]string{
		"/opt/flink":           root,
		"/opt/flink/lib/a.jar": root + "/lib/a.jar",
		"/opt/flink/usrlib":    usrlib,
		"/opt/flink/conf":      dir + "/files/0",
		"/opt/flink/log":       dir + "/scratch/1",
		"/tmp":                 dir + "/scratch/0",
		"/data":                data,
		"/etc/passwd":          "/etc/passwd",
	} {
		if got := v.path(inside); got != want {
			t.Errorf("%s is %s, want %s", inside, got, want)
		}
	}
	want := map[string]string{
		"lib/a.jar":             "a",
		"usrlib/job.jar":        "job",
		"conf/flink.yaml":       "dir: file://" + data + "/x\nhome: " + root + "\n",
		"conf/log4j.properties": "log=" + dir + "/scratch/1/x\n",
	}
	if diff := cmp.Diff(want, contents(t, root)); diff != "" {
		t.Errorf("the root, -want +got:\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(data, "missing")); err != nil {
		t.Errorf("a mount's missing source is not made: %v", err)
	}
}

func TestAnImageWithoutMountsIsUsedAsItIs(t *testing.T) {
	home := tree(t, map[string]string{"a": "a"})
	v, err := layout(filepath.Join(t.TempDir(), "c"), Image{Paths: map[string]string{"/app": home}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.path("/app/a"); got != filepath.Join(home, "a") {
		t.Errorf("/app/a is %s", got)
	}
}
