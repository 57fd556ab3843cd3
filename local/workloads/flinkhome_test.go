package workloads

import (
	"testing"

	"github.com/kn-flink/kn-flink/local/flink"
)

// exampleJobs are the sources of the jobs that the images of this platform have.
const exampleJobs = "../../test/cluster/flink/jobs"

// home is what stands for /opt/flink on this machine, with the jars of the jobs of a directory of Java sources.
func home(t *testing.T, version, jobs string) string {
	t.Helper()
	release, err := flink.Resolve(version)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := flink.Cache{Jobs: jobs}.Home(t.Context(), release)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
