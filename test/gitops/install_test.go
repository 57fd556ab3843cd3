package gitops

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var rewriteHealth = flag.Bool("rewrite-health", false, "write argocd-cm.yaml of config/gitops again")

// The ConfigMap that users apply has the scripts as they are tested, under the keys that Argo CD reads.
func TestTheConfigMapOfArgoCDHasTheScripts(t *testing.T) {
	path := filepath.Join(healthScripts, "argocd-cm.yaml")
	data := map[string]string{}
	for key, script := range withOurs(t).configured {
		data["resource.customizations.health."+strings.ReplaceAll(key, "/", "_")] = script
	}
	if *rewriteHealth {
		text, err := yaml.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		written := fmt.Sprintf(`# The health of kn-flink's resources in Argo CD, which needs no restart for it:
#   kubectl apply --server-side --field-manager=kn-flink -f argocd-cm.yaml
# Written from the scripts beside it: cd test/gitops && go test -run ConfigMap -rewrite-health
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
data:
  %s
`, strings.TrimSpace(strings.ReplaceAll(string(text), "\n", "\n  ")))
		written = strings.ReplaceAll(written, "\n  \n", "\n\n")
		if err := os.WriteFile(path, []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Data map[string]string `json:"data"`
	}
	if err := yaml.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	for key, script := range data {
		if written.Data[key] != script {
			t.Errorf("%s has another %s: run this test with -rewrite-health", path, key)
		}
	}
	if len(written.Data) != len(data) {
		t.Errorf("%d keys, want %d", len(written.Data), len(data))
	}
}

// An Application of others waits for them by the health that Argo CD gives each, and not for what is suspended.
func TestAnApplicationWaitsForOthers(t *testing.T) {
	argo := withOurs(t)
	for said, want := range map[string]health.HealthStatusCode{
		"Healthy": "Healthy", "Progressing": "Progressing", "Degraded": "Degraded", "Missing": "Missing",
		"Suspended": "Healthy", "": "Progressing",
	} {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}}
		if said != "" {
			u.Object["status"] = map[string]any{"health": map[string]any{"status": said}}
		}
		got, err := argo.GetResourceHealth(u)
		if err != nil || got.Status != want {
			t.Errorf("an Application that is %q is %+v, want %s: %v", said, got, want, err)
		}
	}
}
