package zookeeper_test

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// mute is a server that takes connections and says nothing.
func mute(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func TestCallsEnd(t *testing.T) {
	rows := map[string]struct {
		servers []string
		cancel  bool
		reason  string
	}{
		"nobody listens":            {[]string{closedPort(t)}, false, fail.ReasonUnreachable},
		"none of two":               {[]string{closedPort(t), closedPort(t)}, false, fail.ReasonUnreachable},
		"no answer":                 {[]string{mute(t)}, false, fail.ReasonTimeout},
		"the request was cancelled": {[]string{mute(t)}, true, fail.ReasonCanceled},
		"no such host":              {[]string{"zookeeper.invalid:2181"}, false, fail.ReasonUnreachable},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if row.cancel {
				cancel()
			}
			l := znode.Location{
				Servers: row.servers, Path: "/flink/demo",
				Credentials: []znode.Credential{{Scheme: "digest", Secret: "me:secret"}},
			}
			for _, call := range []func() error{
				func() error { _, _, err := zookeeper.Client{}.Read(ctx, l); return err },
				func() error { return zookeeper.Client{}.Remove(ctx, zookeeper.Removal{Location: l}) },
			} {
				started := time.Now()
				err := call()
				if fail.KindOf(err) != fail.Transient {
					t.Errorf("%v is %s, want Transient", err, fail.KindOf(err))
				}
				if name != "no such host" && ctx.Err() == nil && fail.ReasonOf(err) != row.reason {
					t.Errorf("%v has reason %s, want %s", err, fail.ReasonOf(err), row.reason)
				}
				if took := time.Since(started); took > 3*time.Second {
					t.Errorf("it took %s", took)
				}
			}
			cancel()
			nothingRuns(t, before)
		})
	}
}
