package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type pong struct {
	Ping *string `json:"ping"`
	At   int64   `json:"at"`
	In   struct {
		Depth int `json:"depth"`
	} `json:"in"`
}

func (p *pong) Check() error {
	if p.Ping == nil {
		return errors.New("field ping is missing")
	}
	return nil
}

func ask(c *Conn, ctx context.Context) (pong, error) {
	var out pong
	err := c.Do(ctx, Call{Op: "ping", Method: http.MethodGet, Path: []string{"ping"}, Out: &out})
	return out, err
}

func connect(t *testing.T, o Options) *Conn {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func serve(t *testing.T, status int, body string) *Conn {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have gone
	}))
	t.Cleanup(server.Close)
	return connect(t, Options{BaseURL: server.URL, MaxBody: 1 << 16})
}

func wantKind(t *testing.T, err, kind error) *Error {
	t.Helper()
	var details *Error
	if !errors.As(err, &details) || !errors.Is(err, kind) || details.Kind != kind {
		t.Fatalf("got %v, want kind %q", err, kind)
	}
	if strings.ContainsAny(err.Error(), "\r\n") || len(details.Message) > 2048 {
		t.Errorf("a message is one bounded line: %q", err)
	}
	return details
}

// TestAnswers is the table of what any answer means.
func TestAnswers(t *testing.T) {
	flink := func(text ...string) string {
		body, err := json.Marshal(map[string]any{"errors": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	html := "<html><head><title>Oops</title></head><body>\n<h1>nginx</h1>\n</body></html>"
	rows := map[string]struct {
		status int
		body   string
		kind   error
		says   string
		reason string
	}{
		"Flink's 404": {
			404, flink("org.apache.flink.runtime.rest.NotFoundException: Job x not found\n\tat a.b.C(D.java:1)"), ErrNotFound,
			"NotFoundException: Job x not found", "its own list of errors",
		},
		"Flink's unknown path": {
			404, flink("Unable to load requested file /v1/jars."), ErrNoEndpoint, "", "the path, not the thing, is missing",
		},
		"Flink's unknown path, POST": {404, flink("Not found: /v1/x"), ErrNoEndpoint, "", "without the page's files"},
		"a proxy's 404":              {404, html, ErrNotFlink, "<h1>nginx</h1>", "an ingress without a backend"},
		"an empty 404":               {404, "", ErrNotFlink, "", "a pod that starts"},
		"another service's JSON 404": {404, `{"message":"not found"}`, ErrNotFlink, "", "no list of errors"},
		"an empty list of errors":    {404, `{"errors":[]}`, ErrNotFlink, "", "Flink always says something"},
		"errors of another shape":    {404, `{"errors":[{"code":7}]}`, ErrNotFlink, "", "as GraphQL servers have it"},
		"a proxy's 502":              {502, html, ErrNotFlink, "", "the JobManager is gone"},
		"a proxy's 503":              {503, html, ErrNotFlink, "", "no endpoints"},
		"a proxy's 504": {
			504, "upstream request timeout", ErrNotFlink, "upstream request timeout", "as Envoy says it",
		},
		"a redirect":   {302, "", ErrNotFlink, "without a location", "to somebody's login page"},
		"unauthorized": {401, "", ErrNotFlink, "", "Flink has no passwords"},
		"leader election": {
			503, flink("Service temporarily unavailable due to an ongoing leader election. Please refresh."), ErrUnavailable,
			"leader election", "",
		},
		"endpoint not started": {
			503, flink("The rpc endpoint org.apache.flink.runtime.dispatcher.StandaloneDispatcher has not been started yet."),
			ErrUnavailable, "", "",
		},
		"job is being set up": {
			500,
			flink(
				"Internal server error.",
				"<Exception on server side:\norg.apache.flink.runtime.dispatcher.UnavailableDispatcherOperationException: "+
					"Unable to get JobMasterGateway for initializing job.\n\tat x.Y(Z.java:1)\n\nEnd of exception on server "+
					"side>",
			),
			ErrUnavailable, "UnavailableDispatcherOperationException", "",
		},
		"leadership lost": {
			500,
			flink(
				"Internal server error.",
				"<Exception on server side:\norg.apache.flink.runtime.rpc.exceptions.FencingTokenException: Fencing token "+
					"mismatch",
			),
			ErrUnavailable, "", "",
		},
		"leadership lost during main": {
			400,
			flink(
				"org.apache.flink.runtime.rest.handler.RestHandlerException: Could not execute application.\nCaused by: " +
					"org.apache.flink.runtime.rpc.exceptions.FencingTokenException: x",
			),
			ErrUnavailable, "", "main is not to blame",
		},
		"a call inside Flink timed out": {
			400,
			flink(
				"org.apache.flink.runtime.rest.handler.RestHandlerException: Could not execute application.\nCaused by: " +
					"org.apache.flink.client.program.ProgramInvocationException: The main method caused an error\nCaused by: " +
					"java.util.concurrent.TimeoutException: Invocation of [RemoteRpcInvocation(submitJob)] timed out.",
			),
			ErrServer, "timed out", "the job may be submitted all the same",
		},
		"a call of main timed out": {
			400,
			flink(
				"org.apache.flink.runtime.rest.handler.RestHandlerException: Could not execute application.\nCaused by: " +
					"org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
			),
			ErrRejected, "node assignment", "main is to blame",
		},
		"cancel timed out": {408, flink("Job cancellation timed out."), ErrUnavailable, "", "try again"},
		"bad request": {
			400, flink("Bad request, could not parse parameters"), ErrRejected, "could not parse", "",
		},
		"conflict": {
			409, flink("x: Job cancellation failed because the job has already reached another terminal state (FINISHED)."),
			ErrTerminal, "FINISHED", "",
		},
		"conflict as a bad request": {
			400, flink("the job has already reached another terminal state (FAILED)."), ErrTerminal, "FAILED",
			"as some versions say it",
		},
		"a failure of Flink": {
			500,
			flink(
				"Internal server error.",
				"<Exception on server side:\njava.lang.NullPointerException\n\tat a.B(C.java:1)\n\nEnd of exception on "+
					"server side>",
			),
			ErrServer, "NullPointerException", "",
		},
		"not JSON":    {200, html, ErrMalformed, "invalid character", "a login page with 200"},
		"cut JSON":    {200, `{"ping":"x","at":1`, ErrMalformed, "unexpected end", ""},
		"two answers": {200, `{"ping":"x"}{"ping":"y"}`, ErrMalformed, "after top-level value", ""},
		"wrong type": {
			200, `{"ping":"x","at":"soon"}`, ErrMalformed, "field at is a JSON string, want int64", "named by field",
		},
		"wrong type inside": {
			200, `{"ping":"x","in":{"depth":[]}}`, ErrMalformed, "field in.depth is a JSON array, want int", "named by path",
		},
		"incomplete": {200, `{}`, ErrMalformed, "field ping is missing", "valid JSON of something else"},
		"too large": {
			200, `{"ping":"` + strings.Repeat("x", 1<<16) + `"}`, ErrMalformed, "longer than 65536 bytes", "",
		},
		"a refusal too large": {
			500, flink(strings.Repeat("x", 1<<17)), ErrNotFlink, "", "the list of errors is cut and cannot be read",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			_, err := ask(serve(t, row.status, row.body), context.Background())
			details := wantKind(t, err, row.kind)
			if details.Status != row.status || details.Op != "ping" || details.Path != "/ping" || details.Method != "GET" {
				t.Errorf("%s: got %+v", row.reason, details)
			}
			if !strings.Contains(details.Message, row.says) {
				t.Errorf("%s: the message must say %q: %q", row.reason, row.says, details.Message)
			}
			word := row.kind == ErrNotFound || row.kind == ErrNoEndpoint || row.kind == ErrRejected || row.kind == ErrTerminal
			if Unknown(err) == word {
				t.Errorf("%s: Unknown = %t", row.reason, Unknown(err))
			}
		})
	}
}

func TestUnknownFieldsAreTolerated(t *testing.T) {
	got, err := ask(serve(t, 200, `{"ping":"x","at":5,"new-in-3.0":{"a":[1]}}`), context.Background())
	if err != nil || *got.Ping != "x" || got.At != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// listen accepts connections and hands each to the function.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); serve(conn) }()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestNoAnswer(t *testing.T) {
	closed := listen(t, func(net.Conn) {})
	refused := func() string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		return "http://" + listener.Addr().String()
	}()
	read := func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }
	hang := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) } // until the client closes
	rows := map[string]struct {
		url     string
		timeout time.Duration
		says    string
		reason  string
	}{
		"refused":        {refused, 0, "connection refused", "nothing listens"},
		"closed at once": {closed, 0, "closed the connection", "a port-forward to a pod that is gone"},
		"silent":         {listen(t, hang), 50 * time.Millisecond, "in time", "a stopped JVM"},
		"half a header": {listen(t, func(c net.Conn) {
			read(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-")
			hang(c)
		}), 50 * time.Millisecond, "in time", "a stopped JVM"},
		"half a body": {listen(t, func(c net.Conn) {
			read(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"ping\":")
		}), 0, "closed the connection", "killed while it answered"},
		"a drip": {listen(t, func(c net.Conn) {
			read(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"ping\":")
			hang(c)
		}), 50 * time.Millisecond, "in time", "the timeout covers the body"},
		"not HTTP": {
			listen(t, func(c net.Conn) { read(c); _, _ = io.WriteString(c, "SSH-2.0-x\r\n") }), 0, "malformed HTTP",
			"another port",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			c := connect(t, Options{BaseURL: row.url, Timeout: row.timeout})
			_, first := ask(c, context.Background())
			details := wantKind(t, first, ErrUnreachable)
			if !strings.Contains(details.Message, row.says) || !Unknown(first) || details.Cause == nil {
				t.Errorf("%s: got %q", row.reason, details.Message)
			}
			_, second := ask(c, context.Background())
			if first.Error() != second.Error() {
				t.Errorf("the same failure gives two texts:\n%v\n%v", first, second)
			}
			if row.timeout > 0 && !errors.Is(first, context.DeadlineExceeded) {
				t.Errorf("a timeout is a deadline: %v", first)
			}
		})
	}
}

func TestDialFailures(t *testing.T) {
	rows := map[string]struct {
		err    error
		says   string
		reason string
	}{
		"unknown name": {&net.DNSError{
			Err: "no such host", Name: "x-rest.ns.svc", Server: "10.0.0.10:53", IsNotFound: true,
		},
			"lookup x-rest.ns.svc: no such host", "the Service is gone"},
		"no route": {&net.OpError{
			Op: "dial", Net: "tcp", Source: &net.TCPAddr{Port: 4711}, Err: errors.New("no route to host"),
		},
			"dial x-rest.ns.svc:8081: no route to host", "a network policy"},
		"own dialer": {errors.New("no tunnel"), "x-rest.ns.svc:8081: no tunnel", "whatever the injected dialer says"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			c := connect(t, Options{BaseURL: "http://x-rest.ns.svc:8081",
				Dialer: func(context.Context, string, string) (net.Conn, error) { return nil, row.err }})
			_, err := ask(c, context.Background())
			details := wantKind(t, err, ErrUnreachable)
			if details.Message != row.says || !errors.Is(err, row.err) {
				t.Errorf("%s: got %q", row.reason, details.Message)
			}
			for _, noise := range []string{"10.0.0.10", "4711"} {
				if strings.Contains(err.Error(), noise) {
					t.Errorf("%q changes from call to call: %v", noise, err)
				}
			}
		})
	}
}

func TestTheCallerMayGiveUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := connect(t, Options{BaseURL: listen(t, func(conn net.Conn) { cancel(); _, _ = io.Copy(io.Discard, conn) })})
	_, err := ask(c, ctx)
	if details := wantKind(t, err, ErrUnreachable); details.Message != "the request was cancelled" ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBaseURL(t *testing.T) {
	rows := map[string]struct {
		url    string
		good   bool
		reason string
	}{
		"http":        {"http://a-rest.ns.svc:8081", true, ""},
		"https":       {"https://a-rest.ns.svc:8081/", true, ""},
		"with prefix": {"http://ingress/ns/a/", true, ""},
		"no scheme":   {"a-rest.ns.svc:8081", false, "a-rest.ns.svc would be the scheme"},
		"empty":       {"", false, ""},
		"no host":     {"http://", false, ""},
		"password":    {"http://u:s3cret@host", false, "Flink has no passwords, and errors would show it"},
		"query":       {"http://host?a=b", false, ""},
		"broken":      {"http://u:s3cret@host:x y", false, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{BaseURL: row.url})
			if (err == nil) != row.good {
				t.Errorf("%s: %v", row.reason, err)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
	for _, o := range []Options{
		{BaseURL: "http://x", Transport: &http.Transport{}, TLS: &TLSOptions{}},
		{BaseURL: "http://x", Timeout: -1},
		{BaseURL: "http://x", MaxBody: -1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v must be refused", o)
		}
	}
}

func TestPrefixAndHeaders(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // compared below
		fmt.Fprintf(w, `{"ping":%q}`, strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("Accept"),
			r.Header.Get("Content-Type"), string(body)}, "|"))
	}))
	defer server.Close()
	c := connect(t, Options{BaseURL: server.URL + "/ns/a/"})
	var out pong
	err := c.Do(
		context.Background(),
		Call{Op: "x", Method: "POST", Path: []string{"a b", "c"}, Body: map[string]int{"n": 1}, Out: &out},
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := `POST|/ns/a/v1/a%20b/c|application/json|application/json|{"n":1}`; *out.Ping != want {
		t.Errorf("got %s, want %s", *out.Ping, want)
	}
}

// TestClientsShareConnections: two clients of one transport use one connection to one cluster.
func TestClientsShareConnections(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"ping":""}`)
	}))
	defer server.Close()
	transport, err := NewTransport(TransportOptions{Dialer: func(ctx context.Context, network, address string) (
		net.Conn, error,
	) {
		opened.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer transport.CloseIdleConnections()
	for range 3 {
		if _, err := ask(connect(t, Options{BaseURL: server.URL, Transport: transport}), context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for three calls", n)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	_, err := ask(connect(t, Options{BaseURL: server.URL}), context.Background())
	details := wantKind(t, err, ErrNotFlink)
	if details.Message != "redirected to "+server.URL {
		t.Errorf("got %q", details.Message)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestBodiesThatCannotBeSent(t *testing.T) {
	c := serve(t, 200, `{"ping":"x"}`)
	err := c.Do(context.Background(), Call{Op: "x", Method: "POST", Path: []string{"x"}, Body: func() {}})
	wantKind(t, err, ErrRejected)
	err = c.Do(context.Background(), Call{Op: "x", Method: "BAD METHOD", Path: []string{"x"}})
	wantKind(t, err, ErrRejected)
}

// FuzzAnswers: whatever answers, there is a value or an error of one kind, and no panic.
func FuzzAnswers(f *testing.F) {
	f.Add(200, []byte(`{"ping":"x","at":1}`))
	f.Add(
		404, []byte(`{"errors":["org.apache.flink.runtime.rest.NotFoundException: Job x not found\n\tat a.b(c.java:1)"]}`),
	)
	f.Add(500, []byte(`{"errors":["Internal server error.","<Exception on server side:\nx.Y: z\n"]}`))
	f.Add(503, []byte("<html>\x00\xff</html>"))
	f.Add(200, []byte(`{"ping":null,"in":[]}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		k := Call{Op: "ping", Method: "GET", Path: []string{"ping"}, Out: &pong{}}
		var err error
		if 200 <= status && status <= 299 {
			err = k.decode(status, &reply{from: bytes.NewReader(body), ctx: t.Context(), left: DefaultMaxBody})
		} else {
			err = k.refused(status, body)
		}
		if err == nil {
			return
		}
		details := wantKind(t, err, err.(*Error).Kind)
		if details.Kind == ErrNotFound && !bytes.Contains(body, []byte("errors")) {
			t.Fatal("absence without Flink's word")
		}
	})
}
