package network

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/loopback"
)

func listen(t *testing.T) *Network {
	t.Helper()
	on, err := loopback.Reserve("")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Listen(on)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		_ = on.Close()
	})
	return n
}

// only leads one name to a server, and everything else nowhere.
func only(name, to string) Resolve {
	return func(address string) string {
		if address == name {
			return to
		}
		return "127.0.0.1:1" // nobody listens
	}
}

func TestAFunctionReachesAService(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }))
	defer server.Close()
	n := listen(t)
	n.SetResolve(only("broker.eventing.svc.cluster.local:80", server.Listener.Addr().String()))
	proxy, err := url.Parse(n.Proxy())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	answer, err := client.Get("http://broker.eventing.svc.cluster.local")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || string(body) != "broker.eventing.svc.cluster.local" {
		t.Errorf("%q %v, want the server to see the name", body, err)
	}
	_, err = client.Get("http://nobody.eventing.svc.cluster.local")
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v, want it to look as without a proxy", err)
	}
}

func TestTheAPIServerReachesAService(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	n := listen(t)
	n.SetResolve(only("10.96.0.7:443", server.Listener.Addr().String()))
	for address, code := range map[string]int{"10.96.0.7:443": http.StatusOK, "10.96.0.8:443": http.StatusBadGateway} {
		conn, err := net.Dial("unix", n.Egress())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", address)
		in := bufio.NewReader(conn)
		answer, err := http.ReadResponse(in, nil)
		if err != nil || answer.StatusCode != code {
			t.Fatalf("%s: %v %v, want %d", address, answer, err, code)
		}
		if code == http.StatusOK {
			fmt.Fprint(conn, "GET / HTTP/1.0\r\n\r\n")
			got, err := http.ReadResponse(in, nil)
			if err != nil || got.StatusCode != http.StatusOK {
				t.Errorf("behind the tunnel: %v %v", got, err)
			}
		}
		_ = conn.Close()
	}
}
