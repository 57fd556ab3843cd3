package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSettingsWithoutEffectAreNoted(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FLINK_CONF_DIR", dir)
	text := "kubernetes.operator.leader-election.enabled: true\npassword=hunter2\n" +
		"kubernetes.operator.default-configuration.flink-version.v9_9.rest.port: " +
		"1\nkubernetes.operator.retry.max.attempts: 3\n"
	if err := os.WriteFile(filepath.Join(dir, "flink-conf.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(s.Notes, "\n")
	for _, part := range []string{
		"line 2 is ignored", "Flink 9.9 is not known", "leader-election.enabled has no effect",
		"retry.max.attempts has no effect",
	} {
		if !strings.Contains(notes, part) {
			t.Errorf("nobody says %q: %s", part, notes)
		}
	}
	if len(s.Notes) != 4 || strings.Contains(notes, "hunter2") {
		t.Errorf("notes %q", s.Notes)
	}
}

func TestAnUnreadableProxyIsNotPrinted(t *testing.T) {
	t.Setenv("FLINK_PROXY", "http://user:hunter2@proxy:not a port")
	if _, err := Load(); err == nil || !strings.Contains(err.Error(), "FLINK_PROXY") ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want the name of the setting and no password", err)
	}
}

func TestWhoUploadsJarsIsToldByTheEnvironment(t *testing.T) {
	t.Setenv("FLINK_CONF_DIR", t.TempDir())
	for value, want := range map[string]bool{"": false, "false": false, "true": true} {
		t.Setenv("UPLOADS_JARS", value)
		if value == "" {
			os.Unsetenv("UPLOADS_JARS") // t.Setenv puts it back
		}
		if s, err := Load(); err != nil || s.UploadsJars != want {
			t.Errorf("%q: got %t, %v, want %t", value, s.UploadsJars, err, want)
		}
	}
}

func TestTLSOfTheEnvironment(t *testing.T) {
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if s.FlinkTLS != (FlinkTLS{Dir: "/etc/flink-tls"}) {
		t.Errorf("without settings it is %s, want the directory alone: names are verified", s.FlinkTLS)
	}
	t.Setenv("FLINK_TLS_DIR", "/certs")
	t.Setenv("FLINK_TLS_PASSWORD", "s3cret")
	t.Setenv("FLINK_TLS_ANY_NAME", "true")
	if s, err = Load(); err != nil {
		t.Fatal(err)
	}
	if s.FlinkTLS != (FlinkTLS{Dir: "/certs", Password: "s3cret", AnyName: true}) {
		t.Errorf("got %s", s.FlinkTLS)
	}
	if text := fmt.Sprintf("%v %+v %#v", s, s, s.FlinkTLS); strings.Contains(text, "s3cret") {
		t.Errorf("the password is printed: %s", text)
	}
	t.Setenv("FLINK_TLS_ANY_NAME", "perhaps")
	if _, err := Load(); err == nil || !strings.Contains(err.Error(), "FLINK_TLS_ANY_NAME") {
		t.Errorf("got %v, want the name of what cannot be read", err)
	}
}
