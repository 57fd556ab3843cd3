package cli

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/lookout"
)

// lookout looks at the resources of a cluster as a pass does, as the user.
func (p *program) lookout(ctx context.Context, c *cluster) (*lookout.Lookout, error) {
	l, err := lookout.Open(ctx, lookout.Options{Config: c.config, Reader: c.Reader, System: p.system, Now: p.Now})
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	return l, nil
}
