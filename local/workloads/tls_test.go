//go:build nightly

package workloads

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/test/life"
)

// TestAJobManagerSpeaksTLS: the functions speak https to a JobManager whose certificate they were given, and upgrade
// its job by savepoint. The key store is made as the example says.
func TestAJobManagerSpeaksTLS(t *testing.T) {
	const name = "tls"
	keys := t.TempDir()
	java, err := flink.FindJava()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range commands(t, name+".yaml", "keytool ") {
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Dir = keys
		command.Env = append(os.Environ(), "PATH="+filepath.Join(java.Home, "bin")+":"+os.Getenv("PATH"))
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, said)
		}
	}
	secret(t, ns.Name, "tls-keystore", filepath.Join(keys, "keystore.p12"))
	authority := secret(t, "flink-system", "flink-operator-cert", filepath.Join(keys, "ca.crt"))
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(authority) {
		t.Fatalf("no certificate: %s", authority)
	}
	ns.Apply(t, ns.File(t, name+".yaml", onVolume(t.TempDir())...)...)
	stateful(name, &tls.Config{RootCAs: trusted}).Run(t, life.Upgraded("savepoint"))
}

// commands are those of a program that the comment of an example says, a line each.
func commands(t *testing.T, file, program string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ns.Examples, file))
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.ReplaceAll(string(text), "\\\n#", "")
	for line := range strings.Lines(joined) {
		if line, ok := strings.CutPrefix(line, "#   "+program); ok {
			all = append(all, program+line)
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s says no command of %s", file, program)
	}
	return all
}

// secret makes one of a file, and returns what is in that.
func secret(t *testing.T, namespace, name, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ns.Make(t, namespace, &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: name},
		Data: map[string][]byte{filepath.Base(file): content},
	})
	return content
}
