// Command relay is a function for tests: it hands every request to the test and answers what that says.
//
//	/           the request goes to COLLECTOR; its answer is the function's
//	/rights     the status of listing the ConfigMaps of the own namespace with the own service account
//	/settings   the mounted file
//	/crash      the process ends
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", relay)
	mux.HandleFunc("/rights", rights)
	mux.HandleFunc("/settings", func(w http.ResponseWriter, _ *http.Request) {
		text, err := os.ReadFile(filepath.Join(os.Getenv("SETTINGS"), "word"))
		if err != nil {
			text = []byte(err.Error())
		}
		_, _ = w.Write(text)
	})
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("LISTEN_HOST"), os.Getenv("PORT")), Handler: mux}
	go func() {
		<-ctx.Done()
		_ = server.Shutdown(context.Background())
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		panic(err)
	}
	<-ctx.Done()
}

func relay(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	out, err := http.NewRequestWithContext(
		r.Context(), r.Method, os.Getenv("COLLECTOR")+"?pod="+os.Getenv("LISTEN_HOST"), bytes.NewReader(body),
	)
	if err != nil {
		panic(err)
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

func rights(w http.ResponseWriter, r *http.Request) {
	token, err := os.ReadFile(filepath.Join(os.Getenv("SERVICE_ACCOUNT_DIR"), "token"))
	if err != nil {
		panic(err)
	}
	url := "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")) +
		"/api/v1/namespaces/" + os.Getenv("NAMESPACE") + "/configmaps"
	out, err := http.NewRequestWithContext(r.Context(), http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	out.Header.Set("Authorization", "Bearer "+string(token))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(out)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	w.WriteHeader(answer.StatusCode)
}
