package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kn-flink/kn-flink/pkg/view"
)

// lookRights belong to what belongs to a resource.
var lookRights = []string{"list of the kinds, pods and events: what may not be read is named, and the rest is shown"}

// whyRights are those, and what the history needs.
var whyRights = append(slices.Clone(lookRights), "with --restored "+historyRights)

func (p *program) describe() command {
	return command{
		use: "describe NAME…", aliases: []string{"status"}, group: "look", kinds: allKinds, rights: lookRights,
		short: "Everything of one", args: cobra.MinimumNArgs(1), flags: p.views,
		example: "  kn flink describe orders\n  kn flink describe flinksnp/nightly -o yaml",
		run: func(ctx context.Context, args []string) error {
			return p.eachSeen(ctx, args, func(_ *cluster, seen view.Seen) error {
				job := view.JobOf(seen)
				return p.show(job, job.Text(seen.Now, p.verbose))
			})
		},
	}
}

func (p *program) why() command {
	restored := false
	return command{
		use: "why NAME…", group: "look", kinds: allKinds, rights: whyRights,
		short: "Why it is so, what it waits for, and what to do", args: cobra.MinimumNArgs(1),
		example: "  kn flink why orders\n  kn flink why orders --restored",
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.BoolVar(&restored, "restored", false, "why its job began from the state that it has")
		},
		run: func(ctx context.Context, args []string) error {
			return p.eachSeen(ctx, args, func(c *cluster, seen view.Seen) error {
				story := view.Why(seen)
				if restored {
					story = view.Restored(c.withHistory(ctx, seen))
				}
				return p.show(story, story.Text(seen.Now))
			})
		},
	}
}

// eachSeen reads the resources of the arguments with what belongs to them.
func (p *program) eachSeen(ctx context.Context, args []string, do func(*cluster, view.Seen) error) error {
	for _, arg := range args { // each by itself: what could not be read of one is no part of another
		c, object, err := p.named(ctx, arg, allKinds)
		if err != nil {
			return err
		}
		if err := do(c, c.Seen(ctx, object, p.Now)); err != nil {
			return err
		}
	}
	return nil
}
