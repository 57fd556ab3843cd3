package handover

import "time"

// Decide decides the next step. It is total: it never fails and never panics.
func Decide(s Seen) Decision {
	if d, lost := gone(s); lost {
		return d
	}
	switch s.State.Step {
	case Stop:
		return stop(s)
	case Release:
		return release(s)
	case Fence:
		return fence(s)
	case Return:
		return back(s)
	}
	return warm(s)
}

// gone waits for a user where somebody deleted the job that the step needs.
//
//	step                 the job that is gone     then
//	Warm, Stop, Return   of the side that serves  wait for a user: no newest state is known
//	Release, Fence       of the target            wait for a user: it may have completed a checkpoint
func gone(s Seen) (Decision, bool) {
	isBetween := s.State.Step == Release || s.State.Step == Fence
	switch {
	case !isBetween && s.Serving.Gone:
		d := s.waits("the job that serves was deleted, and its newest state is not known: name a savepoint or checkpoint " +
			"in initialSavepointPath, with a new savepointRedeployNonce")
		d.Stalled = true
		return d, true
	case isBetween && s.Target.Gone:
		return s.doubts("the job of the new side was deleted, and it is not known whether it completed a checkpoint"), true
	}
	return Decision{}, false
}

func (s Seen) over(span time.Duration) bool { return s.Now.After(s.State.Since.Add(span)) }

// late reports whether the time to become ready, and to stop the job that serves, is over.
func (s Seen) late() bool { return s.Now.After(s.State.Began.Add(s.Options.Grace)) }

// waits leaves the handover where it is.
func (s Seen) waits(why string, effects ...Effect) Decision {
	return Decision{State: s.State, Effects: effects, Wait: why}
}

// runs tells a job to run that the step lets run. The state is stored once more before: whoever read an older one does
// nothing then.
func (s Seen) runs(why string, effect Effect) Decision {
	d := s.waits(why, effect)
	d.Stored = true
	return d
}

// ends ends it; why is empty where nothing was given up.
func (s Seen) ends(end End, why string) Decision {
	state := s.State
	state.Why = why
	return Decision{State: state, Stored: true, End: end}
}

// to stores another step ahead of its effects.
func (s Seen) to(step Step, effects ...Effect) Decision {
	state := s.State
	state.Step, state.Since = step, s.Now
	return Decision{State: state, Stored: true, Effects: effects}
}

// gives stores a step of the way back, and why it is taken.
func (s Seen) gives(step Step, why string, effects ...Effect) Decision {
	d := s.to(step, effects...)
	d.State.Why = why
	return d
}

// warm makes the target ready for the job, which runs elsewhere: nothing that fails here costs a record.
//
//	 #  the spec asks for     the job that serves             the target's cluster  then
//	W1  no job                -                               -                     withdrawn
//	W2  anything else         is not told to run              -                     run it
//	W3  the side that serves  -                               -                     withdrawn
//	W4  another target        -                               -                     redirected
//	W5  this target           -                               is not warm           see cold
//	W6  this target           does not run, has no completed  is warm               wait; given up in time
//	                          checkpoint, or its stop failed
//	                          lately
//	W7  this target           runs                            is warm               stop it
func warm(s Seen) Decision {
	job := s.Serving
	switch {
	case s.Wish == Suspend:
		return s.ends(Withdrawn, "")
	case job.Unread == "" && !job.Wanted:
		return s.runs("the job that serves runs on", RunServing)
	case s.Wish == Back:
		return s.ends(Withdrawn, "")
	case s.Wish == Another:
		return s.ends(Redirected, "")
	}
	if d, isCold := cold(s); isCold {
		return d
	}
	stoppable := job.Unread == "" && job.Runs == Yes && job.Checkpoint == Yes && s.over(s.State.pause())
	switch {
	case stoppable:
		d := s.to(Stop, StopServing)
		d.State.Earlier = job.Path
		return d
	case s.late():
		return s.ends(GivenUp, "the job that serves could not be stopped with a savepoint in time"+s.because(job))
	}
	return s.waits("the job that serves is to run, with a completed checkpoint, before it is stopped" + s.because(job))
}

// cold makes the target's cluster warm; false when it is.
//
//	 #  the cluster                                         time     then
//	C1  main failed in the plan                             -        given up
//	C2  the job that warms it failed                        -        given up
//	C3  has no room, and an upgrade may follow              is over  upgraded
//	C4  is not ready                                        is over  given up
//	C5  is not ready                                        -        wait
//	C6  main was not tried yet, or it was not warmed yet    is over  given up
//	C7  main was not tried                                  -        plan
//	C8  never ran a job                                     -        warm it up
//	C9  is being planned or warmed                          -        wait
func cold(s Seen) (Decision, bool) {
	c, late := s.Cluster, s.late()
	planned := c.Planned == Yes || !s.Options.Preflight
	switch {
	case c.Planned == No && !planned:
		return s.ends(GivenUp, "main of the new job failed: "+c.PlanFailed), true
	case c.Ran == No:
		return s.ends(GivenUp, "the new cluster could not run a small job"), true
	case c.Ready != Yes && late && c.NoRoom && s.Options.Upgrade:
		return s.ends(Upgraded, "there is no room for a second cluster: "+c.Why), true
	case c.Ready != Yes && late:
		return s.ends(GivenUp, "the new cluster did not become ready in time: "+c.Why), true
	case c.Ready != Yes:
		return s.waits("the new cluster is to become ready: " + c.Why), true
	case planned && c.Ran == Yes:
		return Decision{}, false
	case late:
		return s.ends(GivenUp, "the new cluster did not become warm in time"), true
	case c.Planned == Unknown && !planned:
		return s.waits("main of the new job is tried on the new cluster", Plan), true
	case planned && c.Ran == Unknown:
		return s.waits("the new cluster is warmed by a small job", WarmUp), true
	}
	return s.waits("the new cluster is being warmed"), true
}

// pause is how long a stop that failed is not tried again; less than zero before the first.
func (s State) pause() time.Duration {
	if s.Failures == 0 {
		return -1
	}
	return min(time.Minute, 10*time.Second<<min(s.Failures-1, 3))
}

// because is what is known of a job that does not do what it is to.
func (s Seen) because(j Job) string {
	for _, why := range []string{j.Unread, j.StopFailed, j.Failed, s.State.Why} {
		if why != "" {
			return ": " + why
		}
	}
	return ""
}

// stop stops the job that serves with a savepoint. No job may be started meanwhile.
//
//	 #  the job that serves               the spec asks for     then
//	P1  cannot be read                    -                     wait
//	P2  has ended, and left a savepoint   no job                withdrawn: it is suspended already
//	P3  has ended, and left a savepoint   the serving side      return to it
//	P4  has ended, and left a savepoint   this or another       release the target; return, if that is gone
//	P5  has ended without one             -                     return to it: its own passes know what to do
//	P6  runs on, for its stop failed      -                     warm again: another stop after a pause
//	P7  is not told to stop               -                     stop it
//	P8  is still there, time is over      -                     return to it
//	P9  is still there                    -                     wait
func stop(s Seen) Decision {
	job := s.Serving
	ended := job.Runs == No
	saved := ended && job.Path != "" && job.Path != s.State.Earlier
	switch {
	case job.Unread != "":
		return s.waits("the job that serves cannot be read: " + job.Unread)
	case saved && s.Wish == Suspend:
		return s.ends(Withdrawn, "")
	case saved && s.Wish == Back:
		return s.gives(Return, "", RunServing)
	case saved && s.Target.Gone:
		return s.gives(Return, "the new side was deleted", RunServing)
	case saved:
		d := s.to(Release, RunTarget)
		d.State.Path = job.Path
		return d
	case ended:
		return s.gives(Return, "the job that serves ended without a savepoint"+s.because(job), RunServing)
	case job.StopFailed != "":
		d := s.gives(Warm, job.StopFailed, RunServing)
		d.State.Failures++
		return d
	case job.Wanted:
		return s.waits("the job that serves is being stopped", StopServing)
	case s.late():
		return s.gives(
			Return, "the job that serves was not stopped with a savepoint in time"+s.because(job), RunServing,
		)
	}
	return s.waits("the job that serves is being stopped with a savepoint")
}

// release runs the job on the target. What it has committed by a checkpoint must not be read again, so a completed one
// precedes all else, and nothing returns while it is not known that there is none.
//
//	 #  the job of the target    a checkpoint of its  then
//	R1  cannot be read           -                    wait
//	R2  -                        completed            done
//	R3  -, no job is asked for   -                    fence it
//	R4  is not told to run       -                    run it, once the other one is seen ended; else wait
//	R5  failed                   none, known          fence it
//	R6  -, time is over          none, known          fence it
//	R7  -, time is over          not known            wait for a user
//	R8  -                        -                    wait
func release(s Seen) Decision {
	job, over := s.Target, s.over(s.Options.Deadline)
	switch {
	case job.Unread != "":
		return s.waits("the job of the new side cannot be read: " + job.Unread)
	case job.Checkpoint == Yes:
		return s.ends(Done, "")
	case s.Wish == Suspend:
		return s.gives(Fence, "the job is to be suspended", EndTarget)
	case !job.Wanted && (s.Serving.Unread != "" || s.Serving.Runs != No):
		return s.waits("the job that served is to be seen ended before the new one runs" + s.because(s.Serving))
	case !job.Wanted:
		return s.runs("the job runs on the new side", RunTarget)
	case job.Failed != "" && job.Checkpoint == No:
		return s.gives(Fence, "the job failed on the new side: "+job.Failed, EndTarget)
	case over && job.Checkpoint == No:
		return s.gives(Fence, "the job completed no checkpoint on the new side in time", EndTarget)
	case over:
		return s.doubts("it is not known whether the job has completed a checkpoint on the new side" + s.because(job))
	}
	return s.waits("the job is to complete its first checkpoint on the new side")
}

// doubts waits for a user.
func (s Seen) doubts(why string) Decision {
	d := s.waits(why + "; the old side cannot take over before that is known")
	d.Stalled = true
	return d
}

// fence ends the job of the target before the other one runs again. A checkpoint that it completed on its way is the
// point of no return, too: then the target is started from it, as any side whose job is suspended against its spec.
//
//	 #  the job of the target  a checkpoint of its  the spec asks for  then
//	F1  cannot be read         -                    -                  wait
//	F2  is told to run         -                    -                  end it
//	F3  has not ended          -                    -                  wait
//	F4  has ended              completed            -                  done
//	F5  has ended              not known            -                  wait; for a user, if that does not end by itself
//	F6  has ended              none                 no job             withdrawn
//	F7  has ended              none                 -                  return
func fence(s Seen) Decision {
	job := s.Target
	switch {
	case job.Unread != "":
		return s.waits("the job of the new side cannot be read: " + job.Unread)
	case job.Wanted:
		return s.waits("the job of the new side is being ended", EndTarget)
	case job.Runs != No:
		return s.waits("the job of the new side is to be seen ended before the old one runs" + s.because(job))
	case job.Checkpoint == Yes:
		return s.ends(Done, s.State.Why)
	case job.Checkpoint == Pending:
		return s.waits("the checkpoints of the job that was ended on the new side are read when no older answer can come")
	case job.Checkpoint != No:
		return s.doubts("the job of the new side has ended, and it is not known whether it completed a checkpoint")
	case s.Wish == Suspend:
		return s.ends(Withdrawn, "")
	}
	return s.gives(Return, s.State.Why, RunServing)
}

// back runs the job on the side that served. From here on its own passes see to it.
//
//	 #  the job that serves  the spec asks for     then
//	B1  cannot be read       -                     wait
//	B2  -                    no job                withdrawn
//	B3  is not told to run   -                     run it
//	B4  is told to run       the side that serves  withdrawn
//	B5  is told to run       -                     given up
func back(s Seen) Decision {
	job := s.Serving
	switch {
	case job.Unread != "":
		return s.waits("the job that serves cannot be read: " + job.Unread)
	case s.Wish == Suspend:
		return s.ends(Withdrawn, "")
	case !job.Wanted:
		return s.runs("the job runs on the old side again", RunServing)
	case s.Wish == Back:
		return s.ends(Withdrawn, "")
	}
	return s.ends(GivenUp, s.State.Why)
}
