package flinksim

import (
	"crypto/tls"
	"io"
	"net"
	"slices"
	"sync"
)

// secured is the server's side of a connection to a JobManager with TLS: the first byte says what the client speaks, as
// in Flink's own RedirectingSslHandler. One goroutine reads it before anything is written.
type secured struct {
	net.Conn
	config *tls.Config
	chosen bool
	plain  bool
}

// handshake is the first byte of a TLS record with a handshake in it.
const handshake = 0x16

// Read finds out what is spoken, once.
func (s *secured) Read(p []byte) (int, error) {
	if s.chosen {
		return s.Conn.Read(p)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(s.Conn, first); err != nil {
		return 0, err
	}
	s.chosen, s.plain = true, first[0] != handshake
	s.Conn = &unread{s.Conn, first}
	if !s.plain {
		s.Conn = tls.Server(newBuffered(s.Conn), s.config)
	}
	return s.Conn.Read(p)
}

// buffered is a connection whose writes do not wait for the reader. Over an in-memory pipe, a client that refuses a
// handshake and the server that is in the middle of it would wait for each other.
type buffered struct {
	net.Conn
	mu     sync.Mutex
	closed bool
	queue  chan []byte
}

// mostWrites is more than is written before the client reads.
const mostWrites = 4096

func newBuffered(c net.Conn) *buffered {
	b := &buffered{Conn: c, queue: make(chan []byte, mostWrites)}
	go func() {
		for p := range b.queue {
			if _, err := b.Conn.Write(p); err != nil {
				break
			}
		}
		b.Conn.Close()
	}()
	return b
}

// Write takes over what is to be written.
func (b *buffered) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, net.ErrClosed
	}
	b.queue <- slices.Clone(p)
	return len(p), nil
}

// Close closes the connection once everything is written.
func (b *buffered) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.queue)
	}
	return nil
}

// unread is a connection of which the first bytes were read already.
type unread struct {
	net.Conn
	first []byte
}

// Read gives back what was read first.
func (u *unread) Read(p []byte) (int, error) {
	if len(u.first) > 0 {
		n := copy(p, u.first)
		u.first = u.first[n:]
		return n, nil
	}
	return u.Conn.Read(p)
}
