package platform

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/processes"
)

// examples is where the jars of the examples of a version of Flink are.
func examples(t *testing.T, version string) string {
	t.Helper()
	release, err := flink.Resolve(version)
	if err != nil {
		t.Fatal(err)
	}
	home, err := flink.Cache{Jobs: "../../test/cluster/flink/jobs"}.Home(t.Context(), release)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(home, "examples", "streaming")
}

// exampleJars is the URL of a server with the jars of the examples of a version of Flink.
func exampleJars(t *testing.T, version string) string {
	t.Helper()
	jars := httptest.NewServer(http.FileServer(http.Dir(examples(t, version))))
	t.Cleanup(jars.Close)
	return jars.URL
}

// fattened copies a jar and adds an entry of so many bytes that nobody reads.
func fattened(t *testing.T, from, to string, size int64) {
	t.Helper()
	jar, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	file, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fat := zip.NewWriter(file)
	for _, entry := range jar.File {
		if err := fat.Copy(entry); err != nil {
			t.Fatal(err)
		}
	}
	entry, err := fat.CreateHeader(&zip.FileHeader{Name: "ballast", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(entry, zeros{}, size); err != nil {
		t.Fatal(err)
	}
	if err := fat.Close(); err != nil {
		t.Fatal(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

var vmHWM = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most memory that a process of a function has had, in MB; 0 while there is none.
func peak(t *testing.T, function string) (most int) {
	t.Helper()
	for _, pid := range processes.Of(local.options.Dir) {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // it may have ended
		if strings.Contains(string(environ), "K_SERVICE="+function+"\x00") {
			most = max(most, resident(t, fmt.Sprintf("/proc/%d/status", pid), vmHWM))
		}
	}
	return most
}

// TestASessionJobsJarIsUploaded: a jar of 300 MB goes from an HTTP server through reconcile-jars to a session cluster,
// and runs. It is never in the function's memory.
func TestASessionJobsJarIsUploaded(t *testing.T) {
	const size, limit = 300, 40 // MB
	dir := t.TempDir()
	fattened(
		t, filepath.Join(examples(t, "1.20"), "StateMachineExample.jar"), filepath.Join(dir, "fat.jar"), size<<20,
	)
	jars := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(jars.Close)
	if _, err := ns.Deployments().Create(
		t.Context(), ns.Example(t, "session.yaml"), metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Remove(t, "session") })
	ns.Eventually(t, "the session cluster is STABLE", func(ctx context.Context) (bool, error) {
		return ns.Seen(ctx, "session").Lifecycle == "STABLE", nil
	})
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group.String(), "kind": "FlinkSessionJob", "metadata": map[string]any{"name": "uploaded"},
		"spec": map[string]any{"deploymentName": "session", "job": map[string]any{
			"jarURI": jars.URL + "/fat.jar", "parallelism": int64(1), "upgradeMode": "stateless",
		}},
	}}
	if _, err := objects.Resource(sessionJobs).Namespace(namespace).Create(
		t.Context(), job, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	last, most := "", 0
	ns.Eventually(t, "the session job is STABLE", func(ctx context.Context) (bool, error) {
		o, err := objects.Resource(sessionJobs).Namespace(namespace).Get(ctx, "uploaded", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		most = max(most, peak(t, "reconcile-jars"))
		lifecycle, _, _ := unstructured.NestedString(o.Object, "status", "lifecycleState")
		problem, _, _ := unstructured.NestedString(o.Object, "status", "error")
		if now := lifecycle + " " + problem; now != last {
			last = now
			t.Log(now)
		}
		return lifecycle == "STABLE", nil
	})
	t.Logf("reconcile-jars had at most %d MB while a jar of %d MB went through", most, size)
	if most == 0 || most > limit {
		t.Errorf("reconcile-jars had at most %d MB, want some and at most %d", most, limit)
	}
	if err := objects.Resource(sessionJobs).Namespace(namespace).Delete(
		t.Context(), "uploaded", metav1.DeleteOptions{},
	); err != nil {
		t.Fatal(err)
	}
	ns.Eventually(t, "the session job is gone", func(ctx context.Context) (bool, error) {
		list, err := objects.Resource(sessionJobs).Namespace(namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0, err
	})
}
