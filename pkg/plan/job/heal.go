package job

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
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
func Heal(v Life) (Result, bool) {
	why := Health(v).unhealthy()
	standing, _ := v.Host.Standing()
	if why == "" || !standing.Is() || standing == Going || !v.LastRunning() {
		return Result{}, false
	}
	if !Health(v).KnownUnhealthy() {
		r, _ := Settled(v)
		r.Record, r.Again = "health", true
		return r, true
	}
	if r, early := recovery(v).pauses(); early {
		v.Pending = &plan.Cause{Reason: r.Wait.Reason, Message: why + "; " + r.Wait.Message}
		return Result{}, false
	}
	s := Stop{v1beta1.PurposeRecover, *v.Running(), v1beta1.StopLastState, v1beta1.UpgradeModeLastState}
	switch data := HAData(v).known(); {
	case v.MayStartEmpty():
		s.How, s.Restore = v1beta1.StopStateless, recovery(v).asRecorded()
	case data.IsUnknown(), untoldSavepoint(v) != nil:
		return Result{}, false
	case !data.IsPresent():
		v.Unwell = &plan.Cause{Reason: plan.ReasonJobUnhealthy, Message: fmt.Sprintf(
			"%s. The job is not restarted, because there is no high-availability data to start it from and its state would "+
				"be lost; see its log and its page; another restartNonce restarts it by upgradeMode", why)}
		return Result{}, false
	}
	before := v.Events
	v.Tell(plan.Event{Warning: true, Reason: plan.ReasonRestartUnhealthyJob, Component: plan.ComponentJob, Message: why})
	r := Stopping(v).Begin(s)
	if r.Record == "" {
		v.Events = before // it cannot be started: that is told, and no restart
		return r, true
	}
	Health(v).forget()
	return r, true
}
