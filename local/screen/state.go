package screen

// State is all that is shown. Its lists are in the order in which they are shown.
type State struct {
	// Resources are the Flink resources of all namespaces.
	Resources []Resource
	// Functions are what the platform starts on demand.
	Functions []Function
	// Pods are those of Flink clusters.
	Pods []Pod
	// Events are the last lines of the listener, oldest first.
	Events []string
	// Trouble is what went wrong outside of all of these: an API server that does not answer.
	Trouble string
}

// Resource is one resource of the operator.
type Resource struct {
	// Kind and Name; the name is NAMESPACE/NAME.
	Kind, Name string
	// Lifecycle is status.lifecycleState, or what a kind has in its place.
	Lifecycle string
	// Job is the state of its job. Empty: it has none.
	Job string
	// Now says what it waits for or what is wrong, in a sentence or a word.
	Now string
}

// Function is one function of the mesh.
type Function struct {
	// Name is the Knative Service's.
	Name string
	// Pods is how many processes run. Starting is how many of them do not answer yet.
	Pods, Starting int
	// Requests is how many it has answered.
	Requests int64
	// Last is when the last one came, as a clock shows it. Empty: none yet.
	Last string
}

// Doing is a word for what it does.
//
//	pods | starting | word
//	0    |          | asleep
//	n    | n        | waking
//	n    | less     | awake
func (f Function) Doing() string {
	switch {
	case f.Pods == 0:
		return "asleep"
	case f.Starting >= f.Pods:
		return "waking"
	}
	return "awake"
}

// Pod is one pod.
type Pod struct {
	// Name is NAMESPACE/NAME.
	Name string
	// Phase is what kubectl shows as its status: Running, Pending, CrashLoopBackOff, Terminating.
	Phase string
	// Ready and Containers: how many of how many.
	Ready, Containers int
	// Restarts is of all its containers.
	Restarts int
	// Page is the address of its web page. Empty: it has none, or not yet.
	Page string
	// CrashCause are the end of the log of its last container that failed.
	CrashCause []string
}
