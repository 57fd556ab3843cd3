package decide

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Heal restarts a job that runs and does not get on, where kubernetes.operator.cluster.health-check.enabled asks for
// it.
//
//	 #  the job                                    stop       a person  then
//	H1  healthy, or it could not be looked at      -          no        -
//	H2  unhealthy, and status does not say so yet  -          no        say so, look at once for what a restart needs
//	H3  unhealthy soon after another restart       -          no        wait, longer each time: see package restarts
//	H4  unhealthy, may start empty                 Stateless  no        cancel it and start it as it was started
//	H5  unhealthy, high-availability data          LastState  no        delete its cluster, start it from the data, under
//	                                                                    its ID
//	H6  unhealthy, the data cannot be looked at,   -          no        wait for another look
//	    or names no checkpoint, and Flink does
//	    not tell whether there is a savepoint
//	H7  unhealthy, no data                         -          yes       left alone: a restart would lose its state
func Heal(v *world.Look) decision.Decision {
	why := facts.Unhealthy(v)
	standing, _ := v.Host.Standing()
	if why == "" || !standing.Is() || standing == world.Going || !v.LastRunning() {
		return decision.Pass()
	}
	if !facts.KnownUnhealthy(v) {
		d := Settled(v)
		d.Result.Record, d.Result.Again = "health", true
		return d
	}
	if r, early := restartPauses(v); early {
		return decision.Wait(decision.Found{Pending: &plan.Cause{
			Reason: r.Wait.Reason, Message: why + "; " + r.Wait.Message,
		}})
	}
	s := &decision.Stop{
		Purpose: v1beta1.PurposeRecover, Target: *v.Running(), How: v1beta1.StopLastState,
		Restore: v1beta1.UpgradeModeLastState,
	}
	switch data := facts.KnownHAData(v); {
	case v.MayStartEmpty():
		s.How, s.Restore = v1beta1.StopStateless, asRecorded(v)
	case data.IsUnknown(), untoldSavepoint(v) != nil:
		return decision.Pass()
	case !data.IsPresent():
		return decision.Wait(decision.Found{Unwell: &plan.Cause{Reason: plan.ReasonJobUnhealthy, Message: fmt.Sprintf(
			"%s. The job is not restarted, because there is no high-availability data to start it from and its state would "+
				"be lost; see its log and its page; another restartNonce restarts it by upgradeMode", why)}})
	}
	if objects, _ := facts.Objection(v, &s.Target); objects != nil {
		return decision.Wait(decision.Found{Unwell: &plan.Cause{
			Reason: objects.Reason, Message: why + ". The job is not restarted: " + objects.Message,
		}})
	}
	return decision.Decision{
		Stop: s, Begun: []decision.Mark{decision.HealthForgotten},
		Events: []plan.Event{{
			Warning: true, Reason: plan.ReasonRestartUnhealthyJob, Component: plan.ComponentJob, Message: why,
		}},
	}
}
