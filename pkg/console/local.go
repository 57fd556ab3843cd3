package console

import (
	"crypto/rand"
	"crypto/subtle"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/pkg/view"
)

// Local guards a console that listens on the loopback interface of its user's machine: against other users of the
// machine by a cookie, and against pages of other sites by the name that they have to use.
//
//	request                                     answer
//	for another host than 127.0.0.1 and port    421: such a name leads here by DNS rebinding
//	for localhost and port                      sent to 127.0.0.1
//	/open with the token, for the first time    the cookie, and the page without the token in its address
//	/open otherwise                             403
//	any other without the cookie                401
//	any other with it                           the console's
type Local struct {
	next    http.Handler
	now     view.Clock
	host    string
	port    string
	session string

	mu    sync.Mutex
	token string // empty when it was used
	last  time.Time
}

// openPath is where the token becomes a cookie.
const openPath = "/open"

// NewLocal guards a console that listens on an address of the loopback interface.
func NewLocal(next http.Handler, at net.Addr, now view.Clock) *Local {
	_, port, _ := net.SplitHostPort(at.String()) // it is one that listens
	return &Local{
		next: next, now: now, host: net.JoinHostPort("127.0.0.1", port), port: port, session: rand.Text(), token: rand.Text(),
		last: now(),
	}
}

// Address is the one to open in a browser. It works once.
func (l *Local) Address() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return "http://" + l.host + openPath + "?" + url.Values{"token": {l.token}}.Encode()
}

// Server serves it, with limits on each connection.
func (l *Local) Server() *http.Server {
	return &http.Server{
		Handler: l, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // a line of it may have an address
	}
}

// Idle is how long there was no request of a browser that has the cookie.
func (l *Local) Idle() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now().Sub(l.last)
}

// cookie is the name of the cookie: consoles on other ports have others.
func (l *Local) cookie() string { return "kn-flink-console-" + l.port }

func (l *Local) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Host == net.JoinHostPort("localhost", l.port):
		there := url.URL{Scheme: "http", Host: l.host, Path: r.URL.Path, RawQuery: r.URL.RawQuery}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, there.String(), http.StatusTemporaryRedirect)
	case r.Host != l.host:
		http.Error(w, "this console answers to the address that kn flink console printed", http.StatusMisdirectedRequest)
	case r.URL.Path == openPath:
		guarded(http.HandlerFunc(l.open), nil).ServeHTTP(w, r)
	case !l.known(r):
		guarded(http.HandlerFunc(refuseUnknown), nil).ServeHTTP(w, r)
	default:
		l.next.ServeHTTP(w, r)
	}
}

func refuseUnknown(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "open the address that kn flink console printed; it works once, in one browser. "+
		"To open another browser, end the command and run it again.", http.StatusUnauthorized)
}

// open makes the cookie of the token.
func (l *Local) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" || !l.take(r.URL.Query().Get("token")) {
		if l.known(r) {
			http.Redirect(w, r, "/jobs", http.StatusSeeOther)
			return
		}
		http.Error(w, "this address was used, or is not the newest: run kn flink console again", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: l.cookie(), Value: l.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, "/jobs", http.StatusSeeOther)
}

// take uses the token up. It is false for another one.
func (l *Local) take(token string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == "" || !same(token, l.token) {
		return false
	}
	l.token = ""
	return true
}

// known is whether a request has the cookie.
func (l *Local) known(r *http.Request) bool {
	c, err := r.Cookie(l.cookie())
	if err != nil || !same(c.Value, l.session) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = l.now()
	return true
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
