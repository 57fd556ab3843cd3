package gather

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/flinksim/authority"
)

// securedFlink is a JobManager without jobs whose REST interface is served over TLS.
func securedFlink(t *testing.T, own authority.Identity, mutual bool, ca authority.Identity) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jobs":[]}`)
	}))
	server.TLS = own.Server(nil)
	if mutual {
		server.TLS = own.Server(ca.Pool())
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are wanted
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// secretOf is a mounted Secret.
func secretOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	putInto(t, dir, files)
	return dir
}

func putInto(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lookAt asks the JobManager at a URL for its jobs.
func lookAt(t *testing.T, connect Connect, url string) world.Flink {
	t.Helper()
	g := &Gatherer{Flink: connect}
	return g.flink(
		t.Context(), deployment.Questions{Flink: &plan.Endpoint{URL: url}},
		deployment.Open(cluster.Snapshot{Seen: world.Seen{Resource: &v1beta1.FlinkDeployment{}}}),
	)
}

func TestFlinkOverTLS(t *testing.T) {
	ca, foreign := authority.CA(t), authority.CA(t)
	client := authority.Issue(t, ca, "operator")
	oneWay := securedFlink(t, authority.Issue(t, ca, "127.0.0.1"), false, ca)
	mutual := securedFlink(t, authority.Issue(t, ca, "127.0.0.1"), true, ca)
	other := securedFlink(t, authority.Issue(t, ca, "demo-rest.flink"), false, ca)
	trusted := map[string][]byte{"ca.crt": ca.CertPEM()}
	both := map[string][]byte{
		"ca.crt": ca.CertPEM(), "tls.crt": client.CertPEM(), "tls.key": client.KeyPEM(t), "keystore.jks": {1},
		"truststore.jks": {1},
	}
	rows := map[string]struct {
		url    string
		files  map[string][]byte
		any    bool
		says   string // why it is distrusted; empty when it answers
		reason string
	}{
		"one side": {oneWay, trusted, false, "", "security.ssl.rest.enabled"},
		"both sides": {
			mutual, both, false, "",
			"security.ssl.rest.authentication-enabled; as cert-manager writes it for the Java operator",
		},
		"no Secret": {
			oneWay, nil, false, "put the CA that signed it into the mounted Secret", "the system's roots do not know it",
		},
		"another CA": {
			oneWay, map[string][]byte{"ca.crt": foreign.CertPEM()}, false,
			"put the CA that signed it into the mounted Secret", "",
		},
		"no certificate of ours": {mutual, trusted, false, "requires a client certificate", ""},
		"another name": {
			other, trusted, false, "issue one with that name, or accept any name", "verified, unlike the Java operator",
		},
		"another name, told to": {other, trusted, true, "", "as the Java operator"},
		"any name and no CA":    {other, nil, true, "CA of your own", "anybody in the world would do"},
		"a Java key store alone": {
			oneWay, map[string][]byte{"truststore.jks": {1}}, false, "truststore.jks and none of ca.crt",
			"what to do is said",
		},
		"a CA that is none": {oneWay, map[string][]byte{"ca.crt": []byte("x")}, false, "no PEM certificate", ""},
		"a key store and no password": {
			oneWay, map[string][]byte{"keystore.p12": []byte("x")}, false, "the key store cannot be opened", "",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			connect, err := NewConnect(Way{
				TLS: settings.FlinkTLS{Dir: secretOf(t, row.files), Password: "s3cret", AnyName: row.any},
			})
			if err != nil {
				t.Fatal(err)
			}
			seen := lookAt(t, connect, row.url)
			if seen.Distrusted != (row.says != "") || seen.Jobs.IsPresent() != (row.says == "") ||
				!strings.Contains(seen.Jobs.Why(), row.says) {
				t.Errorf("jobs %+v, distrusted %t; want it to say %q: %s", seen.Jobs, seen.Distrusted, row.says, row.reason)
			}
			if strings.Contains(seen.Jobs.Why(), "s3cret") {
				t.Errorf("a password is told: %s", seen.Jobs.Why())
			}
		})
	}
}

func TestOneSecretDoesNotStopTheOthers(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jobs":[]}`)
	}))
	t.Cleanup(plain.Close)
	connect, err := NewConnect(Way{TLS: settings.FlinkTLS{Dir: secretOf(t, map[string][]byte{"ca.crt": []byte("x")})}})
	if err != nil {
		t.Fatal(err)
	}
	if seen := lookAt(t, connect, plain.URL); !seen.Jobs.IsPresent() {
		t.Errorf("a Secret that cannot be used is of no matter to plain http: %+v", seen.Jobs)
	}
}

func TestARenewedSecretCountsAtOnce(t *testing.T) {
	ca := authority.CA(t)
	url := securedFlink(t, authority.Issue(t, ca, "127.0.0.1"), false, ca)
	dir := secretOf(t, map[string][]byte{"ca.crt": authority.CA(t).CertPEM()})
	connect, err := NewConnect(Way{TLS: settings.FlinkTLS{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if seen := lookAt(t, connect, url); !seen.Distrusted {
		t.Fatalf("jobs %+v, want none", seen.Jobs)
	}
	putInto(t, dir, map[string][]byte{"ca.crt": ca.CertPEM()})
	if seen := lookAt(t, connect, url); !seen.Jobs.IsPresent() {
		t.Errorf("jobs %+v", seen.Jobs)
	}
}
