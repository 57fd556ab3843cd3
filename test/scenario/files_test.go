package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What a job goes back to, and where it comes from.

// holdsFiles holds, of each status that is stored, that no file was disposed of which somebody may still read.
func (r *run) holdsFiles(d *v1beta1.FlinkDeployment) {
	if d.DeletionTimestamp != nil {
		return
	}
	needed := r.neededFiles(d)
	for _, why := range names(needed) {
		gone := r.w.Storage.Lacks(needed[why])
		if gone != "" && !r.states.removed[gone] && !r.states.lacked[gone] {
			r.states.lacked[gone] = true
			r.t.Errorf("%s %s, and %s was disposed of", why, needed[why], gone)
		}
	}
}

// neededFiles are the paths that somebody may still read, by who:
//
//	the running job             its newest checkpoint, else what it began from
//	the JobManager              what its configuration has it start from, unless high-availability data leads it
//	the next start              upgradeSavepointPath of what does not run, or is being stopped
//	high-availability data      what it names of the job of status
//	an open operation           what its start is from
func (r *run) neededFiles(d *v1beta1.FlinkDeployment) map[string]string {
	needed, status := map[string]string{}, d.Status
	stateless := d.Spec.Job != nil && d.Spec.Job.UpgradeMode == v1beta1.UpgradeModeStateless
	need := func(why, path string) {
		if path != "" && path != v1beta1.LastStatePlaceholder && path != job.NotAddressable {
			needed[why] = path
		}
	}
	inData := r.w.Flink.InData(namespace, demo, status.JobStatus.JobID)
	j := r.w.Flink.Job(namespace, demo, "")
	live := j != nil && !j.State.Ended() && j.State != job.Suspended
	if live && j.ReturnsTo() != nil {
		need("the running job goes back to", j.ReturnsTo().Path)
	}
	if inData == "" && (live || j == nil) {
		need("the JobManager starts from", r.startPath())
	}
	open := status.Intent != nil && status.Intent.Step != v1beta1.StepReleased
	if !stateless && (open || status.Situation == string(plan.Suspended)) {
		need("the next start is from", status.JobStatus.UpgradeSavepointPath)
	}
	if open && status.Intent.From != nil {
		need("the open operation starts from", status.Intent.From.Path)
	}
	if live || open || status.Situation == string(plan.Suspended) {
		need("the high-availability data names", inData)
	}
	return needed
}

// startPath is what the configuration of the JobManager has it start from; empty where there is no Deployment for it.
func (r *run) startPath() string {
	u := r.w.Kube.Peek(kubesim.ConfigMaps, namespace, "flink-config-"+demo)
	if u == nil || r.w.Kube.Peek(kubesim.Deployments, namespace, demo) == nil {
		return ""
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	config, err := process.ReadConfig(data)
	if err != nil {
		return ""
	}
	return config.First("execution.state-recovery.path", "execution.savepoint.path")
}

// findsStart holds that no job fails because what it was to start from is not there, unless something happened that
// excuses it: what stands for high-availability data is never there, but a checkpoint that it names may be removed.
func (r *run) findsStart(failed *job.Job) {
	path := r.startPath()
	_, there := r.w.Storage.Get(path)
	if failed.IsSetUp() || path == "" || there || r.states.lacked[path] {
		return
	}
	removed := slices.ContainsFunc(slices.Sorted(maps.Keys(r.states.removed)), func(gone string) bool {
		return slices.ContainsFunc(failed.Failures, func(f job.Failure) bool { return strings.Contains(f.Cause, gone) })
	})
	if r.states.lacked[path] = true; r.excused == "" || path == v1beta1.LastStatePlaceholder && !removed {
		r.t.Errorf("was to start from %s, which is not there\n%s", path, r.describe())
	}
}

// comesFrom holds that a start is from nothing, from a state that a job of this resource made, or from one that a
// person named: as much progress of somebody else's is no state of this job.
func (s *states) comesFrom(start process.Start) {
	all := s.h.w.Flink.Starts(namespace, demo)
	former := slices.ContainsFunc(all[:s.before], func(f process.Start) bool { return f.JobID == start.JobID })
	if start.From == "" || start.From == job.NotAddressable || s.named[start.From] || former {
		return
	}
	snapshot, _ := s.h.w.Storage.Get(start.From)
	made := slices.ContainsFunc(all[s.before:], func(own process.Start) bool {
		return own.JobID == snapshot.JobID || strings.Contains(start.From, "/"+own.JobID+"/")
	})
	if !made {
		s.h.t.Errorf("began from a state that no job of the resource made and nobody named: %s", start)
	}
}

// made are the snapshots that there are of the resource's jobs, and those that a person named, oldest first.
func (s *states) made() []string {
	own := map[string]bool{}
	for _, start := range s.h.w.Flink.Starts(namespace, demo)[s.before:] {
		own[start.JobID] = true
	}
	var all []job.Snapshot
	for _, snapshot := range s.h.w.Storage.Snapshots() {
		if own[snapshot.JobID] || s.named[snapshot.Path] {
			all = append(all, snapshot)
		}
	}
	slices.SortStableFunc(all, func(a, b job.Snapshot) int { return a.At.Compare(b.At) })
	var paths []string
	for _, snapshot := range all {
		paths = append(paths, snapshot.Path)
	}
	return paths
}

// restored notes that somebody stored this status: what it reports was told before.
func (s *states) restored(status v1beta1.FlinkDeploymentStatus) {
	if told := status.LostProgress; told != nil && told.Seen != nil {
		s.reported = told.Seen.Time
	}
}

// takeOdd makes a FlinkStateSnapshot as it is given. One that the API server would refuse is none.
func (s *snapshots) takeOdd(name string, spec map[string]any) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkStateSnapshot, "spec": spec,
	}}
	u.SetNamespace(namespace)
	u.SetName(name)
	if _, err := s.h.w.Kube.Create(kubesim.FlinkStateSnapshots, u); err != nil {
		s.h.t.Fatal(fmt.Errorf("%s: %w", name, err))
	}
}
