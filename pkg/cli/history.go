package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// historyRights is what reading the history needs.
const historyRights = "list of controllerrevisions.apps"

func (p *program) history() command {
	var number int64
	var between []int64
	return command{
		use: "history NAME", group: "look", kinds: runKinds, args: cobra.ExactArgs(1), rights: []string{historyRights},
		short: "The last starts of a job, with the states that each began from and left",
		example: "  kn flink history orders\n  kn flink history orders --diff 11,12\n" +
			"  kn flink history orders -o yaml --revision 11",
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.BoolVar(&p.noHeaders, "no-headers", false, "leave out the names of the columns")
			f.Int64Var(&number, "revision", 0, "the resource as it was started then; with -o yaml or json")
			f.Int64SliceVar(&between, "diff", nil, "the fields that differ between two revisions, as 11,12")
		},
		run: func(ctx context.Context, args []string) error {
			c, object, err := p.named(ctx, args[0], runKinds)
			if err != nil {
				return err
			}
			all, err := c.revisions(ctx, object)
			switch {
			case err != nil:
				return err
			case number != 0:
				return p.manifest(object, all, number)
			case len(between) > 0:
				return p.diff(object, all, between)
			}
			h := view.HistoryOf(object, all)
			return p.show(h, h.Text(p.Now(), p.verbose, p.noHeaders))
		},
	}
}

// manifest prints the resource as a revision has it, as kubectl would.
func (p *program) manifest(object *unstructured.Unstructured, all []history.Revision, number int64) error {
	r, err := numbered(object, all, number)
	if err != nil {
		return err
	}
	manifest, err := view.Manifest(object, r)
	if err != nil {
		return &Exit{CodeError, err}
	}
	if p.output == "text" {
		p.output = "yaml"
	}
	if err := oneOf("output", p.output, "json", "yaml"); err != nil {
		return err
	}
	return p.print(manifest)
}

func (p *program) diff(object *unstructured.Unstructured, all []history.Revision, between []int64) error {
	const two = 2
	if len(between) != two {
		return failed("--diff: it names two revisions, as 11,12")
	}
	from, err := numbered(object, all, between[0])
	if err != nil {
		return err
	}
	to, err := numbered(object, all, between[1])
	if err != nil {
		return err
	}
	changes, err := view.Diff(object, from, to)
	if err != nil {
		return &Exit{CodeError, err}
	}
	text := "no field differs\n"
	if len(changes) > 0 {
		text = strings.Join(changes, "\n") + "\n"
	}
	return p.show(map[string]any{"apiVersion": view.Version, "kind": "DiffView", "changes": changes}, text)
}

// revisions belong to a resource.
func (c *cluster) revisions(ctx context.Context, object *unstructured.Unstructured) ([]history.Revision, error) {
	all, err := c.Revisions(ctx, object)
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	return all, nil
}

// withHistory adds the history of a resource to what was seen of it. What cannot be read is noted.
func (c *cluster) withHistory(ctx context.Context, seen view.Seen) view.Seen {
	if !slices.Contains(runKinds, seen.Resource.GetKind()) {
		return seen
	}
	all, err := c.revisions(ctx, seen.Resource)
	if seen.Revisions = all; err != nil {
		seen.Unreadable = append(seen.Unreadable, err.Error())
	}
	return seen
}

// numbered is the revision that has a number.
func numbered(object *unstructured.Unstructured, all []history.Revision, number int64) (history.Revision, error) {
	var there []string
	for _, r := range all {
		if r.Number == number {
			return r, nil
		}
		there = append(there, fmt.Sprint(r.Number))
	}
	if len(there) == 0 {
		return history.Revision{}, failed("%s has no revisions: see kn flink history %s", object.GetName(), object.GetName())
	}
	return history.Revision{}, failed("%s has no revision %d: there are %s", object.GetName(), number,
		strings.Join(there, ", "))
}

func (p *program) rollback() command {
	var number int64
	var from string
	var w writing
	return command{
		use: "rollback NAME", group: "change", kinds: runKinds, args: cobra.ExactArgs(1),
		rights: []string{historyRights, "patch of the kind"}, short: "Bring back the spec of an earlier start of a job",
		example: "  kn flink rollback orders --to 11\n  kn flink rollback orders --to 11 --state=then",
		flags: func(f *pflag.FlagSet) {
			w.bind(f)
			f.Int64Var(&number, "to", 0, "the revision, see kn flink history")
			f.StringVar(&from, "state", edit.StateNow, "what the job starts from: now, what it has when it is stopped; then, "+
				"what the revision left; a path; snapshot/NAME; empty")
		},
		run: func(ctx context.Context, args []string) error {
			if err := w.check(); err != nil {
				return err
			}
			if number == 0 {
				return failed("--to: name the revision; kn flink history %s lists them", args[0])
			}
			c, object, err := p.named(ctx, args[0], runKinds)
			if err != nil {
				return err
			}
			all, err := c.revisions(ctx, object)
			if err != nil {
				return err
			}
			to, err := numbered(object, all, number)
			if err != nil {
				return err
			}
			path, err := c.stateOf(ctx, from)
			if err != nil {
				return err
			}
			made, err := edit.Rollback(object, to, path, view.Hiding(object, to))
			if err != nil {
				return &Exit{CodeError, err}
			}
			return p.apply(ctx, c, object, made, w)
		},
	}
}

func (p *program) restore() command {
	var from string
	var empty bool
	var w writing
	return command{
		use: "restore NAME", group: "change", kinds: runKinds, args: cobra.ExactArgs(1),
		rights:  []string{historyRights, "list of flinkstatesnapshots", "patch of the kind"},
		short:   "Start a job from a state of your choice; without one, list those that are known",
		example: "  kn flink restore orders\n  kn flink restore orders --from s3://bucket/savepoint-1",
		flags: func(f *pflag.FlagSet) {
			w.bind(f)
			p.views(f)
			f.StringVar(&from, "from", "", "path of a savepoint or checkpoint, or snapshot/NAME")
			f.BoolVar(&empty, "empty", false, "start without state")
		},
		run: func(ctx context.Context, args []string) error {
			if err := w.check(); err != nil {
				return err
			}
			if from != "" && empty {
				return failed("--from and --empty exclude each other")
			}
			c, object, err := p.named(ctx, args[0], runKinds)
			if err != nil {
				return err
			}
			if from == "" && !empty {
				return p.candidates(ctx, c, object)
			}
			path, err := c.stateOf(ctx, from)
			if err != nil {
				return err
			}
			made, err := edit.Restore(object, path)
			if err != nil {
				return &Exit{CodeError, err}
			}
			return p.apply(ctx, c, object, made, w)
		},
	}
}

// candidates lists the states that a job may be started from. What cannot be read is named.
func (p *program) candidates(ctx context.Context, c *cluster, object *unstructured.Unstructured) error {
	of := view.FamilyOf(object)
	snapshots := c.Optional(ctx, kube.Query{
		Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: object.GetNamespace(),
	}, of.Has)
	all, err := c.revisions(ctx, object)
	found := view.CandidatesOf(object, snapshots, all)
	if found.Unreadable = c.Unreadable(); err != nil {
		found.Unreadable = append(found.Unreadable, err.Error())
	}
	return p.show(found, found.Text(p.Now()))
}

// stateOf is the path that a flag names: itself, or that of a snapshot.
func (c *cluster) stateOf(ctx context.Context, from string) (string, error) {
	name, is := strings.CutPrefix(from, "snapshot/")
	if !is {
		return from, nil
	}
	u, err := c.one(ctx, v1beta1.KindFlinkStateSnapshot, name)
	if err != nil {
		return "", err
	}
	path, _, _ := unstructured.NestedString(u.Object, "status", "path")
	if state, _, _ := unstructured.NestedString(u.Object, "status", "state"); state != "COMPLETED" || path == "" {
		return "", failed("flinksnp/%s is not COMPLETED: kn flink describe flinksnp/%s", name, name)
	}
	return path, nil
}
