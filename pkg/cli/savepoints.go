package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/preview"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// savepointList lists the savepoints that are known.
func (p *program) savepointList() command {
	return command{
		use: "list [NAME]", aliases: []string{"ls"}, kinds: runKinds, args: cobra.MaximumNArgs(1),
		short:   "The savepoints of a job, or of all jobs of the namespace, that are known",
		rights:  []string{"list of the kinds and of flinkstatesnapshots", historyRights},
		example: "  kn flink savepoint list orders\n  kn flink savepoint list -o yaml",
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.BoolVar(&p.noHeaders, "no-headers", false, "leave out the names of the columns")
		},
		run: func(ctx context.Context, args []string) error {
			c, err := p.connect()
			if err != nil {
				return err
			}
			var of *unstructured.Unstructured
			if len(args) > 0 {
				if of, err = c.find(ctx, args[0], runKinds); err != nil {
					return err
				}
			}
			all := c.savepoints(ctx, of)
			if len(all.Savepoints) == 0 && len(all.Unreadable) == 0 && p.output == "text" {
				p.note("no savepoint is known in namespace %s", c.namespace)
			}
			return p.show(all, all.Text(p.Now(), p.noHeaders))
		},
	}
}

// savepoints are those that are known of a job; nil is of all jobs of the namespace. What cannot be read is noted.
func (c *cluster) savepoints(ctx context.Context, of *unstructured.Unstructured) view.Savepoints {
	every := func(*unstructured.Unstructured) bool { return true }
	query := kube.Query{Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: c.namespace}
	readers := c.readers(ctx)
	known := view.Known{
		Namespace: c.namespace, Jobs: []*unstructured.Unstructured{of},
		Revisions: map[types.UID][]history.Revision{},
		Needed:    needs(readers),
	}
	wanted, revisions := every, history.LabelUID
	if of == nil {
		known.Jobs = slices.DeleteFunc(slices.Clone(readers), func(u *unstructured.Unstructured) bool {
			return !slices.Contains(runKinds, u.GetKind())
		})
	} else {
		wanted, revisions = view.FamilyOf(of).Has, history.Selector(of.GetUID())
	}
	known.Snapshots = c.Optional(ctx, query, wanted)
	query = kube.Query{Resource: kube.Revisions, Namespace: c.namespace, Labels: revisions}
	for _, u := range c.Optional(ctx, query, every) {
		if r, err := history.Read(u); err == nil {
			uid := types.UID(u.GetLabels()[history.LabelUID])
			known.Revisions[uid] = append(known.Revisions[uid], r)
		}
	}
	known.Unreadable = c.Unreadable()
	return view.SavepointsOf(known)
}

// readers are the resources of the namespace that may need a savepoint.
func (c *cluster) readers(ctx context.Context) (all []*unstructured.Unstructured) {
	for _, name := range jobKinds {
		kind, _ := kinds.Of(name)
		all = append(all, c.Optional(ctx, kube.Query{Resource: kind.Resource, Namespace: c.namespace},
			func(*unstructured.Unstructured) bool { return true })...)
	}
	return all
}

// needs says which of some resources needs a path, and for what; empty when none does.
func needs(readers []*unstructured.Unstructured) func(path string) string {
	var all []func(path string) string
	for _, u := range readers {
		all = append(all, preview.Needs(u))
	}
	return func(path string) string {
		for _, of := range all {
			if why := of(path); why != "" {
				return why
			}
		}
		return ""
	}
}

// savepointDelete deletes a FlinkStateSnapshot.
func (p *program) savepointDelete() command {
	var w writing
	return command{
		use: "delete NAME", kinds: []string{v1beta1.KindFlinkStateSnapshot}, args: cobra.ExactArgs(1),
		short:   "Delete a FlinkStateSnapshot and, as its disposeOnDelete says, its data",
		rights:  []string{"list of the kinds with jobs", "delete of flinkstatesnapshots"},
		example: "  kn flink savepoint delete nightly",
		flags: func(f *pflag.FlagSet) {
			w.bind(f)
			f.Lookup("yes").Usage = "do not ask before data is deleted"
			f.Lookup("force").Usage = "delete one that a job needs, or that Argo CD, Flux or Helm owns, too"
		},
		run: func(ctx context.Context, args []string) error {
			if err := w.check(); err != nil {
				return err
			}
			kind, name, err := view.Named(strings.TrimPrefix(args[0], "snapshot/"))
			switch {
			case err != nil:
				return &Exit{CodeError, err}
			case kind != "" && kind != v1beta1.KindFlinkStateSnapshot:
				return failed("%s: name a FlinkStateSnapshot, as kn flink savepoint list shows them", args[0])
			}
			c, err := p.connect()
			if err != nil {
				return err
			}
			object, err := c.one(ctx, v1beta1.KindFlinkStateSnapshot, name)
			if err != nil {
				return err
			}
			return p.remove(ctx, c, object, w)
		},
	}
}

// remove deletes a snapshot that no job needs, and follows it until it is gone.
func (p *program) remove(ctx context.Context, c *cluster, object *unstructured.Unstructured, w writing) error {
	name, path := object.GetName(), view.RowOf(object).Path
	e := edit.Delete(object)
	if path != "" && !w.force {
		why := needs(c.readers(ctx))(path)
		if missing := c.Unreadable(); why == "" && len(missing) > 0 {
			why = "whether a job needs it is not known: " + strings.Join(missing, "; ")
		}
		if why != "" {
			return &Exit{CodeRefused, fmt.Errorf("%s: %s; nothing was changed: use --force if that is meant", name, why)}
		}
	}
	if err := p.mayChange(object, e, w); err != nil {
		return err
	}
	for _, text := range e.Notes {
		p.note("%s", text)
	}
	if p.verbose {
		p.note("kubectl delete flinkstatesnapshots %s -n %s", name, object.GetNamespace())
	}
	if w.dryRun == "server" {
		if err := c.Delete(ctx, objectOf(object), object.GetUID(), kube.DryRun); err != nil {
			return refused(err)
		}
		_, err := fmt.Fprintf(p.Out, "%s  %s (server dry run: nothing was changed)\n", name, e.Says)
		return err
	}
	if err := c.Delete(ctx, objectOf(object), object.GetUID()); err != nil {
		return refused(err)
	}
	if _, err := fmt.Fprintf(p.Out, "%s  %s\n", name, e.Says); err != nil || w.noWait {
		return err
	}
	begun := p.Now()
	if _, err := p.follow(ctx, c, object, following{goal: e.Goal, timeout: w.timeout, to: p.Err}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, "%s  %s in %v\n", name, e.Goal, p.Now().Sub(begun).Round(time.Second))
	return err
}
