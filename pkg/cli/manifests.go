package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/install"
)

// released are the objects of files of the plugin's release.
func (p *program) released(instead string, names ...string) (objects []*unstructured.Unstructured, err error) {
	for _, name := range names {
		text, err := p.file(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, failed("this plugin was built from source and has no manifests: %s in the checkout", instead)
		}
		if err == nil {
			var more []*unstructured.Unstructured
			more, err = install.Read(text)
			objects = append(objects, more...)
		}
		if err != nil {
			return nil, failed("%s of the release: %w", name, err)
		}
	}
	return objects, nil
}

// file is the text of a file of the release; fs.ErrNotExist where the plugin has none.
func (p *program) file(name string) (string, error) {
	if p.Release == nil {
		return "", fs.ErrNotExist
	}
	packed, err := fs.ReadFile(p.Release, name+".yaml.gz")
	if err != nil {
		return "", err
	}
	return install.Unpack(packed)
}

// overlays are the shapes that the plugin's release has.
func (p *program) overlays() (names []string) {
	if p.Release == nil {
		return nil
	}
	files, err := fs.Glob(p.Release, "overlay-*.yaml.gz")
	if err != nil { // the pattern is a constant
		return nil
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(file, "overlay-"), ".yaml.gz"))
	}
	return slices.Sorted(slices.Values(names))
}

// agreed is whether the user wants what is to come.
func (p *program) agreed(what string, yes bool) error {
	if yes {
		return nil
	}
	if !p.Terminal {
		return failed("%s; use --yes if that is meant", what)
	}
	fmt.Fprintf(p.Err, "%s. Continue? [y/N] ", what)
	answer, err := bufio.NewReader(p.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return failed("read the answer: %w", err)
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return &Exit{CodeNo, fmt.Errorf("nothing was changed")}
	}
	return nil
}

// own refuses an installation that manifests of a release do not make.
func (p *program) own(what string) error {
	if p.system != install.DefaultNamespace {
		return failed("%s in namespace %s: the manifests of a release are for namespace %s. Use Helm: "+
			"docs/install/shapes.md", what, p.system, install.DefaultNamespace)
	}
	return nil
}
