package platform

import (
	"context"
	"fmt"
	"path/filepath"
)

// Apply makes the objects of files what the files say, as `ko apply --server-side` would: ko:// images are built first.
// What names no namespace is in default. Paths are relative to the checkout.
func (p *Platform) Apply(ctx context.Context, files ...string) error {
	for _, file := range files {
		objects, err := readObjects(filepath.Join(p.options.Checkout, file), unchanged)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if o.GetNamespace() == "" {
				o.SetNamespace("default")
			}
			if err := resolveImages(ctx, o.Object, p.images.Resolve); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		if err := p.installer.apply(ctx, objects); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
