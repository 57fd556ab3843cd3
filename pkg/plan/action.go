package plan

import (
	"fmt"
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Action is one effect on the world. Package apply has an executor for each. Each carries its own precondition, so that
// carrying it out twice, late, or beside another pass does no harm.
type Action interface {
	// String prints the action with what identifies its object, on one line.
	String() string
	// Disruptive reports whether the action can take something away from a running job, or state. A cancellation is part
	// of the deletion that follows it, and a snapshot object says itself whether its data goes with it.
	Disruptive() bool
	// Refusable reports whether an action changes an object in Kubernetes, or in ZooKeeper, and nothing of its own says
	// when it is tried again: what is refused for now is tried less and less.
	//
	//	action                               tried again
	//	Record, WakeClock                    with each look
	//	of Flink, a request for an upload    by status, see the rules that make them
	//	an Ingress, labels                   with each look, they hold nothing up
	//	any other                            less and less
	Refusable() bool
}

// What an action is: each type has one of these.
type (
	quiet       struct{}
	refusable   struct{ quiet }
	disruptive  struct{ quiet }
	destructive struct{ disruptive } // disruptive and refusable
)

func (quiet) Disruptive() bool      { return false }
func (quiet) Refusable() bool       { return false }
func (refusable) Refusable() bool   { return true }
func (disruptive) Disruptive() bool { return true }
func (destructive) Refusable() bool { return true }

// WakeClock sets the tick to its fastest schedule and stamps it, before a resource is left in transition.
type WakeClock struct{ quiet }

// Record writes the status before the actions that follow it: an intent, a recorded end. Its precondition is the
// resourceVersion that the round read.
type Record struct {
	quiet
	// Status is the full status to store.
	Status any
	// Why is one word for the log: intent, end.
	Why string
}

// AddFinalizer puts our finalizer on the resource, under the resourceVersion that the round read.
type AddFinalizer struct {
	refusable
	// Finalizer is its name.
	Finalizer string
}

// RemoveFinalizer lets the resource go, under the resourceVersion of the round's last write.
type RemoveFinalizer struct {
	refusable
	// Finalizer is its name.
	Finalizer string
}

// PrepareStart creates a cluster's objects without running it: the Deployment with zero replicas first, then what it
// owns.
type PrepareStart struct {
	refusable
	// Operation is the intent's ID; every object carries it.
	Operation string
	// Cluster is what to create.
	Cluster render.Cluster
}

// ApplyIngress makes the Ingress as given, by server-side apply.
type ApplyIngress struct {
	quiet
	// Ingress is the wanted object.
	Ingress *networkingv1.Ingress
}

// DeleteIngress removes the Ingress that we made.
type DeleteIngress struct {
	quiet
	// Namespace and Name say where it is.
	Namespace, Name string
	// UID is its precondition.
	UID types.UID
}

// Release sets a prepared Deployment to its full size. Only a recorded release may be carried out.
type Release struct {
	refusable
	// Namespace and Name are the Deployment's.
	Namespace, Name string
	// UID is the recorded one, a precondition.
	UID types.UID
	// Operation is the intent's ID, a precondition on the Deployment's annotation: a Deployment that was taken out of
	// service since then no longer carries it.
	Operation string
	// At is the time of the release, kept in the annotation of v1beta1.AnnotationReleased.
	At time.Time
	// Replicas is the wanted number of JobManagers.
	Replicas int32
}

// CancelJob asks Flink to cancel a job and does not wait for it. A Flink that does not answer, or does not know the
// job, is no failure: the Deployment is deleted next.
type CancelJob struct {
	quiet
	// JobID is the job's ID in Flink's form.
	JobID string
	// Endpoint is where its JobManager answers.
	Endpoint Endpoint
	// Counts reports whether the answer matters: a stop that waits for the cancellation must know that it was asked for.
	Counts bool
}

// StopWithSavepoint asks Flink to stop a job with a savepoint. The trigger ID makes a repeated request the same one.
type StopWithSavepoint struct {
	disruptive
	// JobID is the job's ID in Flink's form.
	JobID string
	// TriggerID is the intent's, 32 hexadecimal digits.
	TriggerID string
	// Directory is where the savepoint is written; empty leaves it to Flink.
	Directory string
	// Format is CANONICAL or NATIVE; empty leaves it to Flink.
	Format string
	// Drain emits MAX_WATERMARK first, which ends event-time windows.
	Drain bool
	// Endpoint is where its JobManager answers.
	Endpoint Endpoint
}

// Retire takes a Deployment out of service without deleting it: no replicas, and no operation that a late release could
// match.
type Retire struct {
	destructive
	// Namespace and Name are the Deployment's.
	Namespace, Name string
	// UID is its precondition.
	UID types.UID
	// Pods have not begun, and go at once; the controllers take all others when they have heard.
	Pods []OwnedObject
}

// MakeTaskManagers makes the TaskManagers' Deployment of a standalone cluster that runs again, as its start did. What
// is there stays as it is.
type MakeTaskManagers PrepareStart

// ScaleTaskManagers sets the number of TaskManagers of a standalone cluster.
type ScaleTaskManagers struct {
	refusable
	// Namespace and Name are those of the TaskManagers' Deployment.
	Namespace, Name string
	// UID is its precondition.
	UID types.UID
	// Replicas is the wanted number.
	Replicas int32
}

// DropJobGraphs removes what is to run from high-availability data, so that a start from it runs its own job;
// checkpoints stay.
type DropJobGraphs struct {
	refusable
	HAData
}

// ForgetJobs removes what high-availability data has of some jobs: what to run, and which checkpoints they completed.
// The checkpoints stay. What it has of other jobs stays, too.
type ForgetJobs struct {
	disruptive
	HAData
	// Jobs are their IDs, sorted.
	Jobs []string
	// AllGraphs removes what is to run of all other jobs, too, as DropJobGraphs does.
	AllGraphs bool
}

// HAData is the high-availability data of a cluster as the round saw it, in ConfigMaps or in ZooKeeper.
type HAData struct {
	// Namespace is where the ConfigMaps are.
	Namespace string
	// ConfigMaps are sorted by name; UID and resourceVersion of each are its precondition.
	ConfigMaps []ObjectVersion
	// Nodes is the data in ZooKeeper; nil means none.
	Nodes *HANodes
}

// HANodes is the high-availability data of a cluster in ZooKeeper, in one version.
type HANodes struct {
	// Location is where it lies.
	Location znode.Location
	// Zxid is its newest change, the precondition.
	Zxid int64
}

// what names the data, for logs.
func (d HAData) what() string {
	if d.Nodes != nil {
		return "ZooKeeper node " + d.Nodes.Location.Path
	}
	return fmt.Sprintf("%d ConfigMaps", len(d.ConfigMaps))
}

// DeleteCluster deletes the JobManager Deployment and with it all that it owns.
type DeleteCluster struct {
	destructive
	// Namespace and Name are the Deployment's.
	Namespace, Name string
	// UID is the recorded one, the precondition.
	UID types.UID
	// Owned are the objects that go with it, as the round saw them. They are deleted here, because the garbage collector,
	// which would do it too, takes a few requests a second for the whole cluster. Nil leaves them to it.
	Owned []OwnedObject
	// ResourceVersion is a further precondition; empty asks for none.
	ResourceVersion string
	// WhileOpen is the ID of the intent that must still be open, and not released, read again just before; empty asks for
	// none. Only the pass whose intent is open may remove what another operation prepared, and only while it does not run.
	WhileOpen string
	// Orphan leaves the pods behind.
	Orphan bool
}

// DeleteLeftovers deletes what a controller made of a Deployment that was gone: it had not heard of that.
type DeleteLeftovers struct {
	destructive
	// Namespace is that of the objects, Name the cluster's.
	Namespace, Name string
	// Objects are the ReplicaSets and pods, each with its UID as the precondition.
	Objects []OwnedObject
}

// DeleteHAData deletes high-availability data: ConfigMaps one by one, nodes in ZooKeeper as one and only if nobody has
// a session open.
type DeleteHAData struct {
	destructive
	HAData
}

// ForceDeletePods removes pods on unreachable nodes from the API server. They are one cluster's, and given up together.
type ForceDeletePods struct {
	destructive
	// Namespace is that of the pods.
	Namespace string
	// Pods are in the order in which they were found; the UID of each is its precondition.
	Pods []PodName
}

// PodName names one pod that there was.
type PodName struct {
	// Name is metadata.name.
	Name string
	// UID is metadata.uid.
	UID types.UID
}

// OwnedObject is one object that a JobManager Deployment owns, itself or through its ReplicaSet.
type OwnedObject struct {
	// Kind is Deployment, ReplicaSet, Pod, Service, ConfigMap or Secret.
	Kind string
	// Name is metadata.name.
	Name string
	// UID is metadata.uid, the precondition of its deletion.
	UID types.UID
}

// ObjectVersion is one object in one version.
type ObjectVersion struct {
	// Name is metadata.name.
	Name string
	// UID is metadata.uid.
	UID types.UID
	// ResourceVersion is metadata.resourceVersion.
	ResourceVersion string
}

// Endpoint is where a JobManager's REST interface answers.
type Endpoint struct {
	// URL is scheme, host and port.
	URL string
	// Timeout bounds one call; zero means the client's default (10 s).
	Timeout time.Duration
}

func (WakeClock) String() string      { return "wake the clock" }
func (a Record) String() string       { return "record " + a.Why }
func (a AddFinalizer) String() string { return "add finalizer" }
func (a RemoveFinalizer) String() string {
	return "remove finalizer"
}
func (a PrepareStart) String() string  { return "prepare start " + a.Operation }
func (a ApplyIngress) String() string  { return "apply ingress " + a.Ingress.Name }
func (a DeleteIngress) String() string { return "delete ingress " + a.Name }
func (a Release) String() string {
	return fmt.Sprintf("release %s (%s) to %d", a.Name, a.UID, a.Replicas)
}
func (a CancelJob) String() string     { return "cancel job " + a.JobID }
func (a DeleteCluster) String() string { return fmt.Sprintf("delete cluster %s (%s)", a.Name, a.UID) }
func (a StopWithSavepoint) String() string {
	return fmt.Sprintf("stop job %s with savepoint (%s)", a.JobID, a.TriggerID)
}
func (a MakeTaskManagers) String() string { return "make TaskManagers of start " + a.Operation }
func (a ScaleTaskManagers) String() string {
	return fmt.Sprintf("scale %s (%s) to %d", a.Name, a.UID, a.Replicas)
}
func (a Retire) String() string { return fmt.Sprintf("retire %s (%s)", a.Name, a.UID) }
func (a DropJobGraphs) String() string {
	return "drop job graphs from " + a.what()
}
func (a ForgetJobs) String() string {
	return fmt.Sprintf("forget jobs %s in %s", strings.Join(a.Jobs, " "), a.what())
}
func (a DeleteHAData) String() string {
	return "delete high-availability data, " + a.what()
}
func (a DeleteLeftovers) String() string {
	texts := make([]string, 0, len(a.Objects))
	for _, o := range a.Objects {
		texts = append(texts, o.Kind+" "+o.Name)
	}
	return "delete what was made late for " + a.Name + ": " + strings.Join(texts, ", ")
}
func (a ForceDeletePods) String() string {
	texts := make([]string, 0, len(a.Pods))
	for _, p := range a.Pods {
		texts = append(texts, fmt.Sprintf("%s (%s)", p.Name, p.UID))
	}
	return "force-delete pods " + strings.Join(texts, " ")
}
