package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestPrewarm(t *testing.T) {
	requests := 0
	next := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.ContentLength > 0 || r.Method != http.MethodHead {
			t.Errorf("%s with %d bytes, want nothing that could be taken for an event", r.Method, r.ContentLength)
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	defer next.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	rows := map[string]struct {
		url             string
		requests, lines int
	}{
		"it is there":        {next.URL, 1, 0},
		"nobody is named":    {"", 0, 0},
		"it cannot be woken": {gone.URL, 0, 1},
		"no URL":             {"http://a b", 0, 1},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			requests = 0
			core, lines := observer.New(zap.DebugLevel)
			prewarm(t.Context(), row.url, zap.New(core).Sugar())
			if requests != row.requests || lines.Len() != row.lines {
				t.Errorf("%d requests, lines %v; want %d and %d", requests, lines.All(), row.requests, row.lines)
			}
		})
	}
}
