package settings

import (
	"fmt"
	"strings"
	"testing"
)

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
