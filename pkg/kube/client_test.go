package kube

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestServiceAccountElsewhere: a pod that is a process of a machine has its service account where the variable says.
func TestServiceAccountElsewhere(t *testing.T) {
	asked := ""
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Authorization")
		http.NotFound(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for file, content := range map[string][]byte{"token": []byte("secret"), "ca.crt": ca} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	t.Setenv("SERVICE_ACCOUNT_DIR", dir)
	client, err := InCluster("test", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, found, err := client.Get(t.Context(), Object{Resource: Secrets, Namespace: "a", Name: "b"}); found ||
		err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	if asked != "Bearer secret" {
		t.Errorf("it came as %q, want the token of the file", asked)
	}
	t.Setenv("SERVICE_ACCOUNT_DIR", filepath.Join(dir, "none"))
	if _, err := InCluster("test", nil); err == nil {
		t.Error("a service account that is not there must be told")
	}
}
