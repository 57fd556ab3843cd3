package serving

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// probeEvery lies between two tries to connect to a pod that starts.
const probeEvery = 15 * time.Millisecond

// State is what a function does at a moment.
type State struct {
	Namespace, Name string
	// Pods is how many answer; Wanted is how many there should be.
	Pods, Wanted int
	// Served counts answered requests, InFlight those that wait or are in work.
	Served, InFlight int
	LastRequest      time.Time
	// Newest is the newest pod, nil if there is none; Restarts is how often its container has been.
	Newest   *types.NamespacedName
	UID      types.UID
	Restarts int32
}

// function is one Knative Service with the pods of all its revisions.
type function struct {
	namespace, name string
	kill            func(types.UID) // the fault: nil or a decision to end the pod that has just got a request
	answered        func()          // is told when a pod answers that did not: nothing else may come that says so

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, when a request that waits should look again
	serving  string        // the revision that gets requests; empty: none yet
	conf     settings      // of the serving one
	wanted   int
	pods     map[string]*pod
	served   int
	inFlight int
	last     time.Time
	load     integral
	history  History
	scale    func(revision string, replicas int) // asks for a number of pods
}

// pod is a pod that may get requests.
type pod struct {
	uid      types.UID
	object   *corev1.Pod
	address  string
	answers  bool // it has accepted a connection, and none was refused since
	probing  bool
	gone     bool
	inFlight int
}

func newFunction(namespace, name string) *function {
	return &function{
		namespace: namespace, name: name, changed: make(chan struct{}), pods: map[string]*pod{},
		load:     integral{since: time.Now()},
		answered: func() {},
	}
}

// notify wakes all that wait. Called with the lock held.
func (f *function) notify() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// setPod takes what the API server says about a pod.
func (f *function) setPod(object *corev1.Pod, port int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pods[object.Name]
	if p == nil {
		p = &pod{uid: object.UID}
		f.pods[object.Name] = p
	}
	p.object = object
	if address := net.JoinHostPort(object.Status.PodIP, strconv.Itoa(port)); runs(object) && address != p.address {
		p.address, p.answers = address, false
	}
	p.gone = object.DeletionTimestamp != nil || object.Status.Phase == corev1.PodFailed ||
		object.Status.Phase == corev1.PodSucceeded
	f.probe(p)
	f.notify()
}

// begun is before any container of this process: they end with it.
var begun = time.Now().Truncate(time.Second)

// runs says whether the pod has had a process since this one began. In a state directory that goes on the API server
// has pods with the addresses of the last time, where others may be now.
func runs(p *corev1.Pod) bool {
	for _, c := range p.Status.ContainerStatuses {
		if s := c.State.Running; s != nil && !s.StartedAt.Time.Before(begun) {
			return p.Status.PodIP != ""
		}
	}
	return false
}

func (f *function) removePod(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.pods[name]; p != nil {
		p.gone = true
		delete(f.pods, name)
	}
	f.notify()
}

// probe connects to the pod until it answers or is gone. Called with the lock held.
func (f *function) probe(p *pod) {
	if p.answers || p.gone || p.probing || p.address == "" {
		return
	}
	p.probing = true
	go func() {
		tick := time.NewTicker(probeEvery)
		defer tick.Stop()
		for range tick.C {
			f.mu.Lock()
			address := p.address
			f.mu.Unlock()
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				_ = conn.Close()
			}
			f.mu.Lock()
			if err == nil && address == p.address || p.gone {
				p.answers, p.probing = !p.gone, false
				f.notify()
				f.mu.Unlock()
				f.answered()
				return
			}
			f.mu.Unlock()
		}
	}()
}

// answering is how many pods of a revision get requests. Called with the lock held.
func (f *function) answering(revision string) int {
	n := 0
	for _, p := range f.pods {
		if p.answers && !p.gone && p.object.Labels[labelRevision] == revision {
			n++
		}
	}
	return n
}

// serve makes a revision the one that gets the requests.
func (f *function) serve(revision string, conf settings, pods int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.serving != revision {
		f.history = nil
	}
	f.serving, f.conf, f.wanted = revision, conf, pods
	f.notify()
}

// resize asks for another number of pods. Called with the lock held.
func (f *function) resize(n int) {
	if n == f.wanted || f.serving == "" {
		return
	}
	f.wanted = n
	f.scale(f.serving, n)
}

// second closes one second of the history, and every other one decides the scale.
func (f *function) second(now time.Time, decide bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.history = f.history.With(f.load.take(now), f.conf.scale.Window)
	// A history shorter than the window is that of a revision that has just begun: its first pod stays for the window.
	if decide && f.serving != "" {
		n := Desired(f.conf.scale, f.history, f.answering(f.serving))
		if whole := max(1, int(f.conf.scale.Window/time.Second)); n < f.wanted && len(f.history) < whole {
			return
		}
		if f.inFlight > 0 {
			n = max(n, 1)
		}
		f.resize(n)
	}
}

// state is a copy for others.
func (f *function) state() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := State{
		Namespace: f.namespace, Name: f.name, Wanted: f.wanted, Served: f.served, InFlight: f.inFlight, LastRequest: f.last,
	}
	var newest *corev1.Pod
	for _, p := range f.pods {
		if p.answers && !p.gone {
			s.Pods++
		}
		if newest == nil || newest.CreationTimestamp.Before(&p.object.CreationTimestamp) {
			newest = p.object
		}
	}
	if newest != nil {
		s.Newest, s.UID = &types.NamespacedName{Namespace: newest.Namespace, Name: newest.Name}, newest.UID
		for _, c := range newest.Status.ContainerStatuses {
			s.Restarts = c.RestartCount
		}
	}
	return s
}

// trouble is why the pods of a revision do not come up, as the kubelet says it. Empty: they may yet.
func (f *function) trouble(revision string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.pods {
		if p.object.Labels[labelRevision] != revision {
			continue
		}
		for _, c := range p.object.Status.ContainerStatuses {
			if w := c.State.Waiting; w != nil && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
				return fmt.Sprintf("%s: %s", w.Reason, w.Message)
			}
			if t := c.LastTerminationState.Terminated; t != nil && !p.answers {
				return fmt.Sprintf("the container exits with code %d: see its log", t.ExitCode)
			}
		}
	}
	return ""
}

// integral is requests at once, over time.
type integral struct {
	since time.Time // of the sum
	at    time.Time // of the last change
	now   int
	sum   float64
}

// change is called when a request begins or ends.
func (i *integral) change(at time.Time, by int) {
	i.settle(at)
	i.now += by
}

func (i *integral) settle(at time.Time) {
	if i.at.IsZero() {
		i.at = i.since
	}
	i.sum += float64(i.now) * at.Sub(i.at).Seconds()
	i.at = at
}

// take returns the average since the last time.
func (i *integral) take(at time.Time) float64 {
	i.settle(at)
	seconds := at.Sub(i.since).Seconds()
	sum := i.sum
	i.since, i.sum = at, 0
	if seconds <= 0 {
		return 0
	}
	return sum / seconds
}
