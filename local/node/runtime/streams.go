package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"k8s.io/client-go/tools/remotecommand"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubelet/pkg/cri/streaming"
	utilexec "k8s.io/utils/exec"

	"github.com/kn-flink/kn-flink/local/loopback"
)

// streams serves `kubectl exec` and `kubectl port-forward`. The kubelet passes requests on to it, by URLs with a token
// that works once and for a minute.
type streams struct{ r *Runtime }

func startStreams(r *Runtime, network *loopback.Network) (streaming.Server, error) {
	// The server opens the port itself: this finds one that is free.
	free, err := network.Listen(network.Server(), 0)
	if err != nil {
		return nil, err
	}
	config := streaming.DefaultConfig
	config.Addr = free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	server, err := streaming.NewServer(config, streams{r})
	if err != nil {
		return nil, err
	}
	go func() { _ = server.Start(true) }() // ends with Stop; without it only exec and port-forward fail
	return server, nil
}

// Exec runs a command. There are no terminals: a command that asks for one runs without.
func (s streams) Exec(
	ctx context.Context, id string, argv []string, in io.Reader, out, errs io.WriteCloser, _ bool,
	_ <-chan remotecommand.TerminalSize,
) error {
	var e io.Writer = errs
	if errs == nil {
		e = out // as on a terminal
	}
	code, err := s.r.execute(ctx, id, argv, in, out, e)
	if err == nil && code != 0 {
		err = utilexec.CodeExitError{Err: fmt.Errorf("command terminated with exit code %d", code), Code: code}
	}
	return err
}

// Attach is refused: a container's output goes to its log, and its input is closed.
func (s streams) Attach(
	context.Context, string, io.Reader, io.WriteCloser, io.WriteCloser, bool, <-chan remotecommand.TerminalSize,
) error {
	return errors.New("attach is not supported here: use logs or exec")
}

// PortForward connects to a port of the pod's address.
func (s streams) PortForward(ctx context.Context, id string, port int32, stream io.ReadWriteCloser) error {
	s.r.mu.Lock()
	pod, ok := s.r.sandboxes[id]
	s.r.mu.Unlock()
	if !ok {
		return notFound("pod sandbox", id)
	}
	connection, err := new(net.Dialer).DialContext(ctx, "tcp4", net.JoinHostPort(pod.address, strconv.Itoa(int(port))))
	if err != nil {
		return err
	}
	var either sync.Once
	done := make(chan struct{})
	for _, pair := range [][2]io.ReadWriter{{connection, stream}, {stream, connection}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			either.Do(func() { close(done) })
		}()
	}
	<-done
	return connection.Close()
}

// Exec is part of the CRI.
func (r *Runtime) Exec(_ context.Context, request *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	if _, err := r.container(request.GetContainerId()); err != nil {
		return nil, err
	}
	return r.streams.GetExec(request)
}

// Attach is part of the CRI.
func (r *Runtime) Attach(_ context.Context, request *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	return r.streams.GetAttach(request)
}

// PortForward is part of the CRI.
func (r *Runtime) PortForward(
	_ context.Context, request *runtimeapi.PortForwardRequest,
) (*runtimeapi.PortForwardResponse, error) {
	return r.streams.GetPortForward(request)
}
