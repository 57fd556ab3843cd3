package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// listing is what the flags of list say.
type listing struct {
	all, snapshots, flat, code, watch, colored bool

	selector string
	sort     string
	output   string
	chosen   view.Select
}

func (p *program) list() command {
	var l listing
	return command{
		use: "list", aliases: []string{"ls", "get"}, group: "look", kinds: allKinds, args: cobra.NoArgs,
		short:   "A line for each job and cluster, as a tree",
		rights:  []string{"list of the kinds"},
		example: "  kn flink list -A --stalled\n  kn flink list --sort=need",
		flags: func(f *pflag.FlagSet) {
			f.BoolVarP(&l.all, "all-namespaces", "A", false, "of all namespaces")
			f.StringVarP(&l.selector, "selector", "l", "", "a label selector")
			f.BoolVar(&l.chosen.Stalled, "stalled", false, "those that wait for a user")
			f.BoolVar(&l.chosen.Moving, "moving", false, "those that wait or move, and continue by themselves")
			f.BoolVar(&l.chosen.Suspended, "suspended", false, "those whose job is to be suspended")
			f.BoolVar(&l.snapshots, "snapshots", false, "snapshots, too")
			f.BoolVar(&l.flat, "no-tree", false, "no tree: each line at the left")
			f.BoolVarP(&l.watch, "watch", "w", false, "show each change: a terminal is drawn anew, other outputs get a line")
			f.BoolVar(&l.code, "exit-code", false, "end with 1 if the list has a line")
			f.StringVar(&l.sort, "sort", "name", "name, or need: what waits for a user comes first")
			f.BoolVar(&p.noHeaders, "no-headers", false, "no line of headers")
			f.StringVarP(&l.output, "output", "o", "", "wide, json, yaml, name, jsonpath=…, go-template=…")
		},
		run: func(ctx context.Context, _ []string) error {
			p.output = l.output
			return p.runList(ctx, l)
		},
	}
}

func (p *program) runList(ctx context.Context, l listing) error {
	if err := oneOf("sort", l.sort, "name", "need"); err != nil {
		return err
	}
	colored, err := p.colored()
	if err != nil {
		return err
	}
	l.colored, l.chosen.ByNeed = colored, l.sort == "need"
	whole := p.output != "" && p.output != "wide"
	if l.watch && whole {
		return failed("--watch with --output %s: it is for the table", p.output)
	}
	c, err := p.connect()
	if err != nil {
		return err
	}
	found, err := c.look(ctx, l, whole)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(found.failed)) {
		p.note("%v", found.failed[name])
	}
	rows := view.Rows(found.rows, l.chosen)
	switch {
	case l.watch:
		return p.watch(ctx, c, l, found)
	case whole:
		err = p.printAll(found.objects)
	case len(rows) == 0:
		p.note("no resources found in %s", l.where(c))
	default:
		_, err = fmt.Fprint(p.Out, p.table(rows, l))
	}
	if err == nil && l.code && len(rows) > 0 {
		err = &Exit{CodeNo, fmt.Errorf("the list has %d lines", len(rows))}
	}
	return err
}

func (p *program) table(rows []view.Row, l listing) string {
	return view.List(rows, view.Style{
		Now: p.Now(), Namespaces: l.all, Wide: p.output == "wide", NoHeaders: p.noHeaders, ASCII: p.ASCII,
		Tree: !l.flat && !l.chosen.ByNeed, Color: l.colored,
	})
}

// anew moves a terminal's cursor to its first place and clears all that follows.
const anew = "\x1b[H\x1b[J"

// watch shows the rows, and their changes, until the user ends it. Of a kind that cannot be read the rows stay.
func (p *program) watch(ctx context.Context, c *cluster, l listing, found looked) error {
	var before []view.Row
	for {
		rows := view.Rows(found.rows, l.chosen)
		if p.Terminal {
			fmt.Fprint(p.Out, anew+p.table(rows, l))
		} else {
			for _, line := range view.Changed(before, rows, view.Row.Key, view.Row.Sentence) {
				fmt.Fprintln(p.Out, p.Now().Format(time.TimeOnly), line)
			}
		}
		before = rows
		select {
		case <-ctx.Done():
		case <-time.After(2 * p.Pace):
		}
		now, err := c.look(ctx, l, false)
		switch {
		case ctx.Err() != nil:
			return &Exit{CodeInterrupted, ctx.Err()}
		case err != nil:
			return err
		}
		for _, r := range found.rows {
			if now.failed[r.Kind] != nil {
				now.rows = append(now.rows, r)
			}
		}
		found = now
	}
}

func (l listing) where(c *cluster) string {
	if l.all {
		return "any namespace"
	}
	return "namespace " + c.namespace
}

// looked is what one look at the kinds brought.
type looked struct {
	rows []view.Row
	// objects are the selected resources as they are, where they are wanted.
	objects []*unstructured.Unstructured
	// failed are the kinds that could not be read.
	failed map[string]error
}

// look reads the kinds at the same time. It is an error where none can be read.
func (c *cluster) look(ctx context.Context, l listing, whole bool) (looked, error) {
	var mu sync.Mutex
	var group errgroup.Group
	found := looked{failed: map[string]error{}}
	wanted := jobKinds
	if l.snapshots {
		wanted = allKinds
	}
	for _, name := range wanted {
		kind, _ := kinds.Of(name)
		q := kube.Query{Resource: kind.Resource, Namespace: c.namespace, Labels: l.selector}
		if l.all {
			q.Namespace = ""
		}
		group.Go(func() error {
			err := c.Each(ctx, q, func(content map[string]any) error {
				u := &unstructured.Unstructured{Object: content}
				row := view.RowOf(u)
				mu.Lock()
				defer mu.Unlock()
				found.rows = append(found.rows, row)
				if whole && l.chosen.Has(row) {
					found.objects = append(found.objects, u)
				}
				return nil
			})
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				found.failed[name] = c.without(kind.Name, q, err)
			}
			return nil
		})
	}
	_ = group.Wait() // what failed is in failed
	if len(found.failed) == len(wanted) {
		return found, &Exit{CodeError, errors.Join(slices.Collect(maps.Values(found.failed))...)}
	}
	return found, nil
}

// without says why a kind cannot be read.
func (c *cluster) without(kind string, q kube.Query, err error) error {
	switch {
	case apierrors.IsNotFound(err) && kind == v1beta1.KindFlinkDeployment:
		return errNoKinds
	case apierrors.IsNotFound(err):
		return fmt.Errorf("the cluster has no %s", kind)
	case apierrors.IsForbidden(err):
		return errors.New(c.Missing("list", q))
	}
	return fmt.Errorf("%s: %w", kind, err)
}
