package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/act"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

func (p *program) savepoint() command {
	s := edit.Snapshot{}
	c := p.taken(&s, func(f *pflag.FlagSet) {
		f.StringVar(&s.Format, "format", "", "canonical or native")
		f.StringVar(&s.Path, "path", "", "directory; by default the job's execution.checkpointing.savepoint-dir")
		f.BoolVar(&s.Keep, "keep", false, "keep its data when the resource is deleted")
	})
	c.use, c.short = "savepoint NAME", "Take a savepoint, and print where it lies"
	c.below = []command{p.savepointList(), p.savepointDelete()}
	return c
}

func (p *program) checkpoint() command {
	c := p.taken(&edit.Snapshot{Checkpoint: true}, nil)
	c.use, c.short = "checkpoint NAME", "Take a checkpoint, and print where it lies"
	return c
}

// taken is the command that takes a snapshot.
func (p *program) taken(s *edit.Snapshot, flags func(*pflag.FlagSet)) command {
	var w writing
	return command{
		group: "change", kinds: runKinds,
		rights: []string{
			"create of flinkstatesnapshots", "where the cluster has no such kind, patch of the kind",
		},
		args: cobra.ExactArgs(1),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&s.Name, "name", "", "name of the FlinkStateSnapshot; by default the job's with the time")
			f.StringVar(&w.dryRun, "dry-run", "none", "none, or server: it is judged as a real one, and nothing is made")
			f.BoolVar(&w.noWait, "no-wait", false, "do not wait for the end")
			f.DurationVar(&w.timeout, "timeout", longest, "how long to wait for the end")
			f.BoolVar(&w.force, "force", false, "where the cluster has no FlinkStateSnapshot: change a resource that Argo CD, "+
				"Flux or Helm owns, too")
			if flags != nil {
				flags(f)
			}
		},
		run: func(ctx context.Context, args []string) error {
			if err := w.check(); err != nil {
				return err
			}
			if s.Format != "" {
				if err := oneOf("format", strings.ToLower(s.Format), "canonical", "native"); err != nil {
					return err
				}
			}
			return p.take(ctx, args[0], *s, w)
		},
	}
}

// take makes the snapshot, or finds the one that an earlier run made, and follows it.
func (p *program) take(ctx context.Context, arg string, s edit.Snapshot, w writing) error {
	c, object, err := p.named(ctx, arg, allKinds)
	if err != nil {
		return err
	}
	wanted, err := s.Of(object, p.Now())
	if err != nil {
		return &Exit{CodeError, err}
	}
	if w.dryRun == "server" {
		return p.tried(ctx, c, wanted)
	}
	there, err := p.begin(ctx, c, wanted, s.Name != "")
	if err != nil {
		return err
	}
	if there == nil && s.Checkpoint {
		return failed("the cluster has no FlinkStateSnapshot: set spec.job.checkpointTriggerNonce to another number")
	}
	if there == nil {
		return p.apply(ctx, c, object, edit.Nonce(object), w)
	}
	p.note("flinksnp/%s", there.GetName())
	if w.noWait {
		return nil
	}
	done, err := p.follow(ctx, c, there, following{goal: "completed", timeout: w.timeout, to: p.Err})
	if err != nil {
		return err
	}
	if path := view.RowOf(done).Path; path != "" {
		_, err = fmt.Fprintln(p.Out, path)
		return err
	}
	p.note("Flink did not say where it lies")
	return nil
}

// objectOf is where a snapshot is.
func objectOf(u *unstructured.Unstructured) kube.Object {
	return kube.Object{Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: u.GetNamespace(), Name: u.GetName()}
}

func (p *program) tried(ctx context.Context, c *cluster, wanted *unstructured.Unstructured) error {
	if err := c.DryRun(ctx, objectOf(wanted), wanted); err != nil {
		return refused(err)
	}
	_, err := fmt.Fprintf(p.Out, "flinksnp/%s (server dry run: nothing was made)\n", wanted.GetName())
	return err
}

// begin makes a snapshot, unless one of an earlier run has not ended. It is nil where the cluster has no such kind.
func (p *program) begin(
	ctx context.Context, c *cluster, wanted *unstructured.Unstructured, named bool,
) (*unstructured.Unstructured, error) {
	there, open, err := act.Begin(ctx, c.Reader, wanted, named)
	switch {
	case errors.Is(err, act.ErrNamed):
		return nil, failed("%w: give it another --name", err)
	case err != nil:
		return nil, refused(err)
	case open:
		p.note("one that was asked for before has not ended: it is followed")
	}
	return there, nil
}
