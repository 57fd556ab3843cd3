package bluegreen

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
)

// handoverSeen is what package handover decides by.
func (v *view) handoverSeen(t v1beta1.BlueGreenTransition) handover.Seen {
	h := t.Handover
	s := handover.Seen{
		Now: v.now(), Wish: v.wish(t),
		Serving: v.sideJob(t.From, v.Moving.Serving), Target: v.sideJob(t.Target, v.Moving.Target),
		State: handover.State{
			Step: handover.Step(t.Step), Began: h.Began.Time, Since: t.Since.Time, Failures: int(h.Failures),
			Earlier: h.Earlier, Path: t.Path, Why: h.Why,
		},
		Options: handover.Options{
			Grace: v.grace() + v.blind(t.Looked.Time), Deadline: v.duration(key.BlueGreenHandoverDeadline),
			Preflight: options.Bool(v.config(), key.BlueGreenHandoverPreflight),
			Upgrade:   options.Enum(v.config(), key.BlueGreenHandoverFallback) == "upgrade",
		},
	}
	if t.Step == v1beta1.BlueGreenWarm {
		s.Cluster = v.targetCluster(t)
	}
	return s
}

// wish is what the spec asks for by now.
func (v *view) wish(t v1beta1.BlueGreenTransition) handover.Wish {
	switch {
	case v.wanted.suspended():
		return handover.Suspend
	case v.takesBack():
		return handover.Back
	case v.wanted.hash != t.SpecHash:
		return handover.Another
	}
	return handover.Move
}

// sideJob is the job of a side.
//
//	the job                                          a completed checkpoint
//	was never let run                                No
//	has no ID                                        No: one is stored before each start
//	is not known to Flink, which refused its start   No, also once it is ended: it never ran
//	is not known to Flink                            Unknown
//	-                                                as Flink says
func (v *view) sideJob(colour v1beta1.BlueGreenType, flink MovingJob) handover.Job {
	parts, split := v.Parts[colour]
	if !split {
		return handover.SeeApplication(v.Side(colour), flink.Checkpoint)
	}
	checkpoint := flink.Checkpoint
	d, there := v.Side(colour).Get()
	if j, has := parts.Job.Get(); has && there {
		h := v.transition().Handover
		refused := h.Refused != "" && h.Refused == jobOf(d) ||
			j.Status.Retry != nil && j.Status.Retry.Reason == string(plan.ReasonJarRunFailed)
		never := j.Status.ReconciliationStatus.IsBeforeFirstDeployment() && j.Status.Intent == nil
		if jobOf(d) == "" || never || flink.Unlisted && refused {
			checkpoint = handover.No
		}
	}
	return handover.See(parts.Job, checkpoint)
}

// targetCluster is the cluster of the target, while it is made warm.
func (v *view) targetCluster(t v1beta1.BlueGreenTransition) handover.Cluster {
	parts, split := v.Parts[t.Target]
	c := handover.Cluster{Ready: handover.Pending}
	if !split {
		c.Why = "FlinkDeployment " + v.name(t.Target) + " could not be read: " + v.Side(t.Target).Why()
		return c
	}
	if t.Handover.Planned {
		c.Planned = handover.Yes
	}
	if !clusterSettled(parts.Cluster) {
		wait, stall := notReady(parts.Cluster)
		if stall.Reason != "" {
			wait = stall
		}
		c.Why = wait.Message
		c.NoRoom = strings.Contains(c.Why, "exceeded quota") || strings.Contains(c.Why, "Insufficient ")
		return c
	}
	switch state, listed := v.Moving.WarmUp.Get(); {
	case !listed && v.Moving.WarmUp.IsUnknown():
		c.Ran = handover.Pending
	case !listed:
	case state == v1beta1.FlinkJobFinished:
		c.Ran = handover.Yes
	case state.IsTerminal():
		c.Ran = handover.No
	default:
		c.Ran = handover.Pending
	}
	slots, answered := v.Moving.Slots.Get()
	need := max(1, int(v.jobOfSplit(t).Parallelism))
	switch {
	case !answered:
		c.Why = "its JobManager does not answer yet: " + v.Moving.Slots.Why()
	case c.Ran != handover.Yes && (slots.Total >= need || v.callsTaskManagers(parts.Cluster)):
		c.Ready = handover.Yes
	case slots.Free >= need:
		c.Ready = handover.Yes
	default:
		c.Why, c.NoRoom = slotsMissing(slots, need), true
	}
	return c
}

func (v *view) jobOfSplit(t v1beta1.BlueGreenTransition) *v1beta1.JobSpec {
	if j := v.sessionJob(t.Target); j != nil && j.Spec.Job != nil {
		return j.Spec.Job
	}
	return &v1beta1.JobSpec{}
}

// callsTaskManagers reports whether it takes a job for TaskManagers to come: Flink knows no least number of slots.
func (v *view) callsTaskManagers(cluster *v1beta1.FlinkDeployment) bool {
	return cluster.Spec.DesiredMode() == v1beta1.ModeNative && !cluster.Spec.FlinkVersion.AtLeast(v1beta1.FlinkV1_19)
}

// carriedOut are the actions of an effect. Main is planned once: that it came to its submission is stored after it did.
func (v *view) carriedOut(t v1beta1.BlueGreenTransition, effect handover.Effect, d *Decision) []plan.Action {
	switch effect {
	case handover.Plan:
		h := *d.Status.Transition.Handover
		h.Planned = true
		d.Status.Transition.Handover, d.Again = &h, true
		return v.planned(t)
	case handover.WarmUp:
		return v.warmed(t)
	case handover.StopServing:
		var cool []plan.Action
		if run := v.targetRuns(t); run.Endpoint != nil && len(v.Moving.Jars) > 0 {
			cool = append(cool, plan.CoolDown{Endpoint: *run.Endpoint, JarIDs: v.Moving.Jars})
		}
		return append(cool, v.switched(t.From, v1beta1.JobStateSuspended, v1beta1.UpgradeModeSavepoint, "")...)
	case handover.EndTarget:
		return v.switched(t.Target, v1beta1.JobStateSuspended, v1beta1.UpgradeModeLastState, "")
	case handover.RunTarget:
		return v.switched(t.Target, v1beta1.JobStateRunning, "", startOf(t))
	case handover.RunServing:
		return v.switched(t.From, v1beta1.JobStateRunning, v.servingMode(), "")
	}
	return nil
}

// targetRuns is the cluster of the target; the zero value while there is none.
func (v *view) targetRuns(t v1beta1.BlueGreenTransition) running.Cluster {
	parts, split := v.Parts[t.Target]
	if !split {
		return running.Cluster{}
	}
	return running.Of(v.Operator, parts.Cluster)
}

// planned runs main of the new job up to its submission, on the target.
func (v *view) planned(t v1beta1.BlueGreenTransition) []plan.Action {
	j := v.sessionJob(t.Target)
	run := v.targetRuns(t)
	if run.Endpoint == nil || j == nil {
		return nil
	}
	config, err := flinkconf.SessionJob(run.Config, j.Name, &j.Spec)
	if err != nil {
		return nil // it was composed of what admission takes
	}
	return []plan.Action{plan.PlanJar{Name: t.OperationID + ".jar", Run: plan.RunJar{
		Endpoint: *run.Endpoint, Version: run.Version.Dotted(), EntryClass: j.Spec.Job.EntryClass, Args: j.Spec.Job.Args,
		Parallelism: j.Spec.Job.Parallelism, Configuration: flinkconf.Submitted(config),
	}}}
}

// warmed runs the small job on all slots of the target.
func (v *view) warmed(t v1beta1.BlueGreenTransition) []plan.Action {
	run := v.targetRuns(t)
	if run.Endpoint == nil {
		return nil
	}
	slots, _ := v.Moving.Slots.Get()
	return []plan.Action{plan.WarmUp{
		Endpoint: *run.Endpoint, Version: run.Version.Dotted(), Name: t.OperationID + "-warm-up.jar",
		JobID:       warmUpID(v.Snapshot, &t),
		Parallelism: max(1, v.jobOfSplit(t).Parallelism, int32(slots.Total)),
	}}
}
