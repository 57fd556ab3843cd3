package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// heavy must not be linked into a function: each costs size, memory and start-up time at every wake from zero.
var heavy = map[string]string{
	"k8s.io/client-go/informers":               "a cache of the whole cluster",
	"k8s.io/client-go/listers":                 "a cache of the whole cluster",
	"k8s.io/client-go/kubernetes":              "typed clients for every API: use the dynamic one",
	"k8s.io/client-go/dynamic/dynamicinformer": "a cache of the whole cluster",
	"k8s.io/client-go/discovery":               "the REST mapping is fixed",
	"k8s.io/client-go/restmapper":              "the REST mapping is fixed",
	"sigs.k8s.io/controller-runtime":           "a manager that never sleeps",
	"knative.dev/pkg/injection":                "informers and sharedmain",
	"knative.dev/pkg/webhook":                  "a webhook that must always run",
	"knative.dev/pkg/controller":               "a work queue that must always run",
	"knative.dev/pkg/reconciler":               "a work queue that must always run",
	"knative.dev/pkg/client":                   "typed clients",
	"knative.dev/eventing":                     "our events are plain CloudEvents",
	"knative.dev/serving":                      "a function does not know what runs it",
}

// heavyForTerminal must not be linked into the plugin: each costs size and start-up time at every command.
var heavyForTerminal = map[string]string{
	"k8s.io/client-go/informers":               "a cache of the whole cluster",
	"k8s.io/client-go/listers":                 "a cache of the whole cluster",
	"k8s.io/client-go/kubernetes":              "typed clients for every API: use the dynamic one",
	"k8s.io/client-go/discovery":               "the REST mapping is fixed",
	"k8s.io/cli-runtime/pkg/genericclioptions": "it brings kustomize",
	"k8s.io/cli-runtime/pkg/resource":          "it brings kustomize",
	"k8s.io/kubectl":                           "the whole of kubectl",
	"sigs.k8s.io/kustomize":                    "it is for files of manifests",
	"sigs.k8s.io/controller-runtime":           "a manager that never sleeps",
	"knative.dev/pkg/injection":                "informers and sharedmain",
	"knative.dev/pkg/webhook":                  "a webhook that must always run",
	"knative.dev/pkg/controller":               "a work queue that must always run",
	"knative.dev/pkg/reconciler":               "a work queue that must always run",
	"knative.dev/pkg/client":                   "typed clients",
	"knative.dev/eventing":                     "the plugin asks the API server alone",
	"knative.dev/serving":                      "the plugin asks the API server alone",
	"knative.dev/client":                       "it is for a build of kn that has the plugin in it",
	"github.com/charmbracelet":                 "a screen of its own",
	"github.com/olekukonko/tablewriter":        "pkg/view makes the tables",
	module + "pkg/apply":                       "it acts as the operator",
	module + "pkg/pass":                        "it acts as the operator",
	module + "pkg/sweep":                       "it acts as the operator",
}

// terminalLimit is how large the plugin may be, in bytes, stripped.
const terminalLimit = 32 << 20

// link lists what a main package links.
func link(t *testing.T, target string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}", target)
	command.Dir = root(t)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", target, err)
	}
	return strings.Fields(string(out))
}

func functions(t *testing.T) []string {
	t.Helper()
	mains, err := filepath.Glob(filepath.Join(root(t), "functions", "*", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range mains {
		found = append(found, "functions/"+filepath.Base(filepath.Dir(file)))
	}
	return found
}

func tooHeavy(function string, linked []string) []finding { return linksOf(function, linked, heavy) }

func linksOf(function string, linked []string, forbidden map[string]string) []finding {
	var found []finding
	for _, path := range linked {
		for prefix, why := range forbidden {
			if path == prefix || strings.HasPrefix(path, prefix+"/") {
				found = append(found, finding{"link", function, "links " + path + ": " + why})
			}
		}
	}
	return found
}

func TestFunctionsLinkNothingHeavy(t *testing.T) {
	var found []finding
	for _, function := range functions(t) {
		linked := link(t, "./"+function)
		found = append(found, tooHeavy(function, linked)...)
		if function == "functions/observe" && slices.Contains(linked, module+"pkg/apply") {
			found = append(found, finding{"reader", function, "links pkg/apply: it only reads"})
		}
	}
	report(t, found, "link", "reader")
}

// Row C11: the plugin links none of the forbidden packages, and is small on each platform that is released.
func TestC11ThePluginIsSmall(t *testing.T) {
	report(t, linksOf("cmd/kn-flink", link(t, "./cmd/kn-flink"), heavyForTerminal), "link")
	target := filepath.Join(t.TempDir(), "kn-flink")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", target,
		"./cmd/kn-flink")
	command.Dir, command.Env = root(t), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/kn-flink: %v\n%s", err, out)
	}
	info, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > terminalLimit {
		t.Errorf("cmd/kn-flink has %d bytes, the limit is %d", info.Size(), terminalLimit)
	}
}

func TestHeavyBites(t *testing.T) {
	linked := []string{
		"k8s.io/client-go/dynamic", "k8s.io/client-go/kubernetes/scheme", "knative.dev/pkg/logging",
		"knative.dev/pkg/injection/sharedmain",
	}
	if got := tooHeavy("f", linked); len(got) != 2 {
		t.Errorf("%v, want the typed clients' scheme and sharedmain", got)
	}
}

// TestThePartsOfKubernetesArePinnedAlike: a replace line counts in the module that is built alone.
func TestThePartsOfKubernetesArePinnedAlike(t *testing.T) {
	pinned := func(module string) (lines []string) {
		text, err := os.ReadFile(filepath.Join(root(t), module, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "=> k8s.io/") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		return lines
	}
	local, live := pinned("local"), pinned("test/live")
	if len(local) == 0 || !slices.Equal(local, live) {
		t.Errorf("local/go.mod replaces by\n%s\nand test/live/go.mod by\n%s", local, live)
	}
}
