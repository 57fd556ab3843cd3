package sweep

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/quarantined"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// sweep looks at what a full sweep finds of a kind, and adds it to the fleet. What is more than a page is spread: this
// request only reads how the resources are, page by page and in a few words each, and leaves the looks to the shards.
func (o *Observer) sweep(ctx context.Context, k kind, all *fleet) error {
	var failures []error
	for _, f := range k.found(all, o.Gather.Now().Minute()%rarely == 0) {
		for _, namespace := range o.namespaces() {
			err := o.find(ctx, k, f, namespace, all)
			all.complete = all.complete && err == nil
			failures = append(failures, o.skipped(namespace, err))
		}
	}
	return errors.Join(failures...)
}

// find looks at what a query finds in one namespace, or in all.
func (o *Observer) find(ctx context.Context, k kind, f find, namespace string, all *fleet) error {
	query := o.narrowed(f.query)
	query.Resource, query.Namespace, query.Limit = k.Resource, namespace, k.Sweep.Page
	list, err := o.Gather.Kube.List(ctx, query)
	if err != nil {
		return err
	}
	all.add(k, list, o.Watches)
	all.listed = all.listed || k.JobManager
	next := list.GetContinue()
	switch {
	case next != "" && f.apart:
		return o.send(ctx, all, k.Name+"/"+namespace, event.Shard{Kind: k.Name, Namespace: namespace, Finished: true})
	case next == "" || !k.Sweep.Spreads:
		return o.lookAtPages(ctx, k, f, &at{query, list}, all)
	}
	all.spread = true
	first, page := query, query
	if n := int64(len(list.Items)); n > 0 {
		page.Limit = n // it may be too large in bytes for more
	}
	unseen, failures := false, []error{o.spread(ctx, k, page, 0, all)}
	for page := 1; next != ""; page++ {
		query.Continue = next
		failures = append(failures, o.spread(ctx, k, query, page, all))
		read, rows, err := o.rows(ctx, query, all.census.optional())
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		unseen, next = all.addRows(k, namespace, rows) || unseen, read.Continue
	}
	return errors.Join(append(failures, o.addMoving(ctx, k, first, unseen, all))...)
}

// rows reads the rows of a page, and again where it could not be read: what comes after it is known from nothing else.
func (o *Observer) rows(
	ctx context.Context, query kube.Query, optional kube.Columns,
) (read kube.Page, rows []kube.Row, err error) {
	tries := wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Steps: 4}
	_ = wait.ExponentialBackoffWithContext(ctx, tries, func(ctx context.Context) (done bool, _ error) {
		read, rows, err = o.Kube.Table(ctx, query, columns, optional)
		return fail.KindOf(err) != fail.Transient, nil
	})
	return read, rows, err
}

// lookAtPages looks at a page and at those that follow it.
func (o *Observer) lookAtPages(ctx context.Context, k kind, f find, at *at, all *fleet) error {
	for failures := []error(nil); ; {
		next := at.list.GetContinue() // a look may empty the list
		if n := int64(len(at.list.Items)); n > 0 {
			at.query.Limit = n // it may be too large in bytes for more
		}
		failures = append(failures, o.lookAtAll(ctx, k, f, at.query.Namespace, at.list))
		if next == "" {
			return errors.Join(failures...)
		}
		at.query.Continue = next
		var err error
		if at.list, err = o.Gather.Kube.List(ctx, at.query); err != nil {
			return errors.Join(append(failures, err)...)
		}
		all.add(k, at.list, o.Watches)
	}
}

// at is a page, and the query that brought it.
type at struct {
	query kube.Query
	list  *unstructured.UnstructuredList
}

// lookAtFast looks at what is in transition, and reports whether anything was.
func (o *Observer) lookAtFast(ctx context.Context) (moving bool, err error) {
	var seen fleet
	var failures []error
	for _, k := range swept() {
		if k.Sweep.Fast {
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
	if k.Sweep.Batches {
		o.remember(members)
	}
	return errors.Join(failures...)
}

// pages follows a query in one namespace, or in all, to its last page.
func (o *Observer) pages(
	ctx context.Context, k kind, query kube.Query, namespace string,
	see func(kube.Query, *unstructured.UnstructuredList),
) error {
	query = o.narrowed(query)
	for query.Resource, query.Namespace, query.Limit = k.Resource, namespace, k.Sweep.Page; ; {
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

// narrowed asks for the resources alone that are this installation's by their labels.
func (o *Observer) narrowed(query kube.Query) kube.Query {
	query.Labels = both(query.Labels, o.Labels)
	return query
}

// both are the label selectors of what both select; an empty one selects all.
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
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
	items := make([]item, 0, len(list.Items))
	for i := range list.Items {
		u := &list.Items[i]
		key := event.Key{Kind: k.Name, Namespace: u.GetNamespace(), Name: u.GetName()}
		items = append(items, item{
			key, func(ctx context.Context) error { return look(ctx, u) }, u.GetGeneration(), quarantined.Is(u),
		})
	}
	return o.lookAtEach(ctx, items, nil)
}
