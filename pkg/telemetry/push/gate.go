package push

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
)

const (
	// Every is how often a pod pushes that is never without requests.
	Every = 10 * time.Second
	// failedFor is for how long nothing is pushed after a push that failed.
	failedFor = 10 * time.Second
)

// Gate lets pushes through, one at a time. Safe for concurrent use.
type Gate struct {
	// Now is the clock of the machine.
	Now func() time.Time
	// Patience bounds a push while somebody waits for an answer; zero means the endpoint's own timeout.
	Patience time.Duration

	requests atomic.Int64
	pushing  sync.Mutex // held by the one push at a time; guards what follows
	pushed   time.Time
	failed   time.Time
}

// Handler pushes before the answer of the last request in flight, and every now and then where there always is one.
func (g *Gate) Handler(next http.Handler, push func(context.Context)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.requests.Add(1)
		defer func() {
			if g.requests.Add(-1) == 0 || g.due() {
				push(r.Context())
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func (g *Gate) due() bool {
	if !g.pushing.TryLock() {
		return false // it is being done
	}
	defer g.pushing.Unlock()
	return g.Now().Sub(g.pushed) >= Every
}

// Busy reports whether a push is under way.
func (g *Gate) Busy() bool {
	if !g.pushing.TryLock() {
		return true
	}
	g.pushing.Unlock()
	return false
}

// Push sends, unless that failed a moment ago: drop is called then.
func (g *Gate) Push(ctx context.Context, send func(context.Context) error, drop func()) {
	g.pushing.Lock()
	defer g.pushing.Unlock()
	now := g.Now()
	if now.Sub(g.failed) < failedFor {
		drop()
		return
	}
	ctx = context.WithoutCancel(ctx)
	if g.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.Patience)
		defer cancel()
	}
	g.send(ctx, now, send)
}

// Last sends at the end of a pod: it is the last chance, also after a push that failed, and nobody waits for it.
func (g *Gate) Last(ctx context.Context, send func(context.Context) error) {
	g.pushing.Lock()
	defer g.pushing.Unlock()
	g.send(context.WithoutCancel(ctx), g.Now(), send)
}

func (g *Gate) send(ctx context.Context, now time.Time, send func(context.Context) error) {
	g.pushed = now
	if err := send(ctx); err != nil && !errors.Is(err, otlp.ErrRefused) {
		g.failed = g.Now()
	}
}
