package main

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/team"
)

const (
	resources = 10000
	viewers   = 20
)

// BenchmarkMemory is the most memory of the function, as its image has it, while 20 viewers look at 10,000 resources:
// the aim is 60 MB. One round is a look of each viewer at the fleet, and at a job.
func BenchmarkMemory(b *testing.B) {
	s := team.Empty(b)
	one := team.New(b, "../..").Get(team.Resource("FlinkDeployment"), "flink", "orders")
	for i := range resources {
		u := &unstructured.Unstructured{Object: one.DeepCopy().Object}
		u.SetName(fmt.Sprintf("orders-%05d", i))
		s.Add(u)
	}
	address, pid := process(b, s)
	for round := 0; b.Loop(); round++ {
		var all sync.WaitGroup
		for viewer := range viewers {
			all.Go(func() {
				for _, path := range []string{"/jobs", fmt.Sprintf("/ns/flink/flinkdeployments/orders-%05d", viewer)} {
					look(b, address+path, fmt.Sprintf("viewer-%d-%d", round, viewer))
				}
			})
		}
		all.Wait()
	}
	b.ReportMetric(most(b, pid), "MB")
	info, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "binary-MB")
}

func look(b *testing.B, address, token string) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Error(err)
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		b.Errorf("%s: status %d", address, answer.StatusCode)
	}
}

// process builds and starts the function over a model API server, and answers where it listens, and its process.
func process(b *testing.B, s *team.Server) (address string, pid int) {
	b.Helper()
	behind, err := url.Parse(s.URL())
	if err != nil {
		b.Fatal(err)
	}
	api := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(behind))
	b.Cleanup(api.Close)
	dir := b.TempDir()
	ca := filepath.Join(dir, "ca.crt")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o644); err != nil {
		b.Fatal(err)
	}
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir+"/console", ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	at, err := url.Parse(api.URL)
	if err != nil {
		b.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(b.Context()))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close() // for the function
	command := exec.CommandContext(ctx, dir+"/console")
	command.Env = []string{
		"PORT=" + strconv.Itoa(port), "LISTEN_HOST=127.0.0.1", "KUBERNETES_CA_FILE=" + ca, "GOMEMLIMIT=50MiB",
		"KUBERNETES_SERVICE_HOST=" + at.Hostname(), "KUBERNETES_SERVICE_PORT=" + at.Port(),
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { end(); _ = command.Wait() })
	address = "http://127.0.0.1:" + strconv.Itoa(port)
	for deadline := time.Now().Add(10 * time.Second); ; {
		answer, err := http.Get(address + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
			return address, command.Process.Pid
		}
		if time.Now().After(deadline) {
			b.Fatal("it does not listen")
		}
	}
}

// most is the most resident memory that a process had, in megabytes.
func most(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kilobytes / 1000
		}
	}
	b.Fatal("its status has no VmHWM")
	return 0
}
