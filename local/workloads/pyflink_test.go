//go:build nightly

package workloads

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/local/flink"
)

// pyflink is a Python of this machine with PyFlink of a release. It is installed once, in the user's cache directory,
// but for the jars (apache-flink-libraries), which the platform has, and pemja, which only the execution mode "thread"
// needs.
func pyflink(t *testing.T, release string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "kn-flink", "pyflink-"+release)
	python, done := filepath.Join(dir, "bin", "python"), filepath.Join(dir, "complete")
	if _, err := os.Stat(done); err == nil {
		return python
	}
	pip := []string{python, "-m", "pip", "install", "--quiet", "--prefer-binary"}
	needs := []string{
		"apache-beam==2.61.0", "avro>=1.12.0", "cloudpickle>=2.2.0", "fastavro", "httplib2", "numpy<2.2", "pandas<2.3",
		"protobuf<6", "py4j==0.10.9.7", "pyarrow<21", "python-dateutil<3", "pytz", "requests", "ruamel.yaml",
	}
	for _, line := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		append(pip, "setuptools<81", "wheel"),
		append(append(pip, "--no-build-isolation"), needs...),
		append(pip, "--no-deps", "apache-flink=="+release),
		{"touch", done},
	} {
		if out, err := exec.CommandContext(t.Context(), line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, out)
		}
	}
	return python
}

// TestAPythonJobRuns: the script of a job in Python runs, and so do its functions, in Python processes beside the
// TaskManager.
func TestAPythonJobRuns(t *testing.T) {
	release, err := flink.Resolve("2.2")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Abs("../../examples/pyflink")
	if err != nil {
		t.Fatal(err)
	}
	job := ns.Example(
		t, "pyflink.yaml", "registry.example.com/pyflink:1", "flink:"+release, "flink-python-2.2.1", "flink-python-"+release,
		"/usr/bin/python3", pyflink(t, release),
	)
	// A volume stands for what the Dockerfile puts into the image.
	if err := unstructured.SetNestedMap(job.Object, map[string]any{
		"volumes": []any{map[string]any{"name": "scripts", "hostPath": map[string]any{"path": scripts}}},
		"containers": []any{map[string]any{
			"name":         "flink-main-container",
			"volumeMounts": []any{map[string]any{"name": "scripts", "mountPath": "/opt/flink/usrlib"}},
		}},
	}, "spec", "podTemplate", "spec"); err != nil {
		t.Fatal(err)
	}
	ns.Apply(t, job)
	ns.Stable(t, "pyflink", nil)
	ns.Eventually(t, "the function in Python says something", func(context.Context) (bool, error) {
		printed := ns.Printed(t, "app=pyflink,component=taskmanager")
		return strings.Contains(printed, ", expensive]") && strings.Contains(printed, ", cheap]"), nil
	})
}
