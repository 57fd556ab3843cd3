package process

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// The names of the high-availability ConfigMaps, and the prefixes of their entries.
const (
	checkpointPrefix = "checkpointID-"
	graphPrefix      = "jobGraph-"      // up to Flink 1.20
	planPrefix       = "executionPlan-" // from 2.0 on
)

func (jm *JobManager) clusterMap() string { return jm.Cluster.Name + "-cluster-config-map" }

func (jm *JobManager) jobMap(jobID string) string {
	return jm.Cluster.Name + "-" + jobID + "-config-map"
}

func (jm *JobManager) graphKey(jobID string) string {
	if jm.Config.AtLeast(2, 0) {
		return planPrefix + jobID
	}
	return graphPrefix + jobID
}

// elect says whether this process leads now. With high availability another one that still holds the lease is in the
// way.
func (jm *JobManager) elect() bool {
	if !jm.Config.HA() {
		return true
	}
	if jm.fenced {
		return false
	}
	for _, other := range jm.flink.inOrder() {
		if other == jm || other.Cluster != jm.Cluster || other.phase < leading || other.fenced {
			continue
		}
		if jm.Now().Sub(other.renewed) < leaseDuration {
			return false
		}
		other.fence()
	}
	jm.lead()
	return true
}

// lead writes the leader's ConfigMap, or takes over the one that is there with its job graphs.
func (jm *JobManager) lead() {
	jm.identity = jm.flink.NextID("leader")
	address := fmt.Sprintf("%s,pekko.tcp://flink@%s:6123/user/rpc/", jm.flink.NextID("session"), jm.pod)
	jm.edit(jm.clusterMap(), func(u *unstructured.Unstructured, data map[string]any) {
		u.SetAnnotations(jm.lease())
		for _, component := range []string{"dispatcher", "resourcemanager", "restserver"} {
			data["org.apache.flink.k8s.leader."+component] = address + component
		}
	})
	jm.recorded[jm.clusterMap()] = true
}

// lease is the annotation of a leader that renews now.
func (jm *JobManager) lease() map[string]string {
	jm.leased = jm.Now()
	at := jm.leased.Format("2006-01-02T15:04:05.000000Z07:00")
	return map[string]string{"control-plane.alpha.kubernetes.io/leader": fmt.Sprintf(
		`{"holderIdentity":%q,"leaseDuration":15.000000000,"acquireTime":%q,"renewTime":%q,"leaderTransitions":0}`,
		jm.identity, at, at)}
}

// renew renews the lease when it is time. One whose ConfigMap somebody deleted is not made again.
func (jm *JobManager) renew() {
	if !jm.Config.HA() || jm.phase < leading || jm.fenced || jm.Now().Sub(jm.leased) < retryPeriod ||
		jm.data(jm.clusterMap()) == nil {
		return
	}
	jm.edit(jm.clusterMap(), func(u *unstructured.Unstructured, _ map[string]any) { u.SetAnnotations(jm.lease()) })
}

// edit changes a high-availability ConfigMap, making it if it is not there. It has the labels of Flink's and no owner.
func (jm *JobManager) edit(name string, change func(u *unstructured.Unstructured, data map[string]any)) {
	if node := jm.Config.node(); node != "" {
		jm.flink.zookeeper.edit(node, name, change)
		return
	}
	namespace := jm.Cluster.Namespace
	apply := func(u *unstructured.Unstructured) {
		data, _ := u.Object["data"].(map[string]any)
		if data == nil {
			data = map[string]any{}
		}
		change(u, data)
		u.Object["data"] = data
	}
	var err error
	if jm.flink.kube.Peek(kubesim.ConfigMaps, namespace, name) == nil {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		u.SetName(name)
		u.SetNamespace(namespace)
		labels := map[string]string{"app": jm.Cluster.Name, "type": "flink-native-kubernetes"}
		if !jm.Config.AtLeast(2, 0) {
			labels["configmap-type"] = "high-availability"
		}
		u.SetLabels(labels)
		apply(u)
		_, err = jm.flink.kube.Create(kubesim.ConfigMaps, u)
	} else {
		_, err = jm.flink.kube.Update(kubesim.ConfigMaps, namespace, name, apply)
	}
	if err != nil {
		jm.flink.t.Logf("flink model: JobManager of %s cannot write ConfigMap %s: %v", jm.Cluster, name, err)
	}
}

// has says whether a ConfigMap, or what stands for it in ZooKeeper, is there.
func (jm *JobManager) has(name string) bool {
	if node := jm.Config.node(); node != "" {
		return jm.flink.zookeeper.maps[node][name] != nil
	}
	return jm.flink.kube.Peek(kubesim.ConfigMaps, jm.Cluster.Namespace, name) != nil
}

func (jm *JobManager) data(name string) map[string]string {
	if node := jm.Config.node(); node != "" {
		texts := map[string]string{}
		for key, text := range jm.flink.zookeeper.maps[node][name] {
			texts[key] = fmt.Sprint(text)
		}
		return texts
	}
	u := jm.flink.kube.Peek(kubesim.ConfigMaps, jm.Cluster.Namespace, name)
	if u == nil {
		return nil
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	return data
}

// graph is what it takes to bring a job back.
type graph struct {
	// Options are the job's.
	Options job.Options
	// Path is the snapshot that it was first started from; empty: none.
	Path string
}

// writeGraph stores the job's graph, and makes the job's own ConfigMap.
func (jm *JobManager) writeGraph(j *job.Job, path string) {
	if !jm.Config.HA() || j.State.Ended() {
		return
	}
	jm.edit(jm.clusterMap(), func(_ *unstructured.Unstructured, data map[string]any) {
		data[jm.graphKey(j.ID)] = encode(graph{j.Options, path})
	})
	jm.edit(jm.jobMap(j.ID), func(_ *unstructured.Unstructured, data map[string]any) {
		if data["counter"] == nil {
			data["counter"] = "1"
		}
	})
	jm.recorded[jm.jobMap(j.ID)] = true
}

// readGraphs reads the jobs to bring back, ordered by ID.
func (jm *JobManager) readGraphs() []graph {
	if !jm.Config.HA() {
		return nil
	}
	var found []graph
	for name, text := range jm.data(jm.clusterMap()) {
		if g := (graph{}); strings.HasPrefix(name, jm.graphKey("")) && decode(text, &g) {
			found = append(found, g)
		}
	}
	sort.Slice(found, func(i, k int) bool { return found[i].Options.ID < found[k].Options.ID })
	return found
}

// recovers says whether the graph of a job is there.
func (jm *JobManager) recovers(jobID string) bool {
	return slices.ContainsFunc(jm.readGraphs(), func(g graph) bool { return g.Options.ID == jobID })
}

// newestCheckpoint reads the path of the newest checkpoint in the job's ConfigMap; empty if none.
func (jm *JobManager) newestCheckpoint(jobID string) string {
	if !jm.Config.HA() {
		return ""
	}
	newest, path := "", ""
	for name, text := range jm.data(jm.jobMap(jobID)) {
		if strings.HasPrefix(name, checkpointPrefix) && name > newest {
			newest = name
			if !decode(text, &path) {
				path = "unreadable state handle in " + jm.jobMap(jobID)
			}
		}
	}
	return path
}

// sync brings the high-availability data of the jobs up to date.
//
//	job runs        its newest checkpoint and the counter are in its ConfigMap
//	job has ended   its result is in the job result store, its ConfigMap and job graph are gone
func (jm *JobManager) sync() {
	if !jm.Config.HA() || jm.phase < leading {
		return
	}
	for _, j := range jm.jobs {
		switch {
		case j.State == job.Suspended:
		case j.State.Ended():
			jm.finishJob(j)
		default:
			jm.keepCheckpoint(j)
		}
	}
}

// finishJob clears up after a job that has ended, in Flink's order; Script.CleanUpSteps lie between one and the next:
//
//	its checkpoints leave the high-availability data     SchedulerBase.shutDownCheckpointServices
//	its result is in the job result store, as dirty      Dispatcher.registerGloballyTerminatedJobInJobResultStore
//	its job graph and its ConfigMap go                   DispatcherResourceCleanerFactory
//	its result is clean                                  Dispatcher.markJobAsClean
func (jm *JobManager) finishJob(j *job.Job) {
	pause, waited := jm.Script().CleanUpSteps, jm.cleanUp[j.ID]
	jm.cleanUp[j.ID]++
	if waited == 0 {
		jm.forgetCheckpoints(j.ID)
	}
	store := jm.Config["job-result-store.storage-path"]
	if store != "" && waited == pause {
		jm.flink.storage.RecordResult(store, j.ID, job.Result{End: j.State, Dirty: true})
	}
	if waited == 2*pause {
		jm.removeData(j.ID)
		jm.forgetResult(j)
	}
}

// forgetResult marks the result of a job as clean: it goes, or stays as such.
func (jm *JobManager) forgetResult(j *job.Job) {
	store := jm.Config["job-result-store.storage-path"]
	switch {
	case store == "":
	case jm.Config["job-result-store.delete-on-commit"] == "false":
		jm.flink.storage.RecordResult(store, j.ID, job.Result{End: j.State})
	default:
		jm.flink.storage.ForgetResult(store, j.ID)
	}
}

// finishCleanUp ends the clean-up of jobs that had ended before the JobManager was told to end: it waits for all of it
// (Dispatcher.onStop waits for the termination future of each job, which the result in the job result store and the
// removals are steps of). Of a job that ends as its JobManager does, nothing is begun, and its job graph stays.
func (jm *JobManager) finishCleanUp() {
	for _, j := range jm.jobs {
		begun := j.State.Ended() && jm.cleanUp[j.ID] > 0
		if begun && jm.Config.HA() && !jm.fenced && !jm.isCutOff() {
			jm.removeData(j.ID)
			jm.forgetResult(j)
		}
	}
}

// removeData removes the high-availability data of a job.
func (jm *JobManager) removeData(jobID string) {
	delete(jm.recorded, jm.jobMap(jobID))
	if node := jm.Config.node(); node != "" {
		delete(jm.flink.zookeeper.maps[node], jm.jobMap(jobID))
	} else if jm.has(jm.jobMap(jobID)) {
		if err := jm.flink.kube.Delete(
			kubesim.ConfigMaps, jm.Cluster.Namespace, jm.jobMap(jobID), kubesim.DeleteOptions{},
		); err != nil {
			jm.flink.t.Logf("flink model: JobManager of %s cannot delete its ConfigMap: %v", jm.Cluster, err)
		}
	}
	if _, there := jm.data(jm.clusterMap())[jm.graphKey(jobID)]; there {
		jm.edit(jm.clusterMap(), func(_ *unstructured.Unstructured, data map[string]any) {
			delete(data, jm.graphKey(jobID))
		})
	}
}

func (jm *JobManager) keepCheckpoint(j *job.Job) {
	id, path := newestState(j)
	if path == "" || path == job.NotAddressable || !jm.recorded[jm.jobMap(j.ID)] {
		return
	}
	entry := fmt.Sprintf("%s%019d", checkpointPrefix, id)
	if data := jm.data(jm.jobMap(j.ID)); data == nil || data[entry] != "" {
		return
	}
	jm.forgetCheckpoints(j.ID)
	jm.edit(jm.jobMap(j.ID), func(_ *unstructured.Unstructured, data map[string]any) {
		data[entry], data["counter"] = encode(path), fmt.Sprint(id+1)
	})
}

// newestState is the job's newest checkpoint, else what it was restored from: Flink adds that to its store as if it
// were a checkpoint of the job (CheckpointCoordinator.restoreSavepoint).
func newestState(j *job.Job) (id int64, path string) {
	switch newest := j.Latest(false); {
	case newest != nil:
		return newest.ID, newest.Path
	case j.From != nil:
		return j.From.CheckpointID, j.From.Path
	}
	return 0, ""
}

// forgetCheckpoints takes the checkpoints of a job out of its ConfigMap.
func (jm *JobManager) forgetCheckpoints(jobID string) {
	if !jm.Config.HA() || jm.data(jm.jobMap(jobID)) == nil {
		return
	}
	jm.edit(jm.jobMap(jobID), func(_ *unstructured.Unstructured, data map[string]any) {
		for name := range data {
			if strings.HasPrefix(name, checkpointPrefix) {
				delete(data, name)
			}
		}
	})
}

// encode stands for Flink's base64 of a serialised state handle.
func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

func decode(text string, into any) bool {
	raw, err := base64.StdEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(raw, into) == nil
}

// InData is the checkpoint that the high-availability data of a job names, in Kubernetes or below the default root of
// ZooKeeper; empty: none.
func (f *Flink) InData(namespace, id, jobID string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, kind := range []string{"kubernetes", "zookeeper"} {
		reader := &JobManager{
			Cluster: types.NamespacedName{Namespace: namespace, Name: id}, flink: f,
			Config: Config{"high-availability.type": kind, "high-availability.cluster-id": id},
		}
		if path := reader.newestCheckpoint(jobID); path != "" {
			return path
		}
	}
	return ""
}
