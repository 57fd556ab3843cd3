package cli

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kn-flink/kn-flink/pkg/console"
)

// serving is what the flags of console say.
type serving struct {
	port int
	idle time.Duration
}

func (p *program) console() command {
	var s serving
	return command{
		use: "console", group: "look", short: "Show jobs and clusters in a browser, on this machine, and change nothing",
		rights: append([]string{"list of the kinds; get of pods/log for logs"}, lookRights...), args: cobra.NoArgs,
		example: "  kn flink console\n  kn flink console --port=8300",
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&s.port, "port", 0, "the port on 127.0.0.1; 0 is a free one")
			f.DurationVar(&s.idle, "idle", 8*time.Hour, "end after no browser asked for so long; 0 is never")
		},
		run: func(ctx context.Context, _ []string) error { return p.runConsole(ctx, s) },
	}
}

// idlePace is how often it is seen whether a browser still asks.
const idlePace = time.Minute

// runConsole serves the console until the user ends it, or no browser asks any more.
func (p *program) runConsole(ctx context.Context, s serving) error {
	if s.port < 0 || s.port > 65535 {
		return failed("--port %d: it is 0 to 65535", s.port)
	}
	if s.idle < 0 {
		return failed("--idle %s: it is 0 or more", s.idle)
	}
	c, err := p.connect()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", fmt.Sprint(s.port)))
	if err != nil {
		return failed("listen on port %d of 127.0.0.1: %w; --port=0 takes a free one", s.port, err)
	}
	local := console.NewLocal(console.New(console.Options{
		Caller:    func(*http.Request) (console.Caller, error) { return console.Caller{Client: c.Client, Key: "user"}, nil },
		Namespace: c.namespace, System: p.system, Now: p.Now, Version: p.Version, Foot: "as the user of your kubeconfig",
	}), listener.Addr(), p.Now)
	server := &http.Server{
		Handler: local, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // a line of it may have an address
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer server.Close()
	fmt.Fprintln(p.Out, local.Address())
	p.note("Open this address in a browser on this machine; it works once. The console only shows what you may see. " +
		"Ctrl-C ends it.")
	for {
		select {
		case err := <-ended:
			return failed("serve the console: %w", err)
		case <-ctx.Done():
			p.note("The console has ended.")
			return nil
		case <-time.After(idlePace):
			if s.idle > 0 && local.Idle() > s.idle {
				p.note("The console has ended: no browser asked for %s.", s.idle)
				return nil
			}
		}
	}
}
