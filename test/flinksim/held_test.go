package flinksim

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// stories are all there are, by name.
func stories() map[string]story {
	all := map[string]story{
		"session": sessionStory(), "application": applicationStory(), "ends": endsStory(), "restarts": restartsStory(),
		"failed stop": failedStopStory(), "failed stop, adaptive": adaptiveStopStory(),
		"caches": cachesStory(), "SIGTERM": signalStory("SIGTERM"), "SIGKILL": signalStory("SIGKILL"),
		"slow main": slowMainStory(), "warm": warmStory(), "adaptive": adaptiveStory(), "no resources": noResourcesStory(),
	}
	for _, kind := range []string{"kubernetes", "zookeeper"} {
		all["high availability, "+kind], all["restored, "+kind] = haStory(kind), restoredStory(kind)
		all["session, high availability, "+kind] = sessionHAStory(kind)
	}
	for name, row := range map[string]struct{ configured, code, recording string }{
		"kept":                {job.RetainedOnCancellation, "", "checkpoint-config-retain_on_cancellation"},
		"deleted":             {job.DeletedOnCancellation, "", "checkpoint-config-delete_on_cancellation"},
		"never kept":          {job.NeverRetained, "", "checkpoint-config-no_externalized_checkpoints"},
		"by default":          {"", "", "checkpoint-config-no_externalized_checkpoints"},
		"the code wins":       {job.RetainedOnCancellation, job.DeletedOnCancellation, "checkpoint-config-in-code"},
		"the code, unset":     {"", job.DeletedOnCancellation, "checkpoint-config-in-code"},
		"the code keeps more": {job.NeverRetained, job.RetainedOnCancellation, "checkpoint-config-retain_on_cancellation"},
	} {
		all["retention: "+name] = retentionStory(row.configured, row.code, row.recording)
	}
	return all
}

func TestTheModelAnswersAsRecorded(t *testing.T) {
	all, needed, ran := stories(), map[string]bool{}, 0
	for _, version := range versions {
		for name, s := range all {
			t.Run(version+" "+name, func(t *testing.T) {
				s.play(t, version, needed)
				ran++
			})
		}
	}
	for _, s := range all {
		for _, one := range s.steps {
			for field := range one.but {
				if ran == len(versions)*len(all) && !needed[one.asks+field] {
					t.Errorf("%s%s is the same as Flink's: compare it", one.asks, field)
				}
			}
		}
	}
}

// notServed are the recorded answers that the model does not give, with the reason.
var notServed = map[string]string{
	"cluster-shutdown":             "no function asks for it: a cluster ends as its Deployment does",
	"application-cluster-shutdown": "no function asks for it: a cluster ends as its Deployment does",
	"jar-run-no-class":             "a jar of the model has no classes; a run that is refused is jar-run-main-fails",
	"jar-plan-no-class":            "the same; a plan that is refused is jar-plan-main-fails",
	"jar-run-again-while-main-runs": "the model does not answer a run whose main is slow; that the second main starts " +
		"nothing is TestAMainThatIsSlow",
}

// notShown are the recorded facts that the model does not show, with the reason.
var notShown = map[string]string{
	"second-run-while-main-runs": "it is the answer jar-run-again-while-main-runs",
}

// TestEveryRecordingIsHeld: a recorded answer is compared with the model's, or has a reason.
func TestEveryRecordingIsHeld(t *testing.T) {
	for _, version := range versions {
		recorded := map[string]bool{}
		files, err := filepath.Glob(filepath.Join(testdata(version), "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			recorded[strings.TrimSuffix(filepath.Base(file), ".json")] = true
		}
		delete(recorded, "facts")
		held(t, version, recorded, func(s step) string { return s.asks }, notServed)
	}
}

// TestEveryFactIsHeld: the same for facts, which no single answer shows.
func TestEveryFactIsHeld(t *testing.T) {
	for _, version := range versions {
		var facts map[string]any
		read(t, version, "facts", &facts)
		recorded := map[string]bool{}
		for name := range facts {
			recorded[name] = true
		}
		held(t, version, recorded, func(s step) string { return s.fact }, notShown)
	}
}

func held(t *testing.T, version string, recorded map[string]bool, of func(step) string, reasons map[string]string) {
	t.Helper()
	if len(recorded) == 0 {
		t.Errorf("nothing is recorded of %s", version)
	}
	compared := map[string]bool{}
	for _, s := range stories() {
		for _, one := range s.steps {
			compared[of(one)] = true
		}
	}
	for name := range recorded {
		switch {
		case compared[name] && reasons[name] != "":
			t.Errorf("%s, Flink %s: compared, and a reason why not", name, version)
		case !compared[name] && reasons[name] == "":
			t.Errorf("%s, Flink %s: held by no story, and without a reason", name, version)
		}
	}
	for name := range reasons {
		if !recorded[name] {
			t.Errorf("%s, Flink %s: a reason for nothing", name, version)
		}
	}
}
