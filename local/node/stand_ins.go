package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	cadvisor "github.com/google/cadvisor/info/v1"
	cadvisorv2 "github.com/google/cadvisor/info/v2"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/kubernetes/pkg/volume/util/subpath"
)

// files is the operating system without /var/log/containers: the kubelet keeps links to logs there, for log collectors,
// and removes those of others.
type files struct{ container.RealOS }

const links = "/var/log/containers"

func isLink(path string) bool { return path == links || strings.HasPrefix(path, links+"/") }

func (f files) MkdirAll(path string, mode os.FileMode) error {
	if isLink(path) {
		return nil
	}
	return f.RealOS.MkdirAll(path, mode)
}

func (f files) Symlink(target, path string) error {
	if isLink(path) {
		return nil
	}
	return f.RealOS.Symlink(target, path)
}

func (f files) Remove(path string) error {
	if isLink(path) {
		return nil
	}
	return f.RealOS.Remove(path)
}

func (f files) RemoveAll(path string) error {
	if isLink(path) {
		return nil
	}
	return f.RealOS.RemoveAll(path)
}

func (f files) Glob(pattern string) ([]string, error) {
	if isLink(pattern) {
		return nil, nil
	}
	return f.RealOS.Glob(pattern)
}

// host is the machine without mount propagation and SELinux contexts: nothing is mounted.
type host struct{ *hostutil.HostUtil }

func (host) MakeRShared(string) error                      { return nil }
func (host) GetSELinuxSupport(string) (bool, error)        { return false, nil }
func (host) GetSELinuxMountContext(string) (string, error) { return "", nil }

// subpaths are the directories themselves: the real ones are bind mounts, against processes that swap a link for
// another while a container starts. A process of this machine needs no such trick.
type subpaths struct{}

func (subpaths) CleanSubPaths(string, string) error { return nil }

func (subpaths) PrepareSafeSubpath(s subpath.Subpath) (string, func(), error) {
	return s.Path, nil, nil
}

func (subpaths) SafeMakeDir(dir, base string, mode os.FileMode) error {
	// The path has been checked: no ".." in it.
	return os.MkdirAll(filepath.Join(base, dir), mode)
}

// containers is the stub of a container manager that knows how much disk there is, so that pods can ask for some.
type containers struct {
	cm.ContainerManager
	dir string
}

func newContainers(dir string) containers { return containers{cm.NewStubContainerManager(), dir} }

// GetCapacity is the size of the file system that pods write to.
func (c containers) GetCapacity(bool) corev1.ResourceList {
	var fs unix.Statfs_t
	if err := unix.Statfs(c.dir, &fs); err != nil {
		return nil
	}
	return corev1.ResourceList{
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(fs.Blocks)*fs.Bsize, resource.BinarySI),
	}
}

// machine stands in for cAdvisor: it knows the machine's size and measures nothing.
type machine struct {
	cpus  int
	dir   string
	asked func() // called when the kubelet asks for the machine's size
}

var errNotMeasured = errors.New("nothing is measured here")

func (m *machine) Start() error { return nil }

// MachineInfo is the machine's size, but for the CPUs.
func (m *machine) MachineInfo() (*cadvisor.MachineInfo, error) {
	m.asked()
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return nil, err
	}
	return &cadvisor.MachineInfo{
		NumCores:       m.cpus,
		MemoryCapacity: info.Totalram * uint64(info.Unit),
		MachineID:      Name, SystemUUID: Name, BootID: Name,
	}, nil
}

// VersionInfo is shown by `kubectl get nodes -o wide`.
func (m *machine) VersionInfo() (*cadvisor.VersionInfo, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil, err
	}
	return &cadvisor.VersionInfo{
		KernelVersion: unix.ByteSliceToString(name.Release[:]), ContainerOsVersion: "this machine, no containers",
	}, nil
}

func (m *machine) ContainerInfoV2(string, cadvisorv2.RequestOptions) (map[string]cadvisorv2.ContainerInfo, error) {
	return nil, errNotMeasured
}

func (m *machine) GetRequestedContainersInfo(
	string, cadvisorv2.RequestOptions,
) (map[string]*cadvisor.ContainerInfo, error) {
	return nil, errNotMeasured
}

func (m *machine) ImagesFsInfo(context.Context) (cadvisorv2.FsInfo, error) { return m.fs() }

func (m *machine) ContainerFsInfo(context.Context) (cadvisorv2.FsInfo, error) { return m.fs() }

func (m *machine) RootFsInfo() (cadvisorv2.FsInfo, error) { return m.fs() }

func (m *machine) GetDirFsInfo(string) (cadvisorv2.FsInfo, error) { return m.fs() }

func (m *machine) fs() (cadvisorv2.FsInfo, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(m.dir, &fs); err != nil {
		return cadvisorv2.FsInfo{}, err
	}
	size := uint64(fs.Bsize)
	return cadvisorv2.FsInfo{
		Mountpoint: m.dir, Capacity: fs.Blocks * size, Available: fs.Bavail * size, Usage: (fs.Blocks - fs.Bfree) * size,
	}, nil
}
