package alerts

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// functions are the function's own programs, over a model API server.
type functions struct {
	t    *testing.T
	dir  string
	kube *kubesim.Server
	env  map[string]string
	ends []func()
}

// buildFunctions builds them. pushTo is the Collector, broker both Brokers.
func buildFunctions(t *testing.T, kube *kubesim.Server, pushTo, broker, validator string) *functions {
	t.Helper()
	f := &functions{t: t, dir: t.TempDir(), kube: kube}
	build := exec.Command("go", "build", "-C", "../..", "-buildvcs=false", "-o", f.dir+"/",
		"./functions/admit", "./functions/observe", "./functions/reconcile")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	behind, err := url.Parse(kube.URL())
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(behind))
	t.Cleanup(api.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	settings := map[string]string{
		"account/token": "a-token", "account/ca.crt": string(certificate),
		"conf/config.yaml": "kubernetes.operator.plugins.validators.rules.url: " + validator + "\n",
	}
	for _, signal := range []string{"metrics", "tracing", "logs"} {
		settings["observability/"+signal+"-protocol"] = "http/protobuf"
		settings["observability/"+signal+"-endpoint"] = pushTo
	}
	for name, text := range settings {
		file := filepath.Join(f.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host, port, _ := net.SplitHostPort(api.Listener.Addr().String())
	f.env = map[string]string{
		"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "SERVICE_ACCOUNT_DIR": f.dir + "/account",
		"SYSTEM_NAMESPACE": "flink-system", "LISTEN_HOST": "127.0.0.1", "FLINK_CONF_DIR": f.dir + "/conf",
		"CONFIG_OBSERVABILITY_DIR": f.dir + "/observability", "CONTROL_BROKER_URL": broker, "EVENTS_BROKER_URL": broker,
		"OTEL_EXPORTER_OTLP_TIMEOUT": "60000", "CONFIG_LOGGING_DIR": f.dir, "FLINK_TLS_DIR": f.dir + "/none",
	}
	return f
}

// start starts one, and says where it listens.
func (f *functions) start(name string) (address string) {
	f.t.Helper()
	address = free(f.t)
	_, port, _ := net.SplitHostPort(address)
	output := &bytes.Buffer{}
	command := exec.Command(filepath.Join(f.dir, name))
	command.Env, command.Stdout, command.Stderr = []string{"PORT=" + port}, output, output
	for _, variable := range slices.Sorted(maps.Keys(f.env)) {
		command.Env = append(command.Env, variable+"="+f.env[variable])
	}
	if err := command.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	f.t.Cleanup(func() { _ = command.Process.Kill() })
	f.ends = append(f.ends, func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			f.t.Error(err)
		}
		err := <-ended
		if err != nil || strings.Contains(output.String(), "refused for good") {
			f.t.Errorf("%s ended with %v, and said\n%s", name, err, output)
		}
	})
	within(f.t, name+" listens", func() bool {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		return connection.Close() == nil
	})
	return "http://" + address
}

// end ends them: what they have not pushed yet goes out.
func (f *functions) end() {
	for _, end := range f.ends {
		end()
	}
}

// free is an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// within waits for what holds soon, or the test ends.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(3 * time.Minute); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within three minutes: %s", what)
		}
	}
}

// send posts to a function.
func send(t *testing.T, to, body string, header http.Header) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s", to, answer.Status)
	}
}

// traceparent is what hands a trace on.
func traceparent(trace, span string) string { return fmt.Sprintf("00-%s-%s-01", trace, span) }
