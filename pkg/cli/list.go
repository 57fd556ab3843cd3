package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	all, snapshots, flat, code bool

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
	c, err := p.connect()
	if err != nil {
		return err
	}
	l.chosen.ByNeed = l.sort == "need"
	whole := p.output != "" && p.output != "wide"
	rows, objects, err := p.read(ctx, c, l, whole)
	if err != nil {
		return err
	}
	switch {
	case whole:
		err = p.printAll(objects)
	case len(rows) == 0:
		p.note("no resources found in %s", l.where(c))
	default:
		_, err = fmt.Fprint(p.Out, view.List(rows, view.Style{
			Now: p.Now(), Namespaces: l.all, Wide: p.output == "wide", NoHeaders: p.noHeaders, ASCII: p.ASCII,
			Tree: !l.flat && !l.chosen.ByNeed,
		}))
	}
	if err == nil && l.code && len(rows) > 0 {
		err = &Exit{CodeNo, fmt.Errorf("the list has %d lines", len(rows))}
	}
	return err
}

func (l listing) where(c *cluster) string {
	if l.all {
		return "any namespace"
	}
	return "namespace " + c.namespace
}

// read reads the kinds at the same time: a row of each resource, and the selected ones as they are where they are
// wanted. A kind that is missing or forbidden is noted; it is an error where none is left.
func (p *program) read(ctx context.Context, c *cluster, l listing, whole bool) (
	rows []view.Row, objects []*unstructured.Unstructured, err error,
) {
	var mu sync.Mutex
	var failures []error
	var group errgroup.Group
	wanted := 0
	for _, name := range allKinds {
		if !l.snapshots && !slices.Contains(jobKinds, name) {
			continue
		}
		wanted++
		kind, _ := kinds.Of(name)
		q := kube.Query{Resource: kind.Resource, Namespace: c.namespace, Labels: l.selector}
		if l.all {
			q.Namespace = ""
		}
		group.Go(func() error {
			err := c.each(ctx, q, func(content map[string]any) error {
				u := &unstructured.Unstructured{Object: content}
				row := view.RowOf(u)
				mu.Lock()
				defer mu.Unlock()
				rows = append(rows, row)
				if whole && l.chosen.Has(row) {
					objects = append(objects, u)
				}
				return nil
			})
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failures = append(failures, p.missing(name, err))
			}
			return nil
		})
	}
	_ = group.Wait() // what failed is in failures
	if len(failures) == wanted {
		return nil, nil, &Exit{CodeError, errors.Join(failures...)}
	}
	for _, failure := range failures {
		p.note("%v", failure)
	}
	return view.Rows(rows, l.chosen), objects, nil
}

// missing says why a kind cannot be read.
func (p *program) missing(kind string, err error) error {
	switch {
	case apierrors.IsNotFound(err) && kind == v1beta1.KindFlinkDeployment:
		return errNoKinds
	case apierrors.IsNotFound(err):
		return fmt.Errorf("the cluster has no %s", kind)
	case apierrors.IsForbidden(err):
		k, _ := kinds.Of(kind)
		return fmt.Errorf("%s: the right to list %s is missing: %w", kind, k.Resource.Resource, err)
	}
	return fmt.Errorf("%s: %s", kind, strings.TrimSpace(err.Error()))
}
