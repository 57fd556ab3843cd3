package snapshots

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What a job may still read is never disposed of: a fail-over goes back to what the run was started from, until it has
// a checkpoint, and without high availability also after that.
func TestWhatAJobMayStillRead(t *testing.T) {
	from := func(kind v1beta1.StartKind, path string) *v1beta1.StartPoint {
		return &v1beta1.StartPoint{Kind: kind, Path: path}
	}
	saved := &v1beta1.SavepointInfo{LastSavepoint: &v1beta1.Savepoint{Location: "a"}}
	rows := map[string]struct {
		reader Reader
		path   string
		want   bool
		reason string
	}{
		"suspended": {
			Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "a", State: v1beta1.FlinkJobFinished}}, "a", true,
			"it is resumed from there",
		},
		"running": {
			Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "a", State: v1beta1.FlinkJobRunning}}, "a", true,
			"its JobManager begins from there again",
		},
		"taken over while it runs": {
			Reader{Status: v1beta1.JobStatus{
				State: v1beta1.FlinkJobRunning, StartedFrom: from(v1beta1.StartSavepoint, "a"), UpgradeSavepointPath: "b",
			}}, "a", true, "what it goes back to is not what is recorded for its next start",
		},
		"its data may name it": {
			Reader{Status: v1beta1.JobStatus{
				State: v1beta1.FlinkJobReconciling, StartedFrom: from(v1beta1.StartLastState, v1beta1.LastStatePlaceholder),
				UpgradeSavepointPath: v1beta1.LastStatePlaceholder, BasedOn: "a",
			}}, "a", true, "it has no checkpoint of its own yet, for all that is known",
		},
		"ended, its last state read": {
			Reader{Status: v1beta1.JobStatus{
				State: v1beta1.FlinkJobFinished, StartedFrom: from(v1beta1.StartSavepoint, "a"), BasedOn: "a",
				UpgradeSavepointPath: "b",
			}}, "a", false, "its next start is from another",
		},
		"ended, its last state not read": {
			Reader{Status: v1beta1.JobStatus{
				State: v1beta1.FlinkJobFailed, StartedFrom: from(v1beta1.StartSavepoint, "a"), LastStateUnread: true,
				UpgradeSavepointPath: "b",
			}}, "a", true, "it may be that it ended with",
		},
		"another": {Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "a"}}, "b", false, "nobody asks for it"},
		"an intent": {
			Reader{Intent: &v1beta1.Intent{From: from(v1beta1.StartSavepoint, "a")}}, "a", true, "the start is from there",
		},
		"an intent that stops first": {
			Reader{Intent: &v1beta1.Intent{Spec: `{"spec":{"job":{"initialSavepointPath":"s3://b/a&b"}}}`}}, "s3://b/a&b",
			true, "a redeploy is on its way",
		},
		"an intent that is stored as a change": {
			Reader{Intent: &v1beta1.Intent{SpecChange: `{"spec":{"job":{"initialSavepointPath":"s3://b/a\u0026b"}}}`}},
			"s3://b/a&b", true, "a redeploy is on its way",
		},
		"a spec": {
			Reader{Wanted: &v1beta1.JobSpec{InitialSavepointPath: "a"}}, "a", true, "a person may be about to start from it",
		},
		"the last savepoint, and nothing else is named": {
			Reader{Status: v1beta1.JobStatus{SavepointInfo: saved}}, "a", true, "a start goes back to it",
		},
		"the last savepoint, given up": {
			Reader{Status: v1beta1.JobStatus{SavepointInfo: saved, SupersededSavepoint: "a"}}, "a", false,
			"the job began from nothing since",
		},
		"the last savepoint, and another state is named": {
			Reader{Status: v1beta1.JobStatus{SavepointInfo: saved, UpgradeSavepointPath: "b"}}, "a", false,
			"a start is from that",
		},
		"no path":                 {Reader{}, "", false, "nothing needs nothing"},
		"no path, and none named": {Reader{Wanted: &v1beta1.JobSpec{}, Intent: &v1beta1.Intent{}}, "", false, "as above"},
		"with a slash": {
			Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "s3://b/a/"}}, "s3://b/a", true, "it is the same",
		},
		"with its metadata": {
			Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "s3://b/a/_metadata"}}, "s3://b/a", true, "it is the same",
		},
		"with another name of the scheme": {
			Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "s3a://b/a"}}, "s3://b/a", true, "it is the same store",
		},
		"without a scheme": {
			Reader{Wanted: &v1beta1.JobSpec{InitialSavepointPath: "/b/a"}}, "file:/b/a", true, "Flink adds the scheme",
		},
		"in the same directory": {
			Reader{Status: v1beta1.JobStatus{UpgradeSavepointPath: "s3://b/savepoint-12"}}, "s3://b/savepoint-1", false,
			"it is another one",
		},
	}
	for name, row := range rows {
		if got := row.reader.Reads(row.path); got != row.want {
			t.Errorf("%s: %t; %s", name, got, row.reason)
		}
	}
}

// A job that goes on from its high-availability data may go back to what it was started from before.
func TestWhatAStartIsBasedOn(t *testing.T) {
	savepoint := v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "a"}
	lastState := v1beta1.StartPoint{Kind: v1beta1.StartLastState, Path: v1beta1.LastStatePlaceholder}
	rows := map[string]struct {
		before v1beta1.JobStatus
		from   v1beta1.StartKind
		want   string
	}{
		"first":                  {v1beta1.JobStatus{}, v1beta1.StartEmpty, ""},
		"from data after a path": {v1beta1.JobStatus{StartedFrom: &savepoint}, v1beta1.StartLastState, "a"},
		"from data again": {
			v1beta1.JobStatus{StartedFrom: &lastState, BasedOn: "a"}, v1beta1.StartLastState, "a",
		},
		"from another path": {v1beta1.JobStatus{StartedFrom: &lastState, BasedOn: "a"}, v1beta1.StartSavepoint, ""},
		"from nothing":      {v1beta1.JobStatus{StartedFrom: &lastState, BasedOn: "a"}, v1beta1.StartEmpty, ""},
	}
	for name, row := range rows {
		if got := BasedOn(row.before, row.from); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The history gets shorter, and the files of what may still be read stay.
func TestPruneLeavesWhatMayBeRead(t *testing.T) {
	for name, row := range map[string]struct {
		options []string
		change  func(f *Facts)
		kept    int
		want    string
	}{
		"the run's start": {nil, func(f *Facts) { f.Status.UpgradeSavepointPath = "s1" }, 3, "s2"},
		"LEGACY": {
			[]string{"execution.savepoint-restore-mode", "LEGACY"},
			func(f *Facts) { f.Status.UpgradeSavepointPath = "s4" }, 1, "",
		},
		"CLAIM": {
			[]string{"execution.state-recovery.claim-mode", "CLAIM"},
			func(f *Facts) { f.Status.UpgradeSavepointPath = "s4" }, 1, "",
		},
		"an unknown claim mode": {[]string{"execution.state-recovery.claim-mode", "MINE"}, func(*Facts) {}, 1, ""},
		"another resource": {
			nil, func(f *Facts) { f.Readers = plan.Present(Readers{"s1": "FlinkDeployment other"}) }, 3, "s2",
		},
		"others are not known": {nil, func(f *Facts) { f.Readers = plan.Unknown[Readers]("503") }, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(append(row.options, maxCount, "1")...)
			f.Status.SavepointInfo = history(4)
			row.change(&f)
			next, dispose := PruneOne(f)
			if kept := len(next.SavepointInfo.SavepointHistory); dispose != row.want || kept != row.kept {
				t.Errorf("%q is disposed of and %d stay, want %q and %d", dispose, kept, row.want, row.kept)
			}
		})
	}
}
