package platform

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAFailureComesWithTheEndsOfTheLogs(t *testing.T) {
	p := &Platform{options: Options{Dir: t.TempDir()}, failed: make(chan error, 1), stopping: make(chan struct{})}
	for name, text := range map[string]string{
		"etcd.log": strings.Repeat("before\n", 100) + "no space left on device\n",
		"control-plane.log": "F1122 01:00:00.0 1 a.go:1] gives up\ngoroutine 1 [running]:\nmain.main()\n\ngoroutine 2 " +
			"[select]:\nmain.other()\nI1122 01:00:01.0 2 b.go:1] begins again\n",
		"stderr.log": "",
	} {
		if err := os.MkdirAll(p.Logs(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Logs(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	failed := make(chan error, 1)
	p.watch(failed)
	failed <- errors.New("etcd ended by itself")
	select {
	case err := <-p.Failed():
		want := "etcd ended by itself\n" +
			"the end of " + p.Logs() + "/control-plane.log:\n  F1122 01:00:00.0 1 a.go:1] gives up\n  I1122 01:00:01.0 2 " +
			"b.go:1] begins again\n" +
			"the end of " + p.Logs() + "/etcd.log:\n" + strings.Repeat("  before\n", 14) + "  no space left on device"
		if err.Error() != want {
			t.Errorf("%s\nwant\n%s", err, want)
		}
	case <-time.After(time.Minute):
		t.Error("nobody is told")
	}
}
