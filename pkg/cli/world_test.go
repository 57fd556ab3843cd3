package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/cli"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/golden"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// world is the model API server with what a user looks at.
type world struct {
	*kubesim.Server
	t testing.TB
	// logs answers requests for logs, by pod.
	logs map[string]string
	// input is what the user types; empty where there is no terminal.
	input string
	// release has the manifests of the plugin; nil is a build from source.
	release fs.FS
	// around stands between the user and the API server; nil where nothing does.
	around func(http.RoundTripper) http.RoundTripper
	// cancel interrupts the command that runs.
	cancel func()
}

// newWorld has the resources of a file of testdata in namespace flink.
func newWorld(t testing.TB, file string) *world {
	t.Helper()
	w := &world{Server: kubesim.New(t, kubesim.NewClock(), wire.New()), t: t}
	if file == "" {
		return w
	}
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatal(err)
		}
		w.add(u)
	}
	return w
}

// resourceOf is where objects of a kind are.
func resourceOf(kind string) schema.GroupVersionResource {
	if k, ours := kinds.Of(kind); ours {
		return k.Resource
	}
	return map[string]schema.GroupVersionResource{
		"Pod": kube.Pods, "Event": kube.Events, "Deployment": kube.Deployments, "Namespace": kube.Namespaces,
		"ControllerRevision": kube.Revisions,
	}[kind]
}

// add stores an object with its status.
func (w *world) add(u *unstructured.Unstructured) {
	w.t.Helper()
	if u.GetNamespace() == "" {
		u.SetNamespace("flink")
	}
	gvr := resourceOf(u.GetKind())
	status, _ := u.Object["status"].(map[string]any)
	if _, err := w.Create(gvr, u.DeepCopy()); err != nil {
		w.t.Fatal(err)
	}
	if status != nil {
		if _, err := w.UpdateStatus(gvr, u.GetNamespace(), u.GetName(), status); err != nil {
			w.t.Fatal(err)
		}
	}
}

// logTransport answers requests for logs itself, which the model API server does not have.
type logTransport struct {
	next http.RoundTripper
	logs map[string]string
}

func (l logTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if pod, is := strings.CutSuffix(r.URL.Path, "/log"); is {
		answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r}
		answer.Body = http.NoBody
		if text, there := l.logs[filepath.Base(pod)]; there {
			answer.Body = readCloser{strings.NewReader(text)}
		}
		return answer, nil
	}
	return l.next.RoundTrip(r)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// run runs a command an hour after the clock of the models began.
func (w *world) run(args ...string) (out, notes string, code int) {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	root := cli.New(cli.Options{
		In: strings.NewReader(w.input), Out: &stdout, Err: &stderr, Terminal: w.input != "", Version: "v0.0.0-test",
		Release: w.release,
		Now:     func() time.Time { return w.Clock.Now().Add(time.Hour) }, Pace: time.Millisecond,
		Config: func() (*rest.Config, string, error) {
			config := w.Config("kn-flink")
			config.Transport = logTransport{config.Transport, w.logs}
			if w.around != nil {
				config.Transport = w.around(config.Transport)
			}
			return config, "flink", nil
		},
	})
	root.SetArgs(args)
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second) // a command that hangs ends as if interrupted
	defer cancel()
	w.cancel = cancel
	if end := cli.ExitOf(ctx, root.ExecuteContext(ctx)); end != nil {
		fmt.Fprintln(&stderr, "Error:", end.Error())
		code = end.Code
	}
	return stdout.String(), stderr.String(), code
}

// transcript is a command with what it said.
func (w *world) transcript(args ...string) string {
	out, notes, code := w.run(args...)
	text := "$ kn flink " + strings.Join(args, " ") + "\n" + out
	for line := range strings.Lines(notes) {
		text += "2> " + line
	}
	if code != 0 {
		text += fmt.Sprintf("exit code %d\n", code)
	}
	return text + "\n"
}

// held holds a text to a file of testdata.
func held(t *testing.T, name, text string) {
	t.Helper()
	golden.Compare(t, filepath.Join("testdata", name), text, *update, "go test ./pkg/cli -update")
}

// asked are the verbs and resources of all requests since the last call.
func (w *world) asked() []string {
	all := map[string]bool{}
	for _, r := range w.Tap.Requests() {
		all[r.Verb+" "+r.Resource] = true
	}
	w.Tap.Forget()
	return slices.Sorted(maps.Keys(all))
}
