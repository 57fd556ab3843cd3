package serve

import (
	"context"
	"net/http"
	"testing"
)

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Until(ctx, "127.0.0.1", 0, http.NotFoundHandler()); err != nil {
		t.Errorf("an end that was asked for is no failure: %v", err)
	}
	if err := Until(t.Context(), "", -1, http.NotFoundHandler()); err == nil {
		t.Error("a port that cannot be listened on must be told")
	}
}
