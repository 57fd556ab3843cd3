package controllers

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// Runtime is what containers do. A pod is one process to it, named by the pod's uid.
type Runtime interface {
	// Start is called when the containers of a pod start, and again when they restart.
	Start(pod *corev1.Pod)
	// Ready is asked each step from the one after Start on: does the pod's probe succeed?
	Ready(pod *corev1.Pod) bool
	// Stop is called when the processes of a pod have ended. crashed says that they will start again in the same pod.
	Stop(uid types.UID, crashed bool)
}

// Controllers moves the world. Make it with New. Not safe for concurrent use: one test drives it.
type Controllers struct {
	t       testing.TB
	kube    *kubesim.Server
	runtime Runtime
	scripts map[string]Script
	down    map[string]bool
	dead    map[string]bool      // nodes whose kubelet alone is dead
	since   map[string]time.Time // when a node was last heard of
	lost    map[string]bool      // nodes that are known to be silent
	renewed map[string]time.Time // when the Lease of a node was
	running map[types.UID]process
	known   map[types.UID]*corev1.Pod // as last read, by their UIDs
	rolled  map[types.UID]*deployment // likewise
	sets    map[types.UID]*appsv1.ReplicaSet
	// backOffs are those of pods whose containers ended by themselves.
	backOffs map[types.UID]backOff
	serial   int
	// statusLate is how many steps after its start a process shows in the status of its pod.
	statusLate int
	// views are what the controllers of Deployments and ReplicaSets have known, newest last; see controllersLate.
	views []view
	// controllersLate is how much later they hear of theirs, garbageLate how long the garbage collector pauses, and
	// collected when it looked last.
	controllersLate, garbageLate time.Duration
	collected                    time.Time
	away                         bool // nobody is kube-controller-manager
}

// process is what a kubelet knows of a pod that it started.
type process struct {
	pod      types.NamespacedName
	node     string
	stopping int
	unsaid   int // steps until the status of its pod says that it runs
}

// New returns controllers over a server. A nil Runtime makes every pod ready one step after its start.
func New(t testing.TB, kube *kubesim.Server, containers Runtime) *Controllers {
	if containers == nil {
		containers = sleeper{}
	}
	return &Controllers{
		t: t, kube: kube, runtime: containers, scripts: map[string]Script{},
		down: map[string]bool{}, dead: map[string]bool{}, since: map[string]time.Time{},
		lost: map[string]bool{}, renewed: map[string]time.Time{}, running: map[types.UID]process{},
		known: map[types.UID]*corev1.Pod{}, rolled: map[types.UID]*deployment{},
		sets:     map[types.UID]*appsv1.ReplicaSet{},
		backOffs: map[types.UID]backOff{},
	}
}

type sleeper struct{}

func (sleeper) Start(*corev1.Pod)      {}
func (sleeper) Ready(*corev1.Pod) bool { return true }
func (sleeper) Stop(types.UID, bool)   {}

// Script sets what happens to pods with a container of this image from now on. The zero Script fixes it. An image of
// the form "image@component" is about the pods with that component label alone.
func (c *Controllers) Script(image string, script Script) { c.scripts[image] = script }

// Step moves everything by one step and says whether anything changed: nodes, kubelets, scheduler, Deployments,
// ReplicaSets, garbage.
func (c *Controllers) Step() bool {
	before := c.kube.Version()
	c.stepNodes()
	for _, pod := range c.pods("", nil) {
		c.stepPod(pod.DeepCopy())
	}
	c.reap()
	if c.away {
		return c.kube.Version() != before
	}
	deployments := c.knownDeployments()
	for _, d := range deployments {
		c.rollOut(d)
	}
	for _, set := range c.knownSets() {
		c.fill(set)
	}
	for _, d := range deployments {
		c.writeDeployment(d)
	}
	c.collect()
	return c.kube.Version() != before
}

// pods reads pods. The caller must not write to them.
func (c *Controllers) pods(namespace string, with map[string]string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, u := range c.kube.PeekAll(kubesim.Pods, namespace, with) {
		pods = append(pods, c.readPod(u))
	}
	return pods
}

// readPod reads a pod once for each version of it.
func (c *Controllers) readPod(u *unstructured.Unstructured) *corev1.Pod {
	c.t.Helper()
	known := c.known[u.GetUID()]
	if known == nil || known.ResourceVersion != u.GetResourceVersion() {
		known = &corev1.Pod{}
		c.convert(u, known)
		c.known[u.GetUID()] = known
	}
	return known
}

func (c *Controllers) convert(u *unstructured.Unstructured, into any) {
	c.t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into); err != nil {
		c.t.Fatalf("controllers: read %s %s/%s: %v", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
}

func (c *Controllers) content(typed any) map[string]any {
	c.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		c.t.Fatalf("controllers: convert %T: %v", typed, err)
	}
	return content
}

func (c *Controllers) setStatus(gvr schema.GroupVersionResource, namespace, name string, status any) {
	c.t.Helper()
	if _, err := c.kube.UpdateStatus(gvr, namespace, name, c.content(status)); err != nil {
		c.t.Errorf("controllers: write status of %s %s/%s: %v", gvr.Resource, namespace, name, err)
	}
}

func (c *Controllers) scriptOf(labels map[string]string, spec corev1.PodSpec) (Script, string) {
	for _, container := range spec.Containers {
		for _, image := range []string{container.Image + "@" + labels["component"], container.Image} {
			if script, ok := c.scripts[image]; ok {
				return script, container.Name
			}
		}
	}
	if len(spec.Containers) == 0 {
		return Script{}, ""
	}
	return Script{}, spec.Containers[0].Name
}
