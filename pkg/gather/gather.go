package gather

import (
	"context"
	"maps"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Reader is the part of kube.Client that a look needs.
type Reader interface {
	Get(ctx context.Context, o kube.Object) (*unstructured.Unstructured, bool, error)
	List(ctx context.Context, q kube.Query) (*unstructured.UnstructuredList, error)
	ListBinary(ctx context.Context, q kube.Query, into kube.BinaryList) error
	Log(ctx context.Context, l kube.Log) (string, error)
}

// Nodes is the part of zookeeper.Client that a look needs.
type Nodes interface {
	Read(ctx context.Context, l znode.Location) (tree znode.Tree, found bool, err error)
}

// Connect makes a client for one cluster's REST interface.
type Connect func(plan.Endpoint) (*flinkrest.Client, error)

// Gatherer looks at the world. Safe for concurrent use.
type Gatherer struct {
	// Kube reads Kubernetes objects.
	Kube Reader
	// Flink reaches JobManagers.
	Flink Connect
	// ZooKeeper reads high-availability data that is kept there.
	ZooKeeper Nodes
	// Operator is the installation's base configuration.
	Operator flinkconf.Operator
	// LogFiles are the installation's log configuration files.
	LogFiles map[string]string
	// Brief leaves out what only carrying a plan out needs; whether there is something to do shows without it.
	Brief bool
	// Uploads is true in the function that uploads jars of session jobs itself; the others ask it.
	Uploads bool
	// Ask asks validators of the user about a spec; nil leaves that to a pass.
	Ask func(ctx context.Context, validators []flinkconf.Extension, r *admissionv1.AdmissionRequest) extension.Said
	// Validators are those of the installation.
	Validators []flinkconf.Extension
	// GateServices are the services of the installation that gates may ask, by Ask.
	GateServices []flinkconf.Extension
	// Query asks Prometheus for a gate; nil leaves that to a pass.
	Query func(ctx context.Context, at, expression string) ([]float64, error)
	// Room reads the nodes that the job autoscaler may fill; nil looks at none.
	Room *Room
	// Now is the clock.
	Now func() time.Time
	// Revise changes what is asked for.
	Revise Revise
}

// observe turns the answer to a Get into an observed part.
func observe[T any](
	u *unstructured.Unstructured, found bool, err error, into func(*unstructured.Unstructured) (T, error),
) plan.Observed[T] {
	switch {
	case err != nil:
		return plan.Unknown[T](oneLine(err))
	case !found:
		return plan.Absent[T]()
	}
	value, err := into(u)
	if err != nil {
		return plan.Unknown[T](oneLine(err))
	}
	return plan.Present(value)
}

// typed reads an object without its managedFields, which may be most of it and say nothing to a decision.
func typed[T any](u *unstructured.Unstructured) (*T, error) {
	if metadata, is := u.Object["metadata"].(map[string]any); is && metadata["managedFields"] != nil {
		rest := maps.Clone(metadata)
		delete(rest, "managedFields")
		u = &unstructured.Unstructured{Object: maps.Clone(u.Object)}
		u.Object["metadata"] = rest
	}
	object := new(T)
	return object, kube.Typed(u, object)
}
