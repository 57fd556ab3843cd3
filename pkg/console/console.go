package console

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Caller is who made a request.
type Caller struct {
	// Client reads as the caller.
	Client *kube.Client
	// Key tells callers apart: answers are shared between those of one key. It is no secret.
	Key string
	// Config is what Client was made of, for plans of edits, which ask Flink through the API server; nil makes none.
	Config *rest.Config
	// Secret is what only the caller and this process know: forms are bound to it.
	Secret string
}

// Options are what a console has from whoever serves it.
type Options struct {
	// Caller is who made a request; an error is answered with 401 and its text.
	Caller func(*http.Request) (Caller, error)
	// Namespace is read where the caller may not list in all namespaces; empty is none.
	Namespace string
	// System is the namespace of the installation; empty is flink-system.
	System string
	// Now is the time; nil is the clock of the machine.
	Now view.Clock
	// Version is shown at the foot of each page.
	Version string
	// Actions is whether users may make changes, with their own rights.
	Actions bool
	// Foot says at the foot of each page as whom it was read; empty says nothing.
	Foot string
}

// Limits of one answer.
const (
	// answerTime bounds what one answer may take.
	answerTime = 10 * time.Second
	// atOnce is how many answers are made at the same time.
	atOnce = 50
)

// console is the handler's state.
type console struct {
	Options

	shared shared
	room   chan struct{}
}

// visit is one request for one page.
type visit struct {
	*http.Request
	*look.Reader

	options Options
	shared  *shared
	// key tells callers apart.
	key string
	// config and secret are the caller's.
	config *rest.Config
	secret string
	now    time.Time
}

// New is the handler of all pages.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.System = cmp.Or(o.System, "flink-system")
	c := &console{Options: o, room: make(chan struct{}, atOnce)}
	mux := http.NewServeMux()
	mux.Handle("/{$}", http.RedirectHandler("/jobs", http.StatusFound))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("/assets/{hash}/{name}", serveAsset)
	for _, p := range pages {
		mux.HandleFunc(p.pattern, func(w http.ResponseWriter, r *http.Request) {
			switch { // guarded lets no other POST through
			case r.Method == http.MethodPost && p.body == planBody:
				c.plan(w, r)
			case r.Method == http.MethodPost:
				c.act(w, r)
			default:
				c.serve(w, r, p)
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, &problem{http.StatusNotFound, "There is no such page", r.URL.Path + " is not a page of the console."})
	})
	return guarded(mux, c.takes)
}

// enter hands the caller of a request on, where there is room for it and its names are names.
func (c *console) enter(w http.ResponseWriter, r *http.Request, then func(Caller)) {
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	default:
		c.fail(w, r, &problem{http.StatusServiceUnavailable, "The console is busy", "Try again in some seconds."})
		return
	}
	if err := checkNames(r); err != nil {
		c.fail(w, r, err)
		return
	}
	caller, err := c.Caller(r)
	if err != nil {
		c.fail(w, r, &problem{http.StatusUnauthorized, "Who are you?", err.Error()})
		return
	}
	then(caller)
}

// visit is one of a caller.
func (c *console) visit(r *http.Request, caller Caller) *visit {
	return &visit{
		Request: r, Reader: &look.Reader{Client: caller.Client, Verbose: true}, options: c.Options, shared: &c.shared,
		key: caller.Key, config: caller.Config, secret: caller.Secret, now: c.Now(),
	}
}

// serve answers with a page. Requests of one caller for the same within two seconds share one view.
func (c *console) serve(w http.ResponseWriter, r *http.Request, p page) {
	c.enter(w, r, func(caller Caller) {
		shown, err := share(&c.shared, sharedKey{caller.Key, r.URL.RequestURI()}, c.Now, sharedFor, func() (shown, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), cmp.Or(p.patience, answerTime))
			defer cancel()
			return p.read(ctx, c.visit(r, caller))
		})
		if err != nil {
			c.fail(w, r, err)
			return
		}
		c.answer(w, r, p, shown)
	})
}

// wantsJSON is whether the view is wanted instead of the page.
func wantsJSON(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "application/json")
}
