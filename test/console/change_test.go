package console

import (
	"testing"

	"github.com/chromedp/chromedp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/team"
)

// click clicks what a selector of CSS finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.run(chromedp.Click(chromedp.CSS(selector)))
}

// A user of a browser presses a button, reads the plan, and makes the change; with scripts off, too.
func TestAChangeIsMadeByButtons(t *testing.T) {
	t.Parallel()
	s, b := teamSite(t), start(t)
	b.visit(s.open)
	b.visit(s.address + "/ns/flink/flinkdeployments/orders")
	b.click(`a[href$="/orders/suspend"]`)
	b.until("the plan", `document.getElementById("plan")?.textContent.includes("running -> suspended")`)
	b.accessible("a plan")
	b.click("form[method=post] button")
	b.until("the page of the job", `location.pathname.endsWith("/flinkdeployments/orders")`)
	deployments := team.Resource("FlinkDeployment")
	state, _, _ := unstructured.NestedString(s.Get(deployments, "flink", "orders").Object, "spec", "job", "state")
	if state != "suspended" {
		t.Errorf("the state that is wanted is %q", state)
	}
	b.visit(s.address + "/ns/flink/flinkdeployments/orders/plan")
	b.run(chromedp.SendKeys(chromedp.CSS("textarea"), "spec: {job: {parallelism: 8}}"))
	b.click("form[method=post] button")
	b.until("what the edit would do", `document.getElementById("plan") !== null`)
	b.accessible("the plan of an edit")
	b.allowed("the plan of an edit")
	b.quiet("changes")
}
