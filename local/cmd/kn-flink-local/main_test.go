package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// child makes the test binary be the command: a platform that is killed has to be another process.
const child = "KN_FLINK_LOCAL_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		main()
		return
	}
	os.Exit(m.Run())
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
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 3*time.Minute, true, condition); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// launch runs the command until it is ready, and returns what ends it and waits for that.
func launch(t *testing.T, dir string) func(syscall.Signal) error {
	t.Helper()
	said := &output{}
	command := exec.Command(os.Args[0], "-dir", dir, "-checkout", "../../..", "-keep")
	command.Env = append(os.Environ(), child+"=1")
	command.Stdout, command.Stderr = said, said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() { _ = command.Process.Kill() })
	eventually(t, "ready", func(context.Context) (bool, error) {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v\n%s", err, said)
		default:
		}
		return strings.Contains(said.String(), "ready after"), nil
	})
	return func(signal syscall.Signal) error {
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(2 * time.Minute):
			t.Fatalf("it does not end\n%s", said)
			return nil
		}
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

// processes counts those of pods of the platform in dir.
func processes(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		environ, _ := os.ReadFile(file) // it may have ended, or be another user's
		if bytes.Contains(environ, []byte("LOCAL_CONTAINER="+dir+"/")) {
			found++
		}
	}
	return found
}

// running waits until the pod runs in this start of the platform.
func running(t *testing.T, dir string) {
	t.Helper()
	eventually(t, "the pod runs", func(ctx context.Context) (bool, error) {
		pod, err := client(t, dir).CoreV1().Pods("default").Get(ctx, "sleeper", metav1.GetOptions{})
		if err != nil {
			return false, nil
		}
		statuses := pod.Status.ContainerStatuses
		return len(statuses) == 1 && statuses[0].State.Running != nil && processes(t, dir) == 1, nil
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
	end := launch(t, dir)
	// A pod of the Flink image that starts no Flink.
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "sleeper"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "flink:2.2", Args: []string{"sleep", "100000"}}}},
	}
	if _, err := client(t, dir).CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	running(t, dir)
	if err := end(syscall.SIGINT); err != nil {
		t.Errorf("interrupted, it ends with %v", err)
	}
	if left := processes(t, dir); left != 0 {
		t.Errorf("interrupted, it leaves %d processes", left)
	}

	end = launch(t, dir)
	running(t, dir)
	if err := end(syscall.SIGKILL); err == nil {
		t.Error("killed, it ends well")
	}
	eventually(t, "killed, it leaves no process", func(context.Context) (bool, error) { return processes(t, dir) == 0, nil })

	end = launch(t, dir)
	running(t, dir)
	if err := end(syscall.SIGTERM); err != nil {
		t.Errorf("terminated, it ends with %v", err)
	}
}
