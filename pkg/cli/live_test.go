package cli_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// Rows C5 and C6: without the right to what Flink is reached by, the right is named, and what the API server says is
// shown.
func TestC5TopNamesTheRightsThatAreMissing(t *testing.T) {
	for right, names := range map[string]string{
		"get services":          "the right to get services/proxy in namespace flink is missing",
		"list pods":             "the right to list pods.metrics.k8s.io in namespace flink is missing",
		"list flinksessionjobs": "the right to list flinksessionjobs",
	} {
		t.Run(right, func(t *testing.T) {
			w := newWorld(t, "team.yaml")
			verb, resource, _ := strings.Cut(right, " ")
			w.Tap.Inject(wire.Fault{Match: wire.On(verb, resource), Status: 403})
			out, notes, code := w.run("top")
			if code != 0 || !strings.Contains(out, names) || !strings.Contains(out, "orders") {
				t.Errorf("exit code %d, want %q\n%s%s", code, names, out, notes)
			}
			if strings.Contains(out+notes, "planted") {
				t.Errorf("a secret is printed:\n%s%s", out, notes)
			}
		})
	}
}

func TestUIOfWhatDoesNotRun(t *testing.T) {
	w := newWorld(t, "team.yaml")
	for args, want := range map[string]string{
		"ui orders":                  "no pod of JobManager flink/orders runs",
		"ui flinkbgdep/shop":         "none of the kinds",
		"autoscale explain payments": "no decision of the autoscaler is kept",
		"top orders shop":            "accepts at most 1 arg",
	} {
		if out, notes, code := w.run(strings.Fields(args)...); code != 2 || !strings.Contains(notes, want) {
			t.Errorf("%s: exit code %d, want %q\n%s%s", args, code, want, out, notes)
		}
	}
}
