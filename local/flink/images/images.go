package images

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/node/runtime"
)

// Images finds Flink images: flink:TAG, apache/flink:TAG, with or without docker.io.
type Images struct {
	// Cache is where the distributions are.
	Cache flink.Cache
	// Aliases are other image names and the version of Flink that each stands for. What else is in such an image is not
	// there.
	Aliases map[string]string
}

// repositories are those of the official images.
var repositories = []string{
	"flink", "library/flink", "docker.io/library/flink", "docker.io/flink",
	"apache/flink", "docker.io/apache/flink", "ghcr.io/apache/flink-docker",
}

// resolve is the release that an image name stands for.
func (i Images) resolve(name string) (string, error) {
	if version, ok := i.Aliases[name]; ok {
		return flink.Resolve(version)
	}
	repository, tag := name, "latest"
	if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") {
		repository, tag = name[:at], name[at+1:]
	}
	if slices.Contains(repositories, repository) {
		return flink.Resolve(tag)
	}
	known := append([]string{"flink:VERSION"}, slices.Sorted(maps.Keys(i.Aliases))...)
	return "", fmt.Errorf(
		"this platform runs no containers, and no distribution stands for image %q: it knows %s", name,
		strings.Join(known, ", "),
	)
}

// Find returns an image whose distribution is in the cache.
func (i Images) Find(name string) (runtime.Image, bool) {
	version, err := i.resolve(name)
	if err != nil || !i.Cache.Has(version) {
		return runtime.Image{}, false
	}
	// With the jars in place this takes seconds at the most, and mostly nothing.
	image, err := i.Pull(context.Background(), name)
	return image, err == nil
}

// Pull makes an image, with a download if need be.
func (i Images) Pull(ctx context.Context, name string) (runtime.Image, error) {
	version, err := i.resolve(name)
	if err != nil {
		return runtime.Image{}, err
	}
	java, err := flink.FindJava()
	if err != nil {
		return runtime.Image{}, err
	}
	home, err := i.Cache.Home(ctx, version)
	if err != nil {
		return runtime.Image{}, fmt.Errorf("image %q: %w", name, err)
	}
	return runtime.Image{
		ID:    filepath.Base(home),
		Names: []string{name},
		Paths: map[string]string{root: home, entrypoint: filepath.Join(home, "docker-entrypoint.sh")},
		// Each container has these for itself.
		Scratch:   []string{root + "/log", root + "/artifacts"},
		Rewritten: []string{conf},
		Verbatim:  verbatim,
		Env: []string{
			"FLINK_HOME=" + root, "FLINK_CONF_DIR=" + conf, "FLINK_LOG_DIR=" + root + "/log",
			"JAVA_HOME=" + java.Home, "PATH=" + root + "/bin:" + filepath.Join(java.Home, "bin"), "LANG=C.UTF-8",
		},
		Entrypoint: []string{entrypoint},
		WorkingDir: root,
		User:       9999, // the official image's
	}, nil
}

// Paths of the official image.
const (
	root       = "/opt/flink"
	conf       = root + "/conf"
	entrypoint = "/docker-entrypoint.sh"
)

// verbatim keeps what a JobManager's configuration says about the pods that it makes: kubernetes.flink.conf.dir,
// kubernetes.flink.log.dir and kubernetes.entry.path, in both formats of the file.
func verbatim(line string) bool {
	_, value, ok := strings.Cut(line, ":")
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	return ok && slices.Contains([]string{conf, root + "/log", entrypoint}, value)
}
