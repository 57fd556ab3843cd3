package startup

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/flinksim/authority"
)

// pod is the environment of a pod, with a service account and a port of its own.
func pod(t *testing.T) (address string) {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string][]byte{"token": []byte("a-token"), "ca.crt": authority.CA(t).CertPEM()} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	for name, value := range map[string]string{
		"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1", "SERVICE_ACCOUNT_DIR": dir,
		"LISTEN_HOST": "127.0.0.1", "PORT": port, "SYSTEM_NAMESPACE": "flinks", "FLINK_CONF_DIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	return address
}

func TestAFunctionAnswersWithItsSettings(t *testing.T) {
	address := pod(t)
	f, err := Begin("reconcile", 0)
	if err != nil {
		t.Fatal(err)
	}
	if f.Metrics != nil {
		t.Error("nobody asks for metrics")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, told := make(chan error, 1), 0
	go func() {
		ended <- f.Listen(ctx, func(s settings.Settings) (http.Handler, error) {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, s.Namespace)
			}), nil
		}, func(context.Context, settings.Now) { told++ })
	}()
	answer := get(t, "http://"+address)
	cancel()
	if err := <-ended; err != nil || answer != "flinks" || told != 1 {
		t.Errorf("answered %q, told %d times, ended with %v", answer, told, err)
	}
}

// get asks until something listens.
func get(t *testing.T, url string) string {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); ; <-tick.C {
		response, err := http.Get(url)
		if err != nil {
			if time.Now().After(end) {
				t.Fatal(err)
			}
			continue
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

func TestAFunctionSaysWhyItCannotBegin(t *testing.T) {
	for name, row := range map[string]struct{ variable, value, want string }{
		"outside of a pod":         {"KUBERNETES_SERVICE_HOST", "", "read the service account of this pod"},
		"a port that is no number": {"PORT", "http", "PORT"},
	} {
		t.Run(name, func(t *testing.T) {
			pod(t)
			t.Setenv(row.variable, row.value)
			if _, err := Begin("observe", 0); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want an error with %q", err, row.want)
			}
		})
	}
}
