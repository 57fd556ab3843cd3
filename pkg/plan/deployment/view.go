package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// view is the subject of one decision, for the rules: they read it, and write only what becomes the status and the
// events. It drives the cluster that the job runs on.
type view struct {
	*subject.Subject
	// untouched leaves the status as it is stored.
	untouched bool
	// ingressAction brings the Ingress to what runs; nil when it is so, or not to be touched.
	ingressAction plan.Action
}

func newView(s Snapshot) *view {
	v := &view{Subject: subject.New(s)}
	v.Driver = v
	return v
}
