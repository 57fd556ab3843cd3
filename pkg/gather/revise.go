package gather

import (
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
)

// Revise changes what is asked for, just before it is; nil leaves it. Tests ask for everything, and for one part less,
// to hold what is asked for to what a decision reads.
type Revise struct {
	// Deployment is of the first questions about a FlinkDeployment.
	Deployment func(q *deployment.Questions, i *deployment.Inquiry)
	// Nodes is of the nodes, once the pods are known.
	Nodes func(names []string, i *deployment.Inquiry) []string
	// SessionJob is of the questions about a FlinkSessionJob.
	SessionJob func(q *sessionjob.Questions, i *sessionjob.Inquiry)
	// Flink is of the questions to Flink, once its jobs are known.
	Flink func(more *ask.More, s world.Seen)
}

func (r Revise) deployment(q deployment.Questions, i *deployment.Inquiry) deployment.Questions {
	if r.Deployment != nil {
		r.Deployment(&q, i)
	}
	return q
}

func (r Revise) nodes(names []string, i *deployment.Inquiry) []string {
	if r.Nodes != nil {
		return r.Nodes(names, i)
	}
	return names
}

func (r Revise) sessionJob(q sessionjob.Questions, i *sessionjob.Inquiry) sessionjob.Questions {
	if r.SessionJob != nil {
		r.SessionJob(&q, i)
	}
	return q
}

func (r Revise) flink(more ask.More, s world.Seen) ask.More {
	if r.Flink != nil {
		r.Flink(&more, s)
	}
	return more
}
