package manifests

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	plain "sigs.k8s.io/yaml"
)

const (
	installation = "../../config/knative"
	// consoles is no part of it, and is installed beside it.
	consoles = "../../config/console"
)

// files are the YAML files of a folder, by base name, with their objects in order.
func files(t *testing.T, folder string) map[string][]unstructured.Unstructured {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no YAML in %s: %v", folder, err)
	}
	all := map[string][]unstructured.Unstructured{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
		for {
			var u unstructured.Unstructured
			err := decoder.Decode(&u.Object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if u.Object != nil {
				all[filepath.Base(name)] = append(all[filepath.Base(name)], u)
			}
		}
	}
	return all
}

// each calls check for every object of the installation and of the console.
func each(t *testing.T, check func(t *testing.T, file string, u unstructured.Unstructured)) {
	t.Helper()
	for _, folder := range []string{installation, consoles} {
		for file, objects := range files(t, folder) {
			for _, u := range objects {
				t.Run(file+" "+u.GetKind()+" "+u.GetName(), func(t *testing.T) { check(t, file, u) })
			}
		}
	}
}

// Undeploying goes by this label.
func TestEveryObjectIsLabelled(t *testing.T) {
	each(t, func(t *testing.T, _ string, u unstructured.Unstructured) {
		if u.GetLabels()["app.kubernetes.io/part-of"] != "kn-flink" {
			t.Error("without label app.kubernetes.io/part-of: kn-flink, make undeploy would leave it behind")
		}
	})
}

// containers are the containers of a pod template, whatever kind holds it.
func containers(u unstructured.Unstructured) []any {
	list, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
	return list
}

func TestEveryContainerIsRestricted(t *testing.T) {
	found := 0
	each(t, func(t *testing.T, _ string, u unstructured.Unstructured) {
		pod, _, _ := unstructured.NestedMap(u.Object, "spec", "template", "spec", "securityContext")
		for _, c := range containers(u) {
			found++
			container := c.(map[string]any)
			security, _ := container["securityContext"].(map[string]any)
			for field, want := range map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true} {
				if security[field] != want {
					t.Errorf("securityContext.%s is %v, want %v", field, security[field], want)
				}
			}
			if security["runAsNonRoot"] != true && pod["runAsNonRoot"] != true {
				t.Error("it may run as root")
			}
			if _, ok := container["resources"].(map[string]any)["requests"]; !ok {
				t.Error("it requests no resources")
			}
		}
	})
	if found < 3 {
		t.Errorf("only %d containers were checked", found)
	}
}

func TestImagesAreFunctionsOfThisTree(t *testing.T) {
	const prefix = "ko://github.com/kn-flink/kn-flink/"
	each(t, func(t *testing.T, _ string, u unstructured.Unstructured) {
		for _, c := range containers(u) {
			image, _ := c.(map[string]any)["image"].(string)
			path, ok := strings.CutPrefix(image, prefix)
			if _, err := os.Stat(filepath.Join("../..", path, "main.go")); !ok || err != nil {
				t.Errorf("image %s is not built from this tree: %v", image, err)
			}
		}
	})
}

// rules are the rules of a Role or ClusterRole, flattened to "resource verb".
func rules(u unstructured.Unstructured) []string {
	var flat []string
	list, _, _ := unstructured.NestedSlice(u.Object, "rules")
	for _, item := range list {
		rule := item.(map[string]any)
		resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
		verbs, _, _ := unstructured.NestedStringSlice(rule, "verbs")
		for _, resource := range resources {
			for _, verb := range verbs {
				flat = append(flat, resource+" "+verb)
			}
		}
	}
	return flat
}

func TestRightsAreSmall(t *testing.T) {
	for behaviour, row := range map[string]struct {
		reason string
		role   string
		verbs  []string
		also   []string
	}{
		"observe reads": {
			reason: "it decides who needs a pass, it makes none", role: "kn-flink-observe", verbs: []string{"get", "list"},
			also: []string{"configmaps create", "configmaps patch"}, // what policy kn-flink-samples lets it write of them
		},
		"the source watches": {
			reason: "its adapter is always on", role: "kn-flink-source", verbs: []string{"get", "list", "watch"},
		},
		"reconcile watches the end of pods alone": {
			reason: "events wake it", role: "kn-flink-reconcile",
			verbs: []string{"get", "list", "create", "update", "patch", "delete"}, also: []string{"pods watch"},
		},
		"the clock is only turned": {
			reason: "it is one object, by name", role: "flink-clock", verbs: []string{"get", "patch"},
		},
	} {
		t.Run(behaviour, func(t *testing.T) {
			found := false
			for _, objects := range files(t, installation) {
				for _, u := range objects {
					if u.GetName() != row.role || !strings.HasSuffix(u.GetKind(), "Role") {
						continue
					}
					found = true
					for _, rule := range rules(u) {
						if _, verb, _ := strings.Cut(rule, " "); !slices.Contains(row.verbs, verb) &&
							!slices.Contains(row.also, rule) {
							t.Errorf("%s may %s, although %s", row.role, rule, row.reason)
						}
					}
				}
			}
			if !found {
				t.Errorf("there is no role %s", row.role)
			}
		})
	}
}

func TestTheOverlaysStandOnEveryFile(t *testing.T) {
	data, err := os.ReadFile("../../config/overlays/base/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var base struct {
		Resources []string `json:"resources"`
	}
	if err := plain.Unmarshal(data, &base); err != nil {
		t.Fatal(err)
	}
	var want []string
	for file := range files(t, installation) {
		want = append(want, "../../knative/"+file)
	}
	slices.Sort(want)
	if !slices.Equal(base.Resources, want) {
		t.Errorf("config/overlays/base lists\n%v\nwant every file of config/knative in order:\n%v", base.Resources, want)
	}
}
