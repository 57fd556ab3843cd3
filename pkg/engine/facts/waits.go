package facts

import "github.com/kn-flink/kn-flink/pkg/plan"

// JobManagerStarting is the wait for the pod of a start that was released.
var JobManagerStarting = plan.Cause{Reason: plan.ReasonJobManagerIsDeploying, Message: "the JobManager pod is starting"}

// JobEnded is the wait for the newest state of a job that has ended.
var JobEnded = plan.Cause{
	Reason: plan.ReasonJobEnded, Message: "the job has ended; its last checkpoint is read as soon as Flink's " +
		"statistics show it",
}
