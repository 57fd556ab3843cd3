package ko

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kn-flink/kn-flink/local/node/runtime"
)

const (
	// appDir is where ko puts the program into its images.
	appDir = "/ko-app"
	// nonroot is the user of ko's default base image.
	nonroot = 65532
	// wrapper starts the program with its pod's address to listen on: all pods share the machine's network.
	wrapper = `LISTEN_HOST="$LOCAL_POD_ADDRESS" exec "$0" "$@"`
)

// Find returns an image that is there.
func (b *Builder) Find(name string) (runtime.Image, bool) {
	if !strings.HasPrefix(name, registry) {
		return b.Next.Find(name)
	}
	image, err := b.image(name)
	return image, err == nil
}

// Pull returns an image that Resolve has built, or the next one's.
func (b *Builder) Pull(ctx context.Context, name string) (runtime.Image, error) {
	if !strings.HasPrefix(name, registry) {
		return b.Next.Pull(ctx, name)
	}
	return b.image(name)
}

func (b *Builder) image(name string) (runtime.Image, error) {
	file := b.file(name)
	if _, err := os.Stat(file); err != nil {
		return runtime.Image{}, fmt.Errorf("image %q is not built, or was built anew since: deploy it again", name)
	}
	app := path.Join(appDir, filepath.Base(filepath.Dir(file)))
	return runtime.Image{
		ID:         "ko-" + filepath.Base(filepath.Dir(file)) + "-" + filepath.Base(file),
		Names:      []string{name},
		Paths:      map[string]string{app: file},
		Env:        append([]string{"SERVICE_ACCOUNT_DIR=/var/run/secrets/kubernetes.io/serviceaccount"}, b.Env...),
		Entrypoint: []string{"/bin/sh", "-c", wrapper, app},
		User:       nonroot,
	}, nil
}
