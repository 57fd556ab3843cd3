package serving

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// queue bounds the requests of a function that wait, as in Serving's activator.
	queue = 10000
	// maxBody bounds a request's body, which is held until it is answered.
	maxBody = 32 << 20
)

// transport makes a connection for each request: pods come and go, and nothing here is far away.
var transport = &http.Transport{
	DialContext:       (&net.Dialer{Timeout: time.Second}).DialContext,
	DisableKeepAlives: true, DisableCompression: true,
}

// ServeHTTP answers as the activator and the queue proxy do:
//
//	no revision has been ready yet        404   the route does not exist
//	too many wait                         503
//	no answer within timeoutSeconds       504   waiting for a pod counts
//	the pod's connection breaks           502
//	else                                  the pod's answer
func (f *function) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	timeout, ok := f.begin()
	if !ok {
		http.NotFound(w, r)
		return
	}
	defer f.end()
	if timeout < 0 {
		http.Error(w, "pending request queue full", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	answer, err := f.forward(ctx, r, body)
	switch {
	case err == nil:
		relay(w, answer)
	case ctx.Err() != nil:
		http.Error(w, "activator request timeout", http.StatusGatewayTimeout)
	default:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

// begin counts a request in. A negative timeout says that there are too many.
func (f *function) begin() (time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.serving == "" {
		return 0, false
	}
	now := time.Now()
	f.last = now
	f.inFlight++
	f.load.change(now, 1)
	if f.inFlight > queue {
		return -1, true
	}
	if f.wanted <= 0 {
		f.resize(1) // at once: somebody waits
	}
	return f.conf.timeout, true
}

func (f *function) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inFlight--
	f.served++
	f.load.change(time.Now(), -1)
}

// forward sends the request to a pod. Only one that refused the connection is followed by another.
func (f *function) forward(ctx context.Context, r *http.Request, body []byte) (*http.Response, error) {
	for {
		p, address, err := f.acquire(ctx)
		if err != nil {
			return nil, err
		}
		out := r.Clone(ctx)
		out.URL = &url.URL{
			Scheme: "http", Host: address, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery,
		}
		out.RequestURI = ""
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if f.kill != nil {
			f.kill(p.uid)
		}
		answer, err := transport.RoundTrip(out)
		if err == nil {
			answer.Body = &slot{ReadCloser: answer.Body, release: func() { f.release(p) }}
			return answer, nil
		}
		f.release(p)
		var dial *net.OpError
		if !errors.As(err, &dial) || dial.Op != "dial" {
			return nil, err
		}
		f.lose(p)
	}
}

// slot gives a pod's place back when the answer has been read.
type slot struct {
	io.ReadCloser
	release func()
}

func (s *slot) Close() error {
	defer s.release()
	return s.ReadCloser.Close()
}

// acquire waits for a pod of the serving revision with a free place, the one with the fewest requests, and returns its
// address, too.
func (f *function) acquire(ctx context.Context) (*pod, string, error) {
	for {
		f.mu.Lock()
		var free *pod
		for _, p := range f.pods {
			if p.answers && !p.gone && p.object.Labels[labelRevision] == f.serving &&
				(f.conf.concurrency == 0 || p.inFlight < f.conf.concurrency) && (free == nil || p.inFlight < free.inFlight) {
				free = p
			}
		}
		if free != nil {
			free.inFlight++
			address := free.address
			f.mu.Unlock()
			return free, address, nil
		}
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
}

func (f *function) release(p *pod) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p.inFlight--
	f.notify()
}

// lose stops sending to a pod that refuses, until it answers again.
func (f *function) lose(p *pod) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p.answers = false
	f.probe(p)
}

func relay(w http.ResponseWriter, answer *http.Response) {
	defer func() { _ = answer.Body.Close() }()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // the caller is gone
}
