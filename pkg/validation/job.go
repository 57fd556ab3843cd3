package validation

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// job is V6 and S7. tm is nil for session jobs. Without a job there is nothing to find.
//
//	checkpoint dir | savepoint dir | and                                          | finding
//	blank          | any           | upgradeMode savepoint or last-state          | checkpoint dir
//	any            | blank         | upgradeMode savepoint                        | savepoint dir
//	any            | blank         | savepointTriggerNonce set                    | savepoint dir
//	any            | blank         | periodic savepoint interval set, to anything | savepoint dir
//	any            | blank         | max checkpoint age set                       | savepoint dir
//	any            | any           | taskManager.replicas below 1                 | replicas
//	any            | any           | no replicas, parallelism below 1             | parallelism
func (s *settings) job(job *v1beta1.JobSpec, tm *v1beta1.TaskManagerSpec) {
	if job == nil {
		return
	}
	r := s.report
	mode := job.DesiredUpgradeMode()
	if mode != v1beta1.UpgradeModeStateless && s.blank(key.CheckpointDir) {
		r.addConf(key.CheckpointDir.Key, "Checkpoint directory["+key.CheckpointDir.Key+
			"] must be defined for last-state and savepoint upgrade modes",
			"set it to a path that all Flink pods share, or set "+r.at("job.upgradeMode")+" to stateless")
	}
	s.savepointDirectory(job)
	switch replicas := tmReplicas(tm); {
	case replicas != nil && *replicas < 1:
		r.add("taskManager.replicas", "TaskManager replicas must be larger than 0",
			"it is "+decimal(int(*replicas))+", set it to 1 or more, or leave it out and set "+r.at("job.parallelism"))
	case replicas == nil && job.Parallelism < 1:
		r.add(
			"job.parallelism", "Job parallelism must be larger than 0",
			"it is "+decimal(int(job.Parallelism))+", set it to 1 or more",
		)
	}
	if !mode.Known() {
		r.add("job.upgradeMode", "Unknown upgrade mode "+quote(string(mode)), "use savepoint, last-state or stateless")
	}
	if state := job.DesiredState(); !state.Known() {
		r.add("job.state", "Unknown job state "+quote(string(state)), "use running or suspended")
	}
}

// arguments refuses those of an application that its configuration file would change. A session job's are sent as JSON.
// Their text is not shown: it may be a secret.
func (r *report) arguments(spec *v1beta1.FlinkDeploymentSpec) {
	if spec.Job == nil {
		return
	}
	if i, why, unfit := flinkconf.UnfitArgument(spec.Job.Args, spec.FlinkVersion); unfit {
		r.add("job.args["+decimal(i)+"]",
			"Job argument "+decimal(i+1)+" cannot be passed on to Flink "+cut(string(spec.FlinkVersion), maxQuoted)+": "+why,
			"encode it, pass it as an environment variable or a file of the pod template, or use Flink 2")
	}
}

// savepointDirectory finds what needs a savepoint directory when there is none.
func (s *settings) savepointDirectory(job *v1beta1.JobSpec) {
	r := s.report
	_, err := s.effective.Duration(key.JobUpgradeLastStateMaxCheckpointAge)
	if err != nil {
		s.unreadable("", err)
	}
	if !s.blank(key.SavepointDir) {
		return
	}
	dir := "config key[" + key.SavepointDir.Key + "]"
	advice := "set " + r.conf(key.SavepointDir.Key) + " to a path that all Flink pods share, or "
	if job.DesiredUpgradeMode() == v1beta1.UpgradeModeSavepoint {
		r.add(
			"job.upgradeMode", "Job could not be upgraded with savepoint while "+dir+" is not set",
			advice+"choose another upgrade mode",
		)
	}
	if job.SavepointTriggerNonce != nil {
		r.add("job.savepointTriggerNonce",
			"Savepoint could not be manually triggered for the running job while "+dir+" is not set",
			advice+"remove the nonce")
	}
	if s.effective.Has(key.PeriodicSavepointInterval) {
		r.addConf(key.PeriodicSavepointInterval.Key, "Periodic savepoints cannot be enabled when "+dir+" is not set",
			advice+"remove the interval")
	}
	if err == nil && s.effective.Has(key.JobUpgradeLastStateMaxCheckpointAge) {
		r.addConf(key.JobUpgradeLastStateMaxCheckpointAge.Key,
			"In order to use max-checkpoint age functionality "+dir+" must be set",
			advice+"remove the age")
	}
}

// unclaimedState warns of a job that may lose state without a word: each start from its last checkpoint leaves out
// what no operator claims, and no savepoint keeps it.
//
//	upgradeMode   allowNonRestoredState, else the option   finding
//	last-state    true                                     a warning
//	otherwise     -                                        -
func (s *settings) unclaimedState(job *v1beta1.JobSpec, version v1beta1.FlinkVersion) {
	if job == nil || job.DesiredUpgradeMode() != v1beta1.UpgradeModeLastState {
		return
	}
	drops := flinkconf.IgnoresUnclaimedState(s.effective, version)
	if job.AllowNonRestoredState != nil {
		drops = *job.AllowNonRestoredState
	}
	if !drops {
		return
	}
	s.report.warn("job.allowNonRestoredState",
		"with upgradeMode last-state, a start leaves out the state of operators that the job no longer has,"+
			" Flink does not report it, and no savepoint contains it",
		"set it to false again after the change that takes an operator out, or use upgradeMode savepoint")
}

func (s *settings) blank(o conf.Option) bool { return strings.TrimSpace(s.effective.Get(o)) == "" }

func tmReplicas(tm *v1beta1.TaskManagerSpec) *int32 {
	if tm == nil {
		return nil
	}
	return tm.Replicas
}
