package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/cli"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// looks are the commands that only look.
var looks = [][]string{
	{"list"},
	{"list", "-A", "-o", "wide", "--snapshots"},
	{"list", "--stalled", "--exit-code"},
	{"list", "--moving", "--suspended", "--no-headers", "--no-tree"},
	{"list", "--sort=need", "-l", "team!=a"},
	{"list", "-o", "name", "--snapshots"},
	{"list", "-o", "jsonpath={.items[*].metadata.name}", "--suspended"},
	{"list", "-o", "go-template={{len .items}}"},
	{"list", "-n", "flink-system"},
	{"--config", "/x", "--log-http", "list", "--suspended", "--color=always"},
	{"list", "--moving", "--color=always"},
	{"list", "--color=red"},
	{"list", "-o", "table"},
	{"list", "--sort=age"},
	{"describe", "payments"},
	{"describe", "payments", "-v"},
	{"describe", "session"},
	{"describe", "orders", "-o", "yaml"},
	{"describe", "flinksnp/nightly"},
	{"describe", "shop"},
	{"describe", "by-java"},
	{"describe", "nobody"},
	{"describe", "pod/x"},
	{"why", "payments"},
	{"why", "sessionjob/sessions-daily"},
	{"why", "sessions-daily", "-o", "json"},
	{"why", "orders", "--restored"},
	{"why", "by-java"},
	{"why", "session"},
	{"why", "moving", "-n", "default"},
	{"why"},
	{"what"},
}

func TestLooks(t *testing.T) {
	w := newWorld(t, "team.yaml")
	var text strings.Builder
	for _, args := range looks {
		text.WriteString(w.transcript(args...))
	}
	held(t, "looks.txt", text.String())
	for _, r := range w.Tap.Requests() {
		if r.IsWrite() {
			t.Errorf("a look wrote: %s %s", r.Verb, r.Path)
		}
	}
}

// Row C6: no planted secret is in any output but raw resources.
func TestC6NoOutputHasASecret(t *testing.T) {
	w := newWorld(t, "team.yaml")
	for _, args := range append(looks, allOf(w, "describe", "-v")...) {
		if out, notes, _ := w.run(args...); strings.Contains(out+notes, "planted") {
			at := strings.Index(out+notes, "planted")
			t.Errorf("kn flink %s: …%s", strings.Join(args, " "), (out + notes)[max(0, at-60):at+20])
		}
	}
}

// allOf are a command for each resource, as text and as JSON.
func allOf(w *world, command string, flags ...string) (all [][]string) {
	out, _, _ := w.run("list", "--snapshots", "-o", "name")
	for name := range strings.Lines(out) {
		kind, name, _ := strings.Cut(strings.TrimSpace(name), "/")
		kind, _, _ = strings.Cut(kind, ".")
		args := append([]string{command, kind + "/" + name}, flags...)
		all = append(all, args, append(args, "-o", "json"), []string{"why", kind + "/" + name})
	}
	return all
}

// Row C5: with each right taken away alone, the right is named, and all else is shown.
func TestC5AMissingRightIsNamedAndTheRestIsShown(t *testing.T) {
	for right, row := range map[string]struct {
		args  []string
		names string // what an output has that names the right
		shows string // what it shows all the same
		code  int
	}{
		"list pods":                      {[]string{"describe", "payments"}, "the right to list pods", "TasksNotRunning", 0},
		"list events":                    {[]string{"why", "payments"}, "to list events", "Insufficient memory", 0},
		"list flinkstatesnapshots":       {[]string{"describe", "orders"}, "to list flinkstatesnapshots", "STABLE", 0},
		"list flinksessionjobs":          {[]string{"list"}, "the right to list flinksessionjobs", "orders", 0},
		"list flinkbluegreendeployments": {[]string{"list"}, "to list flinkbluegreendeployments", "orders", 0},
		"get flinksessionjobs":           {[]string{"why", "payments"}, "", "TasksNotRunning", 0},
		"get flinkdeployments":           {[]string{"why", "payments"}, "get flinkdeployments flink/payments", "", 2},
	} {
		t.Run(right, func(t *testing.T) {
			w := newWorld(t, "team.yaml")
			verb, resource, _ := strings.Cut(right, " ")
			w.Tap.Inject(wire.Fault{Match: wire.On(verb, resource), Status: 403})
			out, notes, code := w.run(row.args...)
			if code != row.code || !strings.Contains(out+notes, row.names) || !strings.Contains(out, row.shows) {
				t.Errorf("exit code %d, want %d, %q and %q:\n%s\n%s", code, row.code, row.names, row.shows, out, notes)
			}
		})
	}
}

// The rights that the help of a command names are those that it uses.
func TestC5EachCommandAsksForWhatItsHelpNames(t *testing.T) {
	w := newWorld(t, "team.yaml")
	flink := []string{"flinkbluegreendeployments", "flinkdeployments", "flinksessionjobs", "flinkstatesnapshots"}
	for _, args := range looks {
		w.Tap.Forget()
		w.run(args...)
		for _, right := range w.asked() {
			verb, resource, _ := strings.Cut(right, " ")
			if !slices.Contains([]string{"get", "list"}, verb) ||
				!slices.Contains(append(flink, "pods", "events", "controllerrevisions"), resource) {
				t.Errorf("kn flink %s asked for %s", strings.Join(args, " "), right)
			}
		}
	}
}

func TestKindsThatAreMissing(t *testing.T) {
	w := newWorld(t, "team.yaml")
	w.Tap.Inject(wire.Fault{Match: wire.On("list", "flinkbluegreendeployments"), Status: 404})
	out, notes, code := w.run("list")
	if code != 0 || !strings.Contains(out, "orders") || !strings.Contains(notes, "has no FlinkBlueGreenDeployment") {
		t.Errorf("exit code %d\n%s\n%s", code, out, notes)
	}
	ours := func(r wire.Request) bool { return strings.HasPrefix(r.Resource, "flink") }
	w.Tap.Inject(wire.Fault{Match: ours, Status: 404})
	for _, args := range [][]string{{"list"}, {"why", "orders"}} {
		if _, notes, code := w.run(args...); code != 2 || !strings.Contains(notes, "the cluster has no FlinkDeployment") {
			t.Errorf("%v: exit code %d\n%s", args, code, notes)
		}
	}
}

// Row C1: the texts say by which program the plugin was called.
func TestC1TheUsageNamesTheProgram(t *testing.T) {
	for program, want := range map[string]string{
		"/bin/kubectl-flink": "kubectl flink", "/bin/kn-flink": "kn flink", "": "kn flink",
	} {
		var out strings.Builder
		root := cli.New(cli.Options{In: strings.NewReader(""), Out: &out, Err: &out, Program: program})
		root.SetArgs([]string{"list", "--help"})
		if err := root.Execute(); err != nil || !strings.Contains(out.String(), "  "+want+" list [flags]") {
			t.Errorf("%s: %v\n%s", program, err, out.String())
		}
	}
}

// crowd is a world with n resources of the size that jobs have.
func crowd(t testing.TB, n int) *world {
	w := newWorld(t, "")
	one := newWorld(t, "team.yaml").Get(resourceOf("FlinkDeployment"), "flink", "orders")
	spec := `{"spec":{"text":"` + strings.Repeat("x", 2000) + `"}}`
	for i := range n {
		u := &unstructured.Unstructured{Object: one.DeepCopy().Object}
		u.SetResourceVersion("")
		u.SetUID("")
		u.SetName(fmt.Sprintf("orders-%05d", i))
		u.Object["status"].(map[string]any)["reconciliationStatus"] = map[string]any{
			"lastReconciledSpec": spec, "lastStableSpec": spec,
		}
		w.add(u)
	}
	return w
}

// Row C4: a list of 1,000 takes few requests, of pages. BenchmarkList has its time.
func TestC4AListOfAThousandTakesFewRequests(t *testing.T) {
	w := crowd(t, 1000)
	w.Tap.Forget()
	out, _, code := w.run("list")
	if lines := strings.Count(out, "\n"); code != 0 || lines != 1001 {
		t.Errorf("exit code %d, %d lines", code, lines)
	}
	if n := len(w.Tap.Requests()); n > 6 {
		t.Errorf("%d requests, want 6 at the most", n)
	}
}

func BenchmarkList(b *testing.B) {
	w := crowd(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, notes, code := w.run("list"); code != 0 {
			b.Fatal(notes)
		}
	}
}

// Row C6: what the golden files show has no secret either.
func TestC6NoGoldenFileHasASecret(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "planted") {
			t.Errorf("%s has a secret, or error %v", file, err)
		}
	}
}
