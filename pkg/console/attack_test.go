package console_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/test/team"
)

// markup is what a name, a message or a log may have.
const markup = `<script>alert(1)</script><img src=x onerror=alert(2)>"'`

// Text of a job stays text.
func TestMarkupStaysText(t *testing.T) {
	w := newWorld(t)
	orders := w.Get(team.Resource("FlinkDeployment"), "flink", "orders")
	status := orders.Object["status"].(map[string]any)
	status["error"], status["situation"] = markup, markup
	status["lifecycleState"] = markup
	status["conditions"] = []any{
		map[string]any{"type": "Ready", "status": "False", "reason": markup, "message": markup},
		map[string]any{"type": "Stalled", "status": "True", "reason": "LastStateUnknown", "message": markup},
	}
	if _, err := w.UpdateStatus(team.Resource("FlinkDeployment"), "flink", "orders", status); err != nil {
		t.Fatal(err)
	}
	w.Logs["payments-5f6c7d8b9-abcde"] = "2026-01-01T12:59:00Z " + markup + "\n"
	for _, path := range append(pagesOf, "/jobs?text="+url.QueryEscape(markup), "/reasons/"+url.PathEscape(markup)) {
		page := w.get(path).Body.String()
		inert(t, path, page)
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img src=x") {
			t.Errorf("%s: markup of a job is markup of the page", path)
		}
	}
	if !strings.Contains(textOf(t, w.page("/ns/flink/flinkdeployments/orders")), "<script>alert(1)</script>") {
		t.Error("the message is not shown")
	}
}

// Parts of a path that are no names reach no request.
func TestAPathCannotLeaveItsPlace(t *testing.T) {
	w := newWorld(t)
	w.Tap.Forget()
	for _, path := range []string{
		"/ns/..%2F..%2Fapi/flinkdeployments/orders", "/ns/flink/flinkdeployments/..%2F..%2Fsecrets%2Fx",
		"/ns/flink/secrets/token", "/ns/flink/pods/x", "/ns/flink/flinkdeployments/a%3Fb=c",
		"/ns/flink/flinkdeployments/%2e%2e",
		"/ns/flink/flinkdeployments/orders/proxy/jobs/yarn-cancel", "/ns/flink/flinkdeployments/ORDERS",
		"/ns/flink/flinkdeployments/a..b", "/assets/x/..%2F..%2Fconsole.go", "/ns/kube-system%00/flinkdeployments/orders",
	} {
		if answer := w.get(path); answer.Code == http.StatusOK {
			t.Errorf("%s: status %d", path, answer.Code)
		}
	}
	if n := len(w.Tap.Requests()); n > 0 {
		t.Errorf("%d requests reached the API server: %v", n, w.Tap.Requests())
	}
}

// Nothing but a look is answered, and no page of another site reads one.
func TestAForgedRequestIsRefused(t *testing.T) {
	w := newWorld(t)
	w.Tap.Forget()
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"} {
		for _, path := range []string{
			"/jobs", "/ns/flink/flinkdeployments/orders", "/ns/flink/flinkdeployments/orders/suspend",
		} {
			r := httptest.NewRequest(method, path, strings.NewReader(strings.Repeat("x", 1<<20)))
			answer := httptest.NewRecorder()
			w.handler.ServeHTTP(answer, r)
			if answer.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: status %d", method, path, answer.Code)
			}
		}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		answer := w.get("/jobs", "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "no-cors")
		if answer.Code != http.StatusForbidden {
			t.Errorf("%s: status %d", site, answer.Code)
		}
		if answer := w.get("/jobs", "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate"); answer.Code != http.StatusOK {
			t.Errorf("a link that is followed from %s: status %d", site, answer.Code)
		}
	}
	if n := len(w.Tap.Requests()); n > 12 {
		t.Errorf("%d requests: a refused one was read for", n)
	}
}

// Each answer has the headers that keep a page from running, framing, leaking and being kept.
func TestEachAnswerHasItsHeaders(t *testing.T) {
	w := newWorld(t)
	for _, path := range append(pagesOf, "/nowhere", "/ns/flink/pods/x", "/") {
		h := w.get(path).Header()
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; style-src 'self';") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" ||
			!strings.HasPrefix(h.Get("Cache-Control"), "no-") {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// local is a guarded console on port 8300, and the time.
func local(t *testing.T) (*console.Local, *world) {
	w := newWorld(t)
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8300}
	return console.NewLocal(w.handler, at, func() time.Time { return w.now }), w
}

// ask asks a guarded console.
func ask(l *console.Local, method, address string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	answer := httptest.NewRecorder()
	l.ServeHTTP(answer, r)
	return answer
}

func TestTheTokenBecomesACookieOnce(t *testing.T) {
	l, _ := local(t)
	address := l.Address()
	if !strings.HasPrefix(address, "http://127.0.0.1:8300/open?token=") {
		t.Fatal(address)
	}
	if answer := ask(l, "HEAD", address); answer.Code != http.StatusForbidden {
		t.Errorf("a preview: status %d", answer.Code)
	}
	opened := ask(l, "GET", address)
	cookies := opened.Result().Cookies()
	if opened.Code != http.StatusSeeOther || opened.Header().Get("Location") != "/jobs" || len(cookies) != 1 {
		t.Fatalf("status %d, %v", opened.Code, opened.Header())
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Name != "kn-flink-console-8300" ||
		strings.Contains(address, c.Value) {
		t.Errorf("cookie %v", c)
	}
	if answer := ask(l, "GET", "http://127.0.0.1:8300/jobs", c); answer.Code != http.StatusOK {
		t.Errorf("with the cookie: status %d", answer.Code)
	}
	if answer := ask(l, "GET", address); answer.Code != http.StatusForbidden || len(answer.Result().Cookies()) > 0 {
		t.Errorf("a second time: status %d", answer.Code)
	}
	if answer := ask(l, "GET", address, c); answer.Header().Get("Location") != "/jobs" {
		t.Errorf("a second time in the same browser: status %d", answer.Code)
	}
	if body := ask(l, "GET", "http://127.0.0.1:8300/jobs", c).Body.String(); strings.Contains(body, c.Value) ||
		strings.Contains(body, "token") {
		t.Error("the page has the session or the token")
	}
}

func TestOthersAreRefused(t *testing.T) {
	l, w := local(t)
	cookie := ask(l, "GET", l.Address()).Result().Cookies()[0]
	w.Tap.Forget()
	for name, row := range map[string]struct {
		address string
		cookie  *http.Cookie
		status  int
	}{
		"another host":        {"http://evil.example:8300/jobs", cookie, http.StatusMisdirectedRequest},
		"another port":        {"http://127.0.0.1:8301/jobs", cookie, http.StatusMisdirectedRequest},
		"another address":     {"http://[::1]:8300/jobs", cookie, http.StatusMisdirectedRequest},
		"no port":             {"http://127.0.0.1/jobs", cookie, http.StatusMisdirectedRequest},
		"no cookie":           {"http://127.0.0.1:8300/jobs", nil, http.StatusUnauthorized},
		"no cookie, an asset": {"http://127.0.0.1:8300/assets/x/console.js", nil, http.StatusUnauthorized},
		"a guessed cookie":    {"http://127.0.0.1:8300/jobs", &http.Cookie{Name: cookie.Name, Value: "x"}, 401},
		"of another port": {
			"http://127.0.0.1:8300/jobs", &http.Cookie{Name: "kn-flink-console-1", Value: cookie.Value}, 401,
		},
		"a guessed token":     {"http://127.0.0.1:8300/open?token=x", nil, http.StatusForbidden},
		"no token":            {"http://127.0.0.1:8300/open?token=", nil, http.StatusForbidden},
		"localhost":           {"http://localhost:8300/jobs", nil, http.StatusTemporaryRedirect},
		"localhost, a cookie": {"http://localhost:8300/jobs", cookie, http.StatusTemporaryRedirect},
	} {
		var cookies []*http.Cookie
		if row.cookie != nil {
			cookies = append(cookies, row.cookie)
		}
		if answer := ask(l, "GET", row.address, cookies...); answer.Code != row.status {
			t.Errorf("%s: status %d, want %d", name, answer.Code, row.status)
		}
	}
	if n := len(w.Tap.Requests()); n > 0 {
		t.Errorf("%d requests reached the API server", n)
	}
}

func TestIdleIsSinceTheLastKnownBrowser(t *testing.T) {
	l, w := local(t)
	cookie := ask(l, "GET", l.Address()).Result().Cookies()[0]
	w.now = w.now.Add(time.Hour)
	ask(l, "GET", "http://127.0.0.1:8300/jobs")
	if l.Idle() < time.Hour {
		t.Errorf("idle %s: a request without the cookie counts", l.Idle())
	}
	ask(l, "GET", "http://127.0.0.1:8300/jobs", cookie)
	if l.Idle() != 0 {
		t.Errorf("idle %s after a request", l.Idle())
	}
}
