package console

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/test/team"
)

// root is the path to the root of the repository.
const root = "../.."

// site is a guarded console on a socket of this machine.
type site struct {
	*team.Server
	address string
	open    string
	// asked counts the pages that were asked for.
	asked atomic.Int64
}

// serve serves the console over a server.
func serve(t *testing.T, server *team.Server) *site {
	t.Helper()
	s := &site{Server: server}
	began, at := time.Now(), server.Clock.Now().Add(time.Hour)
	now := func() time.Time { return at.Add(time.Since(began)) }
	user := console.Caller{Client: server.Client(), Key: "user", Config: server.Config("kn-flink"), Secret: "a-secret"}
	handler := console.New(console.Options{
		Caller:    func(*http.Request) (console.Caller, error) { return user, nil },
		Namespace: "flink", Version: "v0.0.0-test", Now: now, Foot: "as a test", Actions: true,
	})
	var local *console.Local
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/assets/") {
			s.asked.Add(1)
		}
		local.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	local = console.NewLocal(handler, web.Listener.Addr(), now)
	s.address, s.open = web.URL, local.Address()
	return s
}

// browser is one tab of Chromium.
type browser struct {
	context.Context
	t *testing.T

	mu   sync.Mutex
	said []string
}

// atNoon sets the clock of pages to the one of the models, and notes what the policy of a page forbids.
const atNoon = `(() => {
  const real = Date.now, began = real(), Real = Date;
  globalThis.__ahead = 0;
  const now = () => 1767272400000 + (real() - began) + globalThis.__ahead;
  globalThis.Date = class extends Real {
    constructor(...a) { if (a.length) super(...a); else super(now()); }
    static now() { return now(); }
  };
  globalThis.__forbidden = [];
  document.addEventListener("securitypolicyviolation", e => __forbidden.push(e.violatedDirective + " " + e.blockedURI));
})()`

// start starts Chromium, which ends with the test.
func start(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(cmp.Or(os.Getenv("KNFLINK_BROWSER"), "chromium")), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(time.Minute), chromedp.WindowSize(1280, 900))
	allocated, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	b := &browser{Context: ctx, t: t}
	b.run(call(log.Enable, cdp.Empty{}),
		call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: atNoon}))
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	return b
}

// call is a command of the browser.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// listen notes what a page says on its console and throws.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprint("console.", e.Type))
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	}
}

// quiet fails for each thing that pages said since the last call.
func (b *browser) quiet(where string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.said {
		b.t.Errorf("%s: the browser says %s", where, text)
	}
	b.said = nil
}

func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// value is what an expression gives in the page.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.100s: %v", expression, err)
	}
	return v
}

// visit opens an address of a site.
func (b *browser) visit(address string) {
	b.t.Helper()
	b.run(chromedp.Navigate(address))
}

// until waits until an expression is true in the page, whichever page that becomes.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	var is bool
	var err error
	for deadline := time.Now().Add(time.Minute); !is && time.Now().Before(deadline); {
		b.run(chromedp.Sleep(50 * time.Millisecond))
		is, err = chromedp.Run(b, chromedp.Evaluate[bool](expression)) // between two pages it fails
	}
	if !is {
		b.t.Fatalf("%s: not within a minute, error %v", what, err)
	}
}

// look sets the width and the colour scheme.
func (b *browser) look(width int64, scheme string) {
	b.t.Helper()
	b.run(call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500,
	}), call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}))
}

// axe is the text of axe-core.
var axe = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(filepath.Join(root, ".local/axe/axe_playwright_python/axe.min.js"))
	if err != nil {
		return "", fmt.Errorf("axe-core is not there: make browser-test installs it: %w", err)
	}
	return string(text), nil
})

// finding is one of axe-core.
type finding struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// accessible fails for each finding of axe-core on the page that is open.
func (b *browser) accessible(where string) {
	b.t.Helper()
	text, err := axe()
	if err != nil {
		b.t.Fatal(err)
	}
	value[bool](b, text+"\n;true")
	answer := value[string](b, `axe.run({
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	}).then(r => JSON.stringify(r.violations))`)
	var findings []finding
	if err := json.Unmarshal([]byte(answer), &findings); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range findings {
		for _, n := range f.Nodes {
			b.t.Errorf("%s: axe-core: %s: %s\n%s\n%s", where, f.ID, f.Help, n.HTML, n.Summary)
		}
	}
}

// allowed fails for each thing that the policy of the page forbade.
func (b *browser) allowed(where string) {
	b.t.Helper()
	for _, forbidden := range value[[]string](b, "__forbidden") {
		b.t.Errorf("%s: its policy forbade %s", where, forbidden)
	}
}

// picture writes a picture of the page to .local/console, and to a file of the documentation where that is wanted.
func (b *browser) picture(name string) []byte {
	b.t.Helper()
	image, err := chromedp.Run(b, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	folder := filepath.Join(root, ".local/console")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), image, 0o644); err != nil {
		b.t.Fatal(err)
	}
	return image
}
