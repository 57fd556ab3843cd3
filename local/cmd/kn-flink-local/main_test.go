package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// child makes the test binary be the command: a platform that is killed has to be another process. crash is how it ends
// itself when it gets a SIGUSR1, as parts of the platform do.
const (
	child = "KN_FLINK_LOCAL_CHILD"
	crash = "KN_FLINK_LOCAL_CRASH"
)

// ways are those in which a part ends the process.
var ways = map[string]func(){
	"panic":            func() { panic("a part panics") },
	"klog.Fatal":       func() { klog.Fatal("a controller gives up") },
	"klog and os.Exit": func() { klog.ErrorS(nil, "the kubelet gives up"); os.Exit(1) },
}

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	now := make(chan os.Signal, 1)
	signal.Notify(now, syscall.SIGUSR1)
	go func() {
		<-now
		ways[os.Getenv(crash)]()
	}()
	main()
}

// output is written by a process and read by a test.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	testsuite.Eventually(t, 3*time.Minute, what, condition)
}

// command is one that runs, and what it said.
type command struct {
	*testing.T
	*exec.Cmd
	said  *output
	ended chan error
}

// launch runs the command until it is ready.
func launch(t *testing.T, dir string, env ...string) *command {
	t.Helper()
	c := begin(t, dir, env...)
	eventually(t, "ready", func(context.Context) (bool, error) {
		select {
		case err := <-c.ended:
			t.Fatalf("it ended: %v\n%s", err, c.said)
		default:
		}
		return strings.Contains(c.said.String(), "ready after"), nil
	})
	return c
}

func begin(t *testing.T, dir string, env ...string) *command {
	t.Helper()
	c := &command{
		t, exec.Command(os.Args[0], "-dir", dir, "-checkout", "../../..", "-keep"), &output{}, make(chan error, 1),
	}
	c.Env = append(append(os.Environ(), child+"=1"), env...)
	c.Stdout, c.Stderr = c.said, c.said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// end sends the signal and waits for the end, and for that of all who may say something.
func (c *command) end(signal syscall.Signal) error {
	c.Helper()
	if err := c.Process.Signal(signal); err != nil {
		c.Fatal(err)
	}
	return c.await()
}

func (c *command) await() error {
	c.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(2 * time.Minute):
		c.Fatalf("it does not end\n%s", c.said)
		return nil
	}
}

func client(t *testing.T, dir string) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.NewForConfigOrDie(config)
}

// running waits until the pod's two processes run in this start of the platform.
func running(t *testing.T, dir string) {
	t.Helper()
	eventually(t, "the pod runs", func(ctx context.Context) (bool, error) {
		pod, err := client(t, dir).CoreV1().Pods("default").Get(ctx, "sleeper", metav1.GetOptions{})
		if err != nil {
			return false, nil
		}
		statuses := pod.Status.ContainerStatuses
		return len(statuses) == 1 && statuses[0].State.Running != nil && len(processes.Of(dir)) == 2, nil
	})
}

// state is a state directory that stays when the test fails.
func state(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kn-flink-local-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("the logs are kept in", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestNoProcessIsLeftAndADirectoryGoesOn(t *testing.T) {
	dir := state(t)
	c := launch(t, dir)
	// A pod of the Flink image that starts no Flink, but a process that goes its own way.
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "sleeper"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: "flink:2.2", Args: []string{"sh", "-c", "setsid sleep 100000 & exec sleep 100000"},
		}}},
	}
	if _, err := client(t, dir).CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	running(t, dir)
	if err := c.end(syscall.SIGINT); err != nil {
		t.Errorf("interrupted, it ends with %v", err)
	}
	if left := processes.Of(dir); len(left) != 0 {
		t.Errorf("interrupted, it leaves %v", left)
	}

	c = launch(t, dir)
	running(t, dir)
	if err := c.end(syscall.SIGKILL); err == nil {
		t.Error("killed, it ends well")
	}
	eventually(t, "killed, it leaves no process", func(context.Context) (bool, error) {
		return len(processes.Of(dir)) == 0, nil
	})

	c = launch(t, dir)
	running(t, dir)
	if err := c.end(syscall.SIGTERM); err != nil {
		t.Errorf("terminated, it ends with %v", err)
	}
	if said := c.said.String(); strings.Contains(said, "the end of ") {
		t.Errorf("terminated, it shows logs:\n%s", said)
	}
}

func TestThePlatformShowsCrashCauses(t *testing.T) {
	dir := state(t)
	for way, want := range map[string]string{
		"panic": "panic: a part panics", "klog.Fatal": "a controller gives up", "klog and os.Exit": "the kubelet gives up",
	} {
		if err := os.RemoveAll(filepath.Join(dir, "kubeconfig")); err != nil {
			t.Fatal(err)
		}
		c := begin(t, dir, crash+"="+way)
		eventually(t, "it has a log", func(context.Context) (bool, error) {
			_, err := os.Stat(filepath.Join(dir, "kubeconfig"))
			return err == nil, nil
		})
		if err := c.end(syscall.SIGUSR1); err == nil {
			t.Errorf("%s: it ends well", way)
		}
		for _, text := range []string{want, "the platform ended at once", "the end of " + dir + "/log/"} {
			if said := c.said.String(); !strings.Contains(said, text) {
				t.Errorf("%s: %q is not in\n%s", way, text, said)
			}
		}
	}
}

// TestDataThatEtcdCannotRead: a machine that lost its power leaves such.
func TestDataThatEtcdCannotRead(t *testing.T) {
	dir := state(t)
	if err := os.MkdirAll(filepath.Join(dir, "etcd", "member", "wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(
		filepath.Join(dir, "etcd", "member", "wal", "0000000000000000-0000000000000000.wal"), []byte("no log"), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	c := begin(t, dir)
	if err := c.await(); err == nil {
		t.Error("it ends well")
	}
	if said := c.said.String(); !strings.Contains(said, "the end of "+dir+"/log/etcd.log:\n  ") {
		t.Errorf("the log is not in\n%s", said)
	}
}
