package gitops

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/gitops-engine/pkg/diff"
	"github.com/argoproj/gitops-engine/pkg/sync/hook"
	argokube "github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/gitops-engine/pkg/utils/tracing"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubectl/pkg/util/openapi"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// manifests are the objects of YAML files or folders, in order.
func manifests(t *testing.T, paths ...string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, path := range paths {
		files, err := filepath.Glob(path)
		if err != nil || len(files) == 0 {
			t.Fatalf("no manifests %s: %v", path, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			content = bytes.ReplaceAll(content, []byte("ko://"), nil) // no image is pulled
			all = append(all, objectsOf(t, content)...)
		}
	}
	return all
}

func objectsOf(t *testing.T, content []byte) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if u.Object != nil {
			all = append(all, u)
		}
	}
}

// tool applies what Git has, and says what it would set back of what is there.
type tool struct {
	name string
	// apply applies the objects as the tool does with each sync.
	apply func(t *testing.T, objects []*unstructured.Unstructured)
	// drift are the objects that it calls out of sync.
	drift func(t *testing.T, objects []*unstructured.Unstructured) []string
	// large is whether it can apply CRDs: the annotation of client-side apply has no room for them.
	large bool
}

// tools are Argo CD and Flux, in the order in which the test hands an installation from one to the next.
func tools(t *testing.T) []tool {
	t.Helper()
	reader, err := client.New(server.config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	argo := argoDiff{reader: reader}
	argo.openAPI(t)
	flux := ssa.NewResourceManager(
		reader, polling.NewStatusPoller(reader, reader.RESTMapper(), polling.Options{}),
		ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"},
	)
	forced := ssa.DefaultApplyOptions()
	forced.ForceSelector = map[string]string{"kustomize.toolkit.fluxcd.io/force": "enabled"}
	return []tool{
		{
			name: "Argo CD, applying from its side", drift: argo.with(),
			apply: kubectlApplies("--field-manager=argocd-controller"),
		},
		{
			name: "Argo CD with ServerSideApply=true", large: true,
			drift: argo.with(diff.WithStructuredMergeDiff(true)),
			apply: kubectlApplies("--server-side", "--force-conflicts", "--field-manager=argocd-controller"),
		},
		{
			name: "Argo CD with ServerSideDiff=true", large: true,
			drift: argo.with(diff.WithServerSideDiff(true), diff.WithServerSideDryRunner(argo.dryRunner)),
			apply: kubectlApplies("--server-side", "--force-conflicts", "--field-manager=argocd-controller"),
		},
		{
			name: "Flux", large: true,
			apply: func(t *testing.T, objects []*unstructured.Unstructured) {
				t.Helper()
				if _, err := flux.ApplyAllStaged(t.Context(), copies(objects), forced); err != nil {
					t.Fatal(err)
				}
			},
			drift: func(t *testing.T, objects []*unstructured.Unstructured) (drifted []string) {
				t.Helper()
				for _, u := range copies(objects) {
					entry, live, merged, err := flux.Diff(t.Context(), u, ssa.DefaultDiffOptions())
					if err != nil {
						t.Fatal(err)
					}
					if entry.Action != ssa.UnchangedAction {
						drifted = append(drifted, entry.String()+"\n"+cmp.Diff(content(live), content(merged)))
					}
				}
				return drifted
			},
		},
	}
}

// kept are copies of the objects of a kind.
func kept(objects []*unstructured.Unstructured, kind string) []*unstructured.Unstructured {
	return slices.DeleteFunc(copies(objects), func(u *unstructured.Unstructured) bool { return u.GetKind() != kind })
}

func copies(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, u := range objects {
		all = append(all, u.DeepCopy())
	}
	return all
}

func content(u *unstructured.Unstructured) map[string]any {
	if u == nil {
		return nil
	}
	return u.Object
}

func kubectlApplies(how ...string) func(t *testing.T, objects []*unstructured.Unstructured) {
	return func(t *testing.T, objects []*unstructured.Unstructured) {
		t.Helper()
		kubectl(text(t, objects), append([]string{"apply", "-f", "-"}, how...)...).must(t)
	}
}

// text is what kubectl reads.
func text(t *testing.T, objects []*unstructured.Unstructured) string {
	t.Helper()
	var all bytes.Buffer
	for _, u := range objects {
		line, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("---\n")
		all.Write(line)
	}
	return all.String()
}

// argoDiff compares as Argo CD does, with nothing to ignore.
type argoDiff struct {
	reader    client.Client
	options   []diff.Option
	dryRunner diff.ServerSideDryRunner
}

func (a *argoDiff) openAPI(t *testing.T) {
	t.Helper()
	ctl := &argokube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
	var schemas openapi.Resources
	var parser *managedfields.GvkParser
	served := func(context.Context) (found bool, err error) { // the API server is some seconds behind
		schemas, parser, err = ctl.LoadOpenAPISchema(server.config)
		return err == nil && parser.Type(v1beta1.GroupVersion.WithKind("FlinkDeployment")) != nil, err
	}
	if err := wait.PollUntilContextTimeout(t.Context(), time.Second/4, time.Minute, true, served); err != nil {
		t.Fatal(err)
	}
	applier, done, err := argokube.ManageServerSideDiffDryRuns(
		server.config, schemas, tracing.NopTracer{}, logr.Discard(), func(string) (argokube.CleanupFunc, error) {
			return func() {}, nil
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	a.dryRunner = diff.NewK8sServerSideDryRunner(applier)
	a.options = []diff.Option{
		diff.WithGVKParser(parser), diff.WithManager("argocd-controller"), diff.WithLogr(logr.Discard()),
	}
}

func (a *argoDiff) with(more ...diff.Option) func(t *testing.T, objects []*unstructured.Unstructured) []string {
	return func(t *testing.T, objects []*unstructured.Unstructured) (drifted []string) {
		t.Helper()
		for _, u := range copies(objects) {
			if hook.IsHook(u) { // it runs with each sync, and is never compared
				continue
			}
			live := &unstructured.Unstructured{}
			live.SetGroupVersionKind(u.GroupVersionKind())
			if err := a.reader.Get(t.Context(), client.ObjectKeyFromObject(u), live); err != nil {
				t.Fatal(err)
			}
			result, err := diff.Diff(u, live, slices.Concat(a.options, more)...)
			if err != nil {
				t.Fatalf("%s %s: %v", u.GetKind(), u.GetName(), err)
			}
			if result.Modified {
				drifted = append(drifted, u.GetKind()+" "+u.GetName()+"\n"+
					cmp.Diff(string(result.NormalizedLive), string(result.PredictedLive)))
			}
		}
		return drifted
	}
}

// TestNothingThatTheFunctionsWriteIsDrift has the functions write all that they write, between the syncs of one tool
// after the other.
func TestNothingThatTheFunctionsWriteIsDrift(t *testing.T) {
	for _, namespace := range []string{"kourier-system", jobs} {
		kubectl("", "create", "namespace", namespace).must(t)
	}
	definitions := manifests(t, "../../config/crds/*.yaml")
	installed := manifests(t, "../../config/knative/*.yaml")
	users := manifests(t, "testdata/jobs.yaml")
	t.Cleanup(func() { kubectl(text(t, installed), "delete", "--wait=false", "-f", "-").must(t) })
	f := newFunctions(t)
	for _, tool := range tools(t) {
		t.Run(tool.name, func(t *testing.T) {
			all := slices.Concat(users, installed) // before there are webhooks that lead nowhere
			if tool.large {
				all = slices.Concat(definitions, all)
			}
			tool.apply(t, all)
			wrote := f.write(t, users)
			if drifted := tool.drift(t, all); len(drifted) > 0 {
				t.Errorf("%d objects of %d are out of sync:\n%s", len(drifted), len(all), strings.Join(drifted, "\n"))
			}
			set := kept(all, "PingSource") // were it in Git, it would be set back: the comparison sees it
			if err := unstructured.SetNestedField(set[0].Object, "*/7 * * * *", "spec", "schedule"); err != nil {
				t.Fatal(err)
			}
			if drifted := tool.drift(t, set); len(drifted) != 1 {
				t.Errorf("a schedule in Git is no drift: %q", drifted)
			}
			tool.apply(t, all)
			for what, now := range f.written(t, users) {
				if before := wrote[what]; before != now {
					t.Errorf("%s was %q, and the next sync made it %q", what, before, now)
				}
			}
			t.Logf("%d objects, %d fields that functions have written", len(all), len(wrote))
		})
	}
}
