package console

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/judged"
	"github.com/kn-flink/kn-flink/test/team"
)

var update = flag.Bool("update", false, "write the pictures of the documentation anew")

// pages are those of the team, by the names of their pictures.
var pages = map[string]string{
	"jobs":        "/jobs",
	"selected":    "/jobs?need=user",
	"nothing":     "/jobs?text=nothing",
	"job":         "/ns/flink/flinkdeployments/payments",
	"healthy":     "/ns/flink/flinkdeployments/by-java",
	"scaled":      "/ns/flink/flinkdeployments/orders",
	"session":     "/ns/flink/flinkdeployments/session",
	"session-job": "/ns/flink/flinksessionjobs/sessions-daily",
	"pair":        "/ns/flink/flinkbluegreendeployments/gated",
	"snapshot":    "/ns/flink/flinkstatesnapshots/nightly",
	"snapshots":   "/snapshots",
	"log":         "/ns/flink/flinkdeployments/payments/logs",
	"installed":   "/installation",
	"reason":      "/reasons/LastStateUnknown",
	"gone":        "/ns/flink/flinkdeployments/gone",
	"history":     "/ns/flink/flinkdeployments/orders/history?from=1&to=2",
	"load":        "/ns/flink/flinkdeployments/orders/load",
	"spec":        "/ns/flink/flinkdeployments/orders/spec",
	"plan":        "/ns/flink/flinkdeployments/orders/plan",
	"suspend":     "/ns/flink/flinkdeployments/orders/suspend",
	"gives-up":    "/ns/flink/flinksessionjobs/etl/restart",
	"scale":       "/ns/flink/flinkdeployments/orders/scale",
	"rollback":    "/ns/flink/flinkdeployments/orders/rollback?to=1",
}

// gated is a pair that waits for gates.
const gated = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata: {name: gated}
spec: {template: {spec: {image: "flink:2.2", flinkVersion: v2_2, job: {jarURI: "local:///job.jar"}}}}
status:
  observedGeneration: 1
  blueGreenState: TRANSITIONING_TO_GREEN
  jobStatus: {state: RECONCILING}
  transition:
    {operationID: a, over: "1", step: AWAIT, target: GREEN, from: BLUE, since: "2026-01-01T12:52:32Z", gates: [
      {name: checkpoints, verdict: Passed, value: "2", since: "2026-01-01T12:53:00Z"},
      {name: lag, verdict: Refused, value: "800", message: the lag grows, since: "2026-01-01T12:54:00Z"},
      {name: approval, verdict: Waiting, message: a user decides, since: "2026-01-01T12:52:40Z"}]}
  conditions:
  - {type: Ready, status: "False", reason: AwaitingGates, message: w, lastTransitionTime: "2026-01-01T12:52:40Z"}
  - {type: Reconciling, status: "True", reason: AwaitingGates, message: w, lastTransitionTime: "2026-01-01T12:52:40Z"}
`

// decisions are what the autoscaler keeps of orders.
const decisions = `
apiVersion: v1
kind: ConfigMap
metadata: {name: autoscaler-orders-decisions, namespace: flink}
data:
  a: '{"time":"2026-01-01T12:10:00Z","outcome":"Scaled","vertices":[{"vertex":"abcdef0123456789",
    "current":1,"new":3,
    "rule":"TargetUtilization","seen":{"load":0.9,"capacity":200,"target":600,"lag":5000}},{"vertex":"12345678",
    "current":2,
    "new":4,"rule":"TargetUtilization","seen":{"load":0.9,"capacity":300,"target":600}}]}'
  b: '{"time":"2026-01-01T12:20:00Z","outcome":"Balanced","backlog":true,"vertices":[{"vertex":"abcdef0123456789",
    "current":3,
    "new":3,"rule":"WithinUtilizationBounds","seen":{"load":0.5,"capacity":900,"target":600,"lag":null}},
    {"vertex":"12345678","current":4,"new":4,"rule":"WithinUtilizationBounds","seen":{}}]}'
`

// scaled has the autoscaler run for orders.
func scaled(t *testing.T, s *team.Server) {
	t.Helper()
	deployments := team.Resource("FlinkDeployment")
	status := s.Get(deployments, "flink", "orders").Object["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), map[string]any{
		"type": "Autoscaling", "status": "True", "reason": "AutoscalerActive", "message": "it measures",
	})
	if _, err := s.UpdateStatus(deployments, "flink", "orders", status); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(kube.ConfigMaps, parse(t, decisions)); err != nil {
		t.Fatal(err)
	}
}

// started keeps two starts of orders.
func started(t *testing.T, s *team.Server) {
	t.Helper()
	object := s.Get(team.Resource("FlinkDeployment"), "flink", "orders")
	for number := int64(1); number <= 2; number++ {
		spec, _, _ := unstructured.NestedMap(object.DeepCopy().Object, "spec")
		spec["image"] = fmt.Sprintf("registry/orders:1.%d", number)
		operation := fmt.Sprintf("%010d%022d", number, 0)
		revision, err := history.Revision{
			Name: history.NameOf("orders", operation), Number: number, Operation: operation, Spec: spec,
			Started: metav1.NewTime(s.Clock.Now()), ChangedBy: "kubectl-edit",
			From: v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://bucket/savepoint"},
		}.Object(metav1.OwnerReference{
			APIVersion: v1beta1.APIVersion, Kind: "FlinkDeployment", Name: "orders", UID: object.GetUID(),
		}, "flink")
		if err != nil {
			t.Fatal(err)
		}
		u, err := kube.Unstructured(revision)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Create(kube.Revisions, u); err != nil {
			t.Fatal(err)
		}
	}
}

// teamSite is a console of what the team has.
func teamSite(t *testing.T) *site {
	s := team.New(t, root)
	s.Add(parse(t, gated))
	scaled(t, s)
	started(t, s)
	s.Logs["payments-5f6c7d8b9-abcde"] = "2026-01-01T12:59:00Z INFO starts with plantedInSpec\n" +
		"2026-01-01T12:59:01Z WARN <b>no slots</b>\n"
	return serve(t, s)
}

// Each page, in both colour schemes and on a phone, has no finding of axe-core, nothing that its policy forbids, no
// secret, and nothing wider than the screen.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	if at := value[string](b, "location.href"); at != s.address+"/jobs" {
		t.Fatalf("after the token the address is %s", at)
	}
	for name, path := range pages {
		b.visit(s.address + path)
		for _, width := range []int64{1280, 320} {
			for _, scheme := range []string{"light", "dark"} {
				where := fmt.Sprintf("%s, %d pixels, %s", path, width, scheme)
				b.look(width, scheme)
				b.accessible(where)
				if wide := value[int64](b, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s: it is %d pixels wide", where, wide)
				}
				b.picture(fmt.Sprintf("%s-%d-%s", name, width, scheme))
			}
		}
		b.allowed(path)
		if text := value[string](b, "document.documentElement.outerHTML"); strings.Contains(text, "planted") {
			t.Errorf("%s has a secret", path)
		}
		if path == pages["gone"] {
			b.mu.Lock()
			b.said = nil // the browser notes each 404
			b.mu.Unlock()
		}
		b.quiet(path)
	}
	b.look(1280, "light")
	for file, path := range map[string]string{
		"console": "/jobs", "console-job": pages["job"], "console-plan": pages["gives-up"],
	} {
		b.visit(s.address + path)
		image := b.picture("docs-" + file)
		if !*update {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, "docs/observe", file+".png"), image, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The page of each recorded situation has no finding of axe-core, and nothing that its policy forbids.
func TestEverySituation(t *testing.T) {
	t.Parallel()
	server := team.Empty(t)
	var paths, shows []string
	seen := map[string]bool{}
	for i, one := range judged.Read(t, root) {
		situation := strings.Join(strings.Fields(one.Shows)[:min(2, len(strings.Fields(one.Shows)))], " ")
		if seen[situation] {
			continue
		}
		seen[situation] = true
		u := one.Resource.DeepCopy()
		u.SetNamespace("flink")
		u.SetName(fmt.Sprintf("%s-%d", u.GetName(), i))
		server.Add(u)
		kind, _ := kinds.Of(u.GetKind())
		paths = append(paths, "/ns/flink/"+kind.Resource.Resource+"/"+u.GetName())
		shows = append(shows, one.Shows)
	}
	if len(paths) < 40 {
		t.Fatalf("%d situations", len(paths))
	}
	s, b := serve(t, server), start(t)
	b.visit(s.open)
	b.accessible("/jobs of all situations")
	for i, path := range paths {
		b.visit(s.address + path)
		b.accessible(shows[i])
		b.allowed(shows[i])
		b.quiet(shows[i])
	}
}

// A user of a keyboard reaches the content first, and sees where the focus is.
func TestAKeyboardReachesTheContent(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	b.run(chromedp.KeyEvent("\t"))
	if text := value[string](b, "document.activeElement.textContent"); text != "Skip to the content" {
		t.Errorf("the first stop is %q", text)
	}
	if left := value[float64](b, "document.activeElement.getBoundingClientRect().left"); left < 0 {
		t.Error("it is not seen under focus")
	}
	b.run(chromedp.KeyEvent("\r"))
	b.until("the focus is in the content", `document.activeElement.id === "main"`)
	for range 60 {
		b.run(chromedp.KeyEvent("\t"))
		if value[bool](b, `document.activeElement.matches("#urgent a, #all a")`) {
			if style := value[string](b, "getComputedStyle(document.activeElement).outlineStyle"); style != "solid" {
				t.Errorf("the focus of a link is %s", style)
			}
			b.run(chromedp.KeyEvent("\r"))
			b.until("the page of a job", `location.pathname.startsWith("/ns/")`)
			return
		}
	}
	t.Error("no link of a job is reached by the keyboard")
}

// With scripts off all of reading works, and the page is loaded again after a while.
func TestWithoutScriptsAPageIsWhole(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	b.run(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.visit(s.address + "/ns/flink/flinksessionjobs/sessions-daily")
	text, err := chromedp.Run(b, chromedp.OuterHTML(chromedp.CSS("html")))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "waits for you") || !strings.Contains(text, `<meta http-equiv="refresh" content="30"`) {
		t.Errorf("without scripts:\n%s", text)
	}
}
