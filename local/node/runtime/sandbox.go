package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kn-flink/kn-flink/local/loopback"
)

// sandbox is a pod: an address and a file of names. Its fields are guarded by the runtime's lock.
type sandbox struct {
	id      string
	config  *runtimeapi.PodSandboxConfig
	created time.Time
	address string // empty when the pod uses the host's network
	dir     string
	ready   bool
}

func (s *sandbox) state() runtimeapi.PodSandboxState {
	if s.ready {
		return runtimeapi.PodSandboxState_SANDBOX_READY
	}
	return runtimeapi.PodSandboxState_SANDBOX_NOTREADY
}

// hosts is the file that names resolve by in this pod.
func (s *sandbox) hosts() string { return filepath.Join(s.dir, "hosts") }

// RunPodSandbox is part of the CRI.
func (r *Runtime) RunPodSandbox(_ context.Context, config *runtimeapi.PodSandboxConfig, _ string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errors.New("the runtime is closed")
	}
	s := &sandbox{id: newID(), config: config, created: time.Now(), ready: true}
	s.dir = filepath.Join(r.options.Dir, "pods", s.id)
	if config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() != runtimeapi.NamespaceMode_NODE {
		address, err := r.freeAddress()
		if err != nil {
			return "", err
		}
		s.address = address
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", err
	}
	if err := r.writeHosts(s); err != nil {
		return "", err
	}
	r.sandboxes[s.id] = s
	return s.id, nil
}

// freeAddress goes round, so that an address rests before it is used again.
func (r *Runtime) freeAddress() (string, error) {
	used := map[string]bool{}
	for _, s := range r.sandboxes {
		used[s.address] = used[s.address] || s.ready
	}
	for range len(used) + 1 {
		address := r.options.Network.Pod(r.nextPod % loopback.Pods)
		r.nextPod++
		if !used[address] {
			return address, nil
		}
	}
	return "", fmt.Errorf("all %d pod addresses are in use", loopback.Pods)
}

// StopPodSandbox is part of the CRI: it ends what still runs and gives the address back.
func (r *Runtime) StopPodSandbox(_ context.Context, id string) error {
	for _, c := range r.containersOf(id) {
		c.end(0)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.sandboxes[id]; ok {
		s.ready = false
	}
	return nil
}

// RemovePodSandbox is part of the CRI.
func (r *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	if err := r.StopPodSandbox(ctx, id); err != nil {
		return err
	}
	for _, c := range r.containersOf(id) {
		if err := r.RemoveContainer(ctx, c.id); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sandboxes[id]
	if !ok {
		return nil
	}
	delete(r.sandboxes, id)
	return os.RemoveAll(s.dir)
}

// PodSandboxStatus is part of the CRI.
func (r *Runtime) PodSandboxStatus(_ context.Context, id string, _ bool) (*runtimeapi.PodSandboxStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sandboxes[id]
	if !ok {
		return nil, notFound("pod sandbox", id)
	}
	return &runtimeapi.PodSandboxStatusResponse{Status: &runtimeapi.PodSandboxStatus{
		Id:        s.id,
		Metadata:  s.config.GetMetadata(),
		State:     s.state(),
		CreatedAt: s.created.UnixNano(),
		Network:   &runtimeapi.PodSandboxNetworkStatus{Ip: s.address},
		Linux: &runtimeapi.LinuxPodSandboxStatus{
			Namespaces: &runtimeapi.Namespace{Options: s.config.GetLinux().GetSecurityContext().GetNamespaceOptions()},
		},
		Labels:      s.config.GetLabels(),
		Annotations: s.config.GetAnnotations(),
	}}, nil
}

// ListPodSandbox is part of the CRI.
func (r *Runtime) ListPodSandbox(
	_ context.Context, filter *runtimeapi.PodSandboxFilter,
) ([]*runtimeapi.PodSandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*runtimeapi.PodSandbox
	for _, s := range r.sandboxes {
		if filter.GetId() != "" && filter.GetId() != s.id ||
			filter.GetState() != nil && filter.GetState().GetState() != s.state() ||
			!includes(s.config.GetLabels(), filter.GetLabelSelector()) {
			continue
		}
		out = append(out, &runtimeapi.PodSandbox{
			Id:          s.id,
			Metadata:    s.config.GetMetadata(),
			State:       s.state(),
			CreatedAt:   s.created.UnixNano(),
			Labels:      s.config.GetLabels(),
			Annotations: s.config.GetAnnotations(),
		})
	}
	return out, nil
}

// Kill ends the processes of a pod at once, as a crash or the kernel would: what comes of it is the kubelet's to find.
// It says whether there was one.
func (r *Runtime) Kill(uid string) bool {
	r.mu.Lock()
	var sandboxes []string
	for _, s := range r.sandboxes {
		if s.config.GetMetadata().GetUid() == uid {
			sandboxes = append(sandboxes, s.id)
		}
	}
	r.mu.Unlock()
	killed := false
	for _, id := range sandboxes {
		for _, c := range r.containersOf(id) {
			killed = c.end(0) || killed
		}
	}
	return killed
}

// UpdatePodSandboxResources is part of the CRI. There are no limits to update.
func (r *Runtime) UpdatePodSandboxResources(
	context.Context, *runtimeapi.UpdatePodSandboxResourcesRequest,
) (*runtimeapi.UpdatePodSandboxResourcesResponse, error) {
	return &runtimeapi.UpdatePodSandboxResourcesResponse{}, nil
}

// includes says whether the labels have all of the wanted ones.
func includes(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// SetNames gives all pods a new table of names: lines of "ADDRESS NAME...", as in /etc/hosts. A process reads it from
// the file that the environment variable LOCAL_HOSTS_FILE names; JVMs do so when given as -Djdk.net.hosts.file.
func (r *Runtime) SetNames(lines string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == lines {
		return nil
	}
	r.names = lines
	var errs []error
	for _, s := range r.sandboxes {
		errs = append(errs, r.writeHosts(s))
	}
	return errors.Join(errs...)
}

// writeHosts replaces the file as a whole, because processes read it at any time. "localhost" is the pod's own address:
// a process that listens on the pod's address is reached by its neighbours in the pod under that name.
func (r *Runtime) writeHosts(s *sandbox) error {
	own := s.address
	if own == "" {
		own = r.options.Network.Server()
	}
	// A process asks the kernel for its host's name, which is this machine's, and looks that up, too.
	machine, err := os.Hostname()
	if err != nil {
		return err
	}
	content := fmt.Sprintf("%s localhost %s %s\n%s", own, s.config.GetHostname(), machine, r.names)
	if err := os.WriteFile(s.hosts()+".part", []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(s.hosts()+".part", s.hosts())
}
