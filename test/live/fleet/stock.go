package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The kinds that are stamped.
var (
	deployments = flinkKind("flinkdeployments")
	sessionJobs = flinkKind("flinksessionjobs")
	snapshots   = flinkKind("flinkstatesnapshots")
)

func flinkKind(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: plural}
}

const (
	// tenants is over how many namespaces a fleet is spread.
	tenants = 20
	// writers write at the same time: the API server of one machine gets no faster by more.
	writers = 32
	// modelNode is the node of the fleet's pods.
	modelNode = "model"
	// edited is the application that is there in every fleet, to be edited beside it.
	edited = "edited"
)

// stocker writes a fleet through the API server.
type stocker struct {
	shapes  map[string]*shape
	flink   *jobManagers
	looks   *looks
	dynamic dynamic.Interface
	typed   kubernetes.Interface
	done    atomic.Int64

	mu   sync.Mutex
	uids map[string]string // of applications, by name
}

// stock writes the resources of a fleet, with all that belongs to them.
func (s *stocker) stock(ctx context.Context, config *rest.Config, c Counts) error {
	var err error
	s.uids = map[string]string{}
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	binary := rest.CopyConfig(config) // Kubernetes' own kinds cost half as much this way
	binary.ContentType, binary.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf
	if s.typed, err = kubernetes.NewForConfig(binary); err != nil {
		return err
	}
	if err := s.ground(ctx); err != nil {
		return err
	}
	if err := s.cluster(ctx, application, stampOf(edited, 0)); err != nil {
		return err
	}
	for _, part := range []struct {
		n     int
		write func(ctx context.Context, i int) error
	}{
		{c.Applications, func(ctx context.Context, i int) error {
			return s.cluster(ctx, application, stampOf(nameOf("app", i), i))
		}},
		{c.SessionClusters, func(ctx context.Context, i int) error {
			return s.cluster(ctx, sessionCluster, stampOf(nameOf("session", i), i))
		}},
		{c.SessionJobs, func(ctx context.Context, i int) error { return s.job(ctx, i, c.SessionClusters) }},
		{c.Snapshots, func(ctx context.Context, i int) error {
			return s.snapshot(ctx, snapshot, nameOf("taking", i), i%c.Applications)
		}},
		{c.Finished, func(ctx context.Context, i int) error {
			return s.snapshot(ctx, finished, nameOf("taken", i), i%c.Applications)
		}},
	} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(writers)
		for i := range part.n {
			group.Go(func() error { return part.write(ctx, i) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func nameOf(kind string, i int) string { return fmt.Sprintf("%s-%05d", kind, i) }

func namespaceOf(i int) string { return fmt.Sprintf("fleet-%02d", i%tenants) }

// stampOf is that of the i-th cluster.
func stampOf(name string, i int) stamp {
	return stamp{namespace: namespaceOf(i), name: name, job: jobIDOf(name)}
}

// jobIDOf makes an ID as Flink's out of a name.
func jobIDOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16])
}

// ground makes the namespaces, with the service account of Flink's pods, and the node.
func (s *stocker) ground(ctx context.Context) error {
	for i := range tenants {
		name := namespaceOf(i)
		if _, err := s.typed.CoreV1().Namespaces().Create(
			ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{},
		); err != nil {
			return err
		}
		if _, err := s.typed.CoreV1().ServiceAccounts(name).Create(
			ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "flink"}}, metav1.CreateOptions{},
		); err != nil {
			return err
		}
	}
	node, err := s.typed.CoreV1().Nodes().Create(ctx, makeNode(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	node.Status = makeNode().Status
	_, err = s.typed.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

// cluster writes a FlinkDeployment with its objects, and makes its JobManager known.
func (s *stocker) cluster(ctx context.Context, kind string, with stamp) error {
	shape := s.shapes[kind]
	resource, err := s.create(ctx, deployments, shape, 0, with)
	if err != nil {
		return err
	}
	with.uids = map[string]string{shape.uid(0): string(resource.GetUID())}
	if err := s.objects(ctx, shape, &with); err != nil {
		return fmt.Errorf("objects of %s/%s: %w", with.namespace, with.name, err)
	}
	if err := s.finish(ctx, deployments, resource, shape, 0, with); err != nil {
		return err
	}
	s.mu.Lock()
	s.uids[with.name] = string(resource.GetUID())
	s.mu.Unlock()
	name := with.namespace + "/" + with.name
	s.looks.expect(name)
	return s.flink.add(hostOfCluster(with.namespace, with.name), name, shape.answersOf(with.name, with.job))
}

// job writes a FlinkSessionJob. It is looked at when the JobManager of its cluster is asked for its jobs.
func (s *stocker) job(ctx context.Context, i, clusters int) error {
	shape, host := s.shapes[sessionJob], stampOf(nameOf("session", i%clusters), i%clusters)
	with := stampOf(nameOf("job", i), i%clusters)
	with.host = host.name
	resource, err := s.create(ctx, sessionJobs, shape, 0, with)
	if err != nil {
		return err
	}
	if err := s.finish(ctx, sessionJobs, resource, shape, 0, with); err != nil {
		return err
	}
	return s.flink.run(hostOfCluster(host.namespace, host.name), shape.answersOf(with.name, with.job))
}

// snapshot writes a FlinkStateSnapshot of an application.
func (s *stocker) snapshot(ctx context.Context, kind, name string, application int) error {
	shape, of := s.shapes[kind], stampOf(nameOf("app", application), application)
	with := stamp{namespace: of.namespace, name: name, of: of.name, job: of.job}
	s.mu.Lock()
	jobUID, _, _ := unstructured.NestedString(shape.Objects[0], "status", "jobUID")
	with.uids = map[string]string{jobUID: s.uids[of.name]}
	s.mu.Unlock()
	recorded, _, _ := unstructured.NestedString(shape.Objects[0], "status", "run", "jobID")
	with.uids[recorded] = of.job
	resource, err := s.create(ctx, snapshots, shape, 0, with)
	if err != nil {
		return err
	}
	if err := s.finish(ctx, snapshots, resource, shape, 0, with); err != nil || kind == finished {
		return err
	}
	name = with.namespace + "/" + name
	s.looks.expect(name)
	for path, answer := range shape.answersOf(of.name, of.job) {
		s.flink.answer(hostOfCluster(of.namespace, of.name), path, name, answer)
	}
	return nil
}

// create makes a resource without its status, which the API server takes by itself alone.
func (s *stocker) create(
	ctx context.Context, kind schema.GroupVersionResource, from *shape, object int, with stamp,
) (*unstructured.Unstructured, error) {
	u, err := from.stamped(object, with)
	if err != nil {
		return nil, err
	}
	delete(u.Object, "status")
	s.done.Add(1)
	return s.dynamic.Resource(kind).Namespace(with.namespace).Create(ctx, u, manager)
}

// manager writes as the product would.
var manager = metav1.CreateOptions{FieldManager: "kn-flink-reconcile"}

// finish writes the status of a resource.
func (s *stocker) finish(
	ctx context.Context, kind schema.GroupVersionResource, created *unstructured.Unstructured, from *shape, object int,
	with stamp,
) error {
	with.uids = maps.Clone(with.uids)
	if with.uids == nil {
		with.uids = map[string]string{}
	}
	with.uids[from.uid(object)] = string(created.GetUID()) // a status says which resource it was written for
	u, err := from.stamped(object, with)
	if err != nil {
		return err
	}
	created.Object["status"] = u.Object["status"]
	_, err = s.dynamic.Resource(kind).Namespace(with.namespace).UpdateStatus(
		ctx, created, metav1.UpdateOptions{FieldManager: manager.FieldManager},
	)
	return err
}

// typedOf is a copy of an object of a shape in its own type.
func typedOf[T any](from *shape, object int, with stamp) (*T, error) {
	u, err := from.stamped(object, with)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, json.Unmarshal(text, out)
}
