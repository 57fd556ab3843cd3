package eventing

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	noopmetric "go.opentelemetry.io/otel/metric/noop"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"knative.dev/eventing/pkg/adapter/mtping"
	"knative.dev/eventing/pkg/broker"
	"knative.dev/eventing/pkg/broker/filter"
	"knative.dev/eventing/pkg/broker/ingress"
	"knative.dev/eventing/pkg/client/clientset/versioned"
	"knative.dev/eventing/pkg/client/informers/externalversions"
	"knative.dev/eventing/pkg/eventingtls"
	"knative.dev/eventing/pkg/kncloudevents"
	"knative.dev/pkg/system"

	"github.com/kn-flink/kn-flink/local/mesh/loop"
)

const (
	namespace = "knative-eventing"
	domain    = ".svc.cluster.local"
	// maxTTL is how many Brokers an event may go through: the default of broker-ingress.
	maxTTL = 255
)

// Hosts of Knative's own parts.
const (
	ingressHost   = "broker-ingress." + namespace + domain
	filterHost    = "broker-filter." + namespace + domain
	channelSuffix = "-kne-trigger-kn-channel"
)

// Options say what eventing works with. All are needed.
type Options struct {
	// Config is a client configuration with all rights.
	Config *rest.Config
	// ServiceAccount is a client configuration with the rights of that account.
	ServiceAccount func(ctx context.Context, namespace, name string) (*rest.Config, error)
	// Log gets the lines of Knative's parts from warnings on, and of the reconcilers.
	Log io.Writer
}

// Eventing is running. Safe for concurrent use.
type Eventing struct {
	options   Options
	knative   versioned.Interface
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	informers externalversions.SharedInformerFactory
	logger    *zap.Logger
	cancel    context.CancelFunc
	ended     sync.WaitGroup

	ingress, filter http.Handler
	dispatcher      *kncloudevents.Dispatcher
	runner          mtping.CronJobRunner
	brokerLoop      *loop.Loop

	mu       sync.Mutex
	channels map[types.NamespacedName]*channel
	adapters map[types.NamespacedName]*adapter
	pings    map[types.NamespacedName]ping
}

// Start returns when every Broker, Trigger and source that is there is known. Knative's code finds addresses by
// http.DefaultTransport, which has to know the names of Services by then.
func Start(ctx context.Context, options Options) (*Eventing, error) {
	e := &Eventing{
		options: options, channels: map[types.NamespacedName]*channel{}, adapters: map[types.NamespacedName]*adapter{},
		pings: map[types.NamespacedName]ping{},
	}
	// Knative's code asks for its own namespace by this variable, and panics without.
	if err := os.Setenv(system.NamespaceEnvKey, namespace); err != nil {
		return nil, err
	}
	encoder := zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())
	e.logger = zap.New(zapcore.NewCore(encoder, zapcore.AddSync(options.Log), zap.WarnLevel))
	if err := e.connect(); err != nil {
		return nil, err
	}
	if err := e.build(); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	if err := e.watch(running); err != nil {
		cancel()
		return nil, err
	}
	e.informers.Start(running.Done())
	for kind, ok := range e.informers.WaitForCacheSync(ctx.Done()) {
		if !ok {
			e.Stop()
			return nil, fmt.Errorf("no list of %s in time", kind)
		}
	}
	e.ended.Go(func() { e.runner.Start(running.Done()) })
	return e, nil
}

func (e *Eventing) connect() error {
	var err error
	if e.knative, err = versioned.NewForConfig(e.options.Config); err != nil {
		return err
	}
	if e.client, err = kubernetes.NewForConfig(e.options.Config); err != nil {
		return err
	}
	e.dynamic, err = dynamic.NewForConfig(e.options.Config)
	return err
}

// build makes Knative's parts as their commands do, without OIDC, TLS and telemetry.
func (e *Eventing) build() error {
	e.informers = externalversions.NewSharedInformerFactory(e.knative, 0)
	eventing, messaging := e.informers.Eventing().V1(),
		externalversions.NewSharedInformerFactory(e.knative, 0).Messaging().V1()
	meter, tracer := noopmetric.NewMeterProvider(), nooptrace.NewTracerProvider()
	plain := func(ctx context.Context) context.Context { return ctx }
	var err error
	e.ingress, err = ingress.NewHandler(
		e.logger, broker.TTLDefaulter(e.logger, maxTTL), eventing.Brokers(), nil, nil, nil, plain, meter, tracer,
	)
	if err != nil {
		return err
	}
	// Subscriptions are asked for with OIDC only: that informer never starts.
	e.filter, err = filter.NewHandler(
		e.logger, nil, nil, eventing.Triggers(), eventing.Brokers(), messaging.Subscriptions(), nil, plain, meter, tracer,
	)
	if err != nil {
		return err
	}
	e.dispatcher = kncloudevents.NewDispatcher(
		eventingtls.ClientConfig{}, nil, kncloudevents.WithMeterProvider(meter), kncloudevents.WithTraceProvider(tracer),
	)
	e.runner = e.newRunner()
	return nil
}

// watch starts a loop for each kind.
func (e *Eventing) watch(ctx context.Context) error {
	eventing, sources := e.informers.Eventing().V1(), e.informers.Sources().V1()
	triggers := loop.New("trigger", e.reconcileTrigger, e.options.Log)
	e.brokerLoop = loop.New("broker", e.reconcileBroker, e.options.Log)
	apiServer, pings := loop.New(
		"apiserversource", e.reconcileAPIServerSource, e.options.Log,
	), loop.New("pingsource", e.reconcilePingSource, e.options.Log)
	for _, w := range []struct {
		informer cache.SharedIndexInformer
		loop     *loop.Loop
		which    loop.Which
	}{
		{eventing.Brokers().Informer(), e.brokerLoop, loop.Own},
		{eventing.Triggers().Informer(), triggers, loop.Own},
		// A Broker's change is one for its Triggers, and theirs for its channel.
		{eventing.Brokers().Informer(), triggers, e.triggersOf},
		{eventing.Triggers().Informer(), e.brokerLoop, e.brokerOf},
		{sources.ApiServerSources().Informer(), apiServer, loop.Own},
		{sources.PingSources().Informer(), pings, loop.Own},
	} {
		if _, err := w.informer.AddEventHandler(w.loop.Handler(w.which)); err != nil {
			return err
		}
	}
	for _, l := range []*loop.Loop{triggers, e.brokerLoop, apiServer, pings} {
		e.ended.Go(func() { l.Run(ctx) })
	}
	return nil
}

// Stop ends the sources first, then everything.
func (e *Eventing) Stop() {
	e.mu.Lock()
	for _, a := range e.adapters {
		a.cancel()
	}
	e.mu.Unlock()
	e.runner.Stop()
	e.cancel()
	e.ended.Wait()
}

// Handler is what serves a host name of Eventing's own. Nil: it is none.
func (e *Eventing) Handler(host string) http.Handler {
	switch host {
	case ingressHost:
		return e.ingress
	case filterHost:
		return e.filter
	}
	name, rest, _ := strings.Cut(host, ".")
	if of, ok := strings.CutSuffix(name, channelSuffix); ok && strings.HasSuffix(rest, domain) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if c := e.channels[types.NamespacedName{Namespace: strings.TrimSuffix(rest, domain), Name: of}]; c != nil {
			return c.handler
		}
	}
	return nil
}

// IsIngress says whether events come in at that host.
func IsIngress(host string) bool { return host == ingressHost }

func everything() labels.Selector { return labels.Everything() }
