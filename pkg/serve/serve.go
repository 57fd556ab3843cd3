package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Timeouts of a connection. Nobody is slow on purpose behind the queue proxy; a broken connection must not stay for
// ever.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	stopTimeout   = 5 * time.Second
)

// Until answers on the port until ctx ends. An empty host means all addresses. It fails when it cannot listen there.
func Until(ctx context.Context, host string, port int, handler http.Handler) error {
	server := &http.Server{
		Addr: net.JoinHostPort(host, strconv.Itoa(port)), Handler: handler, ReadHeaderTimeout: headerTimeout,
		ReadTimeout: readTimeout,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return fmt.Errorf("listen on port %d: %w", port, err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop listening: %w", err)
	}
	return nil
}
