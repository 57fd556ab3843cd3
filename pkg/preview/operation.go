package preview

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// verdicts are those of operations by their purpose.
var verdicts = map[v1beta1.IntentPurpose]Verdict{
	v1beta1.PurposeDeploy: Start, v1beta1.PurposeUpgrade: Upgrade, v1beta1.PurposeSuspend: Suspend,
	v1beta1.PurposeResume: Resume, v1beta1.PurposeRecover: Recover, v1beta1.PurposeRollback: Rollback,
	v1beta1.PurposeRedeploy: Redeploy,
}

// begins says what the operation does that the plan begins.
func (l *look) begins(intent *v1beta1.Intent) {
	l.Verdict = verdicts[intent.Purpose]
	o := Operation{Purpose: intent.Purpose, Restore: intent.Restore, From: intent.From}
	if intent.Step == v1beta1.StepStopping {
		if o.Stop = intent.Stop; o.Stop == "" {
			o.Stop = v1beta1.StopStateless
		}
	}
	l.Operation = &o
	if o.Stop != "" {
		l.step("stop", l.stopWords(o.Stop))
	}
	if intent.Purpose == v1beta1.PurposeSuspend {
		l.step("then", "nothing is started until job.state is running")
		return
	}
	if l.outlook.Mode == "" && !l.outlook.First {
		l.step("then", "the cluster is started again, and each of its session jobs by its own upgradeMode")
	} else if l.outlook.Mode != "" {
		l.step("start from", startWords(o))
	}
	l.gaugesOf()
	if l.outlook.RolledBack > 0 && intent.Purpose == v1beta1.PurposeUpgrade {
		l.step("if it fails", fmt.Sprintf("not stable in %s: rolled back to the last stable spec "+
			"(kubernetes.operator.deployment.rollback.enabled)", flinkconf.FormatDuration(l.outlook.RolledBack)))
	}
	if l.outlook.Open != nil && l.outlook.Open.Step != v1beta1.StepReleased {
		l.DependsOn = append(l.DependsOn, "the operation under way ("+string(l.outlook.Open.Purpose)+
			") has not got further: it takes the new spec over")
	}
}

// stopWords say how what runs is stopped.
func (l *look) stopWords(how v1beta1.StopKind) string {
	because := fmt.Sprintf(" (upgradeMode %s, the job is %s)", l.outlook.Mode, l.outlook.State)
	switch how {
	case v1beta1.StopSavepoint:
		to := l.outlook.SavepointDir
		if to == "" {
			to = "the directory of the cluster"
		}
		return "with a savepoint, to " + to + because
	case v1beta1.StopLastState:
		return "its JobManager is taken down, and the high-availability data stays" + because
	case v1beta1.StopCancel:
		return "cancelled, and its newest checkpoint is kept" + because
	case v1beta1.StopNone:
		return "no job runs: what is left of the cluster is removed"
	}
	if l.outlook.Mode == "" {
		return "the cluster is taken down"
	}
	return "cancelled" + because
}

// startWords say which state the job starts from.
func startWords(o Operation) string {
	switch {
	case o.From == nil && o.Stop == v1beta1.StopSavepoint:
		return "that savepoint; if it fails, the job keeps running, and it is tried again after 10 s, 20 s, …"
	case o.From == nil && o.Stop == v1beta1.StopCancel:
		return "the newest checkpoint that the job has completed at its end"
	case o.From == nil:
		return "the newest checkpoint that the high-availability data names at its end"
	}
	text := ""
	switch o.From.Kind {
	case v1beta1.StartSavepoint:
		text = o.From.Path
	case v1beta1.StartLastState:
		text = "the checkpoint that the high-availability data names"
	default:
		text = "nothing: no state"
	}
	if o.From.Taken != nil {
		text += ", taken " + o.From.Taken.UTC().Format("2006-01-02T15:04:05Z")
	}
	text += " (" + o.From.Reason + ")"
	if o.Purpose == v1beta1.PurposeRedeploy && o.Stop != v1beta1.StopNone {
		text += "; the state that the job has now is given up"
	}
	return text
}

// gaugesOf compares the clusters.
func (l *look) gaugesOf() {
	before, after := l.outlook.Before, l.outlook.After
	if after == nil {
		return
	}
	if before == nil {
		before = &world.Size{}
	}
	figures := func(before, after string) *Figures {
		if after == "" {
			return nil
		}
		return &Figures{before, after}
	}
	count := ""
	if before.TaskManagers > 0 {
		count = fmt.Sprint(before.TaskManagers)
	}
	l.TaskManagers = figures(count, fmt.Sprint(after.TaskManagers))
	l.CPU, l.Memory = figures(before.CPU, after.CPU), figures(before.Memory, after.Memory)
}

// inPlace says what is scaled while the job runs.
func (l *look) inPlace() {
	for _, a := range l.plan.Actions {
		switch a := a.(type) {
		case plan.ScaleTaskManagers:
			l.step("scale", fmt.Sprintf("to %d TaskManagers in place: the cluster stays, and the job is not stopped by the "+
				"operator", a.Replicas))
			l.gaugesOf()
		case plan.Rescale:
			l.step("scale", "in place, by Flink's adaptive scheduler: tasks restart from their newest checkpoint, and the "+
				"cluster stays")
		}
	}
}
