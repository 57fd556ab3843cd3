package pass

import (
	"context"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/coalesce"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Setup is what the function that runs passes stands on. Every field must be set, but for what says otherwise.
type Setup struct {
	// Settings are those of the installation.
	Settings settings.Settings
	// Kube is the client of the function.
	Kube *kube.Client
	// Flink connects to clusters.
	Flink gather.Connect
	// ZooKeeper reads and removes high-availability data that is kept there.
	ZooKeeper Nodes
	// Listeners takes the events for users' Triggers.
	Listeners event.Publisher
	// Manager is the name that this function's writes have in managedFields: the user agent's first word. Empty takes no
	// event for that of a write of its own.
	Manager string
	// Pause waits. Nil never waits for what a stop brings about; the clock looks then.
	Pause Pause
	// PodsEnd ends a pause when the pods that it is for have ended; nil never does.
	PodsEnd PodsEnd
	// Control takes the requests for passes of what depends on a resource.
	Control event.Publisher
	// Ask asks validators of the user about a spec; nil accepts it without.
	Ask func(context.Context, []flinkconf.Extension, *admissionv1.AdmissionRequest) extension.Said
	// Query asks Prometheus for a gate of a FlinkBlueGreenDeployment; nil leaves such a gate waiting.
	Query func(ctx context.Context, at, expression string) ([]float64, error)
	// Uploads is true in the function that uploads jars of session jobs itself. Its passes have event.UploadBudget, the
	// others' event.Budget.
	Uploads bool
	// OpenJar opens the jars that it uploads; nil is jarsource.Open.
	OpenJar apply.OpenJar
	// Now is the clock.
	Now func() time.Time
	// Log is the function's logger.
	Log *zap.SugaredLogger
	// Audit is the log of changes; nil writes none.
	Audit *zap.SugaredLogger
	// Metrics are the function's; nil measures nothing.
	Metrics *metrics.Metrics
	// Ward keeps what the process dies of from killing it for ever; nil does not.
	Ward *quarantine.Ward
}

// Nodes is what a pass needs of ZooKeeper; zookeeper.Client is one.
type Nodes interface {
	gather.Nodes
	apply.Nodes
}

// NewHandler is the whole function: it runs the pass that an event asks for.
func NewHandler(s Setup) http.Handler {
	queued, budget, atOnce := event.QueueBudget, event.Budget, s.Settings.Operator.ReconcileParallelism()
	if s.Uploads {
		queued, budget, atOnce = event.UploadQueueBudget, event.UploadBudget, uploadsAtOnce
	}
	runner := &Runner{
		Gather: &gather.Gatherer{
			Kube: s.Kube, Flink: s.Flink, ZooKeeper: s.ZooKeeper, Operator: s.Settings.Operator,
			LogFiles: s.Settings.LogFiles, Uploads: s.Uploads, Now: s.Now,
			Ask: s.Ask, Validators: s.Settings.Extensions.Validators, Room: room(s),
			GateServices: s.Settings.Extensions.Gates, Query: s.Query,
		},
		Apply: &apply.Executor{
			Kube: s.Kube, Flink: s.Flink, ZooKeeper: s.ZooKeeper,
			Clock: clock.New(s.Kube, s.Settings.Namespace, s.Settings.Clock, s.Now),
			Events: &apply.EventRecorder{
				Kube: s.Kube, Listeners: s.Listeners, Control: s.Control, Source: "/functions/reconcile", Now: s.Now,
				Log: s.Log, Audit: s.Audit,
			},
			Jars: s.Settings.Operator.JarRules(), OpenJar: s.OpenJar, Log: s.Log, Audit: s.Audit,
			Metrics: s.Metrics,
		},
		Watches: s.Settings.Watches, Selects: s.Settings.Selects, Manager: s.Manager, Pause: s.Pause, PodsEnd: s.PodsEnd,
		Log: s.Log, Metrics: s.Metrics, Ward: s.Ward, Budget: budget, Patience: queued,
		places: newPlaces(atOnce, len(s.Settings.Namespaces) == 1),
		large:  newPlaces(largeAtOnce, len(s.Settings.Namespaces) == 1),
	}
	return s.Metrics.Handler(event.Receiver{
		Handle: handle(runner.Run), Log: s.Log, Budget: queued + budget, Keys: s.Control.Keys,
	})
}

// uploadsAtOnce is how many jars one process uploads at the same time. What limits them is the network, and the source.
const uploadsAtOnce = 16

// room looks at the nodes for the job autoscaler, where the settings say how often; nil otherwise.
func room(s Setup) *gather.Room {
	interval, looks := s.Settings.Operator.ResourceViewInterval()
	if !looks {
		return nil
	}
	return &gather.Room{Kube: s.Kube, Interval: interval, Now: s.Now}
}

// handle runs the pass that an event asks for. Events that name no object of ours stay wrong however often they come.
//
//	event                    then
//	a resource was deleted   nothing: its finalizer went last
//	a resource changed       a pass, unless we changed it ourselves
//	anything else            a pass
func handle(run func(ctx context.Context, key event.Key, firm bool) error) event.Handle {
	inFlight := &coalesce.Group{}
	return func(ctx context.Context, e cloudevents.Event) error {
		key, err := event.KeyOf(e)
		if err != nil {
			return fail.As(fail.Invalid, "read event", "UnknownEvent", err)
		}
		if event.IsDelete(e) {
			return nil
		}
		return inFlight.Do(ctx, key.String(), !event.IsAPIServer(e), func(ctx context.Context, firm bool) error {
			return run(ctx, key, firm)
		})
	}
}
