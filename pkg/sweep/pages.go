package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// pageSize is how many resources one request looks at: at some 20 ms of waiting for Flink each, with lookers at a time,
// well within a request's budget.
const (
	pageSize = 500
	lookers  = 16
)

// sweep looks at what a full sweep finds of a kind, and adds it to the fleet. Where pages are spread, the first one is
// looked at here, after the others were posted.
func (o *Observer) sweep(ctx context.Context, k kind, all *fleet) error {
	var failures []error
	for _, f := range k.finds(o.Gather.Now().Minute()%rarely == 0) {
		for _, namespace := range o.namespaces() {
			var first *unstructured.UnstructuredList
			err := o.pages(ctx, k, f.query, namespace, func(query kube.Query, list *unstructured.UnstructuredList) {
				all.add(k, list, o.Watches)
				switch {
				case first == nil:
					first = list
				case k.spreads:
					failures = append(failures, o.spread(ctx, k, query))
				default:
					failures = append(failures, o.lookAtAll(ctx, k, f, namespace, list))
				}
			})
			all.complete = all.complete && err == nil
			if failures = append(failures, err); first != nil {
				failures = append(failures, o.lookAtAll(ctx, k, f, namespace, first))
			}
		}
	}
	return errors.Join(failures...)
}

// lookAtFast looks at what is in transition, and reports whether anything was.
func (o *Observer) lookAtFast(ctx context.Context) (moving bool, err error) {
	var seen fleet
	var failures []error
	for _, k := range kinds {
		if k.fast {
			failures = append(failures, o.fast(ctx, k, &seen))
		}
	}
	return seen.moving, errors.Join(failures...)
}

// fast looks at the resources of a kind that are in transition.
func (o *Observer) fast(ctx context.Context, k kind, seen *fleet) error {
	var failures []error
	var members []types.NamespacedName
	f := find{query: kube.Query{Fields: inTransition}}
	for _, namespace := range o.namespaces() {
		err := o.pages(ctx, k, f.query, namespace, func(_ kube.Query, list *unstructured.UnstructuredList) {
			seen.add(k, list, o.Watches)
			for i := range list.Items {
				u := &list.Items[i]
				members = append(members, types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()})
			}
			failures = append(failures, o.lookAtAll(ctx, k, f, namespace, list))
		})
		failures = append(failures, err)
	}
	if k.batches {
		o.remember(members)
	}
	return errors.Join(failures...)
}

// Shard looks at one page of a sweep that another request spread.
func (o *Observer) Shard(ctx context.Context, s event.Shard) error {
	k, ours := kindOf(s.Kind)
	if !ours {
		return fail.Invalidf("look at a shard", "UnknownKind", "kind %q is not one of ours", s.Kind)
	}
	query := kube.Query{Resource: k.resource, Namespace: s.Namespace, Continue: s.Continue, Limit: s.Limit}
	list, err := o.Gather.Kube.List(ctx, query)
	if err != nil {
		return err
	}
	return o.lookAtAll(ctx, k, find{}, s.Namespace, list)
}

// pages follows a query in one namespace, or in all, to its last page.
func (o *Observer) pages(
	ctx context.Context, k kind, query kube.Query, namespace string,
	see func(kube.Query, *unstructured.UnstructuredList),
) error {
	for query.Resource, query.Namespace, query.Limit = k.resource, namespace, pageSize; ; {
		list, err := o.Gather.Kube.List(ctx, query)
		if err != nil {
			return o.skipped(namespace, err)
		}
		next := list.GetContinue()
		if see(query, list); next == "" {
			return nil
		}
		query.Continue = next
	}
}

// namespaces are those to list, each by itself; one empty name lists all of them at once.
func (o *Observer) namespaces() []string {
	if len(o.Namespaces) == 0 {
		return []string{""}
	}
	return o.Namespaces
}

// skipped is what the failure to list a namespace counts as.
//
//	failure                             counts as
//	a namespace may not be read         nothing: it is told, once a minute, and keeps nobody from the others and the
//	                                    clock from no pace
//	all namespaces at once may not be   a failure: nothing is looked after
//	any other                           a failure: the tick comes again
func (o *Observer) skipped(namespace string, err error) error {
	if namespace == "" || fail.KindOf(err) != fail.Denied {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.Gather.Now(); now.Sub(o.told[namespace]) >= time.Minute {
		if o.told == nil {
			o.told = map[string]time.Time{}
		}
		o.told[namespace] = now
		o.Log.Errorw(
			"a watched namespace may not be read, so nothing in it is looked after: give the right, or do not watch it",
			telemetry.Namespace, namespace, telemetry.Error, fail.Message(err),
		)
	}
	return nil
}

// spread posts the page to whichever pod takes it.
func (o *Observer) spread(ctx context.Context, k kind, query kube.Query) error {
	now := o.Gather.Now()
	e, err := event.Make(event.TypeShard, event.Head{
		ID: fmt.Sprintf("shard-%d-%s", now.UnixMilli(), query.Continue), Source: source, Time: now,
	}, event.Shard{Kind: k.name, Namespace: query.Namespace, Continue: query.Continue, Limit: query.Limit})
	if err != nil {
		return err
	}
	return o.Control.Publish(ctx, e)
}

// lookAtAll looks at the resources of a page, some at a time. One that cannot be looked at does not keep the others
// from it.
func (o *Observer) lookAtAll(
	ctx context.Context, k kind, f find, namespace string, list *unstructured.UnstructuredList,
) error {
	list.Items = slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool {
		return !o.Watches(u.GetNamespace()) || (f.only != nil && !f.only(&u))
	})
	if len(list.Items) == 0 {
		return nil
	}
	look := k.looks(o, ctx, namespace, list)
	var mu sync.Mutex
	var failures []error
	var group errgroup.Group
	group.SetLimit(lookers)
	for i := range list.Items {
		u := &list.Items[i]
		group.Go(func() error {
			if err := look(u); err != nil {
				key := event.Key{Kind: k.name, Namespace: u.GetNamespace(), Name: u.GetName()}
				o.Log.Infow("look failed", telemetry.Key, key.String(), telemetry.Error, fail.Message(err))
				mu.Lock()
				failures = append(failures, err)
				mu.Unlock()
			}
			return nil
		})
	}
	_ = group.Wait() // failures are collected above
	return errors.Join(failures...)
}
