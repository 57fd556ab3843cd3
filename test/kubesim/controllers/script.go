package controllers

// Script is what happens to pods of one image. The zero value starts and runs.
type Script struct {
	// Waiting is the reason why the container does not run, such as ImagePullBackOff, ErrImagePull, CrashLoopBackOff,
	// RunContainerError, CreateContainerConfigError or OOMKilled. Empty: it runs.
	Waiting string
	// Message is the text that goes with Waiting, FailedMount, Unschedulable or Quota.
	Message string
	// Terminated is the message of the last termination, for CrashLoopBackOff.
	Terminated string
	// Init puts the trouble on the first init container instead of the container with the image.
	Init bool
	// Unschedulable says that no node takes the pod.
	Unschedulable bool
	// Quota says that the pod cannot be created at all: condition ReplicaFailure, reason FailedCreate.
	Quota bool
	// FailedMount says that a volume cannot be mounted: an Event, and a container that is being created for ever. A
	// ConfigMap or Secret volume whose object is missing does so without a script.
	FailedMount bool
	// NeverReady says that it runs but its probe never succeeds.
	NeverReady bool
	// StopSteps is how many more steps a pod being deleted takes to end.
	StopSteps int
}
