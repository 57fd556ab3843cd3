package jarsource

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/reach"
)

const (
	mostRedirects = 10
	// connectTimeout bounds the look-up of a name together with its connection, and then TLS.
	connectTimeout = 10 * time.Second
	defaultStall   = 30 * time.Second
	// mostHeader is how long a response's header may be, in bytes.
	mostHeader = 64 << 10
)

// Policy says from where a jar may come and how it is asked for. The zero value allows nothing.
type Policy struct {
	// Schemes are the URI schemes that are allowed, in any case (kubernetes.operator.user.artifacts.allowed-schemes).
	// Only http and https can be read.
	Schemes []string
	// Allowed are hosts and networks that may be reached although they are not public.
	Allowed reach.AllowList
	// AnyAddress lets every address be reached (kubernetes.operator.user.artifacts.disallow-restricted-hosts: false).
	AnyAddress bool
	// Header is sent to the host of the URI (kubernetes.operator.user.artifacts.http.header); it may hold credentials.
	// Host and Accept-Encoding have no effect.
	Header map[string]string
	// MaxBytes is how large a jar may be; 0 is no bound.
	MaxBytes int64
	// Stall is how long the response, and then each next byte, may take; 0 is 30 s.
	Stall time.Duration
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Roots are the CAs that are trusted; nil are the system's.
	Roots *x509.CertPool
	// Proxy says what a request goes through, as in http.Transport; nil is http.ProxyFromEnvironment.
	Proxy func(*http.Request) (*url.URL, error)
}

// Open asks for the jar at a URI and gives its content as it arrives, never decoded. The context bounds the reading,
// too, so it must live until the jar is closed. The package's comment has the errors of Open and of Read.
func Open(ctx context.Context, p Policy, uri string) (Jar, error) {
	p.Stall = cmp.Or(p.Stall, defaultStall)
	if p.Proxy == nil {
		p.Proxy = http.ProxyFromEnvironment
	}
	target, err := url.Parse(uri)
	if err != nil {
		target = &url.URL{} // check refuses it; the error repeats the URI
	}
	f := &fetch{policy: p, caller: ctx, aboutURL: fail.Invalid, secrets: map[string]string{}}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	jar, err := f.open(target)
	if err != nil {
		f.cancel(nil) // ends the response, too
	}
	return jar, err
}

// fetch is one way to a jar.
type fetch struct {
	policy Policy
	// caller is the context of Open. ctx is below it, and ends with the jar, or by errStalled.
	caller, ctx context.Context
	cancel      context.CancelCauseFunc
	// first names the jar by its URI, op by where it was redirected to, too. via names a proxy.
	first, op, via string
	// aboutURL is the kind of an error about the URL: where it is redirected to is not for the spec to correct.
	aboutURL fail.Kind
	// secrets are what no error may have, by names that tell redact so.
	secrets map[string]string
}

func (f *fetch) open(target *url.URL) (Jar, error) {
	header := http.Header{}
	if user := target.User; user != nil {
		password, _ := user.Password()
		f.hide(user.Username(), password)
		(&http.Request{Header: header}).SetBasicAuth(user.Username(), password)
	}
	f.visit(target)
	for _, name := range slices.Sorted(maps.Keys(f.policy.Header)) {
		value := f.policy.Header[name]
		if !headerName.MatchString(name) || !headerValue.MatchString(value) {
			return Jar{}, f.fail(fail.Invalid, reasonURI, "header %.40q cannot be sent: correct %s", name,
				key.ArtifactsHTTPHeader.Key)
		}
		f.hide(value, value[strings.LastIndexByte(value, ' ')+1:])
		header.Set(name, value)
	}
	response, err := f.follow(target, header)
	if err != nil {
		return Jar{}, err
	}
	return f.jar(response)
}

var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

// follow asks for a URL, and for where it is redirected to, until a response is no redirect.
func (f *fetch) follow(target *url.URL, header http.Header) (*http.Response, error) {
	for range 1 + mostRedirects {
		if err := f.check(target); err != nil {
			return nil, err
		}
		response, err := f.get(target, header)
		if err != nil || !slices.Contains([]int{301, 302, 303, 307, 308}, response.StatusCode) {
			return response, err
		}
		response.Body.Close()
		location := response.Header.Get("Location")
		next, err := target.Parse(location)
		if err != nil || location == "" {
			return nil, f.fail(fail.Denied, reasonRedirect, "it is redirected to no valid URL: correct the server")
		}
		if target.Scheme == "https" && next.Scheme == "http" {
			return nil, f.fail(fail.Denied, reasonRedirect, "it is redirected to http: have the server stay with https")
		}
		if !isSameServer(target, next) {
			header = http.Header{}
		}
		f.aboutURL = fail.Denied
		f.visit(next)
		target = next
	}
	return nil, f.fail(fail.Denied, reasonRedirect, "more than %d redirects: name the last URL", mostRedirects)
}

// isSameServer says whether what one URL's server may know, that of another may: the same port of the same host, or its
// https after its http.
func isSameServer(from, to *url.URL) bool {
	ports := map[string]string{"http": "80", "https": "443"}
	port := func(u *url.URL) string { return cmp.Or(u.Port(), ports[u.Scheme]) }
	return strings.EqualFold(from.Hostname(), to.Hostname()) &&
		(port(from) == port(to) || port(from) == "80" && port(to) == "443" && to.Scheme == "https")
}

// check says whether a URL may be asked for, but for the address of a name.
func (f *fetch) check(u *url.URL) error {
	isHTTP := u.Scheme == "http" || u.Scheme == "https"
	allowed := func(scheme string) bool { return strings.EqualFold(scheme, u.Scheme) }
	switch {
	case u.Scheme == "", isHTTP && u.Hostname() == "":
		return f.fail(f.aboutURL, reasonURI, "the URL is not valid: write it as https://<host>/<path>")
	case !isHTTP:
		return f.fail(f.aboutURL, reasonURI, "jars are not read by scheme %.20q: put the jar behind https, or on the class "+
			"path of the image and leave jarURI empty", u.Scheme)
	case !slices.ContainsFunc(f.policy.Schemes, allowed):
		return f.fail(f.aboutURL, reasonURI, "scheme %s is not in %v: use one of these, or have the operator's "+
			"configuration extend %s", u.Scheme, f.policy.Schemes, key.ArtifactsAllowedSchemes.Key)
	case f.policy.AnyAddress:
		return nil
	}
	// A name is judged by the address that is dialled. Behind a proxy nothing is, and it may be less strict.
	if kind := f.policy.Allowed.Judge(u.Hostname()); kind == reach.Restricted || kind == reach.Odd {
		return f.fail(fail.Denied, "JarHostRestricted", "host %.80q is a restricted address: use a public one, or have the "+
			"operator's configuration name it in %s", u.Hostname(), key.ArtifactsAllowedHosts.Key)
	}
	return nil
}

// get sends one request, by a transport that is used once: it knows the one host that it may dial.
func (f *fetch) get(target *url.URL, header http.Header) (*http.Response, error) {
	request := (&http.Request{Method: http.MethodGet, URL: target, Header: header}).WithContext(f.ctx)
	request.Header.Set("Accept-Encoding", "identity")
	proxy, err := f.policy.Proxy(request)
	if err != nil { // it may have the proxy's password
		return nil, f.fail(fail.Denied, fail.ReasonUnreachable, "the proxy's URL is not valid: correct HTTPS_PROXY")
	}
	dialer := &net.Dialer{Timeout: connectTimeout, Resolver: f.policy.Resolver}
	if f.via = ""; proxy != nil {
		f.via = "through proxy " + proxy.Host + ": "
	} else if !f.policy.AnyAddress {
		dialer.ControlContext = guard(f.policy.Allowed, target.Hostname())
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	transport := &http.Transport{
		Proxy: http.ProxyURL(proxy), DialContext: dialer.DialContext, Protocols: &protocols,
		TLSClientConfig: &tls.Config{RootCAs: f.policy.Roots}, TLSHandshakeTimeout: connectTimeout,
		ResponseHeaderTimeout: f.policy.Stall, MaxResponseHeaderBytes: mostHeader,
		DisableCompression: true, DisableKeepAlives: true,
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, f.broken(err)
	}
	return response, nil
}

// guard is asked before each connection, and maybe still when another one was made. Its text has no address: which of
// several is tried first changes.
func guard(allowed reach.AllowList, host string) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err == nil && allowed.Permits(host, to.Addr()) {
			return nil
		}
		return fail.Deniedf("", "JarHostRestricted", "host %s resolves to a restricted address: use a public one, or have "+
			"the operator's configuration name it in %s", host, key.ArtifactsAllowedHosts.Key)
	}
}
