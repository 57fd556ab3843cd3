package workloads

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/tenant"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// rendered are the objects that kubectl kustomize prints for a directory, by kind.
func rendered(t *testing.T, dir string, replace ...string) map[string]*unstructured.Unstructured {
	t.Helper()
	found, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := found.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]*unstructured.Unstructured{}
	for _, o := range tenant.Objects(t, []byte(strings.NewReplacer(replace...).Replace(string(text)))) {
		if objects[o.GetKind()] != nil {
			t.Fatalf("%s: two objects of kind %s", dir, o.GetKind())
		}
		objects[o.GetKind()] = o
	}
	return objects
}

// text is what stands at a path in an object, whose numbers lead into lists.
func text(t *testing.T, o *unstructured.Unstructured, path ...any) string {
	t.Helper()
	var at any = o.Object
	for _, step := range path {
		switch in := at.(type) {
		case map[string]any:
			at = in[step.(string)]
		case []any:
			at = in[step.(int)]
		default:
			t.Fatalf("%s %s has nothing at %v", o.GetKind(), o.GetName(), path)
		}
	}
	found, _ := at.(string)
	return found
}

const kustomize = "../../examples/kustomize/"

// TestOverlaysAreAccepted: what Kustomize makes of each overlay holds together, and the operator accepts it.
func TestOverlaysAreAccepted(t *testing.T) {
	for overlay, want := range map[string]struct{ image, mode string }{
		"staging":    {"registry.example.com/sql-runner:staging", "stateless"},
		"production": {"registry.example.com/sql-runner:1", "savepoint"},
	} {
		t.Run(overlay, func(t *testing.T) {
			objects := rendered(t, kustomize+"overlays/"+overlay)
			job, script := objects["FlinkDeployment"], objects["ConfigMap"]
			if job == nil || script == nil || len(objects) != 2 {
				t.Fatalf("made %d kinds of objects: %v", len(objects), objects)
			}
			if job.GetName() != overlay+"-orders" || !strings.HasPrefix(script.GetName(), overlay+"-script-") {
				t.Errorf("the names are %s and %s", job.GetName(), script.GetName())
			}
			for _, row := range []struct {
				what, got, want string
			}{
				{
					"the volume", text(t, job, "spec", "podTemplate", "spec", "volumes", 0, "configMap", "name"),
					script.GetName(),
				},
				{"the image", text(t, job, "spec", "image"), want.image},
				{"the upgradeMode", text(t, job, "spec", "job", "upgradeMode"), want.mode},
				{
					"the mount, which no patch removes",
					text(t, job, "spec", "podTemplate", "spec", "containers", 0, "volumeMounts", 0, "mountPath"), "/script",
				},
			} {
				if row.got != row.want {
					t.Errorf("%s is %q, want %q", row.what, row.got, row.want)
				}
			}
			for _, o := range objects {
				if _, err := ns.Of(o).Create(
					t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}},
				); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestNamesOfFlinksKindsAreFollowed: names.yaml has Kustomize follow the name of a FlinkDeployment into what is on it.
func TestNamesOfFlinksKindsAreFollowed(t *testing.T) {
	dir := t.TempDir()
	names, err := os.ReadFile(kustomize + "base/names.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const head = "apiVersion: flink.apache.org/v1beta1\nmetadata: {name: one}\n"
	for name, content := range map[string]string{
		"names.yaml":    string(names),
		"cluster.yaml":  head + "kind: FlinkDeployment",
		"job.yaml":      head + "kind: FlinkSessionJob\nspec: {deploymentName: one}",
		"snapshot.yaml": head + "kind: FlinkStateSnapshot\nspec: {jobReference: {kind: FlinkDeployment, name: one}}",
		"kustomization.yaml": "namePrefix: its-\nresources: [cluster.yaml, job.yaml, snapshot.yaml]\n" +
			"configurations: [names.yaml]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	objects := rendered(t, dir)
	if got := text(t, objects["FlinkSessionJob"], "spec", "deploymentName"); got != "its-one" {
		t.Errorf("the session job is on %q", got)
	}
	if got := text(t, objects["FlinkStateSnapshot"], "spec", "jobReference", "name"); got != "its-one" {
		t.Errorf("the snapshot is of %q", got)
	}
}
