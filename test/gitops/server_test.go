package gitops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// server is a real API server with its controllers and the definitions of Knative and kn-flink, for the tests of this
// package. It runs in a process of its own, because it is built from other versions than Argo CD and Flux are.
var server struct {
	dir, kubeconfig string
	config          *rest.Config
	objects         dynamic.Interface
	process         *exec.Cmd
	input           io.Closer
}

func TestMain(m *testing.M) {
	code, err := 1, start()
	if err == nil {
		code = m.Run()
	}
	if err = errors.Join(err, stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func start() (err error) {
	if server.dir, err = os.MkdirTemp("", "gitops-"); err != nil {
		return err
	}
	program := filepath.Join(server.dir, "controlplane")
	build := exec.Command("go", "build", "-C", "../../local", "-buildvcs=false", "-o", program, "./cmd/controlplane")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the control plane: %w\n%s", err, out)
	}
	server.process = exec.Command(program, "-dir", filepath.Join(server.dir, "state"))
	server.process.Stderr = os.Stderr
	if server.input, err = server.process.StdinPipe(); err != nil {
		return err
	}
	output, err := server.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.process.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the control plane does not start: %w", err)
	}
	server.kubeconfig = strings.TrimSpace(line)
	if server.config, err = clientcmd.BuildConfigFromFlags("", server.kubeconfig); err != nil {
		return err
	}
	// A policy of the installation has the status written by the operator alone, or by who must repair it.
	server.config.Impersonate = rest.ImpersonationConfig{
		UserName: "administrator", Groups: []string{"system:masters", "system:authenticated", "kn-flink:break-glass"},
	}
	server.config.QPS, server.config.WarningHandler = -1, rest.NoWarnings{}
	if server.objects, err = dynamic.NewForConfig(server.config); err != nil {
		return err
	}
	if err := kubectl("", "apply", "--server-side", "-f", "../../config/crds").err; err != nil {
		return err
	}
	for _, k := range kinds.All {
		served := func(ctx context.Context) (bool, error) {
			_, err := server.objects.Resource(k.Resource).List(ctx, metav1.ListOptions{})
			return err == nil, nil
		}
		err = errors.Join(err, wait.PollUntilContextTimeout(context.Background(), time.Second/4, time.Minute, true, served))
	}
	return err
}

func stop() error {
	var err error
	if server.input != nil {
		err = errors.Join(server.input.Close(), server.process.Wait())
	}
	return errors.Join(err, os.RemoveAll(server.dir))
}

// answer is what kubectl said.
type answer struct {
	out string
	err error
}

func kubectl(input string, arguments ...string) answer {
	command := exec.Command("kubectl", arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+server.kubeconfig)
	command.Stdin = strings.NewReader(input)
	out, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(arguments, " "), err, out)
	}
	return answer{string(out), err}
}

// must fails the test where kubectl failed.
func (a answer) must(t *testing.T) string {
	t.Helper()
	if a.err != nil {
		t.Fatal(a.err)
	}
	return a.out
}

// resourceOf is what a resource of kn-flink is read and written as.
func resourceOf(u *unstructured.Unstructured) schema.GroupVersionResource {
	return u.GroupVersionKind().GroupVersion().WithResource(strings.ToLower(u.GetKind()) + "s")
}
