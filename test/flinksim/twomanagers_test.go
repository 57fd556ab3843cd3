package flinksim

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// A JobManager that begins while one of another Deployment leads is told of, also when no job of theirs runs twice.
func TestTwoJobManagersOfTwoDeployments(t *testing.T) {
	for name, ends := range map[string]bool{"the first has ended": true, "nobody ends the first": false} {
		t.Run(name, func(t *testing.T) {
			w := running(t, application(nil))
			if !ends {
				w.Kube.AddNode("node-2")
				w.Nodes.KubeletDown("node-1")
			}
			if err := w.Kube.Delete(kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			w.Settle()
			deploy(t, w, application(map[string]string{"$internal.pipeline.job-id": jobB}))
			w.Settle()
			found := strings.Contains(strings.Join(w.Flink.Violations(), " "), "beside that of another Deployment")
			if found == ends {
				t.Errorf("violations: %v", w.Flink.Violations())
			}
		})
	}
}
