package kubesim

import (
	"fmt"
	"net/http/httptest"
	"sort"
	"strconv"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/test/kubesim/owners"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// Server is the model API server. Make it with New. Safe for concurrent use.
type Server struct {
	// Clock gives creation and deletion times.
	Clock *Clock
	// Tap records and breaks the requests of clients. Direct calls (Get, Create, ...) do not pass it.
	Tap *wire.Tap
	// Feed collects an event for every effective change of a watched object.
	Feed *Feed
	// Admit, when set, sees every create and update of a client before it is stored, as an admission webhook does; old
	// is nil for a create. It must not call the Server. Its error is the answer; give an apierrors.StatusError.
	Admit func(new, old *unstructured.Unstructured) error
	// Policy, when set, may refuse any write of a client, as a quota or a webhook of somebody else does, with the error
	// that it returns. It must not call the Server.
	Policy func(Write) error
	// Also are kinds that a test adds, such as Knative's: they are stored and read as all others, and package conformance
	// does not compare them with the real API server.
	Also []Resource
	// ObjectLimit is how many bytes an object that a client writes may have. Zero: what etcd takes, 1.5 MiB.
	ObjectLimit int

	mu        sync.Mutex
	objects   map[key]*unstructured.Unstructured // each is replaced when it changes, never written to
	version   int64
	collected int64 // the version at which the garbage collector found nothing to do
	uids      int
	names     int
	expired   int64 // continue tokens of lists up to this version are refused
	managers  owners.Managers
	server    *httptest.Server
	t         testing.TB
}

type key struct {
	gvr       schema.GroupVersionResource
	namespace string
	name      string
}

// New returns a server with the namespaces default, flink and flink-system and one node, node-1.
func New(t testing.TB, clock *Clock, tap *wire.Tap) *Server {
	t.Helper()
	s := &Server{
		Clock: clock, Tap: tap, Feed: newFeed(), t: t,
		objects: map[key]*unstructured.Unstructured{}, managers: owners.Managers{},
	}
	for _, name := range []string{"default", "flink", "flink-system"} {
		s.AddNamespace(name)
	}
	s.AddNode("node-1")
	return s
}

// AddNamespace makes a namespace.
func (s *Server) AddNamespace(name string) {
	s.must(s.Create(Namespaces, object("v1", "Namespace", "", name)))
	s.must(s.UpdateStatus(Namespaces, "", name, map[string]any{"phase": "Active"}))
}

// NodeLeases is the namespace of the Leases that kubelets renew.
const NodeLeases = "kube-node-lease"

// AddNode makes a node that is ready.
func (s *Server) AddNode(name string) {
	s.must(s.Create(Nodes, object("v1", "Node", "", name)))
	s.must(s.UpdateStatus(Nodes, "", name, map[string]any{
		"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady"}},
	}))
}

// RenewLease renews the Lease of a node, as its kubelet does, or makes it.
func (s *Server) RenewLease(node string) {
	now := s.Clock.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	spec := map[string]any{"holderIdentity": node, "leaseDurationSeconds": int64(40), "renewTime": now}
	if s.Peek(Leases, NodeLeases, node) == nil {
		if s.Peek(Namespaces, "", NodeLeases) == nil {
			s.AddNamespace(NodeLeases)
		}
		u := object("coordination.k8s.io/v1", "Lease", NodeLeases, node)
		u.Object["spec"] = spec
		s.must(s.Create(Leases, u))
		return
	}
	s.must(s.Update(Leases, NodeLeases, node, func(u *unstructured.Unstructured) { u.Object["spec"] = spec }))
}

func (s *Server) must(_ *unstructured.Unstructured, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("kubesim: %v", err)
	}
}

func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	u.SetName(name)
	u.SetNamespace(namespace)
	return u
}

// Config returns a client configuration without rate limits that reaches the server in memory. The agent, when not
// empty, becomes the User-Agent whatever the client sets, so that faults and counts can tell clients apart.
func (s *Server) Config(agent string) *rest.Config {
	return &rest.Config{
		Host: "http://kubesim.invalid", QPS: -1, UserAgent: agent, Transport: s.Tap.Transport(s.system(), agent),
	}
}

// Dynamic returns a dynamic client over Config.
func (s *Server) Dynamic(agent string) dynamic.Interface {
	client, err := dynamic.NewForConfig(s.Config(agent))
	if err != nil {
		s.t.Fatalf("kubesim: make a dynamic client: %v", err)
	}
	return client
}

// URL serves the API on a loopback socket until the test ends and returns its address.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		s.server = httptest.NewServer(s.Tap.Handler(s.system()))
		s.t.Cleanup(s.server.Close)
	}
	return s.server.URL
}

// Version returns the newest resourceVersion.
func (s *Server) Version() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Get returns a copy of an object, or nil. The caller is a model or a test: it passes no Tap.
func (s *Server) Get(gvr schema.GroupVersionResource, namespace, name string) *unstructured.Unstructured {
	return s.Peek(gvr, namespace, name).DeepCopy()
}

// Peek is Get without the copy: the caller must not write to what it gets.
func (s *Server) Peek(gvr schema.GroupVersionResource, namespace, name string) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key{gvr, namespace, name}]
}

// List returns copies of all objects with these labels, ordered by namespace and name. The empty namespace means all.
func (s *Server) List(
	gvr schema.GroupVersionResource, namespace string, with map[string]string,
) []*unstructured.Unstructured {
	found := s.PeekAll(gvr, namespace, with)
	for i := range found {
		found[i] = found[i].DeepCopy()
	}
	return found
}

// PeekAll is List without the copies: the caller must not write to what it gets.
func (s *Server) PeekAll(
	gvr schema.GroupVersionResource, namespace string, with map[string]string,
) []*unstructured.Unstructured {
	selector := labels.SelectorFromSet(with)
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*unstructured.Unstructured
	for _, k := range s.keys(gvr, namespace) {
		if u := s.objects[k]; selector.Matches(labels.Set(u.GetLabels())) {
			found = append(found, u)
		}
	}
	return found
}

// Create stores an object on behalf of a model or a test. It is an effect of nobody but feeds its event.
func (s *Server) Create(
	gvr schema.GroupVersionResource, u *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	created, _, err := s.create(s.mustResource(gvr), u.GetNamespace(), u.DeepCopy(), "kubesim")
	return created.DeepCopy(), err
}

// Update changes an object in place on behalf of a model or a test. Changes of status are ignored where the resource
// has a status subresource: use UpdateStatus.
func (s *Server) Update(
	gvr schema.GroupVersionResource, namespace, name string, change func(*unstructured.Unstructured),
) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := write{resource: s.mustResource(gvr), namespace: namespace, name: name, manager: "kubesim"}
	updated, _, err := s.update(target, func(u *unstructured.Unstructured) error {
		change(u)
		return nil
	})
	return updated.DeepCopy(), err
}

// UpdateStatus replaces the status of an object on behalf of a model or a test.
func (s *Server) UpdateStatus(
	gvr schema.GroupVersionResource, namespace, name string, status map[string]any,
) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := write{resource: s.mustResource(gvr), namespace: namespace, name: name, manager: "kubesim", status: true}
	updated, _, err := s.update(target, func(u *unstructured.Unstructured) error {
		u.Object["status"] = status
		return nil
	})
	return updated.DeepCopy(), err
}

// Delete deletes an object on behalf of a model or a test. A missing one is an error.
func (s *Server) Delete(gvr schema.GroupVersionResource, namespace, name string, options DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _, err := s.remove(s.mustResource(gvr), namespace, name, options)
	return err
}

// ExpireLists makes every continue token that was given so far answer 410 Expired, as after etcd's compaction.
func (s *Server) ExpireLists() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired = s.version
}

// keys returns the sorted keys of one resource. Called with the lock.
func (s *Server) keys(gvr schema.GroupVersionResource, namespace string) []key {
	var keys []key
	for k := range s.objects {
		if k.gvr == gvr && (namespace == "" || k.namespace == namespace) {
			keys = append(keys, k)
		}
	}
	sort.Slice(keys, func(i, j int) bool { return before(keys[i], keys[j]) })
	return keys
}

func before(a, b key) bool {
	if a.namespace != b.namespace {
		return a.namespace < b.namespace
	}
	return a.name < b.name
}

func (s *Server) nextVersion() string {
	s.version++
	return strconv.FormatInt(s.version, 10)
}

func (s *Server) nextUID() string {
	s.uids++
	return fmt.Sprintf("5ca1ab1e-0000-4000-8000-%012x", s.uids)
}
