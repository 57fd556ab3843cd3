package process

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// Start is one begin of a job, fail-overs within a process included.
type Start struct {
	// Cluster is namespace and cluster-id.
	Cluster types.NamespacedName
	// Pod is the JobManager's pod.
	Pod string
	// JobID is the job's.
	JobID string
	// Name is the job's name.
	Name string
	// How is "nothing", "path" (the configuration or the jar run named it), "high-availability data" or "fail-over".
	How string
	// From is the snapshot's path; empty: from nothing.
	From string
	// Progress is what the job began with.
	Progress int64
	// At is when, by the clock of its machine.
	At time.Time
	// Ahead is how much that was ahead of everybody else's; negative: behind.
	Ahead time.Duration
}

// Began is when, by everybody else's clock.
func (s Start) Began() time.Time { return s.At.Add(-s.Ahead) }

// String is one line for a test's log.
func (s Start) String() string {
	return fmt.Sprintf("%s job %s %s from %s %s (progress %d)", s.Cluster, s.Name, s.JobID, s.How, s.From, s.Progress)
}

// Starts returns every begin of a job in a cluster, oldest first.
func (f *Flink) Starts(namespace, id string) []Start {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []Start
	for _, s := range f.starts {
		if s.Cluster == (types.NamespacedName{Namespace: namespace, Name: id}) {
			found = append(found, s)
		}
	}
	return found
}

// Violations returns what must never happen and did, each once:
// two live jobs of one resource at a time, a job ID that is submitted with a jar twice, high-availability data deleted
// under a JobManager that runs, a start over another job's graph, beside a TaskManager of a deleted cluster, or
// beside a JobManager of another Deployment that leads.
func (f *Flink) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.violations)
}

func (f *Flink) violate(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(f.violations, text) {
		f.violations = append(f.violations, text)
	}
}

// submittedRun notes a job that begins because somebody ran a jar.
func (jm *JobManager) submittedRun(id string) {
	if jm.flink.submitted[id] {
		jm.flink.violate("job ID %s of %s is used for two starts", id, jm.Cluster)
	}
	jm.flink.submitted[id] = true
}

func (f *Flink) began(jm *JobManager, j *job.Job, how string) {
	s := Start{Cluster: jm.Cluster, Pod: jm.pod, JobID: j.ID, Name: j.Name, How: how, Progress: j.Progress, At: jm.Now(),
		Ahead: f.ahead(jm.node)}
	if j.Restored != nil {
		s.From = j.Restored.Path
	}
	f.starts = append(f.starts, s)
}

// hostOf is the owner of the Deployment of a standalone cluster's TaskManagers, also after somebody has deleted that
// Deployment; empty when there was none.
func (f *Flink) hostOf(deployment types.UID) types.UID {
	f.noteHosts()
	return f.hosts[deployment]
}

// deploymentOf is the Deployment that a pod was made for, also after somebody has deleted its ReplicaSet.
func (f *Flink) deploymentOf(pod *corev1.Pod) types.UID {
	f.noteHosts()
	owner := ownerOf(pod)
	if deployment, set := f.sets[owner]; set {
		return deployment
	}
	return owner
}

// noteHosts remembers the owners of ReplicaSets, and of the Deployments of standalone clusters' TaskManagers.
func (f *Flink) noteHosts() {
	for _, set := range f.kube.PeekAll(kubesim.ReplicaSets, "", nil) {
		f.sets[set.GetUID()] = ownerOf(set)
	}
	for _, d := range f.kube.PeekAll(kubesim.Deployments, "", map[string]string{"component": "taskmanager"}) {
		f.hosts[d.GetUID()] = ownerOf(d)
	}
}

// ownerOf is the UID of what controls an object; empty when nothing does.
func ownerOf(o metav1.Object) types.UID {
	if owner := metav1.GetControllerOf(o); owner != nil {
		return owner.UID
	}
	return ""
}

// watchFormer looks, as a JobManager begins, for TaskManagers of a cluster of its name whose Deployment is gone. It
// would adopt them by their labels, whatever their image is, for as long as their pods are there.
func (f *Flink) watchFormer(cluster types.NamespacedName, owner types.UID) {
	owners := map[types.UID]bool{}
	for _, d := range f.kube.PeekAll(kubesim.Deployments, cluster.Namespace, nil) {
		owners[d.GetUID()] = true
	}
	for uid, tm := range f.tasks {
		pod := f.kube.Peek(kubesim.Pods, cluster.Namespace, tm.name)
		former := !owners[tm.owner] && !owners[tm.host]
		if owners[owner] && tm.cluster == cluster && former && pod != nil && pod.GetUID() == uid {
			f.violate("a JobManager of %s begins beside TaskManager %s of a deleted cluster", cluster, tm.name)
		}
	}
}

// watchTwo looks, as a JobManager begins, for one of another Deployment that leads: both would act. One whose lease has
// run out, or whose resource goes, does not count.
func (f *Flink) watchTwo(begins *JobManager) {
	for _, jm := range f.inOrder() {
		leads := jm.phase >= leading && !jm.fenced
		if jm.Cluster == begins.Cluster && jm.deployment != begins.deployment && leads && !f.goes(jm.Cluster) {
			f.violate("a JobManager of %s begins in pod %s beside that of another Deployment in pod %s", jm.Cluster,
				begins.pod, jm.pod)
		}
	}
}

// watch looks at everything that runs.
func (f *Flink) watch() {
	type resource struct {
		cluster types.NamespacedName
		name    string
	}
	live := map[resource]*job.Job{}
	for _, jm := range f.inOrder() {
		for _, j := range jm.jobs {
			if j.State.Ended() || j.State == job.Suspended {
				if !jm.Application() && j.State.Ended() {
					f.ended[j.ID] = true
				}
				continue
			}
			r := resource{jm.Cluster, j.Name}
			if jm.Application() {
				r.name = "" // whatever its name, an application cluster has one job
			}
			if first := live[r]; first != nil && !f.cameBack(first, j) && !f.goes(jm.Cluster) {
				f.violate(
					"two live jobs of %s: %s and %s", strings.TrimSuffix(jm.Cluster.String()+" "+r.name, " "), first.ID, j.ID,
				)
			}
			live[r] = j
		}
		jm.watchData()
	}
}

// goes reports whether the resource of a cluster is being deleted. Its Deployment is not retired first, so
// that a controller that has not heard of that may make one more pod of it. Nothing follows, and each of them ends.
func (f *Flink) goes(cluster types.NamespacedName) bool {
	u := f.kube.Peek(kubesim.FlinkDeployments, cluster.Namespace, cluster.Name)
	return u != nil && u.GetDeletionTimestamp() != nil
}

// watchData looks whether somebody deleted the ConfigMaps of a process that leads.
func (jm *JobManager) watchData() {
	if !jm.Config.HA() || jm.phase < leading || jm.fenced {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(jm.recorded)) {
		if strings.HasSuffix(name, "-config-map") && !jm.has(name) {
			jm.flink.violate("high-availability data of %s deleted under a running JobManager: %s", jm.Cluster, name)
		}
	}
}
