package runtime

import (
	"context"
	"sync"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Image stands for what a container image would bring: files, and how they are started.
type Image struct {
	// ID tells this content from another's, as a digest would. It is what a pod's status shows as image ID.
	ID string
	// Names are the image names that lead here, for lists.
	Names []string
	// Paths maps absolute paths in the image to directories or files of this machine, shared by all containers.
	Paths map[string]string
	// Scratch are paths in the image that each container has for itself, empty at first. A mount there wins.
	Scratch []string
	// Rewritten are directories in the image whose text files name container paths. Each container reads a copy in which
	// those are real paths, whether the files come from the image or from a mount.
	Rewritten []string
	// Verbatim says of a line of a rewritten file that it stays as it is, because it names paths of other containers.
	// Nil: no line does.
	Verbatim func(line string) bool
	// Env are KEY=VALUE pairs, with container paths. PATH comes before the machine's own.
	Env []string
	// Entrypoint and Cmd are what an image's are; the container's command and args replace them.
	Entrypoint, Cmd []string
	// WorkingDir is a container path. Empty: the container's own scratch directory.
	WorkingDir string
	// User is whom the image says it runs as, for runAsNonRoot. Containers run as the user of this process in any case.
	User int64
}

// Images is where images come from.
type Images interface {
	// Find returns an image that is on this machine already.
	Find(name string) (Image, bool)
	// Pull gets an image, however long that takes. Its error is what the pod's status and event show.
	Pull(ctx context.Context, name string) (Image, error)
}

// pulled remembers what Pull returned, so that the kubelet finds it.
type pulled struct {
	Images
	mu     sync.Mutex
	images map[string]Image
}

func (p *pulled) find(name string) (Image, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if image, ok := p.images[name]; ok {
		return image, true
	}
	return p.Find(name)
}

// byRef finds the image that the kubelet names by what PullImage answered.
func (p *pulled) byRef(ref string) (Image, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, image := range p.images {
		if image.ID == ref {
			return image, true
		}
	}
	return Image{}, false
}

func (p *pulled) keep(name string, image Image) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.images[name] = image
}

func (i Image) cri() *runtimeapi.Image {
	return &runtimeapi.Image{
		Id:          i.ID,
		RepoTags:    i.Names,
		RepoDigests: nil,
		Size:        1, // the kubelet takes 0 for an incomplete answer
		Uid:         &runtimeapi.Int64Value{Value: i.User},
		Spec:        &runtimeapi.ImageSpec{Image: i.ID},
	}
}

// ListImages is part of the CRI.
func (r *Runtime) ListImages(_ context.Context, filter *runtimeapi.ImageFilter) ([]*runtimeapi.Image, error) {
	r.images.mu.Lock()
	defer r.images.mu.Unlock()
	var out []*runtimeapi.Image
	for name, image := range r.images.images {
		if wanted := filter.GetImage().GetImage(); wanted == "" || wanted == name {
			out = append(out, image.cri())
		}
	}
	return out, nil
}

// ImageStatus is part of the CRI. An image that is not here is no error but an empty answer.
func (r *Runtime) ImageStatus(
	_ context.Context, spec *runtimeapi.ImageSpec, _ bool,
) (*runtimeapi.ImageStatusResponse, error) {
	image, ok := r.images.byRef(spec.GetImage())
	if !ok {
		if image, ok = r.images.find(spec.GetImage()); !ok {
			return &runtimeapi.ImageStatusResponse{}, nil
		}
		r.images.keep(spec.GetImage(), image)
	}
	return &runtimeapi.ImageStatusResponse{Image: image.cri()}, nil
}

// PullImage is part of the CRI.
func (r *Runtime) PullImage(
	ctx context.Context, spec *runtimeapi.ImageSpec, _ *runtimeapi.AuthConfig, _ *runtimeapi.PodSandboxConfig,
) (string, error) {
	image, ok := r.images.find(spec.GetImage())
	if !ok {
		var err error
		if image, err = r.images.Pull(ctx, spec.GetImage()); err != nil {
			return "", err
		}
	}
	r.images.keep(spec.GetImage(), image)
	return image.ID, nil
}

// RemoveImage is part of the CRI. Images are shared with other platforms of this machine, so they stay.
func (r *Runtime) RemoveImage(context.Context, *runtimeapi.ImageSpec) error { return nil }

// ImageFsInfo is part of the CRI.
func (r *Runtime) ImageFsInfo(context.Context) (*runtimeapi.ImageFsInfoResponse, error) {
	usage := &runtimeapi.FilesystemUsage{
		FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: r.options.Dir},
		UsedBytes:  &runtimeapi.UInt64Value{},
		InodesUsed: &runtimeapi.UInt64Value{},
	}
	all := []*runtimeapi.FilesystemUsage{usage}
	return &runtimeapi.ImageFsInfoResponse{ImageFilesystems: all, ContainerFilesystems: all}, nil
}
