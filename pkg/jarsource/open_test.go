package jarsource_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
)

func TestWhatAURIMayBe(t *testing.T) {
	for uri, words := range map[string][]string{
		"":                            {"write it as https://"},
		"/no/scheme/job.jar":          {"write it as https://"},
		"https:///job.jar":            {"write it as https://"},
		"https:job.jar":               {"write it as https://"},
		"https://h/%zz?swordfish":     {"write it as https://"},
		"s3://bucket/job.jar":         {`"s3"`, "behind https", "leave jarURI empty"},
		"gs://bucket/job.jar":         {`"gs"`, "behind https"},
		"hdfs://name/job.jar":         {`"hdfs"`, "behind https"},
		"local:///opt/flink/job.jar":  {`"local"`, "local:///opt/flink/job.jar", "class path"},
		"file:///opt/flink/job.jar":   {`"file"`, "class path"},
		"http://jars.example/job.jar": {"http is not in [s3 https]", "allowed-schemes"},
	} {
		t.Run(uri, func(t *testing.T) {
			p := policy(t)
			p.Schemes = []string{"s3", "https"}
			_, err := read(t, p, uri)
			wants(t, err, fail.Invalid, "JarURIInvalid", words...)
		})
	}
	_, err := read(t, jarsource.Policy{}, "https://jars.example/job.jar")
	wants(t, err, fail.Invalid, "JarURIInvalid", "https is not in []")
}

func TestAddressesThatAreNotAllowed(t *testing.T) {
	for _, host := range []string{
		"10.1.2.3", "127.0.0.2", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "[fd00::1]", "[fe80::1%25lo]", "0.0.0.0",
		"100.64.0.1", "224.0.0.1", "[64:ff9b::a00:1]", "168.63.129.16",
	} {
		t.Run(host, func(t *testing.T) {
			_, err := read(t, policy(t), "https://"+host+":9/job.jar")
			wants(t, err, fail.Denied, "JarHostRestricted", "restricted address", "operator's configuration")
		})
	}
}

func TestAHostOfTheListAtAPrivateAddress(t *testing.T) {
	p := policy(t)
	p.Resolver = (&names{answers: []string{"169.254.169.254"}}).resolver()
	_, err := read(t, p, "http://jars.example/job.jar")
	wants(t, err, fail.Denied, "JarHostRestricted", "host jars.example")
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) })
	p = jarsource.Policy{Schemes: p.Schemes, Proxy: p.Proxy, AnyAddress: true}
	if got, err := read(t, p, server.URL); got != content {
		t.Errorf("%q, %v: the policy lets every address be reached", got, err)
	}
}

// The name has a public address when it is checked, and a private one a moment later. Only the address that is dialled
// counts.
func TestANameThatChangesItsAddress(t *testing.T) {
	requests := 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "http://"+r.Host+"/again.jar", http.StatusFound)
	})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	uri := "http://jars.example:" + port + "/job.jar"
	for name, row := range map[string]struct {
		answers  []string
		requests int
		words    []string
	}{
		"after it was checked": {[]string{"127.0.0.1", "10.1.2.3"}, 0, []string{"job.jar: host jars.example"}},
		"after it was redirected": {
			[]string{"127.0.0.1", "127.0.0.1", "169.254.169.254"}, 1, []string{"redirected to", "again.jar"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			requests = 0
			p := policy(t)
			p.Resolver = (&names{answers: row.answers}).resolver()
			checked, err := p.Resolver.LookupNetIP(t.Context(), "ip4", "jars.example")
			if err != nil || checked[0].String() != "127.0.0.1" {
				t.Fatalf("%v, %v", checked, err)
			}
			_, err = read(t, p, uri)
			wants(t, err, fail.Denied, "JarHostRestricted", row.words...)
			if requests != row.requests {
				t.Errorf("%d requests, want %d", requests, row.requests)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	mux := http.NewServeMux()
	server := serve(t, mux.ServeHTTP)
	mux.HandleFunc("/job.jar", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) })
	mux.HandleFunc("/to/{code}", func(w http.ResponseWriter, r *http.Request) {
		code := 0
		_, _ = fmt.Sscan(r.PathValue("code"), &code)
		w.Header()["Location"] = r.URL.Query()["l"]
		w.WriteHeader(code)
	})
	mux.HandleFunc("/count/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		next := "/job.jar"
		if n > 1 {
			next = fmt.Sprintf("/count/%d", n-1)
		}
		http.Redirect(w, r, next, http.StatusFound)
	})
	for name, row := range map[string]struct {
		path, reason string
		words        []string
	}{
		"301":     {"/to/301?l=/job.jar", "", nil},
		"302":     {"/to/302?l=../job.jar", "", nil},
		"303":     {"/to/303?l=" + server.URL + "/job.jar", "", nil},
		"307":     {"/to/307?l=/job.jar", "", nil},
		"308":     {"/to/308?l=/job.jar", "", nil},
		"ten":     {"/count/10", "", nil},
		"eleven":  {"/count/11", "JarRedirectRefused", []string{"10 redirects"}},
		"nowhere": {"/to/302", "JarRedirectRefused", []string{"no valid URL"}},
		"no URL":  {"/to/302?l=%25zz", "JarRedirectRefused", []string{"no valid URL"}},
		"file":    {"/to/302?l=file:///etc/passwd", "JarURIInvalid", []string{`"file"`, "to file:///etc/passwd"}},
		"no host": {"/to/302?l=https:///x", "JarURIInvalid", nil},
		"metadata": {
			"/to/302?l=http://169.254.169.254/latest", "JarHostRestricted",
			[]string{"redirected to http://169.254.169.254/latest"},
		},
		"loopback": {"/to/302?l=http://[::1]/x", "JarHostRestricted", nil},
		"304":      {"/to/304?l=/job.jar", "JarUnreadable", []string{"304 Not Modified"}},
		"300":      {"/to/300?l=/job.jar", "JarUnreadable", []string{"300 Multiple Choices"}},
		"secrets in it": {
			"/to/302?l=" + url.QueryEscape("http://u:swordfish@[::1]/x?sig=swordfish#swordfish"), "JarHostRestricted",
			[]string{"?sig=******"},
		},
		"a secret without a name": {
			"/to/302?l=" + url.QueryEscape("http://[::1]/x?swordfish"), "JarHostRestricted", []string{"/x?******"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, policy(t), server.URL+row.path)
			if row.reason != "" {
				wants(t, err, fail.Denied, row.reason, row.words...)
			} else if got != content || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestHTTPSStaysHTTPS(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { t.Error("asked without TLS") })
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	t.Cleanup(server.Close)
	p := policy(t)
	p.Roots = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	_, err := read(t, p, server.URL)
	wants(t, err, fail.Denied, "JarRedirectRefused", "stay with https")
}

func TestCredentialsGoToTheFirstServerOnly(t *testing.T) {
	type request struct{ server, path, key, authorization string }
	for name, row := range map[string]struct {
		way    []string // the servers, first to last
		want   []string // who got the credentials
		reason string
	}{
		"no redirect":       {[]string{"a"}, []string{"a"}, "they are for that server"},
		"the same server":   {[]string{"a", "a"}, []string{"a", "a"}, "it knows them already"},
		"another server":    {[]string{"a", "b"}, []string{"a"}, "another port is another server"},
		"there and back":    {[]string{"a", "b", "a"}, []string{"a"}, "what b asks a for is not what the user asked for"},
		"another server on": {[]string{"a", "a", "b", "b"}, []string{"a", "a"}, "dropped for good"},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []request
			servers := map[string]*httptest.Server{}
			for _, server := range []string{"a", "b"} {
				servers[server] = serve(t, func(w http.ResponseWriter, r *http.Request) {
					seen = append(seen, request{server, r.URL.Path, r.Header.Get("X-Api-Key"), r.Header.Get("Authorization")})
					turn := len(seen)
					if turn == len(row.way) {
						fmt.Fprint(w, content)
						return
					}
					http.Redirect(w, r, fmt.Sprintf("%s/%d", servers[row.way[turn]].URL, turn), http.StatusTemporaryRedirect)
				})
			}
			p := policy(t)
			p.Header = map[string]string{"X-Api-Key": "swordfish"}
			if _, err := read(t, p, strings.Replace(servers["a"].URL, "//", "//user:swordfish@", 1)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range seen {
				if (r.key == "") != (r.authorization == "") {
					t.Errorf("%v: both or none", r)
				}
				if r.key != "" {
					got = append(got, r.server)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(row.want) || len(seen) != len(row.way) {
				t.Errorf("%v got credentials, want %v: %s", got, row.want, row.reason)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s%s|%s|%s|%s", content, r.Header.Get("X-One"), r.Header.Get("Authorization"),
			r.Header.Get("Accept-Encoding"), r.Host)
	})
	p := policy(t)
	p.Header = map[string]string{"x-one": "1", "authorization": "Bearer abc", "Accept-Encoding": "gzip", "Host": "other"}
	got, err := read(t, p, strings.Replace(server.URL, "//", "//user:password@", 1))
	if want := content + "1|Bearer abc|identity|" + server.Listener.Addr().String(); got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	p.Header = map[string]string{"X Four": "4", "X One": "1", "X Three": "3", "X Two": "2"}
	_, err = read(t, p, server.URL)
	wants(t, err, fail.Invalid, "JarURIInvalid", `"X Four"`) // an unchanged world gives an unchanged text
	for name, value := range map[string]string{"X One": "swordfish", "": "swordfish", "X-One": "swordfish\r\nX-Two: 2"} {
		p.Header = map[string]string{name: value}
		_, err := read(t, p, server.URL)
		wants(t, err, fail.Invalid, "JarURIInvalid", fmt.Sprintf("%q", name), "user.artifacts.http.header")
	}
}

func TestProxies(t *testing.T) {
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI)
		if r.Method == http.MethodConnect {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, content)
	})
	p := policy(t)
	p.Allowed = jarsource.Policy{}.Allowed
	p.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	if got, err := read(t, p, "http://jars.internal/job.jar"); got != content {
		t.Errorf("%q, %v: the proxy decides which addresses may be reached", got, err)
	}
	_, err := read(t, p, "https://jars.internal/job.jar")
	wants(t, err, fail.Transient, fail.ReasonUnreachable, "through proxy", "Forbidden")
	if want := "[GET http://jars.internal/job.jar CONNECT jars.internal:443]"; fmt.Sprint(asked) != want {
		t.Errorf("the proxy was asked %v, want %s", asked, want)
	}
	p.Proxy = func(*http.Request) (*url.URL, error) { return nil, context.Canceled }
	_, err = read(t, p, "https://jars.internal/job.jar")
	wants(t, err, fail.Denied, fail.ReasonUnreachable, "HTTPS_PROXY")
}

// Behind a proxy nothing is dialled here: what a URL says by itself is judged at each hop.
func TestNoProxyIsAskedForARestrictedAddress(t *testing.T) {
	var asked []string
	to := ""
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked = append(asked, r.RequestURI); r.Host == "jars.example.com" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprint(w, content)
	})
	p := policy(t)
	p.Allowed = jarsource.Policy{}.Allowed
	p.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	for _, host := range []string{
		"169.254.169.254", "10.0.0.1", "[::1]", "127.1", "0x7f000001", "2130706433", "localhost", "[::ffff:10.0.0.1]",
	} {
		asked, to = nil, "http://"+host+"/x.jar"
		_, err := read(t, p, "http://jars.example.com/x.jar")
		wants(t, err, fail.Denied, "JarHostRestricted", strings.Trim(host, "[]"))
		if len(asked) != 1 {
			t.Errorf("asked for %v", asked)
		}
		_, err = read(t, p, to)
		wants(t, err, fail.Denied, "JarHostRestricted")
	}
	to = "http://1.1.1.1/x.jar"
	if got, err := read(t, p, "http://jars.example.com/x.jar"); got != content {
		t.Errorf("%q, %v: a public address", got, err)
	}
}
