package scenario

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// A story names a resource by its name: a session job that it made, or else a FlinkDeployment. Where both have the
// name, clusterMark before it names the FlinkDeployment.
const clusterMark = "cluster "

func plain(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, clusterMark), pairMark)
}

// kindOf is the resource that a name of the story means.
func (h *harness) kindOf(name string) schema.GroupVersionResource {
	switch {
	case h.hosted[name] != "":
		return kubesim.FlinkSessionJobs
	case strings.HasPrefix(name, pairMark):
		return kubesim.FlinkBlueGreenDeployments
	}
	return kubesim.FlinkDeployments
}

func kindName(gvr schema.GroupVersionResource) string {
	switch gvr {
	case kubesim.FlinkSessionJobs:
		return v1beta1.KindFlinkSessionJob
	case kubesim.FlinkBlueGreenDeployments:
		return v1beta1.KindFlinkBlueGreenDeployment
	}
	return v1beta1.KindFlinkDeployment
}

// clusterOf is where the job of a resource runs.
func (h *harness) clusterOf(name string) string {
	if cluster := h.hosted[name]; cluster != "" {
		return cluster
	}
	return plain(name)
}

// resources are the names of all FlinkDeployments and FlinkSessionJobs that there are, as the story names them.
func (h *harness) resources() []string {
	var all []string
	for _, u := range h.w.Kube.PeekAll(kubesim.FlinkDeployments, "", nil) {
		name := u.GetName()
		if h.hosted[name] != "" {
			name = clusterMark + name
		}
		all = append(all, name)
	}
	for _, u := range h.w.Kube.PeekAll(kubesim.FlinkSessionJobs, "", nil) {
		if h.hosted[u.GetName()] != "" {
			all = append(all, u.GetName())
		}
	}
	for _, u := range h.w.Kube.PeekAll(kubesim.FlinkBlueGreenDeployments, "", nil) {
		all = append(all, pairMark+u.GetName())
	}
	return all
}

// decodeAny reads a FlinkDeployment, or a FlinkSessionJob in the form of one.
func decodeAny(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
	switch u.GetKind() {
	case v1beta1.KindFlinkBlueGreenDeployment:
		return decodePair(u)
	case v1beta1.KindFlinkDeployment:
		d, _, err := v1beta1.DecodeDeployment(u.Object)
		return &d, err
	}
	own, _, err := v1beta1.DecodeSessionJob(u.Object)
	s := own.Status
	return &v1beta1.FlinkDeployment{
		TypeMeta: own.TypeMeta, ObjectMeta: own.ObjectMeta,
		Spec: v1beta1.FlinkDeploymentSpec{
			Job: own.Spec.Job, RestartNonce: own.Spec.RestartNonce, FlinkConfiguration: own.Spec.FlinkConfiguration,
		},
		Status: v1beta1.FlinkDeploymentStatus{
			JobStatus: s.JobStatus, Error: s.Error, ObservedGeneration: s.ObservedGeneration,
			DeployedGeneration: s.DeployedGeneration, LifecycleState: s.LifecycleState, Conditions: s.Conditions,
			ReconciliationStatus: s.ReconciliationStatus, Progress: s.Progress,
		},
	}, err
}

// startsOf are the begins of the job of a resource. Those of a session job are not its cluster's.
func (h *harness) startsOf(name string) []process.Start {
	var all []process.Start
	for _, s := range h.w.Flink.Starts(namespace, h.clusterOf(name)) {
		if s.Name == name || (h.hosted[name] == "" && h.hosted[s.Name] == "") {
			all = append(all, s)
		}
	}
	return all
}

// job is a copy of the newest job of a resource at Flink; nil when nobody knows one.
func (h *harness) job(name string) *job.Job {
	if h.hosted[name] != "" {
		return h.w.Flink.Named(namespace, h.hosted[name], name)
	}
	if j := h.w.Flink.Job(namespace, plain(name), ""); j == nil || h.hosted[j.Name] == "" {
		return j
	}
	return nil
}

// jarURI is where the jar of a session job is.
const jarURI = "https://jars.example.com/mine.jar"

// sessionJob is the spec of a small job of a session cluster.
func sessionJob(cluster string, changes ...change) map[string]any {
	spec := map[string]any{
		"deploymentName": cluster, "flinkConfiguration": map[string]any{},
		"job": map[string]any{"jarURI": jarURI, "parallelism": int64(2), "upgradeMode": "stateless"},
	}
	for _, c := range changes {
		c(spec)
	}
	return spec
}

// submit makes a session job, or replaces its spec.
func (h *harness) submit(name string, spec map[string]any) {
	h.t.Helper()
	h.hosted[name] = spec["deploymentName"].(string)
	h.applyTo(kubesim.FlinkSessionJobs, v1beta1.KindFlinkSessionJob, name, spec)
}

// runs has a session job run on a session cluster.
func (h *harness) runs(name string, job, cluster map[string]any) {
	h.t.Helper()
	h.apply(job["deploymentName"].(string), cluster)
	h.submit(name, job)
	h.untilStable(name)
}

// ofCluster are the beginnings of the options that are the session cluster's.
var ofCluster = []string{"high-availability", "taskmanager.", "jobmanager."}

// applyHosted makes what has the spec of an application on a session cluster of its own.
func (h *harness) applyHosted(name, cluster string, spec map[string]any) {
	h.t.Helper()
	host, own := maps.Clone(spec), sessionJob(cluster)
	maps.Copy(own["job"].(map[string]any), spec["job"].(map[string]any))
	if uri, _ := own["job"].(map[string]any)["jarURI"].(string); strings.HasPrefix(uri, "local:") {
		own["job"].(map[string]any)["jarURI"] = jarURI
	}
	if nonce, is := spec["restartNonce"]; is {
		own["restartNonce"] = nonce
	}
	options := map[string]any{}
	for key, value := range spec["flinkConfiguration"].(map[string]any) {
		into := own["flinkConfiguration"].(map[string]any)
		for _, start := range ofCluster {
			if strings.HasPrefix(key, start) {
				into = options
			}
		}
		into[key] = value
	}
	delete(host, "job")
	delete(host, "restartNonce")
	host["flinkConfiguration"] = options
	h.hosted[name] = cluster
	if h.w.Kube.Peek(kubesim.FlinkDeployments, namespace, cluster) == nil {
		h.applyTo(kubesim.FlinkDeployments, v1beta1.KindFlinkDeployment, cluster, host)
	}
	h.submit(name, own)
}

// jars are what jarURIs lead to, in memory. A URI that nobody said anything about leads to a jar. Safe for concurrent
// use.
type jars struct {
	mu      sync.Mutex
	refused map[string]int // with which status, by URI
	fetched map[string]int // how often, by URI
}

// refuse has a URI answered with a status; 0 gives the jar again.
func (j *jars) refuse(uri string, status int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.refused == nil {
		j.refused = map[string]int{}
	}
	j.refused[uri] = status
}

// open is jarsource.Open without a network.
func (j *jars) open(_ context.Context, _ jarsource.Policy, uri string) (jarsource.Jar, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fetched == nil {
		j.fetched = map[string]int{}
	}
	j.fetched[uri]++
	const content = "PK mine"
	switch status := j.refused[uri]; {
	case status >= 500:
		return jarsource.Jar{}, fail.As(fail.Transient, "fetch jar "+uri, "JarServerFailed",
			fmt.Errorf("response %d: it is tried again", status))
	case status > 0:
		return jarsource.Jar{}, fail.As(fail.Denied, "fetch jar "+uri, "JarNotFound",
			fmt.Errorf("response %d: put the jar there, or correct jarURI", status))
	}
	return jarsource.Jar{ReadCloser: io.NopCloser(strings.NewReader(content)), Size: int64(len(content))}, nil
}

// jobLists is how often the jobs of one cluster may be listed in one look at everything: for the FlinkDeployment, and
// once for all of its session jobs.
const jobLists = 2

// asksForJobsOnce holds that nobody lists the jobs of a session cluster for each of its session jobs.
func (h *harness) asksForJobsOnce(what string) {
	h.t.Helper()
	lists := map[string]int{}
	for _, r := range h.w.Tap.Requests() {
		if r.System == "flink" && r.Verb == "get" && (r.Resource == "overview" || r.Resource == "jobs") {
			lists[r.Path]++
		}
	}
	for path, n := range lists {
		if n > jobLists {
			h.t.Errorf("%s asks %d times for %s", what, n, path)
		}
	}
}
