package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

// Follower knows what is in the API server.
type Follower struct {
	client    kubernetes.Interface
	resources []cache.SharedIndexInformer
	pods      cache.SharedIndexInformer

	mu      sync.Mutex
	trouble string
	logs    map[string]logged // by pod
}

// logged is what was read, or is being read, of a failure.
type logged struct {
	of    pods.Failure
	words []string
}

// Start returns when the first lists are there. It follows until ctx ends. The CRDs have to be installed.
func Start(ctx context.Context, config *rest.Config) (*Follower, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	f := &Follower{client: client, logs: map[string]logged{}}
	watched := dynamicinformer.NewDynamicSharedInformerFactory(objects, 0)
	for _, k := range kinds.All {
		f.resources = append(f.resources, watched.ForResource(k.Resource).Informer())
	}
	typed := informers.NewSharedInformerFactory(client, 0)
	f.pods = typed.Core().V1().Pods().Informer()
	for _, informer := range append([]cache.SharedIndexInformer{f.pods}, f.resources...) {
		if err := f.observe(informer); err != nil {
			return nil, err
		}
	}
	watched.Start(ctx.Done())
	typed.Start(ctx.Done())
	for _, informer := range append([]cache.SharedIndexInformer{f.pods}, f.resources...) {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return nil, fmt.Errorf("no first list of what is in the API server: %w", ctx.Err())
		}
	}
	return f, nil
}

// observe tells of a watch that breaks, until something arrives again, and reads the logs of what fails.
func (f *Follower) observe(informer cache.SharedIndexInformer) error {
	if err := informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { f.say(err) }); err != nil {
		return err
	}
	look := func(object any) {
		f.say(nil)
		if p, ok := object.(*corev1.Pod); ok {
			f.listen(p)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    look,
		UpdateFunc: func(_, object any) { look(object) },
		DeleteFunc: func(any) { f.say(nil) },
	})
	return err
}

func (f *Follower) say(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trouble = ""
	if err != nil {
		f.trouble = "the API server: " + err.Error()
	}
}

// crashCause is how many lines of a log are shown.
const crashCause = 4

// listen reads the end of the log of a pod's failure: once while it is the newest container, and once when there is
// another.
func (f *Follower) listen(p *corev1.Pod) {
	name := p.Namespace + "/" + p.Name
	failure, ok := pods.FailureOf(p, time.Now())
	f.mu.Lock()
	defer f.mu.Unlock()
	if !ok {
		delete(f.logs, name)
		return
	}
	if f.logs[name].of == failure {
		return
	}
	said := logged{of: failure}
	if before := f.logs[name]; before.of.ID == failure.ID {
		said.words = before.words // until they are read again
	}
	f.logs[name] = said
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		lines := int64(10 * crashCause)
		options := &corev1.PodLogOptions{Container: failure.Container, Previous: failure.Previous, TailLines: &lines}
		log, err := f.client.CoreV1().Pods(p.Namespace).GetLogs(p.Name, options).DoRaw(ctx)
		said := pods.LastLines(string(log), crashCause)
		if err != nil {
			said = []string{"no log: " + err.Error()}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.logs[name].of == failure {
			f.logs[name] = logged{failure, append(said, failure.Why())}
		}
	}()
}

// State is what is there now. Its Functions are for the caller to fill.
func (f *Follower) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := State{Trouble: f.trouble}
	for _, informer := range f.resources {
		var some []view.Resource
		for _, object := range informer.GetStore().List() {
			if o, ok := object.(*unstructured.Unstructured); ok {
				some = append(some, view.ResourceOf(o))
			}
		}
		slices.SortFunc(some, func(a, b view.Resource) int { return strings.Compare(a.Name, b.Name) })
		state.Resources = append(state.Resources, some...)
	}
	now := time.Now()
	for _, object := range f.pods.GetStore().List() {
		if p, ok := object.(*corev1.Pod); ok && pods.Telling(p, now) {
			var words []string
			if _, fails := pods.FailureOf(p, now); fails {
				words = f.logs[p.Namespace+"/"+p.Name].words
			}
			state.Pods = append(state.Pods, pods.Of(p, words))
		}
	}
	slices.SortFunc(state.Pods, func(a, b pods.Pod) int { return strings.Compare(a.Name, b.Name) })
	return state
}
