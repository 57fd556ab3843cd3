package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kn-flink/kn-flink/local/processes"
)

// container is a program that runs once. The kubelet restarts by making another one.
type container struct {
	id      string
	sandbox *sandbox
	config  *runtimeapi.ContainerConfig
	image   Image
	dir     string
	created time.Time
	logPath string
	view    view
	program program

	mu      sync.Mutex
	log     *logFile
	process *process
	started time.Time
	removed bool
}

// CreateContainer is part of the CRI: it lays the container's files out.
func (r *Runtime) CreateContainer(
	_ context.Context, sandboxID string, config *runtimeapi.ContainerConfig, _ *runtimeapi.PodSandboxConfig,
) (string, error) {
	r.mu.Lock()
	s, ok := r.sandboxes[sandboxID]
	closed := r.closed
	r.mu.Unlock()
	if !ok || closed {
		return "", notFound("pod sandbox", sandboxID)
	}
	ref := config.GetImage().GetImage()
	image, ok := r.images.byRef(ref)
	if !ok {
		if image, ok = r.images.find(ref); !ok {
			return "", fmt.Errorf("image %q is not on this machine", ref)
		}
	}
	c := &container{id: newID(), sandbox: s, config: config, image: image, created: time.Now()}
	c.dir = filepath.Join(r.options.Dir, "containers", c.id)
	c.logPath = filepath.Join(s.config.GetLogDirectory(), config.GetLogPath())
	if err := r.build(c); err != nil {
		return "", errors.Join(err, os.RemoveAll(c.dir))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.containers[c.id] = c
	return c.id, nil
}

// StartContainer is part of the CRI.
func (r *Runtime) StartContainer(_ context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil || c.removed {
		return fmt.Errorf("container %q was started before", id)
	}
	if c.log, err = openLogFile(c.logPath); err != nil {
		return err
	}
	if err := c.run(r.starter); err != nil {
		// As a container whose command is not there: it has run, and ended with the shell's code for that.
		c.log.write("stderr", "F", []byte(err.Error()))
		c.log.close()
		return err
	}
	return nil
}

// run starts the program with its output going to the log.
func (c *container) run(s *starter) error {
	out, outEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	errs, errsEnd, err := os.Pipe()
	if err != nil {
		return errors.Join(err, out.Close(), outEnd.Close())
	}
	p := c.program
	p.out, p.err = outEnd, errsEnd
	c.process, err = s.start(p)
	_, _ = outEnd.Close(), errsEnd.Close()
	if err != nil {
		return errors.Join(err, out.Close(), errs.Close())
	}
	c.started = time.Now()
	var copying sync.WaitGroup
	copying.Go(func() { c.log.copy("stdout", out) })
	copying.Go(func() { c.log.copy("stderr", errs) })
	go func() {
		<-c.process.done
		// A descendant that left the group may hold the pipes: it is ended by its mark.
		_ = processes.End(c.dir)
		copying.Wait()
		_, _ = out.Close(), errs.Close()
		c.log.close()
	}()
	return nil
}

// StopContainer is part of the CRI: SIGTERM, and SIGKILL after the grace period in seconds.
func (r *Runtime) StopContainer(_ context.Context, id string, timeout int64) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	c.end(time.Duration(timeout) * time.Second)
	return nil
}

// end returns when the process has ended, and says whether it ran until now.
func (c *container) end(grace time.Duration) bool {
	c.mu.Lock()
	p := c.process
	c.mu.Unlock()
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
	}
	if grace > 0 {
		p.signal(syscall.SIGTERM)
		select {
		case <-p.done:
			return true
		case <-time.After(grace):
		}
	}
	p.kill()
	<-p.done
	return true
}

// RemoveContainer is part of the CRI.
func (r *Runtime) RemoveContainer(_ context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return nil // it is gone: that is what was asked for
	}
	c.end(0)
	c.mu.Lock()
	c.removed = true
	c.mu.Unlock()
	r.mu.Lock()
	delete(r.containers, id)
	r.mu.Unlock()
	return os.RemoveAll(c.dir)
}

func (r *Runtime) container(id string) (*container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.containers[id]
	if !ok {
		return nil, notFound("container", id)
	}
	return c, nil
}

func (r *Runtime) containersOf(sandboxID string) []*container {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*container
	for _, c := range r.containers {
		if c.sandbox.id == sandboxID {
			out = append(out, c)
		}
	}
	return out
}

// status is what the container is doing now.
func (c *container) status() *runtimeapi.ContainerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &runtimeapi.ContainerStatus{
		Id:          c.id,
		Metadata:    c.config.GetMetadata(),
		State:       runtimeapi.ContainerState_CONTAINER_CREATED,
		CreatedAt:   c.created.UnixNano(),
		Image:       &runtimeapi.ImageSpec{Image: c.config.GetImage().GetUserSpecifiedImage()},
		ImageRef:    c.image.ID,
		ImageId:     c.image.ID,
		Labels:      c.config.GetLabels(),
		Annotations: c.config.GetAnnotations(),
		Mounts:      c.config.GetMounts(),
		LogPath:     c.logPath,
	}
	if c.process == nil {
		return s
	}
	s.StartedAt = c.started.UnixNano()
	select {
	case <-c.process.done:
		s.State = runtimeapi.ContainerState_CONTAINER_EXITED
		s.FinishedAt, s.ExitCode = c.process.finished.UnixNano(), int32(c.process.code)
		if s.Reason = "Error"; s.ExitCode == 0 {
			s.Reason = "Completed"
		}
	default:
		s.State = runtimeapi.ContainerState_CONTAINER_RUNNING
	}
	return s
}

// ContainerStatus is part of the CRI.
func (r *Runtime) ContainerStatus(_ context.Context, id string, _ bool) (*runtimeapi.ContainerStatusResponse, error) {
	c, err := r.container(id)
	if err != nil {
		return nil, err
	}
	return &runtimeapi.ContainerStatusResponse{Status: c.status()}, nil
}

// ListContainers is part of the CRI.
func (r *Runtime) ListContainers(
	_ context.Context, filter *runtimeapi.ContainerFilter,
) ([]*runtimeapi.Container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*runtimeapi.Container
	for _, c := range r.containers {
		s := c.status()
		if filter.GetId() != "" && filter.GetId() != c.id ||
			filter.GetPodSandboxId() != "" && filter.GetPodSandboxId() != c.sandbox.id ||
			filter.GetState() != nil && filter.GetState().GetState() != s.State ||
			!includes(s.Labels, filter.GetLabelSelector()) {
			continue
		}
		out = append(out, &runtimeapi.Container{
			Id: c.id, PodSandboxId: c.sandbox.id, Metadata: s.Metadata, Image: s.Image, ImageRef: s.ImageRef,
			ImageId: s.ImageId,
			State:   s.State, CreatedAt: s.CreatedAt, Labels: s.Labels, Annotations: s.Annotations,
		})
	}
	return out, nil
}

// ReopenContainerLog is part of the CRI.
func (r *Runtime) ReopenContainerLog(_ context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.log == nil {
		return fmt.Errorf("container %q is not running", id)
	}
	return c.log.reopen()
}

// UpdateContainerResources is part of the CRI. There are no limits to update.
func (r *Runtime) UpdateContainerResources(context.Context, string, *runtimeapi.ContainerResources) error {
	return nil
}
