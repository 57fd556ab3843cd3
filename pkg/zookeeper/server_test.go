package zookeeper_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
	server "github.com/kn-flink/kn-flink/test/zookeeper"
)

// bench is a real server and a client of the library that stands for Flink.
type bench struct {
	*testing.T
	server *server.Server
	flink  *zk.Conn
}

// TestServer plays against a real server, one for all of it.
func TestServer(t *testing.T) {
	s := server.Start(t)
	for name, play := range map[string]func(b bench, l znode.Location){
		"what Flink left":         leftByFlink,
		"nothing":                 nothing,
		"removed with everything": removed,
		"changed since":           changedSince,
		"made again":              madeAgain,
		"a session is open":       sessionOpen,
		"only the job graphs":     onlyJobGraphs,
		"more than one batch":     manyNodes,
		"not allowed":             notAllowed,
		"one server is down":      oneServerDown,
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			b := bench{T: t, server: s, flink: connect(t, s.Address)}
			play(
				b,
				znode.Location{
					Servers: []string{s.Address}, Path: "/flink/" + strings.ReplaceAll(name, " ", "-"),
					Graphs: "jobgraphs", Plans: "execution-plans",
				},
			)
			b.flink.Close()
			nothingRuns(t, before)
		})
	}
}

func connect(t *testing.T, address string) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{address}, 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// nothingRuns waits until there are no more goroutines than before.
func nothingRuns(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// write makes nodes below a location, and what is above them.
func (b bench) write(l znode.Location, flags int32, paths ...string) {
	b.Helper()
	b.writeAs(l, zk.WorldACL(zk.PermAll), flags, paths...)
}

func (b bench) writeAs(l znode.Location, acl []zk.ACL, flags int32, paths ...string) {
	b.Helper()
	for _, p := range paths {
		full := path.Join(l.Path, p)
		for i, c := range full + "/" {
			if c != '/' || i == 0 {
				continue
			}
			flag := flags
			if i < len(full) {
				flag = 0
			}
			if _, err := b.flink.Create(full[:i], []byte("x"), flag, acl); err != nil && !errors.Is(err, zk.ErrNodeExists) {
				b.Fatalf("create %s: %v", full[:i], err)
			}
		}
	}
}

func (b bench) read(l znode.Location) (znode.Tree, bool) {
	b.Helper()
	tree, found, err := local.Read(b.Context(), l)
	if err != nil {
		b.Fatal(err)
	}
	return tree, found
}

func leftByFlink(b bench, l znode.Location) {
	for _, moment := range []string{"running", "terminated", "cancelled"} {
		l := l
		l.Path += "/" + moment
		text, err := os.ReadFile("../flinkconf/znode/testdata/flink-2.2.1-" + moment + ".txt")
		if err != nil {
			b.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(text)) {
			want = append(want, strings.TrimSuffix(line, "\n"))
			kind, node, _ := strings.Cut(want[len(want)-1], " ")
			b.write(l, map[string]int32{"ephemeral": zk.FlagEphemeral}[kind], node)
		}
		tree, found := b.read(l)
		var got []string
		for _, n := range tree {
			got = append(got, map[bool]string{true: "ephemeral ", false: "persistent "}[n.Ephemeral]+n.Path)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !found || !slices.Equal(want, got) {
			b.Errorf("%s: read %v %q, want %q", moment, found, got, want)
		}
	}
}

func nothing(b bench, l znode.Location) {
	if tree, found := b.read(l); found || len(tree) > 0 {
		b.Errorf("found %v", tree)
	}
	if err := local.Remove(b.Context(), zookeeper.Removal{Location: l}); err != nil {
		b.Errorf("what is gone is removed: %v", err)
	}
}

func removed(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a/checkpoints/1", "leader/latch", "jobgraphs/a/locks")
	tree, _ := b.read(l)
	if err := local.Remove(b.Context(), zookeeper.Removal{Location: l, Zxid: tree.Zxid()}); err != nil {
		b.Fatal(err)
	}
	if left, found := b.read(l); found {
		b.Errorf("left: %v", left)
	}
	if parent, found := b.read(znode.Location{Servers: l.Servers, Path: "/flink"}); !found || len(parent) == 0 {
		b.Error("the node above all clusters is gone, too")
	}
}

// madeAgain tells the data of a job from what is made at its path after it was removed, and not from its own changes.
func madeAgain(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a/checkpoints/1")
	tree, _ := b.read(l)
	first := tree.JobCreated("a")
	b.write(l, 0, "jobs/a/checkpoints/2", "jobs/b/checkpoints/1")
	if tree, _ = b.read(l); first == 0 || tree.JobCreated("a") != first || tree.JobCreated("b") == first {
		b.Errorf("made by %d, and with another checkpoint and job by %d and %d", first, tree.JobCreated("a"),
			tree.JobCreated("b"))
	}
	if err := local.Remove(b.Context(), zookeeper.Removal{Location: l, Zxid: tree.Zxid()}); err != nil {
		b.Fatal(err)
	}
	b.write(l, 0, "jobs/a/checkpoints/1")
	if tree, _ = b.read(l); tree.JobCreated("a") <= first || tree.JobCreated("c") != 0 {
		b.Errorf("made again by %d, at first by %d", tree.JobCreated("a"), first)
	}
}

func changedSince(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a/checkpoints/1")
	tree, _ := b.read(l)
	b.write(l, 0, "jobs/a/checkpoints/2")
	err := local.Remove(b.Context(), zookeeper.Removal{Location: l, Zxid: tree.Zxid()})
	if fail.KindOf(err) != fail.Conflict || fail.ReasonOf(err) != "Changed" {
		b.Errorf("%v, want a conflict: Flink has written a checkpoint", err)
	}
	if left, _ := b.read(l); !left.Checkpoint() {
		b.Error("the checkpoint is gone")
	}
}

func sessionOpen(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a/checkpoints/1")
	b.write(l, zk.FlagEphemeral, "leader/latch/x")
	tree, _ := b.read(l)
	removal := zookeeper.Removal{Location: l, Zxid: tree.Zxid()}
	if err := local.Remove(b.Context(), removal); fail.ReasonOf(err) != "SessionOpen" ||
		fail.KindOf(err) != fail.Conflict {
		b.Errorf("%v, want a conflict: a JobManager lives", err)
	}
	b.flink.Close()
	if err := local.Remove(b.Context(), removal); err != nil {
		b.Errorf("%v: its session has ended and changed nothing that was kept", err)
	}
	if left, found := b.read(l); found {
		b.Errorf("left: %v", left)
	}
}

func onlyJobGraphs(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a/checkpoints/1", "jobgraphs/a/locks", "execution-plans/b")
	b.write(l, zk.FlagEphemeral, "jobgraphs/a/locks/x")
	tree, _ := b.read(l)
	if err := local.Remove(
		b.Context(), zookeeper.Removal{Location: l, Zxid: tree.Zxid(), Below: l.JobGraphs()},
	); err != nil {
		b.Fatal(err)
	}
	left, _ := b.read(l)
	if !left.Checkpoint() || len(left.Below("jobgraphs")) > 0 || len(left.Below("execution-plans")) > 0 {
		b.Errorf("left: %v", left)
	}
}

func manyNodes(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a/checkpoints")
	const batches, size = 3, 500
	for i := range batches {
		var ops []any
		for k := range size {
			ops = append(
				ops,
				&zk.CreateRequest{
					Path: fmt.Sprintf("%s/jobs/a/checkpoints/%019d", l.Path, i*size+k), Acl: zk.WorldACL(zk.PermAll),
				},
			)
		}
		if _, err := b.flink.Multi(ops...); err != nil {
			b.Fatal(err)
		}
	}
	tree, _ := b.read(l)
	if len(tree) != batches*size+4 {
		b.Errorf("read %d nodes", len(tree))
	}
	if err := local.Remove(b.Context(), zookeeper.Removal{Location: l, Zxid: tree.Zxid()}); err != nil {
		b.Fatal(err)
	}
	if left, found := b.read(l); found {
		b.Errorf("%d nodes are left", len(left))
	}
}

func notAllowed(b bench, l znode.Location) {
	if err := b.flink.AddAuth("digest", []byte("me:secret")); err != nil {
		b.Fatal(err)
	}
	b.write(l, 0, "")
	inner := l
	inner.Path += "/demo"
	b.writeAs(inner, zk.DigestACL(zk.PermAll, "me", "secret"), 0, "jobs/a/checkpoints/1")
	_, _, err := local.Read(b.Context(), inner)
	if fail.KindOf(err) != fail.Denied || !strings.Contains(
		err.Error(), "high-availability.zookeeper.client.authorization must name",
	) {
		b.Errorf("%v, want one that names the option", err)
	}
	inner.Credentials = []znode.Credential{{Scheme: "digest", Secret: "me:secret"}}
	tree, _ := b.read(inner)
	if !tree.Checkpoint() {
		b.Error("with the identity of Flink it is not seen either")
	}
	if err := local.Remove(
		b.Context(), zookeeper.Removal{Location: inner, Zxid: tree.Zxid()},
	); err != nil {
		b.Error(err)
	}
	inner.Credentials = []znode.Credential{{Scheme: "sasl", Secret: "secret"}}
	if _, _, err := local.Read(b.Context(), inner); err == nil || strings.Contains(err.Error(), "secret") {
		b.Errorf("%v, want an error without the secret", err)
	}
}

func oneServerDown(b bench, l znode.Location) {
	b.write(l, 0, "jobs/a")
	l.Servers = append(l.Servers, closedPort(b.T))
	for range 4 { // the library takes them in any order
		if tree, found := b.read(l); !found || !tree.Job() {
			b.Errorf("%v", tree)
		}
	}
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
