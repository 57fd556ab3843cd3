package snapshot

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// standing is what a snapshot may expect of its job.
type standing string

const (
	// unknown: the resource could not be read.
	unknown standing = "Unknown"
	// gone: there is no such resource.
	gone standing = "Gone"
	// other: the resource of that name is another job.
	other standing = "Other"
	// ended: the job does not run and will not by itself.
	ended standing = "Ended"
	// moving: the job does not run, or cannot be asked, and is expected to run.
	moving standing = "Moving"
	// runs: Flink says that it is RUNNING, and nobody is about to stop it.
	runs standing = "Runs"
)

// standing of the job; first match wins.
//
//	resource                                      Flink lists the job        standing
//	could not be read                             -                          unknown
//	not there                                     -                          gone
//	has another UID than the one first seen       -                          other
//	an operation is open on it or its cluster,    -                          moving
//	or it is being deleted
//	its spec asks for a suspended job             -                          ended
//	FAILED jobs are restarted                     as FAILED                  moving
//	-                                             as ended for good          ended
//	-                                             as RUNNING                 runs
//	-                                             otherwise                  moving
//	its status says ended for good                not, or does not answer    ended; moving if restarted
//	otherwise                                     not, or does not answer    moving
func (v *round) standing() standing {
	t := v.job
	switch {
	case t.presence == validation.Absent:
		return gone
	case t.presence != validation.Present:
		return unknown
	case v.want.JobUID != "" && v.want.JobUID != t.uid:
		return other
	case !t.settled:
		return moving
	case t.suspended:
		return ended
	}
	state := t.status.State
	live, listed := v.s.Flink.Job.Get()
	if listed {
		state = live.State
	}
	switch {
	case state == v1beta1.FlinkJobFailed && read(t.config.Bool, key.JobRestartFailed, false):
		return moving
	case state.IsTerminal():
		return ended
	case listed && state == v1beta1.FlinkJobRunning && t.endpoint != nil:
		return runs
	}
	return moving
}

// lost reports whether the job that the snapshot was first seen with is not there any more.
func lost(v view) bool {
	s := v.standing()
	return v.want.JobUID != "" && (s == gone || s == other)
}
