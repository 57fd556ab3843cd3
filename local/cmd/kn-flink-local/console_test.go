package main

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"
)

func TestTheConsoleIsServedUntilTheEnd(t *testing.T) {
	api := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(api.Close)
	ctx, stop := context.WithCancel(t.Context())
	address, err := serveConsole(ctx, &rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil) // without a list of suffixes it has no error
	browser := &http.Client{Jar: jar}
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.Request.URL.Path != "/jobs" || answer.Request.URL.RawQuery != "" {
		t.Errorf("the address leads to %s", answer.Request.URL)
	}
	stop()
	for err == nil {
		if answer, err = browser.Get("http://" + answer.Request.URL.Host + "/jobs"); err == nil {
			_ = answer.Body.Close()
		}
	}
}
