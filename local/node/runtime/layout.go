package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// layout lays out a container's directory and says what its paths mean:
//
//	DIR/scratch/N   what the container has for itself: its /tmp, and the image's Scratch
//	DIR/files/N     the rewritten copies of the image's Rewritten
//	DIR/root        links, for the image's Paths that have one of these or a mount below them
//
// Where two claim a path: mount before rewritten, scratch and image; what is deeper before what is higher. A path that
// is a real one already means itself: what a container has said about its files, another may be told.
func layout(dir string, image Image, mounts []*runtimeapi.Mount) (view, error) {
	mounted, maps := map[string]string{}, []mapping{}
	for _, m := range mounts {
		inside := filepath.Clean(m.GetContainerPath())
		if err := exist(m.GetHostPath()); err != nil {
			return nil, fmt.Errorf("mount at %s: %w", inside, err)
		}
		mounted[inside] = m.GetHostPath()
		maps = append(maps, mapping{inside, m.GetHostPath()})
	}
	for i, inside := range append([]string{"/tmp"}, image.Scratch...) {
		outside := filepath.Join(dir, "scratch", strconv.Itoa(i))
		if _, ok := mounted[inside]; ok {
			continue
		}
		if err := os.MkdirAll(outside, 0o755); err != nil {
			return nil, err
		}
		maps = append(maps, mapping{inside, outside})
	}
	// The rewritten ones come after the mounts, because the copy of a mount replaces it.
	for i, inside := range image.Rewritten {
		maps = append(maps, mapping{inside, filepath.Join(dir, "files", strconv.Itoa(i))})
	}
	over := newView(maps...)
	for inside, outside := range image.Paths {
		if _, ok := mounted[inside]; ok {
			continue
		}
		if len(over.below(inside)) > 0 {
			outside = filepath.Join(dir, "root", inside)
		}
		maps = append(maps, mapping{inside, outside})
	}
	own := []mapping{{filepath.Dir(dir), filepath.Dir(dir)}}
	for _, m := range append(pairs(image.Paths), pairs(mounted)...) {
		own = append(own, mapping{m.outside, m.outside})
	}
	v := newView(append(own, maps...)...)
	return v, fill(dir, image, mounted, over, v)
}

// fill makes the copies and the links.
func fill(dir string, image Image, mounted map[string]string, over, v view) error {
	lower := newView(append(pairs(image.Paths), pairs(mounted)...)...)
	for i, inside := range image.Rewritten {
		source := lower.path(inside)
		if under := newView(pairs(mounted)...).below(inside); len(under) > 0 {
			merged := filepath.Join(dir, "merged", strconv.Itoa(i))
			if err := overlay(merged, source, under); err != nil {
				return fmt.Errorf("lay out %s: %w", inside, err)
			}
			source = merged
		}
		if err := copyRewritten(v.path(inside), source, v, image.Verbatim); err != nil {
			return fmt.Errorf("rewrite %s: %w", inside, err)
		}
	}
	for inside, outside := range image.Paths {
		under := over.below(inside)
		if _, ok := mounted[inside]; ok || len(under) == 0 {
			continue
		}
		for _, whole := range image.Rewritten {
			for path := range under {
				if strings.HasPrefix(filepath.Join(inside, path), whole+"/") {
					delete(under, path) // the copy has it
				}
			}
		}
		if err := overlay(v.path(inside), outside, under); err != nil {
			return fmt.Errorf("lay out %s: %w", inside, err)
		}
	}
	return nil
}

// below is what the view maps below a path, by the rest of the path.
func (v view) below(path string) map[string]string {
	under := map[string]string{}
	for _, m := range v {
		if rest, ok := strings.CutPrefix(m.inside, path+"/"); ok {
			under[rest] = m.outside
		}
	}
	return under
}

func pairs(paths map[string]string) []mapping {
	var out []mapping
	for inside, outside := range paths {
		out = append(out, mapping{inside, outside})
	}
	return out
}

// exist makes a directory where a mount's source is missing, as container runtimes do.
func exist(path string) error {
	if _, err := os.Stat(path); err == nil || !os.IsNotExist(err) {
		return err
	}
	return os.MkdirAll(path, 0o755)
}
