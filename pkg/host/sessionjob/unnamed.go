package sessionjob

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// unnamed stops at a job that runs under the name of this resource's job and that no session job names: status may be
// an old one that was put back, and the job the newest of this resource. First match wins:
//
//	the job that status names  a job of its name      the other session jobs  then
//	runs                       -                      -                       go on
//	does not run               none                   -                       go on
//	does not run               runs, a stop is open   -                       go on
//	does not run               runs                   cannot be read          wait
//	does not run               runs                   one has it              go on
//	does not run               runs, to be ignored    -                       go on
//	does not run               runs                   none has it             nothing: a person decides
func unnamed(v *session.Job) (decision.Result, bool) {
	if i := v.Look.Intent(); i != nil && i.Step == v1beta1.StepStopping {
		return decision.Result{}, false
	}
	j, found, why := session.UnnamedJob(v)
	switch r := v.Seen.Resource; {
	case why != "":
		return decision.Unobservable("the other session jobs", why), true
	case !found || r.Annotations[v1beta1.AnnotationIgnoreState] == "true":
		return decision.Result{}, false
	default:
		return decision.Result{Situation: plan.Unaccounted, Stall: &plan.Cause{
			Reason: plan.ReasonUnaccounted,
			Message: fmt.Sprintf(
				"job %s runs under the name %s, and no FlinkSessionJob names it: status may be an old one "+
					"that was put back, so nothing is changed; cancel that job, with a savepoint if its state is to be "+
					"kept, or run: kubectl annotate flinksessionjob %s -n %s %s=true to leave it alone. %s",
				j.ID,
				j.Name,
				r.Name,
				r.Namespace,
				v1beta1.AnnotationIgnoreState,
				v.Look.Remedy(),
			),
		}}, true
	}
}
