package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// view is the subject of one decision, for the rules: they read it, and write only what becomes the status and the
// events.
type view struct {
	*subject.Subject
	// untouched leaves the status as it is stored.
	untouched bool
	// requests are made again unless an operation is open: status records them, and Flink does not know them.
	requests []plan.Action
	// ingressAction brings the Ingress to what runs; nil when it is so, or not to be touched.
	ingressAction plan.Action
	// pending says which change of the spec waits for what; nil when none does.
	pending *plan.Cause
	// refused says which change of the spec needs a person; nil when none does.
	refused *plan.Cause
	// unwell says why a job that does not get on is not restarted; nil when it is not so.
	unwell *plan.Cause
	// stuck says why what does not become stable is not rolled back; nil when it is not so.
	stuck *plan.Cause
}
