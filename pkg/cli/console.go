package cli

import (
	"context"
	"crypto/rand"
	"fmt"
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
	acts bool
}

func (p *program) console() command {
	var s serving
	return command{
		use: "console", group: "look", args: cobra.NoArgs,
		short:   "Show jobs and clusters in a browser, on this machine; change nothing unless allowed to",
		rights:  append([]string{"list of the kinds; get of pods/log for logs", changeRights}, lookRights...),
		example: "  kn flink console\n  kn flink console --port=8300 --allow-actions",
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&s.port, "port", 0, "the port on 127.0.0.1; 0 is a free one")
			f.BoolVar(&s.acts, "allow-actions", false, "offer the changes of kn flink, each after its plan")
			f.DurationVar(&s.idle, "idle", 8*time.Hour, "end after no browser asked for so long; 0 is never")
		},
		run: func(ctx context.Context, _ []string) error { return p.runConsole(ctx, s) },
	}
}

// changeRights are those of the changes of the console.
const changeRights = "with --allow-actions those of the change; for plans those of kn flink plan"

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
	user := console.Caller{Client: c.Client, Key: "user", Config: c.config, Secret: rand.Text()}
	local := console.NewLocal(console.New(console.Options{
		Caller:    func(*http.Request) (console.Caller, error) { return user, nil },
		Namespace: c.namespace, System: p.system, Now: p.Now, Version: p.Version, Foot: "as the user of your kubeconfig",
		Actions: s.acts,
	}), listener.Addr(), p.Now)
	server := local.Server()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer server.Close()
	fmt.Fprintln(p.Out, local.Address())
	does := "only shows what you may see"
	if s.acts {
		does = "shows what you may see, and offers the changes that you may make"
	}
	p.note("Open this address in a browser on this machine; it works once. The console %s. Ctrl-C ends it.", does)
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
