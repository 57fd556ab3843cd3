package console

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/chromedp/chromedp"

	"github.com/kn-flink/kn-flink/test/team"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// becomes gives payments a status as of a job that runs.
func (s *site) becomes(t *testing.T, lifecycle string) {
	t.Helper()
	deployments := team.Resource("FlinkDeployment")
	status := s.Get(deployments, "flink", "payments").Object["status"].(map[string]any)
	status["lifecycleState"] = lifecycle
	status["jobStatus"] = map[string]any{"state": "RUNNING"}
	delete(status, "retry")
	status["conditions"] = []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Ready", "message": "the resource matches the spec",
		"lastTransitionTime": "2026-01-01T13:00:00Z",
	}}
	if _, err := s.UpdateStatus(deployments, "flink", "payments", status); err != nil {
		t.Fatal(err)
	}
}

// A job becomes stable under the eyes of its page, without a reload; what is open and under focus stays.
func TestAPageFollowsItsJob(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	b.visit(s.address + "/ns/flink/flinkdeployments/payments")
	value[bool](b, `(() => { globalThis.__same = true; document.getElementById("all-events").open = false;
		document.querySelector("#pods a").focus(); return true; })()`)
	s.becomes(t, "STABLE")
	b.until("the head follows", `document.getElementById("head").textContent.includes("STABLE")`)
	b.until("the readers of a screen are told", `document.getElementById("told").textContent.includes("STABLE")`)
	stays := `__same && !document.getElementById("all-events").open && document.activeElement.matches("#pods a")`
	if !value[bool](b, stays) {
		t.Error("it was loaded anew, or what was closed or under focus did not stay")
	}
	if poll := value[string](b, "document.getElementById('main').dataset.poll"); poll != "20" && poll != "3" {
		t.Errorf("it asks each %s s", poll)
	}
	b.allowed("a page that followed")
	b.quiet("a page that followed")
}

// hide hides the tab, or shows it again.
func (b *browser) hide(hidden bool) {
	b.t.Helper()
	state := map[bool]string{true: "hidden", false: "visible"}[hidden]
	value[bool](b, `(() => { Object.defineProperty(document, "visibilityState", {configurable: true, get: () => "`+state+
		`"}); document.dispatchEvent(new Event("visibilitychange")); return true; })()`)
}

// A hidden tab asks for nothing. When it is seen again, it asks at once.
func TestAHiddenTabAsksForNothing(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	b.hide(true)
	before := s.asked.Load()
	b.run(chromedp.Sleep(7 * time.Second))   // two polls of a page on which something moves
	if n := s.asked.Load() - before; n > 1 { // one may have been on its way
		t.Errorf("it asked %d times", n)
	}
	before = s.asked.Load()
	b.hide(false)
	b.until("it asks again", "true")
	deadline := time.Now().Add(5 * time.Second)
	for s.asked.Load() == before && time.Now().Before(deadline) {
		b.run(chromedp.Sleep(100 * time.Millisecond))
	}
	if s.asked.Load() == before {
		t.Error("it does not ask when it is seen again")
	}
}

// A page that was not touched for 15 minutes asks no more, until the user presses the button.
func TestAPageThatIsNotTouchedPauses(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	value[bool](b, "(globalThis.__ahead = 16 * 60 * 1000, true)")
	b.until("it says so", `document.getElementById("late").textContent.includes("15 minutes")`)
	b.accessible("a page that pauses")
	before := s.asked.Load()
	b.run(chromedp.Sleep(4 * time.Second))
	if n := s.asked.Load() - before; n != 0 {
		t.Errorf("it asked %d times", n)
	}
	b.run(chromedp.Click(chromedp.CSS("#late button")))
	b.until("it is hidden again", `document.getElementById("late").hidden`)
	if s.asked.Load() == before {
		t.Error("it does not ask after the button")
	}
}

// Figures that are old stay, and the page says since when.
func TestFiguresThatAreOldStay(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	value[bool](b, `(() => { globalThis.fetch = () => Promise.reject(new Error("no way")); return true; })()`)
	b.until("it says so", `document.body.classList.contains("old") &&
		document.getElementById("late").textContent.includes("no way")`)
	if !value[bool](b, `document.getElementById("all").textContent.includes("orders")`) {
		t.Error("the figures are taken away")
	}
	b.accessible("figures that are old")
}
