package workloads

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// TestAJarComesFromAURL: the init container of the JobManager fetches the jar, also when the server fails at first, and
// the job runs on TaskManagers that never asked for it.
func TestAJarComesFromAURL(t *testing.T) {
	jars := http.FileServer(http.Dir(filepath.Join(home(t, "2.2", exampleJobs), "examples", "streaming")))
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, "on purpose", http.StatusServiceUnavailable)
			return
		}
		jars.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ns.Apply(t, ns.Example(
		t, "url-jar.yaml", "https://jars.example.com/1.4/job.jar", server.URL+"/StateMachineExample.jar",
	))
	ns.Stable(t, "url-jar", nil)
	if n := asked.Load(); n != 2 {
		t.Errorf("the jar was asked for %d times, want 2: the JobManager asks again after a failure, and nobody else", n)
	}
}
