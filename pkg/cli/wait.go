package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/view"
)

// unseenFor is after how long a wait says that no operator looks at the resource.
const unseenFor = 30 * time.Second

func (p *program) wait() command {
	var goal string
	var timeout time.Duration
	return command{
		use: "wait NAME", group: "look", kinds: allKinds, args: cobra.ExactArgs(1),
		short:   "Show each change until it is ready, suspended, complete, …",
		example: "  kn flink wait orders\n  kn flink wait orders --for=deleted --timeout=5m",
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&goal, "for", "", strings.Join(view.Goals(), ", ")+
				"; by default ready, or suspended or completed where the resource asks for that")
			f.DurationVar(&timeout, "timeout", 10*time.Minute, "how long")
		},
		run: func(ctx context.Context, args []string) error {
			if goal != "" {
				if err := oneOf("for", goal, view.Goals()...); err != nil {
					return err
				}
			}
			c, object, err := p.named(ctx, args[0], allKinds)
			if err != nil {
				return err
			}
			if goal == "" {
				goal = view.GoalOf(object)
			}
			_, err = p.follow(ctx, c, object, following{goal: goal, timeout: timeout, to: p.Out})
			return err
		},
	}
}

// following is how a resource is followed.
type following struct {
	goal    string
	timeout time.Duration
	to      io.Writer
}

// follow writes each change of a resource until its goal, and answers with it as it was then; nil is gone.
func (p *program) follow(
	ctx context.Context, c *cluster, object *unstructured.Unstructured, f following,
) (*unstructured.Unstructured, error) {
	kind, name := object.GetKind(), object.GetName()
	line, told, begun := "", false, p.Now()
	for {
		now, err := c.get(ctx, kind, name)
		if err != nil {
			return object, err
		}
		progress := view.ProgressOf(now, f.goal)
		if progress.Line != line {
			line = progress.Line
			fmt.Fprintf(f.to, "%s  %s  %s\n", p.Now().Format(time.TimeOnly), name, line)
		}
		switch {
		case progress.End == view.Reached:
			return now, nil
		case progress.End == view.Never:
			return now, &Exit{CodeNo, fmt.Errorf("%s is not %s: kn flink why %s", name, f.goal, name)}
		case p.Now().Sub(begun) >= f.timeout:
			return now, &Exit{CodeTime, fmt.Errorf("%s is not %s after %v; it continues in the cluster", name, f.goal,
				f.timeout)}
		case progress.Unseen && !told && p.Now().Sub(begun) > unseenFor:
			told = true
			p.note("no operator has looked at the newest generation for %v: does the installation run?", unseenFor)
		}
		select {
		case <-ctx.Done():
			return now, &Exit{CodeInterrupted, ctx.Err()}
		case <-time.After(p.Pace):
		}
	}
}
