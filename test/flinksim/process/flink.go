package process

import (
	"fmt"
	"net"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// Script is what goes wrong, or slowly, with the JobManagers of one cluster. The zero value is healthy.
type Script struct {
	// MainSteps is how many steps more than one the application's main takes to submit its job. Until then the job list
	// is empty.
	MainSteps int
	// ElectionSteps is how many steps more than one it takes to become the leader. Until then REST answers 503.
	ElectionSteps int
	// NoTaskManagers lets no TaskManager register: jobs wait for slots.
	NoTaskManagers bool
	// CleanUpSteps is how many steps lie between one part of clearing up after a job that has ended and the next.
	CleanUpSteps int
	// RunTimesOut lets each jar run take effect but never answer.
	RunTimesOut bool
}

// Flink is all JobManagers and TaskManagers of a World. It is the Runtime of the pods. Safe for concurrent use.
type Flink struct {
	t       testing.TB
	kube    *kubesim.Server
	storage *job.Storage
	isDown  func(node string) bool

	mu         sync.Mutex
	managers   map[types.UID]*JobManager
	tasks      map[types.UID]*taskManager
	attempts   map[types.UID]int
	scripts    map[types.NamespacedName]Script
	jobScripts map[string]job.Script
	metrics    map[string]map[string]string
	starts     []Start
	submitted  map[string]bool // the IDs of jobs that ran from a jar
	// hosts are the owners of the Deployments of TaskManagers, by the UID of the Deployment.
	hosts map[types.UID]types.UID
	// sets are the owners of ReplicaSets, by the UID of the ReplicaSet.
	sets       map[types.UID]types.UID
	violations []string
	ended      map[string]bool      // the IDs of jobs of session clusters that were seen to have ended
	back       map[string]time.Time // since when one of them runs again beside its successor
	most       map[types.NamespacedName]int
	launched   map[types.NamespacedName]int
	serial     int
	zookeeper  *ensemble
	skew       time.Duration
	skews      map[string]time.Duration // of single nodes
}

// New makes a world of Flink without a process in it.
func New(t testing.TB, kube *kubesim.Server, storage *job.Storage) *Flink {
	return &Flink{
		t: t, kube: kube, storage: storage, isDown: func(string) bool { return false },
		managers: map[types.UID]*JobManager{}, tasks: map[types.UID]*taskManager{}, attempts: map[types.UID]int{},
		scripts: map[types.NamespacedName]Script{}, jobScripts: map[string]job.Script{},
		metrics: map[string]map[string]string{}, most: map[types.NamespacedName]int{},
		launched:  map[types.NamespacedName]int{},
		zookeeper: newEnsemble(), submitted: map[string]bool{}, ended: map[string]bool{}, back: map[string]time.Time{},
		hosts: map[types.UID]types.UID{}, sets: map[types.UID]types.UID{},
		skews: map[string]time.Duration{},
	}
}

// SetDown tells Flink how to ask whether a node is unreachable. Without it none is.
func (f *Flink) SetDown(isDown func(node string) bool) { f.isDown = isDown }

// Script sets what happens to the JobManagers of a cluster from now on.
func (f *Flink) Script(namespace, id string, script Script) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scripts[types.NamespacedName{Namespace: namespace, Name: id}] = script
}

// ScriptJob sets what happens to jobs of this name (pipeline.name, which is the resource's name), those that run
// included.
func (f *Flink) ScriptJob(name string, script job.Script) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.jobScripts[name] = script
	for _, jm := range f.inOrder() {
		for _, j := range jm.jobs {
			if j.Name == name {
				j.Script = script
			}
		}
	}
}

// SetMetric sets a metric of a scope: "job/<name>", "jobmanager", "taskmanagers", "vertex/<ID>", "io/<ID>".
func (f *Flink) SetMetric(scope, name, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.metrics[scope] == nil {
		f.metrics[scope] = map[string]string{}
	}
	f.metrics[scope][name] = value
}

// Do runs a function on the newest job of this ID in a cluster, such as one that makes it fail. The end of a job is
// recorded a step later, and a process that dies meanwhile runs it again; but Flink takes a checkpoint out of the
// high-availability data before it deletes it. A process on a node that is down cannot write that data, so nothing
// becomes of its jobs and the function is not run. It fails the test when there is no such job.
func (f *Flink) Do(namespace, id, jobID string, act func(j *job.Job)) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	jm, j := f.find(namespace, id, jobID)
	switch {
	case j == nil:
		f.t.Fatalf("flink model: no job %q in cluster %s/%s", jobID, namespace, id)
	case jm.Config.HA() && jm.isCutOff():
	default:
		act(j)
		if _, kept := f.storage.Get(jm.newestCheckpoint(j.ID)); !kept || j.State.Ended() {
			jm.forgetCheckpoints(j.ID)
		}
	}
}

// Job returns a copy of the newest job of this ID in a cluster, ended ones included; nil if none. The empty ID means
// the newest of all.
func (f *Flink) Job(namespace, id, jobID string) *job.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, j := f.find(namespace, id, jobID); j != nil {
		copied := *j
		return &copied
	}
	return nil
}

// Named returns a copy of the newest job of this name in a cluster, ended ones included; nil if none.
func (f *Flink) Named(namespace, id, name string) *job.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	var newest *job.Job
	for _, jm := range f.inOrder() {
		for _, j := range jm.jobs {
			if jm.Cluster == (types.NamespacedName{Namespace: namespace, Name: id}) && j.Name == name {
				newest = j
			}
		}
	}
	if newest == nil {
		return nil
	}
	copied := *newest
	return &copied
}

func (f *Flink) find(namespace, id, jobID string) (by *JobManager, newest *job.Job) {
	for _, jm := range f.inOrder() {
		for _, j := range jm.jobs {
			if jm.Cluster == (types.NamespacedName{Namespace: namespace, Name: id}) && (jobID == "" || j.ID == jobID) {
				by, newest = jm, j
			}
		}
	}
	return by, newest
}

// inOrder returns the JobManagers in the order of their start.
func (f *Flink) inOrder() []*JobManager {
	all := make([]*JobManager, 0, len(f.managers))
	for _, jm := range f.managers {
		all = append(all, jm)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].serial < all[j].serial })
	return all
}

// Start begins a process in a pod: a JobManager or a TaskManager by the pod's labels, anything else is nothing to
// Flink.
func (f *Flink) Start(pod *corev1.Pod) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !strings.HasPrefix(pod.Labels["type"], "flink-") {
		return
	}
	cluster := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels["app"]}
	owner := f.deploymentOf(pod)
	switch pod.Labels["component"] {
	case "taskmanager":
		native := pod.Labels["type"] == "flink-native-kubernetes"
		f.tasks[pod.UID] = &taskManager{
			cluster: cluster, owner: owner, host: f.hostOf(owner), name: pod.Name, native: native,
		}
	case "jobmanager":
		f.serial++
		f.attempts[owner]++
		f.managers[pod.UID] = f.newJobManager(pod, cluster, owner)
		f.launched[cluster]++
		f.most[cluster] = max(f.most[cluster], f.count(cluster))
		f.watchFormer(cluster, owner)
		f.watchTwo(f.managers[pod.UID])
	}
}

// Ready says whether the probe of a pod succeeds: a JobManager's REST endpoint listens from the step after its start
// on.
func (f *Flink) Ready(pod *corev1.Pod) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if jm, ok := f.managers[pod.UID]; ok && jm.phase == starting {
		jm.phase, jm.waited = listening, 0
	}
	if tm, ok := f.tasks[pod.UID]; ok {
		tm.ready = true
	}
	return true
}

// Stop ends the process of a pod. A JobManager takes its jobs with it: with high availability they can go on elsewhere.
func (f *Flink) Stop(uid types.UID, crashed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if jm, ok := f.managers[uid]; ok {
		jm.suspend()
		if !crashed {
			jm.finishCleanUp()
			delete(f.zookeeper.sessions[jm.Config.node()], jm.serial)
		}
	}
	delete(f.managers, uid)
	delete(f.tasks, uid)
}

// Step moves every process by one step.
func (f *Flink) Step() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, tm := range f.tasks {
		tm.steps++
		tm.ready = tm.ready || tm.steps > unprobed
	}
	for _, jm := range f.inOrder() {
		jm.step()
	}
	f.noteHosts()
	f.watch()
}

// Fingerprint is a text of what a client could see of Flink: it changes when that changes.
func (f *Flink) Fingerprint() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out strings.Builder
	for _, jm := range f.inOrder() {
		fmt.Fprint(&out, jm.serial, jm.phase, jm.waited, jm.fenced)
		for _, j := range jm.jobs {
			fmt.Fprint(&out, j.ID, j.State, len(j.Checkpoints), j.InFlight())
		}
	}
	return out.String()
}

// Reach says who is behind an address: known is false when no Service has that name, ready when no connection comes
// about.
func (f *Flink) Reach(address string) (known, ready bool) {
	jm, known := f.resolve(address)
	return known, jm != nil
}

// Secured says whether the JobManager behind an address serves REST over TLS alone.
func (f *Flink) Secured(address string) bool {
	jm, _ := f.resolve(address)
	return jm != nil && jm.Config.First("security.ssl.rest.enabled", "security.ssl.enabled") == "true"
}

// Serve runs a function for the JobManager behind an address, with the lock held, and watches for violations after it.
// jm is the process that leads, or nil while none does. It is false when no connection would come about.
func (f *Flink) Serve(address string, serve func(front, leader *JobManager)) bool {
	front, _ := f.resolve(address)
	if front == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	serve(front, front.leader())
	f.watch()
	return true
}

// leader is who answers: this process, or the one that leads while this one stands by.
func (jm *JobManager) leader() *JobManager {
	if jm.phase >= leading && !jm.fenced {
		return jm
	}
	for _, other := range jm.flink.inOrder() {
		if other.Cluster == jm.Cluster && other.phase >= leading && !other.fenced && !jm.flink.isDown(other.node) {
			return other
		}
	}
	return nil
}

// resolve finds the JobManager behind an address. It is false when no Service has that name; nil when nobody is ready
// behind it.
func (f *Flink) resolve(address string) (*JobManager, bool) {
	service, namespace, port, ok := SplitHost(address)
	if !ok {
		return nil, false
	}
	u := f.kube.Peek(kubesim.Services, namespace, service)
	if u == nil {
		return nil, false
	}
	selector, _, _ := unstructured.NestedStringMap(u.Object, "spec", "selector")
	if len(selector) == 0 || !servesPort(u, port) {
		return nil, true
	}
	pods := f.kube.PeekAll(kubesim.Pods, namespace, selector)
	f.mu.Lock()
	defer f.mu.Unlock()
	var found *JobManager
	for _, pod := range pods {
		jm, runs := f.managers[pod.GetUID()]
		if pod.GetDeletionTimestamp() == nil && isReady(pod) && runs && jm.phase != starting && !f.isDown(jm.node) &&
			(found == nil || jm.phase >= leading) {
			found = jm
		}
	}
	return found, true
}

// SplitHost reads <service>.<namespace>[.svc[...]]:<port>.
func SplitHost(address string) (service, namespace, port string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	parts := strings.Split(host, ".")
	if err != nil || len(parts) < 2 || len(parts) > 2 && parts[2] != "svc" {
		return "", "", "", false
	}
	return parts[0], parts[1], port, true
}

func servesPort(service *unstructured.Unstructured, port string) bool {
	ports, _, _ := unstructured.NestedSlice(service.Object, "spec", "ports")
	for _, p := range ports {
		if fields, ok := p.(map[string]any); ok && fmt.Sprint(fields["port"]) == port {
			return true
		}
	}
	return false
}

func isReady(pod *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	for _, c := range conditions {
		if fields, ok := c.(map[string]any); ok && fields["type"] == "Ready" {
			return fields["status"] == "True"
		}
	}
	return false
}

// NextID draws a new 32-hex identifier. Called with the lock, as by Serve.
func (f *Flink) NextID(of string) string {
	f.serial++
	return job.VertexID(of, strconv.Itoa(f.serial))
}
