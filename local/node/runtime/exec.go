package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"
)

// execute runs a command with a container's paths, environment and directory, and returns when it has ended or the
// context has. The streams may be nil.
func (r *Runtime) execute(
	ctx context.Context, id string, argv []string, in io.Reader, out, errs io.Writer,
) (int, error) {
	c, err := r.container(id)
	if err != nil {
		return 0, err
	}
	if c.status().State != runtimeapi.ContainerState_CONTAINER_RUNNING {
		return 0, fmt.Errorf("container %q is not running", id)
	}
	p := c.program
	p.argv = c.view.rewriteAll(argv)
	var ends []*os.File // the process's ends of the pipes
	var copying sync.WaitGroup
	reader := func(to io.Writer) (*os.File, error) {
		if to == nil {
			return nil, nil
		}
		from, end, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
		copying.Go(func() { _, _ = io.Copy(to, from); _ = from.Close() })
		return end, nil
	}
	closeEnds := func() {
		for _, end := range ends {
			_ = end.Close()
		}
		ends = nil
	}
	defer closeEnds()
	if p.out, err = reader(out); err != nil {
		return 0, err
	}
	if p.err, err = reader(errs); err != nil {
		return 0, err
	}
	if in != nil {
		end, to, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		p.in, ends = end, append(ends, end)
		// Not waited for: who types may never stop.
		go func() { _, _ = io.Copy(to, in); _ = to.Close() }()
	}
	running, err := r.starter.start(p)
	closeEnds()
	if err != nil {
		return 0, err
	}
	select {
	case <-running.done:
	case <-ctx.Done():
		running.kill()
		<-running.done
		err = ctx.Err()
	}
	copying.Wait()
	return running.code, err
}

// ExecSync is part of the CRI. The errors are the ones the kubelet's probes tell apart.
func (r *Runtime) ExecSync(
	ctx context.Context, id string, argv []string, timeout time.Duration,
) ([]byte, []byte, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var out, errs bytes.Buffer
	code, err := r.execute(ctx, id, argv, nil, &out, &errs)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w: %q timed out after %s", remote.ErrCommandTimedOut, argv, timeout)
	case err == nil && code != 0:
		err = utilexec.CodeExitError{
			Err: fmt.Errorf("command %q exited with %d: %s", argv, code, errs.String()), Code: code,
		}
	}
	return out.Bytes(), errs.Bytes(), err
}
