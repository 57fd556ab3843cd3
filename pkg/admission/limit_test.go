package admission

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestReviewsWaitBeforeTheirBodyIsRead holds how many reviews are in memory at once, whatever reaches the function.
func TestReviewsWaitBeforeTheirBodyIsRead(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	h := Limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; <-end }))
	answered := make(chan int, AtOnce)
	for range AtOnce {
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
			answered <- w.Code
		}()
		<-begun
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := strings.NewReader("a review")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", body))
	if w.Code != http.StatusServiceUnavailable || body.Len() != len("a review") {
		t.Errorf("answer %d with %d bytes left, want 503 and none read", w.Code, body.Len())
	}
	close(end)
	for range AtOnce {
		if code := <-answered; code != http.StatusOK {
			t.Errorf("answer %d, want 200", code)
		}
	}
	go func() { <-begun }()
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil)); w.Code != http.StatusOK {
		t.Errorf("answer %d, want 200 once a place is free", w.Code)
	}
}
