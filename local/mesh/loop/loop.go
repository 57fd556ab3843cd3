// Package loop calls a function for every object that changed, again until it succeeds: what a controller is made of.
//
// I/O: only what the function does. An object is in work once at a time; changes meanwhile are one more call.
//
// It must not know any kind.
//
// Start reading at New.
package loop

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	workers = 3
	// first and last are the pauses after failures in a row, which double.
	first = 20 * time.Millisecond
	last  = 2 * time.Second
)

// Reconcile makes the world agree with one object. An error calls it again later, as a positive duration does.
type Reconcile func(ctx context.Context, object types.NamespacedName) (time.Duration, error)

// Loop is a queue of objects with workers.
type Loop struct {
	name  string
	do    Reconcile
	log   io.Writer
	queue workqueue.TypedRateLimitingInterface[types.NamespacedName]
}

// New makes a loop that does nothing until Run. The name is for the log.
func New(name string, do Reconcile, log io.Writer) *Loop {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](first, last)
	return &Loop{name: name, do: do, log: log, queue: workqueue.NewTypedRateLimitingQueue(limit)}
}

// Add asks for a call.
func (l *Loop) Add(namespace, name string) {
	l.queue.Add(types.NamespacedName{Namespace: namespace, Name: name})
}

// Run works until ctx ends and returns when no call is running.
func (l *Loop) Run(ctx context.Context) {
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for l.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	l.queue.ShutDown()
	working.Wait()
}

func (l *Loop) next(ctx context.Context) bool {
	object, over := l.queue.Get()
	if over {
		return false
	}
	defer l.queue.Done(object)
	again, err := l.do(ctx, object)
	switch {
	case err != nil:
		if ctx.Err() == nil {
			fmt.Fprintf(l.log, "%s %s %s: %v\n", time.Now().Format(time.RFC3339), l.name, object, err)
		}
		l.queue.AddRateLimited(object)
		return true
	case again > 0:
		l.queue.AddAfter(object, again)
	}
	l.queue.Forget(object)
	return true
}

// Which says whom a changed object is about.
type Which func(Object) []types.NamespacedName

// Object is what has changed.
type Object interface {
	GetNamespace() string
	GetName() string
	GetLabels() map[string]string
}

// Own is the object itself.
func Own(o Object) []types.NamespacedName {
	return []types.NamespacedName{{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

// Handler adds whom a changed object is about.
func (l *Loop) Handler(which Which) cache.ResourceEventHandler {
	seen := func(object any) {
		if late, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = late.Obj
		}
		if o, err := meta.Accessor(object); err == nil {
			for _, name := range which(o) {
				l.queue.Add(name)
			}
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: seen, UpdateFunc: func(_, o any) { seen(o) }, DeleteFunc: seen}
}
