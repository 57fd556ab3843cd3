package serving

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kn-flink/kn-flink/local/mesh/loop"
)

// Options say what a server works with. All but Kill are needed.
type Options struct {
	// Config is a client configuration with all rights.
	Config *rest.Config
	// Image turns a name of a manifest into one that the node can pull; it may build it first.
	Image func(context.Context, string) (string, error)
	// Kill is told the pod of every request that is about to be sent, and may end it. Nil: it lives.
	Kill func(types.UID)
	// Log gets a line for what is done and for what goes wrong.
	Log io.Writer
}

// Server serves all Knative Services. Safe for concurrent use.
type Server struct {
	options  Options
	dynamic  dynamic.Interface
	client   kubernetes.Interface
	services cache.GenericLister
	loop     *loop.Loop
	cancel   context.CancelFunc
	ended    sync.WaitGroup
	scaling  chan resize

	mu        sync.Mutex
	functions map[string]*function
}

type resize struct {
	namespace, revision string
	replicas            int
}

// Start returns when every Service that is there is known.
func Start(ctx context.Context, options Options) (*Server, error) {
	s := &Server{options: options, functions: map[string]*function{}, scaling: make(chan resize, 1000)}
	var err error
	if s.dynamic, err = dynamic.NewForConfig(options.Config); err != nil {
		return nil, err
	}
	if s.client, err = kubernetes.NewForConfig(options.Config); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.loop = loop.New("ksvc", s.reconcile, options.Log)
	services := dynamicinformer.NewDynamicSharedInformerFactory(s.dynamic, 0)
	s.services = services.ForResource(Resource).Lister()
	pods := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithTweakListOptions(ofFunctions))
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		services.ForResource(Resource).Informer(): s.loop.Handler(loop.Own),
		pods.Core().V1().Pods().Informer(): cache.ResourceEventHandlerFuncs{
			AddFunc: s.podSeen, UpdateFunc: func(_, o any) { s.podSeen(o) }, DeleteFunc: s.podGone,
		},
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			cancel()
			return nil, err
		}
	}
	services.Start(running.Done())
	pods.Start(running.Done())
	for kind, ok := range services.WaitForCacheSync(ctx.Done()) {
		if !ok {
			cancel()
			return nil, fmt.Errorf("no list of %s in time", kind)
		}
	}
	for kind, ok := range pods.WaitForCacheSync(ctx.Done()) {
		if !ok {
			cancel()
			return nil, fmt.Errorf("no list of %s in time", kind)
		}
	}
	s.ended.Go(func() { s.loop.Run(running) })
	s.ended.Go(func() { s.tick(running) })
	s.ended.Go(func() { s.resize(running) })
	return s, nil
}

// Stop ends the server. Pods go on.
func (s *Server) Stop() {
	s.cancel()
	s.ended.Wait()
}

// Handler is what serves a Service's URL. Nil: there is no such Service.
func (s *Server) Handler(namespace, name string) http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.functions[key(namespace, name)]; ok {
		return f
	}
	return nil
}

// States are what all functions do, by namespace and name.
func (s *Server) States() []State {
	s.mu.Lock()
	var all []*function
	for _, f := range s.functions {
		all = append(all, f)
	}
	s.mu.Unlock()
	var out []State
	for _, f := range all {
		out = append(out, f.state())
	}
	slices.SortFunc(out, func(a, b State) int {
		return strings.Compare(key(a.Namespace, a.Name), key(b.Namespace, b.Name))
	})
	return out
}

func key(namespace, name string) string { return namespace + "/" + name }

// function finds or makes one.
func (s *Server) function(namespace, name string) *function {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.functions[key(namespace, name)]
	if !ok {
		f = newFunction(namespace, name)
		f.kill = s.options.Kill
		f.answered = func() { s.loop.Add(namespace, name) }
		f.scale = func(revision string, n int) { s.scaling <- resize{namespace, revision, n} }
		s.functions[key(namespace, name)] = f
	}
	return f
}

func (s *Server) podSeen(object any) {
	p := object.(*corev1.Pod)
	port := defaultPort
	for _, c := range p.Spec.Containers {
		for _, declared := range c.Ports {
			port = int(declared.ContainerPort)
		}
	}
	s.function(p.Namespace, p.Labels[labelService]).setPod(p, port)
	s.loop.Add(p.Namespace, p.Labels[labelService])
}

func (s *Server) podGone(object any) {
	if late, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = late.Obj
	}
	p := object.(*corev1.Pod)
	s.function(p.Namespace, p.Labels[labelService]).removePod(p.Name)
	s.loop.Add(p.Namespace, p.Labels[labelService])
}

// tick closes every function's second.
func (s *Server) tick(ctx context.Context) {
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for decide := false; ; decide = !decide {
		select {
		case <-ctx.Done():
			return
		case now := <-seconds.C:
			s.mu.Lock()
			for _, f := range s.functions {
				f.second(now, decide)
			}
			s.mu.Unlock()
		}
	}
}

// resize carries out what the functions ask for, in order.
func (s *Server) resize(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-s.scaling:
			if err := s.scaleTo(ctx, r); err != nil && ctx.Err() == nil {
				fmt.Fprintf(
					s.options.Log, "%s %s/%s cannot be scaled to %d: %v\n", time.Now().Format(time.RFC3339), r.namespace,
					r.revision, r.replicas, err,
				)
				s.mu.Lock()
				for _, f := range s.functions {
					if f.namespace == r.namespace {
						f.forgetScale(r)
					}
				}
				s.mu.Unlock()
			}
		}
	}
}

func (s *Server) object(namespace, name string) (*unstructured.Unstructured, error) {
	object, err := s.services.ByNamespace(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	return object.(*unstructured.Unstructured), nil
}
