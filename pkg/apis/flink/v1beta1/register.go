package v1beta1

import "k8s.io/apimachinery/pkg/runtime/schema"

const (
	// Group is the API group of all four kinds.
	Group = "flink.apache.org"
	// Version is the only version, served and stored.
	Version = "v1beta1"
	// APIVersion is the text in manifests and owner references.
	APIVersion = Group + "/" + Version
)

// Kinds, as written in manifests.
const (
	KindFlinkDeployment          = "FlinkDeployment"
	KindFlinkSessionJob          = "FlinkSessionJob"
	KindFlinkStateSnapshot       = "FlinkStateSnapshot"
	KindFlinkBlueGreenDeployment = "FlinkBlueGreenDeployment"
)

// Plural resource names, as in REST paths and RBAC rules.
const (
	ResourceFlinkDeployments          = "flinkdeployments"
	ResourceFlinkSessionJobs          = "flinksessionjobs"
	ResourceFlinkStateSnapshots       = "flinkstatesnapshots"
	ResourceFlinkBlueGreenDeployments = "flinkbluegreendeployments"
)

// Finalizers, one per kind, the names the Java operator sets too.
const (
	FinalizerFlinkDeployment          = ResourceFlinkDeployments + "." + Group + "/finalizer"
	FinalizerFlinkSessionJob          = ResourceFlinkSessionJobs + "." + Group + "/finalizer"
	FinalizerFlinkStateSnapshot       = ResourceFlinkStateSnapshots + "." + Group + "/finalizer"
	FinalizerFlinkBlueGreenDeployment = ResourceFlinkBlueGreenDeployments + "." + Group + "/finalizer"
)

// Annotations on the objects of a Flink cluster and on the resources.
const (
	// AnnotationGeneration on the JobManager Deployment is the generation of
	// the FlinkDeployment that it was made for, as decimal text.
	AnnotationGeneration = "flinkdeployment.flink.apache.org/generation"
	// AnnotationOperation on every object that a start creates is the operation
	// ID of the intent that created it (Intent.OperationID).
	AnnotationOperation = "flinkdeployment.flink.apache.org/operation"
	// AnnotationReleased on the JobManager Deployment is when its start got its
	// replicas, RFC 3339; absent on one that was created with them.
	AnnotationReleased = "flinkdeployment.flink.apache.org/released"
	// AnnotationAdopt on a FlinkDeployment, value "true", lets its first start
	// take over what is already there under its name: the running Deployment,
	// or the checkpoint in the high-availability data. On a
	// FlinkBlueGreenDeployment it takes over the only side that may run.
	AnnotationAdopt = "flinkdeployment.flink.apache.org/adopt"
	// AnnotationRollback on a FlinkDeployment or a FlinkSessionJob asks for a
	// rollback of the generation that it names, as decimal text.
	AnnotationRollback = "flinkdeployment.flink.apache.org/rollback"
	// AnnotationReconcileRequested on any resource asks for a pass by a change
	// of its value, a time or any other text. On a FlinkDeployment or a
	// FlinkSessionJob a new value ends the pause before the next attempt of what
	// failed or was refused, once.
	AnnotationReconcileRequested = "flink.apache.org/reconcile-requested-at"
	// AnnotationIgnoreState on a FlinkDeployment, value "true", lets its first
	// start ignore high-availability data that is already there under its name.
	AnnotationIgnoreState = "flinkdeployment.flink.apache.org/ignore-state"
	// AnnotationJobUID on a FlinkStateSnapshot that was made for a job is the
	// UID of the job's resource.
	AnnotationJobUID = "flinkstatesnapshot.flink.apache.org/job-uid"
)

// Labels.
const (
	// LabelTargetSession on a FlinkSessionJob names its session cluster; set on
	// admission.
	LabelTargetSession = "target.session"
	// LabelCanary, value "true" in any case, marks a resource that is neither
	// validated nor deployed.
	LabelCanary = "flink.apache.org/canary"
	// LabelBlueGreenType on a child FlinkDeployment is BLUE or GREEN.
	LabelBlueGreenType = "flink/blue-green-deployment-type"
	// AnnotationSideOperation on a child FlinkDeployment is the operation ID of
	// the transition that created it (BlueGreenTransition.OperationID).
	AnnotationSideOperation = "flinkbluegreendeployment.flink.apache.org/operation"
	// AnnotationSideSpec on a child FlinkDeployment is the hash of the template's
	// spec that it was written with last (BlueGreenTransition.SpecHash).
	AnnotationSideSpec = "flinkbluegreendeployment.flink.apache.org/spec"
	// AnnotationPromote on a FlinkBlueGreenDeployment is the operation ID of a
	// transition (BlueGreenTransition.OperationID) whose gate approval it opens.
	AnnotationPromote = "flinkbluegreendeployment.flink.apache.org/promote"
	// AnnotationAbort on a FlinkBlueGreenDeployment is the operation ID of a
	// transition to give up.
	AnnotationAbort = "flinkbluegreendeployment.flink.apache.org/abort"
	// LabelSnapshotType on a FlinkStateSnapshot is SAVEPOINT or CHECKPOINT.
	LabelSnapshotType = "snapshot.type"
	// LabelSnapshotTriggerType on a FlinkStateSnapshot is a SnapshotTriggerType.
	LabelSnapshotTriggerType = "snapshot.trigger-type"
	// LabelSnapshotState on a FlinkStateSnapshot is its status.state.
	LabelSnapshotState = "snapshot.state"
	// LabelJobReferenceKind on a FlinkStateSnapshot is spec.jobReference.kind.
	LabelJobReferenceKind = "job-reference.kind"
	// LabelJobReferenceName on a FlinkStateSnapshot is spec.jobReference.name.
	LabelJobReferenceName = "job-reference.name"
)

var (
	// GroupVersion is the group and version of all four kinds.
	GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

	// FlinkDeploymentGVK identifies the kind FlinkDeployment.
	FlinkDeploymentGVK = GroupVersion.WithKind(KindFlinkDeployment)
	// FlinkSessionJobGVK identifies the kind FlinkSessionJob.
	FlinkSessionJobGVK = GroupVersion.WithKind(KindFlinkSessionJob)
	// FlinkStateSnapshotGVK identifies the kind FlinkStateSnapshot.
	FlinkStateSnapshotGVK = GroupVersion.WithKind(KindFlinkStateSnapshot)
	// FlinkBlueGreenDeploymentGVK identifies the kind FlinkBlueGreenDeployment.
	FlinkBlueGreenDeploymentGVK = GroupVersion.WithKind(KindFlinkBlueGreenDeployment)

	// FlinkDeploymentGVR is the REST resource of FlinkDeployment.
	FlinkDeploymentGVR = GroupVersion.WithResource(ResourceFlinkDeployments)
	// FlinkSessionJobGVR is the REST resource of FlinkSessionJob.
	FlinkSessionJobGVR = GroupVersion.WithResource(ResourceFlinkSessionJobs)
	// FlinkStateSnapshotGVR is the REST resource of FlinkStateSnapshot.
	FlinkStateSnapshotGVR = GroupVersion.WithResource(ResourceFlinkStateSnapshots)
	// FlinkBlueGreenDeploymentGVR is the REST resource of FlinkBlueGreenDeployment.
	FlinkBlueGreenDeploymentGVR = GroupVersion.WithResource(ResourceFlinkBlueGreenDeployments)
)
