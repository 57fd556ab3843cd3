package process

import (
	"slices"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// mainRun is the run of a jar whose main has not submitted its job yet. It goes with its process.
type mainRun struct {
	options job.Options
	path    string
	steps   int
}

// Knows says whether the process refuses a job of this ID (Dispatcher.submitJob): one that it runs or clears up after,
// and one that has ended, for as long as its job result store knows it.
//
//	high availability  the store keeps the end of a job
//	no                 in the memory of the process, for as long as that lives; an expired job, too
//	yes                in job-result-store.storage-path, also over processes; a clean one only without delete-on-commit
func (jm *JobManager) Knows(id string) bool {
	if !jm.Config.HA() {
		return jm.known[id]
	}
	if j := jm.Job(id); j != nil && (!j.State.Ended() || jm.clearsUp(id)) {
		return true
	}
	_, ended := jm.flink.storage.Result(jm.Config["job-result-store.storage-path"], id)
	return ended
}

// clearsUp says whether the end of a job is not cleared up after yet.
func (jm *JobManager) clearsUp(id string) bool { return jm.cleanUp[id] <= 2*jm.Script().CleanUpSteps }

// MainFails is the cause with which main of the job of a name fails; empty when it does not.
func (jm *JobManager) MainFails(name string) string { return jm.flink.jobScripts[name].MainFails }

// Run runs the main of a jar. A main that fails submits nothing. A slow one submits its job later, under any ID that is
// not known then; nobody waits for it.
func (jm *JobManager) Run(options job.Options, path string) (j *job.Job, mainFails string, later bool) {
	script := jm.flink.jobScripts[options.Name]
	switch {
	case script.MainFails != "":
		return nil, script.MainFails, false
	case script.MainSteps > 0:
		jm.mains = append(jm.mains, mainRun{options, path, script.MainSteps})
		return nil, "", true
	}
	return jm.beginRun(options, path), "", false
}

func (jm *JobManager) beginRun(options job.Options, path string) *job.Job {
	jm.submittedRun(options.ID)
	return jm.Begin(options, path)
}

// stepMains lets the mains that run go on.
func (jm *JobManager) stepMains() {
	for _, m := range jm.mains {
		if m.steps == 0 && !jm.Knows(m.options.ID) {
			jm.beginRun(m.options, m.path)
		}
	}
	jm.mains = slices.DeleteFunc(jm.mains, func(m mainRun) bool { return m.steps == 0 })
	for i := range jm.mains {
		jm.mains[i].steps--
	}
}

// recover brings back the jobs of a session cluster: those whose graphs were there when it began to lead. One that has
// ended is only cleared up after.
func (jm *JobManager) recover() {
	for _, g := range jm.readGraphs() {
		result, ended := jm.flink.storage.Result(jm.Config["job-result-store.storage-path"], g.Options.ID)
		if !ended {
			jm.begin(g.Options, g.Path, true)
			continue
		}
		jm.finishEarlier(g.Options, result)
		jm.removeData(g.Options.ID)
	}
}
