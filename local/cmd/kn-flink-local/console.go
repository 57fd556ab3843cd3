package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// serveConsole serves the console of the platform until ctx ends, with changes on: all here is there to be tried. It
// answers the address to open, which works once.
func serveConsole(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kube.ForConfig(config, "kn-flink-local")
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("serve the console: %w", err)
	}
	user := console.Caller{Client: client, Key: "user", Config: config, Secret: rand.Text()}
	local := console.NewLocal(console.New(console.Options{
		Caller:    func(*http.Request) (console.Caller, error) { return user, nil },
		Namespace: "default", Now: time.Now, Foot: "as the administrator of this platform", Actions: true,
	}), listener.Addr(), time.Now)
	server := local.Server()
	context.AfterFunc(ctx, func() { _ = server.Close() }) // the process ends
	go func() { _ = server.Serve(listener) }()            // until then it fails only by the end
	return local.Address(), nil
}
