package zookeeper_test

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// local reaches servers on this machine, which a client of the functions refuses.
var local = zookeeper.Client{Dial: (&net.Dialer{}).DialContext}

// Users name the servers. Nothing tells them what listens where.
func TestWhatIsAtAnAddressIsNotTold(t *testing.T) {
	texts := map[string]bool{}
	for name, server := range map[string]string{
		"closed": closedPort(t), "silent": mute(t), "says something else": talks(t), "unknown": "zookeeper.invalid:2181",
	} {
		l := znode.Location{Servers: []string{server}, Path: "/flink/demo"}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, _, err := local.Read(ctx, l)
		cancel()
		if err == nil || fail.ReasonOf(err) != fail.ReasonUnreachable {
			t.Errorf("%s: %v, want %s", name, err, fail.ReasonUnreachable)
			continue
		}
		texts[strings.ReplaceAll(err.Error(), server, "SERVER")] = true
	}
	if len(texts) != 1 {
		t.Errorf("%d texts, want one for all: %v", len(texts), texts)
	}
}

func TestAddressesOfTheMachineAndItsCloudAreNotDialled(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		if c, err := listener.Accept(); err == nil {
			t.Errorf("a connection from %s", c.RemoteAddr())
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "169.254.169.254"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, _, err := zookeeper.Client{}.Read(ctx, znode.Location{Servers: []string{host + ":" + port}, Path: "/flink/demo"})
		cancel()
		if err == nil || fail.ReasonOf(err) != fail.ReasonUnreachable {
			t.Errorf("%s: %v, want %s", host, err, fail.ReasonUnreachable)
		}
	}
}

// talks is a server of another protocol.
func talks(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

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
		"no answer":                 {[]string{mute(t)}, false, fail.ReasonUnreachable},
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
				func() error { _, _, err := local.Read(ctx, l); return err },
				func() error { return local.Remove(ctx, zookeeper.Removal{Location: l}) },
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
