package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	// Their definitions are made from these types.
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/source-controller/api/v1"
)

const examples = "../../config/gitops"

// ran is what a command wrote, in a folder.
func ran(t *testing.T, folder, name string, arguments ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir = folder
	out, err := command.Output()
	if err != nil {
		message := ""
		if failed, is := err.(*exec.ExitError); is {
			message = string(failed.Stderr)
		}
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, message)
	}
	return out
}

// theirDefinitions are the CRDs of Argo CD, from its module, and of Flux, made from its types as Flux makes them.
func theirDefinitions(t *testing.T) []string {
	t.Helper()
	argo := string(ran(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3"))
	folder := t.TempDir()
	generator := filepath.Join(folder, "controller-gen")
	ran(t, "../..", "go", "build", "-o", generator, "sigs.k8s.io/controller-tools/cmd/controller-gen")
	ran(t, ".", generator, "crd:maxDescLen=0", "output:crd:dir="+filepath.Join(folder, "crds"),
		"paths=github.com/fluxcd/kustomize-controller/api/v1", "paths=github.com/fluxcd/source-controller/api/v1",
		"paths=github.com/fluxcd/helm-controller/api/v2")
	return []string{
		filepath.Join(strings.TrimSpace(argo), "manifests/crds/application-crd.yaml"), filepath.Join(folder, "crds"),
	}
}

// TestTheExamplesAreTaken applies each example, and each of the things that it leads to in this tree, to an API server.
func TestTheExamplesAreTaken(t *testing.T) {
	for _, definitions := range theirDefinitions(t) {
		kubectl("", "apply", "--server-side", "-f", definitions).must(t)
	}
	kubectl("", "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s").must(t)
	for _, namespace := range []string{"argocd", "flux-system", "knative-operator", system, "knative-serving"} {
		_ = kubectl("", "create", "namespace", namespace) // or it is there
	}
	apply := func(path string) {
		t.Helper()
		kubectl(
			"", "apply", "--server-side", "--validate=strict", "--force-conflicts", "--field-manager=examples", "-f", path,
		).must(t)
	}
	for _, path := range []string{
		"argocd/health/argocd-cm.yaml", "argocd/root.yaml", "argocd/apps",
		"flux/kn-flink.yaml", "flux/knative-operator", "flux/operator", "jobs",
	} {
		apply(filepath.Join(examples, path))
	}
	of := func(kind, namespace, name string) string {
		return kubectl("", "get", kind, "-n", namespace, name, "-o", "jsonpath={.metadata.name}").must(t)
	}
	of("applications.argoproj.io", "argocd", "jobs")
	of("helmreleases.helm.toolkit.fluxcd.io", system, "kn-flink")
	of("flinkdeployments", "team-a", "state-machine")
}

// step is one of the installations that come one after the other.
type step struct {
	name, repository, revision, path, chart string
	values                                  map[string]any
}

// field is a text of an object.
func field(u *unstructured.Unstructured, fields ...string) string {
	value, _, _ := unstructured.NestedString(u.Object, fields...)
	return value
}

// stepsOfArgo are the Applications in the order of their waves.
func stepsOfArgo(t *testing.T) []step {
	t.Helper()
	applications := manifests(t, examples+"/argocd/apps/*.yaml")
	var waves []string
	var steps []step
	for _, u := range applications {
		waves = append(waves, u.GetAnnotations()["argocd.argoproj.io/sync-wave"])
		values, _, _ := unstructured.NestedMap(u.Object, "spec", "source", "helm", "valuesObject")
		steps = append(steps, step{
			u.GetName(), field(u, "spec", "source", "repoURL"), field(u, "spec", "source", "targetRevision"),
			field(u, "spec", "source", "path"), field(u, "spec", "source", "chart"), values,
		})
	}
	if !slices.IsSorted(waves) || len(slices.Compact(slices.Clone(waves))) != len(waves) {
		t.Errorf("the waves are %q: one Application each", waves)
	}
	return steps
}

// stepsOfFlux are the Kustomizations in the order of what each depends on, with the chart that one leads to.
func stepsOfFlux(t *testing.T) []step {
	t.Helper()
	repositories, before := map[string][2]string{}, ""
	var steps []step
	for _, u := range manifests(t, examples+"/flux/kn-flink.yaml") {
		if u.GetKind() == "GitRepository" {
			repositories[u.GetName()] = [2]string{field(u, "spec", "url"), field(u, "spec", "ref", "tag")}
			continue
		}
		var k kustomizev1.Kustomization
		content, err := u.MarshalJSON()
		if err == nil {
			err = yaml.UnmarshalStrict(content, &k)
		}
		if err != nil {
			t.Fatal(err)
		}
		after := before == "" || (len(k.Spec.DependsOn) == 1 && k.Spec.DependsOn[0].Name == before)
		if !after || !k.Spec.Wait || k.Spec.Timeout == nil {
			t.Errorf("%s does not come after %s, or nothing waits for it: %+v", k.Name, before, k.Spec.DependsOn)
		}
		before = k.Name
		from := repositories[k.Spec.SourceRef.Name]
		s := step{name: k.Name, repository: from[0], revision: from[1], path: strings.TrimPrefix(k.Spec.Path, "./")}
		releases, _ := filepath.Glob(filepath.Join("../..", s.path, "release.yaml"))
		for _, release := range releases {
			for _, u := range manifests(t, release) {
				switch u.GetKind() {
				case "OCIRepository":
					s.chart, s.revision = field(u, "spec", "url"), field(u, "spec", "ref", "tag")
				case "HelmRelease":
					s.values, _, _ = unstructured.NestedMap(u.Object, "spec", "values")
				}
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// TestTheExamplesAreInOrder holds that both tools bring the same things, in the order in which each needs the one
// before, from what this tree has, and that the chart with their values is taken and is no drift.
func TestTheExamplesAreInOrder(t *testing.T) {
	const ours = "https://github.com/kn-flink/kn-flink"
	install, err := os.ReadFile("../../docs/install/helm.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"knative-operator", "knative", "kn-flink-crds", "kn-flink", "jobs"}
	flux := tools(t)[3]
	var rendered []string
	for tool, steps := range map[string][]step{"Argo CD": stepsOfArgo(t), "Flux": stepsOfFlux(t)} {
		var order []string
		for _, s := range steps {
			order = append(order, s.name)
			if s.repository == ours && s.chart == "" {
				_, err := os.Stat(filepath.Join("../..", s.path))
				if err != nil || !strings.Contains(string(install), "kn-flink/"+s.revision+"/") {
					t.Errorf("%s: %s of %s is not what docs/install/helm.md installs: %v", tool, s.path, s.revision, err)
				}
			}
			if s.name != "kn-flink" {
				continue
			}
			if !strings.Contains(s.chart+s.repository, "ghcr.io/kn-flink/charts") ||
				!strings.Contains(string(install), "--version "+s.revision) {
				t.Errorf("%s: chart %s %s is not what docs/install/helm.md installs", tool, s.chart, s.revision)
			}
			objects := objectsOf(t, chart(t, s.values))
			rendered = append(rendered, text(t, objects))
			flux.apply(t, objects)
			if drifted := flux.drift(t, objects); len(objects) < 50 || len(drifted) > 0 {
				t.Errorf("%d objects, and these are out of sync: %s", len(objects), strings.Join(drifted, "\n"))
			}
		}
		if !slices.Equal(order, want) {
			t.Errorf("%s brings %q, want %q", tool, order, want)
		}
	}
	if rendered[0] != rendered[1] {
		t.Error("Argo CD and Flux install something else")
	}
	kubectl(rendered[0], "delete", "-f", "-").must(t)
}

// chart is what the chart of this tree renders with values, without a cluster.
func chart(t *testing.T, values map[string]any) []byte {
	t.Helper()
	folder := t.TempDir()
	made := ran(t, "../../hack/chart", "go", "run", "-buildvcs=false", ".", "-out", folder, "-version", "v0.3.0")
	content, err := yaml.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "values.yaml")
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return ran(
		t, "../../hack/chart", "go", "tool", "helm", "template", "kn-flink", strings.TrimSpace(string(made)), "-n", system,
		"-f", file, "--kube-version=1.34", "--no-hooks",
	)
}

// What a namespace needs is what make tenant makes there.
func TestTheNamespaceOfJobsIsATenant(t *testing.T) {
	tenant, err := os.ReadFile("../../config/tenant/tenant.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := text(t, objectsOf(t, []byte(strings.ReplaceAll(string(tenant), "${NAMESPACE}", "team-a"))))
	if got := text(t, manifests(t, examples+"/jobs/namespace.yaml")); got != want {
		t.Errorf("config/gitops/jobs/namespace.yaml is not config/tenant/tenant.yaml for team-a:\n%s", got)
	}
}
