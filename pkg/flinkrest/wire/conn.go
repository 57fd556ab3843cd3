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
	"net/url"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/javatrace"
)

// DefaultTimeout bounds one call when Options.Timeout is zero.
const DefaultTimeout = 10 * time.Second

// DefaultMaxBody bounds one answer when neither Call nor Options say more: 4 MiB, the job details of a job with some
// thousand vertices.
const DefaultMaxBody = 4 << 20

// apiVersion is the path prefix of Flink's REST API, the same from 1.15 to 2.x (RestAPIVersion.V1).
const apiVersion = "v1"

// Dialer opens a connection, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Options say which cluster to talk to, and how.
type Options struct {
	// BaseURL is the REST endpoint, such as "http://demo-rest.default.svc:8081". Scheme http or https; a path is kept as
	// a prefix; user, query and fragment are refused.
	BaseURL string
	// Transport is shared by the clients of many clusters, see NewTransport. Nil: one is made from
	// Dialer and TLS, which must be nil otherwise.
	Transport *http.Transport
	// Wrap has all calls go through what it makes of the transport. Nil: through the transport itself.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Dialer opens the connections. Nil: a net.Dialer.
	Dialer Dialer
	// TLS holds the certificates for https. Nil: the system's roots and no client certificate.
	TLS *TLSOptions
	// Timeout bounds each call from dialing to the last byte. Zero: DefaultTimeout. An upload is bounded by its context
	// alone. The context's own deadline holds in any case.
	Timeout time.Duration
	// MaxBody bounds an answer, in bytes, whatever its call says. Zero: that of the call. A longer answer is ErrMalformed.
	MaxBody int64
}

// Conn is the way to the REST endpoint of one cluster. It is safe for concurrent use and never repeats a request.
type Conn struct {
	base    *url.URL
	http    *http.Client
	timeout time.Duration
	maxBody int64
}

// New makes a Conn. It does not connect. It fails on a base URL or on certificates that cannot be used.
func New(o Options) (*Conn, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	transport := o.Transport
	switch {
	case transport == nil:
		if transport, err = NewTransport(TransportOptions{Dialer: o.Dialer, TLS: o.TLS}); err != nil {
			return nil, err
		}
	case o.Dialer != nil || o.TLS != nil:
		return nil, errors.New("flink rest: give either a shared transport or a dialer and certificates, not both")
	}
	if o.Timeout < 0 || o.MaxBody < 0 {
		return nil, errors.New("flink rest: timeout and maximum body must not be negative")
	}
	c := &Conn{base: base, timeout: DefaultTimeout}
	if o.Timeout > 0 {
		c.timeout = o.Timeout
	}
	if o.MaxBody > 0 {
		c.maxBody = o.MaxBody
	}
	// Flink redirects from http to https only; every other redirect is the answer of something else.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &http.Client{Transport: transport, CheckRedirect: stay}
	if o.Wrap != nil {
		c.http.Transport = o.Wrap(transport)
	}
	return c, nil
}

func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil {
		// The error of url.Parse repeats the text, which may hold a password.
		return nil, errors.New("flink rest: the base URL cannot be parsed")
	}
	switch {
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, fmt.Errorf("flink rest: base URL %q is not of the form http(s)://host:port", base.Redacted())
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("flink rest: the base URL must have no user, query or fragment")
	}
	base.Path, base.RawPath = strings.TrimSuffix(base.Path, "/"), ""
	return base, nil
}

// Call is one request: what it is for, how it is asked, and where its answer goes.
type Call struct {
	// Op is what is tried, such as "trigger savepoint"; errors begin with it.
	Op string
	// Method is the HTTP method.
	Method string
	// Path are the segments below the API version; they are escaped when sent, and none may be empty.
	Path []string
	// Query is the query; nil: none.
	Query url.Values
	// Body is sent as JSON; nil: no body.
	Body any
	// Out is the pointer that the answer is decoded into, see Checked and Itemed; nil: the answer's body is ignored.
	Out any
	// MaxBody bounds the answer, in bytes. Zero: DefaultMaxBody.
	MaxBody int64
}

// Checked is an answer that can tell whether it is complete. A body such as {} must not pass for "no jobs".
type Checked interface {
	// Check says what is missing or wrong.
	Check() error
}

// Do carries out one call within the timeout.
func (c *Conn) Do(ctx context.Context, k Call) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var body io.Reader
	contentType := ""
	if k.Body != nil {
		text, err := json.Marshal(k.Body)
		if err != nil {
			return k.Fail(ErrRejected, 0, "the request cannot be written as JSON", err)
		}
		body, contentType = bytes.NewReader(text), "application/json"
	}
	return c.Stream(ctx, k, body, contentType)
}

// Stream sends one call with a body of its own and reads its answer; the context alone bounds it.
func (c *Conn) Stream(ctx context.Context, k Call, body io.Reader, contentType string) error {
	for _, segment := range k.Path {
		// "." and ".." would be cleaned away by proxies and servers: another path than the one meant.
		if segment == "" || segment == "." || segment == ".." {
			return k.Fail(ErrRejected, 0, fmt.Sprintf("%q is not a usable part of a path", segment), nil)
		}
	}
	target := c.base.JoinPath(apiVersion)
	target = target.JoinPath(escape(k.Path)...)
	target.RawQuery = k.Query.Encode()
	request, err := http.NewRequestWithContext(ctx, k.Method, target.String(), body)
	if err != nil {
		return k.Fail(ErrRejected, 0, "the request cannot be made", err)
	}
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if why := distrust(err); why != "" {
			return k.Fail(ErrTLS, 0, c.base.Host+": "+why, err)
		}
		return k.Fail(ErrUnreachable, 0, c.reason(ctx, err), err)
	}
	defer response.Body.Close()
	answer := &reply{from: response.Body, ctx: ctx, left: c.most(k)}
	defer answer.leave()
	switch code := response.StatusCode; {
	case c.wantsTLS(response):
		return k.Fail(ErrTLS, code, c.base.Host+": "+tlsOnly, nil)
	case code >= 300 && code <= 399:
		return k.Fail(ErrNotFlink, code, redirected(response), nil)
	case code < 200 || code > 399:
		answer.left = min(answer.left, maxRefusal)
		text, _ := io.ReadAll(answer)
		if answer.failed != nil {
			return k.Fail(ErrUnreachable, code, c.reason(ctx, answer.failed), answer.failed)
		}
		return k.refused(code, text)
	}
	err = k.decode(response.StatusCode, answer)
	if answer.failed != nil {
		return k.Fail(ErrUnreachable, response.StatusCode, c.reason(ctx, answer.failed), answer.failed)
	}
	return err
}

// most is how long the answer to a call may be.
func (c *Conn) most(k Call) int64 {
	for _, most := range []int64{c.maxBody, k.MaxBody} {
		if most > 0 {
			return most
		}
	}
	return DefaultMaxBody
}

// redirected says where to, without path and query.
func redirected(response *http.Response) string {
	target, err := response.Location()
	if err != nil {
		return "a redirect without a location"
	}
	return fmt.Sprintf("redirected to %s://%s", target.Scheme, target.Host)
}

func escape(segments []string) []string {
	escaped := make([]string, len(segments))
	for i, segment := range segments {
		escaped[i] = url.PathEscape(segment)
	}
	return escaped
}

// decode reads a success. Unknown fields are tolerated, since every Flink version adds some; wrong types are not.
func (k Call) decode(status int, answer *reply) error {
	if k.Out == nil {
		_, err := io.Copy(io.Discard, answer) // so that the connection is kept
		return k.malformed(status, err)
	}
	if err := read(answer, k.Out); err != nil {
		return k.malformed(status, err)
	}
	if result, ok := k.Out.(Checked); ok {
		return k.malformed(status, result.Check())
	}
	return nil
}

// malformed is the error of an answer that cannot be read; nil for nil.
func (k Call) malformed(status int, err error) error {
	if err == nil {
		return nil
	}
	return k.Fail(ErrMalformed, status, describeJSON(err), err)
}

func describeJSON(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("field %s is a JSON %s, want %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return javatrace.Clip(err.Error())
}

// Fail makes the error of a call: its kind, the HTTP status or 0, a message that is cut at 2 KiB, and the cause or nil.
func (k Call) Fail(kind error, status int, message string, cause error) *Error {
	path := "/" + strings.Join(k.Path, "/")
	return &Error{
		Op: k.Op, Method: k.Method, Path: path, Status: status, Message: javatrace.Clip(message), Kind: kind, Cause: cause,
	}
}
