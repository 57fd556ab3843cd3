package network

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kn-flink/kn-flink/local/loopback"
)

// dialTimeout bounds one dial. Everything is on this machine.
const dialTimeout = 10 * time.Second

// Resolve says which HOST:PORT of this machine a HOST:PORT of the cluster is. One that it does not know it returns as
// it is.
type Resolve func(address string) string

// Network is the way in. Safe for concurrent use.
type Network struct {
	resolve atomic.Pointer[Resolve]
	socks   net.Listener
	egress  net.Listener
	served  sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// Listen opens both ways in. Until SetResolve, names lead where the machine says.
func Listen(on *loopback.Network) (*Network, error) {
	n := &Network{open: map[net.Conn]bool{}}
	n.SetResolve(func(address string) string { return address })
	var err error
	if n.socks, err = on.Listen(on.Server(), 1080); err != nil {
		return nil, err
	}
	if n.egress, err = net.Listen("unix", filepath.Join(on.Sockets(), "egress")); err != nil {
		return nil, errors.Join(err, n.socks.Close())
	}
	n.served.Go(func() { n.accept(n.socks, greetSOCKS) })
	n.served.Go(func() { n.accept(n.egress, greetCONNECT) })
	return n, nil
}

// SetResolve says from now on where names lead.
func (n *Network) SetResolve(r Resolve) { n.resolve.Store(&r) }

// Proxy is the URL for HTTP_PROXY and the like.
func (n *Network) Proxy() string { return "socks5://" + n.socks.Addr().String() }

// Egress is the path of the Unix socket for the API server.
func (n *Network) Egress() string { return n.egress.Addr().String() }

// DialContext connects to a HOST:PORT of the cluster. It is for http.Transport and the like.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	return dialer.DialContext(ctx, network, (*n.resolve.Load())(address))
}

// Close ends all connections and returns when nothing is served any more.
func (n *Network) Close() error {
	n.mu.Lock()
	n.closed = true
	for conn := range n.open {
		_ = conn.Close()
	}
	n.mu.Unlock()
	err := errors.Join(n.socks.Close(), n.egress.Close())
	n.served.Wait()
	return err
}

// greet is one protocol: it reads which address is wanted, and says how the dial went.
type greet func(*bufio.Reader, io.Writer) (address string, answer func(error) error, err error)

func (n *Network) accept(listener net.Listener, protocol greet) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return // it was closed
		}
		if !n.hold(conn) {
			return
		}
		n.served.Go(func() {
			defer n.drop(conn)
			n.serve(conn, protocol)
		})
	}
}

func (n *Network) hold(conn net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		_ = conn.Close()
		return false
	}
	n.open[conn] = true
	return true
}

func (n *Network) drop(conn net.Conn) {
	_ = conn.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, conn)
}

func (n *Network) serve(conn net.Conn, protocol greet) {
	in := bufio.NewReader(conn)
	address, answer, err := protocol(in, conn)
	if err != nil {
		return // not one of ours
	}
	far, err := n.DialContext(context.Background(), "tcp", address)
	if err != nil {
		_ = answer(err)
		return
	}
	if !n.hold(far) {
		return
	}
	defer n.drop(far)
	if answer(nil) != nil {
		return
	}
	var there sync.WaitGroup
	there.Go(func() { pour(far, in) })
	pour(conn, far)
	there.Wait()
}

// pour copies to the end and passes the end on: the other direction may go on.
func pour(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from) // a broken connection is the two ends' affair
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

func greetCONNECT(in *bufio.Reader, out io.Writer) (string, func(error) error, error) {
	request, err := http.ReadRequest(in)
	if err != nil {
		return "", nil, err
	}
	if request.Method != http.MethodConnect {
		_, err = io.WriteString(out, "HTTP/1.1 405 Method Not Allowed\r\n\r\n")
		return "", nil, errors.Join(errors.ErrUnsupported, err)
	}
	return request.Host, func(failed error) error {
		line := "HTTP/1.1 200 OK\r\n\r\n"
		if failed != nil {
			line = "HTTP/1.1 502 Bad Gateway\r\n\r\n"
		}
		_, err := io.WriteString(out, line)
		return err
	}, nil
}
