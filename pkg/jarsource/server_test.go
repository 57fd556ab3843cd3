package jarsource_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/pkg/reach"
)

const content = "PK\x03\x04 the rest of a jar"

// serve starts a server, which stands for a public one: policy allows its address.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// policy allows http, https and the address of the servers of a test, and no proxy.
func policy(t *testing.T) jarsource.Policy {
	t.Helper()
	allowed, err := reach.ParseAllowList([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	return jarsource.Policy{
		Schemes: []string{"https", "HTTP"}, Allowed: allowed,
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
	}
}

// read opens a jar and reads all of it.
func read(t *testing.T, p jarsource.Policy, uri string) (string, error) {
	t.Helper()
	jar, err := jarsource.Open(t.Context(), p, uri)
	if err != nil {
		return "", err
	}
	defer jar.Close()
	text, err := io.ReadAll(jar)
	return string(text), err
}

// wants checks the kind and the reason of an error, and that its text has some words and none of the secrets.
func wants(t *testing.T, err error, kind fail.Kind, reason string, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if fail.KindOf(err) != kind || fail.ReasonOf(err) != reason {
		t.Errorf("%s %s, want %s %s: %v", fail.KindOf(err), fail.ReasonOf(err), kind, reason, err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not have %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "swordfish") || strings.Contains(err.Error(), "%!") {
		t.Errorf("%q", err)
	}
}

// names is a DNS server that answers from memory, in the order of the questions: the last answer for good. An empty
// list says that the name does not exist, and the answer "fails" that the server cannot tell.
type names struct {
	mu      sync.Mutex
	answers []string
}

// resolver asks the names.
func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

// serve answers on a stream: each message has its length before it.
func (n *names) serve(connection net.Conn) {
	defer connection.Close()
	for {
		var length uint16
		if binary.Read(connection, binary.BigEndian, &length) != nil {
			return
		}
		query := make([]byte, length)
		if _, err := io.ReadFull(connection, query); err != nil {
			return
		}
		answer := n.answer(query)
		message := append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)
		if _, err := connection.Write(message); err != nil {
			return
		}
	}
}

func (n *names) answer(query []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	const typeA = 1
	end := 12 + slices.Index(query[12:], 0) + 1 + 4 // header, name, type and class
	asked := binary.BigEndian.Uint16(query[end-4:])
	header := []byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}
	answer := append(header, query[12:end]...)
	switch {
	case len(n.answers) == 0:
		answer[3] |= 3 // no such name
	case n.answers[0] == "fails":
		answer[3] |= 2
	case asked == typeA:
		address := netip.MustParseAddr(n.answers[0]).As4()
		n.answers = n.answers[min(1, len(n.answers)-1):]
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4) // the name above, class, time to live, length
		answer = append(answer, address[:]...)
	}
	return answer
}
