package flinksim

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"testing"
)

// listener serves HTTP over in-memory connections, each of which knows who dialled and what.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
}

type tagged struct {
	net.Conn
	agent   string
	address string
}

type connKey struct{}

func listen(t testing.TB, handler http.Handler) *listener {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{
		ErrorLog: log.New(io.Discard, "", 0), // broken connections are what tests ask for
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn := r.Context().Value(connKey{}).(tagged)
			if conn.agent != "" {
				r.Header.Set("User-Agent", conn.agent)
			}
			r.Host = conn.address
			if secured, ok := conn.Conn.(*secured); ok && secured.plain {
				http.Redirect(w, r, "https://"+conn.address+r.URL.RequestURI(), http.StatusMovedPermanently)
				return
			}
			handler.ServeHTTP(w, r)
		}),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); err != http.ErrServerClosed {
			t.Errorf("flinksim: serve: %v", err)
		}
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return l
}

// dial connects a client. With a configuration the server's side is one of TLS.
func (l *listener) dial(ctx context.Context, tag tagged, config *tls.Config) (net.Conn, error) {
	client, server := net.Pipe()
	if tag.Conn = server; config != nil {
		tag.Conn = &secured{Conn: server, config: config}
	}
	select {
	case l.conns <- tag:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a dial.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *listener) Close() error {
	close(l.closed)
	return nil
}

// Addr is a name for the http.Server.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "flinksim", Net: "unix"} }
