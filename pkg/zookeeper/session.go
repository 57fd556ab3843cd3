package zookeeper

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/reach"
)

// sessionTimeout is how long the servers remember a session that was not closed. A call is shorter.
const sessionTimeout = 15 * time.Second

// session is one connection to one of the servers.
type session struct {
	conn   *zk.Conn
	events <-chan zk.Event
	cancel context.CancelFunc

	mu  sync.Mutex
	raw []net.Conn
}

// begin opens a session. The first call on it finds out whether there is a server.
func (c Client) begin(ctx context.Context, l znode.Location) (*session, error) {
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{ControlContext: guard}).DialContext
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &session{cancel: cancel}
	conn, events, err := zk.Connect(l.Servers, sessionTimeout,
		zk.WithHostProvider(&hosts{}), zk.WithLogger(silence{}), zk.WithLogInfo(false), zk.WithMaxBufferSize(maxAnswer),
		zk.WithDialer(func(network, address string, _ time.Duration) (net.Conn, error) {
			c, err := dialAs(ctx, dial, network, address, l.Namespace)
			return s.dialed(ctx, c, err)
		}))
	if err != nil {
		cancel()
		return nil, fail.As(fail.Invalid, "connect to ZooKeeper", "ZooKeeperInvalid", err)
	}
	s.conn, s.events = conn, events
	context.AfterFunc(ctx, s.cut)
	for _, id := range l.Credentials {
		if err := conn.AddAuth(id.Scheme, []byte(id.Secret)); err != nil {
			err = s.explain(ctx, err)
			s.end()
			return nil, err
		}
	}
	return s, nil
}

// guard refuses addresses of the machine, of its link and of its cloud: the servers are a user's choice.
func guard(_ context.Context, _, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err == nil && reach.Server(to.Addr()) {
		return nil
	}
	return fail.Deniedf("", "ZooKeeperRestricted", "no server of a ZooKeeper has this address")
}

// maxAnswer bounds one answer in bytes. ZooKeeper's own bound is 1 MiB.
const maxAnswer = 4 << 20

// end closes the session in good order and waits until nothing of it is left.
func (s *session) end() {
	s.conn.Close()
	s.cancel() // which cuts it
	for range s.events {
		// closed with the last goroutine
	}
}

// cut breaks the connections, so that whoever waits for an answer stops waiting.
func (s *session) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.raw {
		_ = c.Close() // there is nothing left to save
	}
}

func (s *session) dialed(ctx context.Context, c net.Conn, err error) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	s.raw = append(s.raw, c)
	if ctx.Err() != nil {
		_ = c.Close() // it has just been cut
	}
	return c, nil
}

// hosts hands out each server once; after the last one the library gives up what waits.
type hosts struct {
	servers []string
	next    int
}

// Init takes the servers, which the library has shuffled.
func (h *hosts) Init(servers []string) error {
	h.servers = servers
	return nil
}

// Len is how many there are.
func (h *hosts) Len() int { return len(h.servers) }

// Next is the next server, and whether all have been tried.
func (h *hosts) Next() (server string, again bool) {
	n := h.next
	h.next++
	return h.servers[n%len(h.servers)], n > 0 && n%len(h.servers) == 0
}

// Connected does not matter: a session that breaks is not used again.
func (h *hosts) Connected() {}

// silence drops what the library would log.
type silence struct{}

// Printf drops a line.
func (silence) Printf(string, ...any) {}
