package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	root := flag.String("root", "../..", "folder of the repository")
	out := flag.String("out", "../../release", "folder to write to")
	version := flag.String("version", "0.0.0-devel", "version of the chart and of the images")
	repository := flag.String("repository", "ko.local", "where the images are, one for each function")
	resolved := flag.String("resolved", "", "the YAML that ko resolved, for the digests of the images")
	page := flag.String("page", "", "write the page of the values there instead of a chart")
	flag.Parse()
	if *page != "" {
		if err := writeValuesPage(*root, *page); err != nil {
			fmt.Fprintln(os.Stderr, "chart:", err)
			os.Exit(1)
		}
		return
	}
	dir := filepath.Join(*out, "kn-flink")
	s := source{root: *root, version: strings.TrimPrefix(*version, "v"), tag: *version, repository: *repository}
	name, err := "", s.digestsOf(*resolved)
	if err == nil {
		err = s.write(dir)
	}
	if err == nil {
		name, err = pack(dir, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
	fmt.Println(name)
}

// pack makes the archive of a chart.
func pack(dir, out string) (string, error) {
	chart, err := loader.Load(dir)
	if err != nil {
		return "", err
	}
	return chartutil.Save(chart, out)
}

// source is what a chart is made from.
type source struct {
	root, version, tag, repository string
	// digests are those of the images, by function.
	digests map[string]string
}

// image is how a manifest names the image of a function.
var image = regexp.MustCompile(`^ko://github\.com/kn-flink/kn-flink/functions/([a-z]+)$`)

// resolvedImage is the same after ko resolved it.
var resolvedImage = regexp.MustCompile(`image: \S*/([a-z]+)(?::[^@\s]*)?@(sha256:[0-9a-f]{64})`)

func (s *source) digestsOf(resolved string) error {
	s.digests = map[string]string{}
	if resolved == "" {
		return nil
	}
	text, err := os.ReadFile(resolved)
	for _, match := range resolvedImage.FindAllStringSubmatch(string(text), -1) {
		s.digests[match[1]] = match[2]
	}
	if err == nil && len(s.digests) == 0 {
		err = fmt.Errorf("%s names no image with a digest", resolved)
	}
	return err
}

// write writes the chart.
func (s *source) write(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	floor, err := s.kubernetesFloor()
	if err != nil {
		return err
	}
	annotations, err := s.annotations()
	if err != nil {
		return err
	}
	values := s.values()
	schema, err := valuesSchema(values)
	if err != nil {
		return err
	}
	table, err := valuesTable(values)
	if err != nil {
		return err
	}
	files := map[string]string{
		"Chart.yaml": fmt.Sprintf(chartFile, s.version, s.tag, floor) + annotations, "values.yaml": values,
		"values.schema.json": schema, "README.md": fmt.Sprintf(readme, s.version, table),
		"templates/_helpers.tpl": helpers, "templates/NOTES.txt": notes,
	}
	names, err := filepath.Glob(filepath.Join(s.root, "config", "knative", "*.yaml"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no manifests below %s: %w", s.root, err)
	}
	for _, name := range names {
		base := filepath.Base(name)
		text, err := s.template(name)
		if err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
		if text != "" {
			files["templates/"+base] = text
		}
	}
	if err := s.settings(files); err != nil {
		return err
	}
	if err := s.monitoring(files); err != nil {
		return err
	}
	if err := s.egress(files); err != nil {
		return err
	}
	if err := s.console(files); err != nil {
		return err
	}
	files["templates/900-tenants.yaml"] = tenants
	definitions, err := filepath.Glob(filepath.Join(s.root, "config", "crds", "*.yaml"))
	if err != nil {
		return err
	}
	for _, name := range definitions {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files["crds/"+filepath.Base(name)] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// floorLine is where the scripts have the oldest Kubernetes.
var floorLine = regexp.MustCompile(`(?m)^KUBERNETES_FLOOR=(\d+)$`)

// kubernetesFloor is N of the oldest Kubernetes 1.N.
func (s *source) kubernetesFloor() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, "hack", "versions.sh"))
	if err != nil {
		return "", err
	}
	found := floorLine.FindSubmatch(text)
	if found == nil {
		return "", errors.New("hack/versions.sh has no line KUBERNETES_FLOOR=<number>")
	}
	return string(found[1]), nil
}

// template is the template of a file of config/knative; empty where Helm makes its objects itself.
func (s *source) template(name string) (string, error) {
	objects, err := objects(name)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, object := range objects {
		text, err := templateOf(object)
		if err != nil {
			return "", err
		}
		if text != "" {
			out.WriteString("---\n" + text)
		}
	}
	text := out.String()
	if base := filepath.Base(name); text != "" && strings.HasPrefix(base, "8") {
		text = strings.ReplaceAll(text, "kourier-system", `{{ include "kn-flink.gatewayNamespace" $ }}`)
		text = "{{- if .Values.webhook.create }}\n" + text + "{{- end }}\n"
	}
	// The gateway calls functions that run, so the NetworkPolicy lets it in wherever it is.
	if strings.Contains(name, "105-network") {
		text = strings.ReplaceAll(text, "kourier-system", `{{ if .Values.webhook.create }}{{ include "kn-flink.gatewayNamespace" $ }}`+
			`{{ else }}{{ .Values.webhook.gatewayNamespace | default "kourier-system" }}{{ end }}`)
	}
	return text, nil
}

// objects are those of a YAML file, in order.
func objects(name string) ([]map[string]any, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var object map[string]any
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if object != nil {
			all = append(all, object)
		}
	}
}

// settings adds the shipped configuration, by the names of its files.
func (s *source) settings(files map[string]string) error {
	shipped, err := objects(filepath.Join(s.root, "config", "knative", "100-settings.yaml"))
	if err != nil {
		return err
	}
	for name, text := range shipped[0]["data"].(map[string]any) {
		files["files/"+name] = text.(string)
	}
	files["templates/100-settings.yaml"] = settings
	return nil
}
