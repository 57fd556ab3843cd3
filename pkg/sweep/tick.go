package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// pageSize is how many resources one request looks at: at some 20 ms of waiting for Flink each, with lookers at a time,
// well within a request's budget. bulkFrom is from how many on their Deployments and pods are listed in one request
// each instead of one by one.
const (
	pageSize = 500
	lookers  = 16
	bulkFrom = 5
)

// selector finds the JobManager Deployments of every cluster.
const selector = render.LabelComponent + "=" + render.ComponentJobManager + "," + render.LabelType + " in (" +
	render.TypeNative + ",flink-standalone-kubernetes)"

// Tick does what one tick of the clock asks for.
//
//	clock        last full sweep of this pod   looks at               sets the clock
//	transition   in this steady interval       fast resources         no
//	  and none of them is fast, the stamp is
//	  old, no sweep for calmAfter              all                    yes
//	transition   earlier, or none              all                    yes
//	otherwise    -                             all                    yes
//
// Whether a sweep is due is remembered, not read off the tick: a tick that was collapsed into another must not take the
// sweep with it.
func (o *Observer) Tick(ctx context.Context) error {
	state, err := o.Clock.Read(ctx)
	if err != nil {
		return err
	}
	if !o.sweepDue(state.Pace) {
		moving, err := o.lookAtFast(ctx)
		if err != nil || moving || state.Held(o.Gather.Now()) || !o.calmDue() {
			return err
		}
	}
	fleet, err := o.sweep(ctx)
	err = errors.Join(err, o.sweepSnapshots(ctx, &fleet), o.sweepHeld(ctx))
	if settleErr := o.settle(ctx, state, fleet); settleErr != nil {
		err = errors.Join(err, settleErr)
	}
	return err
}

// sweepDue reports whether this tick is the full sweep, and remembers that it was.
func (o *Observer) sweepDue(pace clock.Pace) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.Gather.Now()
	if every := o.Clock.Every(); pace == clock.Transition && o.swept.Truncate(every).Equal(now.Truncate(every)) {
		return false
	}
	o.swept = now
	return true
}

// calmAfter is how soon a sweep may follow another because nothing seems to be in transition any more.
const calmAfter = 10 * time.Second

// calmDue reports whether a sweep out of turn may set the clock, and remembers that it did. The clock follows the end
// of a transition at once: every needless tick wakes a function.
func (o *Observer) calmDue() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.Gather.Now()
	if now.Sub(o.swept) < calmAfter {
		return false
	}
	o.swept = now
	return true
}

// lookAtFast looks at what is in transition, and reports whether anything was.
func (o *Observer) lookAtFast(ctx context.Context) (moving bool, err error) {
	var seen fleet
	err = errors.Join(o.fast(ctx, &seen), o.fastSnapshots(ctx, &seen))
	return seen.moving, err
}

// fast looks at the FlinkDeployments in transition.
func (o *Observer) fast(ctx context.Context, seen *fleet) error {
	var failures []error
	var members []types.NamespacedName
	for _, namespace := range o.namespaces() {
		query := kube.Query{Namespace: namespace, Fields: "status.pace=" + string(v1beta1.PaceFast), Limit: pageSize}
		for {
			list, err := o.list(ctx, query)
			if err != nil {
				failures = append(failures, o.skipped(namespace, err))
				break
			}
			seen.add(list, o.Watches)
			for i := range list.Items {
				members = append(
					members, types.NamespacedName{Namespace: list.Items[i].GetNamespace(), Name: list.Items[i].GetName()},
				)
			}
			failures = append(failures, o.lookAtAll(ctx, namespace, list))
			if query.Continue = list.GetContinue(); query.Continue == "" {
				break
			}
		}
	}
	o.remember(members)
	return errors.Join(failures...)
}

// namespaces are those to list, each by itself; one empty name lists all of them at once.
func (o *Observer) namespaces() []string {
	if len(o.Namespaces) == 0 {
		return []string{""}
	}
	return o.Namespaces
}

// Shard looks at one page of a sweep that another request spread.
func (o *Observer) Shard(ctx context.Context, s event.Shard) error {
	list, err := o.list(ctx, kube.Query{Namespace: s.Namespace, Continue: s.Continue, Limit: s.Limit})
	if err != nil {
		return err
	}
	return o.lookAtAll(ctx, s.Namespace, list)
}

// fleet is what a sweep learns for the clock, from status alone: whether something moves, and whether something runs,
// or is due again.
type fleet struct {
	moving, running bool
	complete        bool
	count           int
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
		o.Log.Errorw("a watched namespace may not be read, so its resources are not reconciled: grant the permission, or "+
			"do not watch it",
			telemetry.Namespace, namespace, telemetry.Error, fail.Message(err))
	}
	return nil
}

// sweep looks at every resource: further pages are spread by events to itself first, then it looks at the first one.
func (o *Observer) sweep(ctx context.Context) (fleet, error) {
	all := fleet{complete: true}
	var failures []error
	for _, namespace := range o.namespaces() {
		query := kube.Query{Namespace: namespace, Limit: pageSize}
		first, err := o.list(ctx, query)
		if err != nil {
			err = o.skipped(namespace, err)
			all.complete = all.complete && err == nil
			failures = append(failures, err)
			continue
		}
		all.add(first, o.Watches)
		for query.Continue = first.GetContinue(); query.Continue != ""; {
			failures = append(failures, o.spread(ctx, query))
			list, err := o.list(ctx, query)
			if err != nil {
				all.complete = false
				failures = append(failures, err)
				break
			}
			all.add(list, o.Watches)
			query.Continue = list.GetContinue()
		}
		failures = append(failures, o.lookAtAll(ctx, namespace, first))
	}
	return all, errors.Join(failures...)
}

func (f *fleet) add(list *unstructured.UnstructuredList, watches func(string) bool) {
	for _, u := range list.Items {
		if !watches(u.GetNamespace()) {
			continue
		}
		f.count++
		pace, _, _ := unstructured.NestedString(u.Object, "status", "pace")
		jm, _, _ := unstructured.NestedString(u.Object, "status", "jobManagerDeploymentStatus")
		situation, _, _ := unstructured.NestedString(u.Object, "status", "situation")
		canary := strings.EqualFold(u.GetLabels()[v1beta1.LabelCanary], "true")
		f.moving = f.moving || pace == string(v1beta1.PaceFast) || (situation == "" && !canary)
		f.running = f.running || (jm != "" && jm != string(v1beta1.JobManagerMissing)) || reconciling(&u)
	}
}

// reconciling reports whether status says that something goes on, or waits for its next attempt.
func reconciling(u *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["type"] == summary.Reconciling && condition["status"] == string(metav1.ConditionTrue)
	})
}

// settle gives the clock the pace that the fleet needs. A sweep that did not see everything sets nothing.
func (o *Observer) settle(ctx context.Context, state clock.State, seen fleet) error {
	if !seen.complete {
		return nil
	}
	wanted := clock.Wanted(seen.moving, seen.running)
	changed, err := o.Clock.Settle(ctx, state, wanted)
	if changed {
		o.Log.Infow("clock set", telemetry.Pace, string(wanted), telemetry.Count, seen.count)
	}
	return err
}

func (o *Observer) list(ctx context.Context, query kube.Query) (*unstructured.UnstructuredList, error) {
	query.Resource = v1beta1.FlinkDeploymentGVR
	return o.Gather.Kube.List(ctx, query)
}

// spread posts the page to whichever pod takes it.
func (o *Observer) spread(ctx context.Context, query kube.Query) error {
	now := o.Gather.Now()
	e, err := event.Make(event.TypeShard, event.Head{
		ID: fmt.Sprintf("shard-%d-%s", now.UnixMilli(), query.Continue), Source: source, Time: now,
	}, event.Shard{
		Kind: v1beta1.KindFlinkDeployment, Namespace: query.Namespace, Continue: query.Continue, Limit: query.Limit,
	})
	if err != nil {
		return err
	}
	return o.Control.Publish(ctx, e)
}

// lookAtAll looks at every resource of a page of one namespace, or of all, some at a time. One that cannot be looked at
// does not keep the others from it.
func (o *Observer) lookAtAll(ctx context.Context, namespace string, list *unstructured.UnstructuredList) error {
	if len(list.Items) == 0 {
		return nil
	}
	read := o.reader(ctx, namespace, list)
	var mu sync.Mutex
	var failures []error
	var group errgroup.Group
	group.SetLimit(lookers)
	for i := range list.Items {
		u := &list.Items[i]
		if !o.Watches(u.GetNamespace()) {
			continue
		}
		group.Go(func() error {
			if err := o.lookAt(ctx, read(u)); err != nil {
				o.Log.Infow("a resource could not be observed", telemetry.Key, u.GetNamespace()+"/"+u.GetName(),
					telemetry.Error,
					err.Error())
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

// reader brings what a look at each resource of a page begins with: for few its Deployment, for many all Deployments
// and all pods that belong to the page, in few lists.
func (o *Observer) reader(
	ctx context.Context, namespace string, list *unstructured.UnstructuredList,
) func(*unstructured.Unstructured) gather.Read {
	if len(list.Items) < bulkFrom {
		return func(u *unstructured.Unstructured) gather.Read {
			return gather.Read{Resource: u, JobManager: o.Gather.JobManager(ctx, u.GetNamespace(), u.GetName())}
		}
	}
	clusters := gather.Clusters{Namespace: namespace, Selector: selector}
	for i := range list.Items {
		clusters.Names = append(clusters.Names, list.Items[i].GetName())
	}
	jobManagers, pods := o.Gather.JobManagers(ctx, clusters), o.Gather.PodsOf(clusters)
	return func(u *unstructured.Unstructured) gather.Read {
		return gather.Read{Resource: u, JobManager: jobManagers(u.GetNamespace(), u.GetName()), Pods: pods}
	}
}
