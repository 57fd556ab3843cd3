package schemas

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// objects are those of YAML, in their order.
func objects(t *testing.T, text []byte) (all []*unstructured.Unstructured) {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		case u.Object != nil:
			all = append(all, u)
		}
	}
}

// rendered is what Kustomize makes of a kustomization that has a folder of the tree as a component.
func rendered(t *testing.T, component string) []*unstructured.Unstructured {
	t.Helper()
	disk, memory := os.DirFS("../.."), filesys.MakeFsInMemory()
	err := fs.WalkDir(disk, component, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(disk, path)
		return errors.Join(err, memory.WriteFile("/"+path, text))
	})
	own := "components: [../" + component + "]"
	if err := errors.Join(err, memory.WriteFile("/own/kustomization.yaml", []byte(own))); err != nil {
		t.Fatal(err)
	}
	found, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(memory, "/own")
	if err != nil {
		t.Fatal(err)
	}
	text, err := found.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, text)
}

// examples are the objects of the examples, by file.
func examples(t *testing.T) map[string][]*unstructured.Unstructured {
	t.Helper()
	all := map[string][]*unstructured.Unstructured{}
	err := filepath.WalkDir("../../examples", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			all[path] = objects(t, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every object of a kind of these projects is as its schema wants it.
func TestEveryObjectIsOfItsSchema(t *testing.T) {
	all := examples(t)
	all["config/monitoring"] = rendered(t, "config/monitoring")
	checked := map[string]bool{}
	for from, list := range all {
		for _, u := range list {
			if packages[u.GetAPIVersion()] == "" {
				continue
			}
			t.Run(u.GetKind()+" "+u.GetName()+" of "+filepath.Base(from), func(t *testing.T) {
				s, err := schemaOf(u.GetAPIVersion(), u.GetKind())
				if err != nil {
					t.Fatal(err)
				}
				if err := s.refuse(u.Object); err != nil {
					t.Error(err)
				}
			})
			checked[u.GetKind()] = true
		}
	}
	for _, kind := range []string{"PrometheusRule", "Prometheus", "Certificate", "ExternalSecret"} {
		if !checked[kind] {
			t.Errorf("no object of kind %s was checked", kind)
		}
	}
}

// config/monitoring brings the rules, and the dashboards with the label by which Grafana's sidecar finds them.
func TestTheComponentBringsRulesAndDashboards(t *testing.T) {
	found := map[string]*unstructured.Unstructured{}
	for _, u := range rendered(t, "config/monitoring") {
		found[u.GetKind()] = u
		if u.GetNamespace() != "flink-system" || u.GetLabels()["app.kubernetes.io/part-of"] != "kn-flink" {
			t.Errorf("%s %s is in namespace %q with labels %v", u.GetKind(), u.GetName(), u.GetNamespace(), u.GetLabels())
		}
	}
	boards := found["ConfigMap"]
	if len(found) != 2 || boards == nil || found["PrometheusRule"] == nil {
		t.Fatalf("it makes %v", found)
	}
	if boards.GetLabels()["grafana_dashboard"] != "1" || boards.GetName() != "kn-flink-dashboards" {
		t.Errorf("ConfigMap %s has labels %v", boards.GetName(), boards.GetLabels())
	}
	files, err := filepath.Glob("../../config/monitoring/dashboards/*.json")
	if err != nil {
		t.Fatal(err)
	}
	data, _, _ := unstructured.NestedStringMap(boards.Object, "data")
	if len(data) != len(files) || len(files) == 0 {
		t.Errorf("%d dashboards of %d", len(data), len(files))
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || data[filepath.Base(file)] != string(text) {
			t.Errorf("dashboard %s is another: %v", file, err)
		}
	}
}

// documented is the block of a page that begins with the name of a file, as a comment.
func documented(t *testing.T, page, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n# "+file+"\n")
	block, _, ended := strings.Cut(after, "\n```")
	if !found || !ended {
		t.Fatalf("docs/%s shows no %s", page, file)
	}
	return objects(t, []byte(block))[0].Object
}

// What the pages say of a Prometheus that takes pushes, the Prometheus of the example has: by kube-prometheus-stack, and
// by its own flags and file, with which test/alerts runs one.
func TestThePagesAndTheExampleAgree(t *testing.T) {
	example := examples(t)["../../examples/monitoring/prometheus.yaml"][0]
	spec, _, _ := unstructured.NestedMap(example.Object, "spec")
	stack := documented(t, "observe/prometheus.md", "kube-prometheus-stack.yaml")
	values, _, _ := unstructured.NestedMap(stack, "prometheus", "prometheusSpec")
	if len(values) < 3 {
		t.Errorf("the page says only %v", values)
	}
	for field, value := range values {
		if !reflect.DeepEqual(spec[field], value) {
			t.Errorf("%s is %v on the page, %v in the example", field, value, spec[field])
		}
	}
	window, _, _ := unstructured.NestedString(
		documented(t, "reference/metrics.md", "prometheus.yml"), "storage", "tsdb", "out_of_order_time_window",
	)
	if got, _, _ := unstructured.NestedString(spec, "tsdb", "outOfOrderTimeWindow"); got != window || window == "" {
		t.Errorf("the window of the example is %q, that of docs/reference/metrics.md %q", got, window)
	}
}
