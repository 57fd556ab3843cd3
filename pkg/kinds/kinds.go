package kinds

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Kind is what is true of all resources of one kind.
type Kind struct {
	// Name is the kind as manifests write it.
	Name string
	// Resource is what its resources are read and written as.
	Resource schema.GroupVersionResource
	// Short is its short name, as kubectl takes it.
	Short string
	// Below are the kinds whose resources may stand below one: jobs of a cluster, sides of a pair, snapshots of a job.
	Below []string
	// JobManager is whether a resource may have a JobManager, whose Deployment the source watches.
	JobManager bool
	// Canary is whether a canary of the kind proves that changes wake passes: see plan.CanarySeen.
	Canary bool
	// Counted is whether sweeps count its resources by lifecycle state and job state.
	Counted bool
	// Uploads is whether a pass for a resource may have to upload a jar.
	Uploads bool
	// Pods is whether its specs describe pods: a user needs rights for what they ask for.
	Pods bool
	// Log is how the log of changes shows its resources.
	Log Log
	// Sweep is how sweeps read its resources.
	Sweep Sweep
	// Running reports whether status says that something runs, which the clock has to look at. Nil is no.
	Running func(content map[string]any) bool
	// Specs are the specs of jobs in the content of a resource, and the addresses beside them: their secrets are hidden
	// in texts. What cannot be read has none.
	Specs func(content map[string]any) (specs []*v1beta1.FlinkDeploymentSpec, addresses []string)
}

// Log is how the log of changes shows resources.
type Log int

const (
	// LogNothing shows nothing.
	LogNothing Log = iota
	// LogJob shows each lifecycle state.
	LogJob
	// LogSnapshot shows each state, path and error of a snapshot.
	LogSnapshot
)

// Sweep is how sweeps read the resources of a kind.
type Sweep struct {
	// Page is how many resources one list brings, and one shard looks at: some 4 MB.
	Page int64
	// Fast is whether each tick looks at those in transition.
	Fast bool
	// Batches is whether events of their Deployments wait for the next tick where many move at the same time.
	Batches bool
	// Spreads is whether pages are looked at by whichever pods take them, if there is more than one.
	Spreads bool
	// Snapshots is whether a spread page includes the snapshots of its jobs.
	Snapshots bool
}

// All are the kinds, in the order in which sweeps read them. Snapshots come after the jobs that they are of.
//
//	kind                      page  a tick  spread  counted  canary  a sweep looks at
//	FlinkDeployment           200   yes     yes     yes      yes     all
//	FlinkSessionJob           500   yes     yes     yes      yes     all
//	FlinkStateSnapshot        500   yes     no      no       no      what is not finished or is to go
//	FlinkBlueGreenDeployment  100   yes     no      no       no      all
var All = []Kind{
	{
		Name: v1beta1.KindFlinkDeployment, Resource: v1beta1.FlinkDeploymentGVR, Short: "flinkdep",
		Below:      []string{v1beta1.KindFlinkSessionJob, v1beta1.KindFlinkStateSnapshot},
		JobManager: true, Canary: true, Counted: true, Pods: true, Log: LogJob,
		Sweep:   Sweep{Page: 200, Fast: true, Batches: true, Spreads: true, Snapshots: true},
		Running: clusterRuns, Specs: specOfDeployment,
	},
	{
		Name: v1beta1.KindFlinkSessionJob, Resource: v1beta1.FlinkSessionJobGVR, Short: "sessionjob",
		Below:  []string{v1beta1.KindFlinkStateSnapshot},
		Canary: true, Counted: true, Uploads: true, Pods: true, Log: LogJob,
		Sweep:   Sweep{Page: 500, Fast: true, Spreads: true},
		Running: sessionJobRuns, Specs: specOfSessionJob,
	},
	{
		Name: v1beta1.KindFlinkStateSnapshot, Resource: v1beta1.FlinkStateSnapshotGVR, Short: "flinksnp",
		Log: LogSnapshot, Sweep: Sweep{Page: 500, Fast: true}, Specs: savepointOfSnapshot,
	},
	{
		Name: v1beta1.KindFlinkBlueGreenDeployment, Resource: v1beta1.FlinkBlueGreenDeploymentGVR,
		Short: "flinkbgdep", Below: []string{v1beta1.KindFlinkDeployment},
		Pods: true, Sweep: Sweep{Page: 100, Fast: true}, Specs: specOfBlueGreen,
	},
}

// Of is the kind of a name; false for a name that is not in the table.
func Of(name string) (Kind, bool) {
	i := slices.IndexFunc(All, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return All[i], true
}

// Names are the names of all kinds.
func Names() []string {
	names := make([]string, 0, len(All))
	for _, k := range All {
		names = append(names, k.Name)
	}
	return names
}

// Finalizer is the one that the operator sets, and the Java operator: both use the same.
func (k Kind) Finalizer() string { return k.Resource.Resource + "." + k.Resource.Group + "/finalizer" }

func clusterRuns(content map[string]any) bool {
	jobManager, _, _ := unstructured.NestedString(content, "status", "jobManagerDeploymentStatus")
	return jobManager != "" && jobManager != string(v1beta1.JobManagerMissing)
}

func sessionJobRuns(content map[string]any) bool {
	state, _, _ := unstructured.NestedString(content, "status", "jobStatus", "state")
	return state != "" && !v1beta1.FlinkJobState(state).IsTerminal()
}

func specOfDeployment(content map[string]any) ([]*v1beta1.FlinkDeploymentSpec, []string) {
	d, _, err := v1beta1.DecodeDeployment(content)
	if err != nil {
		return nil, nil
	}
	return []*v1beta1.FlinkDeploymentSpec{&d.Spec}, nil
}

func specOfSessionJob(content map[string]any) ([]*v1beta1.FlinkDeploymentSpec, []string) {
	j, _, err := v1beta1.DecodeSessionJob(content)
	if err != nil {
		return nil, nil
	}
	return []*v1beta1.FlinkDeploymentSpec{j.Spec.AsDeployment()}, nil
}

func specOfBlueGreen(content map[string]any) ([]*v1beta1.FlinkDeploymentSpec, []string) {
	b, _, err := v1beta1.DecodeBlueGreen(content)
	if err != nil || b.Spec.Template == nil {
		return nil, nil
	}
	return []*v1beta1.FlinkDeploymentSpec{b.Spec.Template.Spec}, nil
}

func savepointOfSnapshot(content map[string]any) ([]*v1beta1.FlinkDeploymentSpec, []string) {
	s, _, err := v1beta1.DecodeStateSnapshot(content)
	if err != nil || s.Spec.Savepoint == nil {
		return nil, nil
	}
	return nil, []string{s.Spec.Savepoint.Path}
}
