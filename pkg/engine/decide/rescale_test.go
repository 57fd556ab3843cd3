package decide_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

const (
	vertexA = "cbc357ccb763df2852fee8c4fc7d55f2"
	vertexB = "bc764cd8ddf7a0cff126f51c16239658"
)

// A change of the parallelism of vertices alone is made in place where Flink can (O3 to O6 of the autoscaler).
func TestARescaleInPlace(t *testing.T) {
	type bounds = map[string]plan.Bounds
	now := plan.Present(bounds{vertexA: {Lower: 1, Upper: 8}, vertexB: {Lower: 3, Upper: 3}})
	both := func(a, b string) string { return vertexA + ":" + a + "," + vertexB + ":" + b }
	none := plan.Absent[bounds]()
	const unknown = "00000000000000000000000000000000:9"
	for name, row := range map[string]struct {
		scheduler string
		from      string // both 8 and 3 if empty
		more      string
		to        string
		says      plan.Observed[bounds]
		want      string
		reason    string
	}{
		"up and down": {
			"adaptive", "", "", both("12", "1"), now,
			"rescale job " + enginetest.TakenOverJob + " to " + vertexB + " 1-1, " + vertexA + " 1-12", "O3",
		},
		"an unknown vertex beside": {
			"adaptive", "", "", both("4", "3") + "," + unknown, now,
			"rescale job " + enginetest.TakenOverJob + " to " + vertexB + " 3-3, " + vertexA + " 1-4", "O4",
		},
		"it is so already": {
			"adaptive", "", "", both("9", "3"), plan.Present(bounds{vertexA: {Lower: 1, Upper: 9}}), "record", "O5: no request",
		},
		"a vertex that is named no more": {"adaptive", "", "", vertexA + ":9", now, "upgrade", "O6"},
		"an unknown vertex is named no more": {
			"adaptive", both("8", "3") + "," + unknown, "", both("4", "3"), now,
			"rescale job " + enginetest.TakenOverJob + " to " + vertexB + " 3-3, " + vertexA + " 1-4", "O6",
		},
		"none was named before": {
			"adaptive", " ", "", both("4", "3"), now,
			"rescale job " + enginetest.TakenOverJob + " to " + vertexB + " 3-3, " + vertexA + " 1-4", "6.3",
		},
		"none is named any more": {"adaptive", "", "", "", now, "upgrade", "O6"},
		"the default scheduler":  {"default", "", "", both("9", "3"), now, "upgrade", "O6"},
		"the option is off": {
			"adaptive", "", `,"kubernetes.operator.job.upgrade.inplace-scaling.enabled":"false"`, both("9", "3"), now,
			"upgrade", "O6",
		},
		"Flink has no such thing": {"adaptive", "", "", both("9", "3"), none, "upgrade", "O6: REST error"},
		"Flink did not answer": {
			"adaptive", "", "", both("9", "3"), plan.Unknown[bounds]("timeout"), "nothing", "Unknown never restarts a job",
		},
		"and another option": {"adaptive", "", `,"k":"v"`, both("9", "3"), now, "upgrade", "not the parallelism alone"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := strings.Replace(enginetest.Stateful, `"flinkConfiguration":{`,
				`"flinkConfiguration":{"jobmanager.scheduler":"`+row.scheduler+`",`, 1)
			w := rescales(t, spec, cmp.Or(row.from, both("8", "3")), row.to, row.more)
			w.Snapshot.Flink.Requirements = row.says
			p := w.Run()
			got := rescaledBy(w, p, row.to)
			if got != row.want {
				t.Fatalf("got %s, want %s: %s\n%s", got, row.want, row.reason, p)
			}
			answered := name == "Flink has no such thing" || name == "a vertex that is named no more"
			if asked := deployment.Open(w.Snapshot).Flink().Requirements; asked && got == "upgrade" && !answered {
				t.Error("Flink is asked for nothing")
			}
			if strings.HasPrefix(got, "rescale") && recordedOverrides(w) != row.to {
				t.Errorf("recorded is %s", recordedOverrides(w))
			}
		})
	}
}

// rescales is a job that runs with overrides, and whose spec has others now, and maybe more.
func rescales(t *testing.T, spec, from, to, more string) *enginetest.Deployment {
	t.Helper()
	first := strings.Replace(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"`+overrides+`":"`+from+`",`, 1)
	w := enginetest.TakeOver(t, first, enginetest.Deployed(enginetest.LegacyRecord(t, first, nil, false)), 1)
	w.Snapshot.Autoscaled = plan.Absent[autoscaled.Store]()
	w.FlinkSays(v1beta1.FlinkJobRunning).Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
			string(s.FlinkConfiguration), from+`"`, to+`"`+more, 1,
		))
	})
	return w
}

// rescaledBy is how a plan makes a change of overrides: the request, "record", "upgrade" or "nothing".
func rescaledBy(w *enginetest.Deployment, p plan.Plan, to string) string {
	for _, a := range p.Effects() {
		if _, is := a.(plan.Rescale); is {
			return a.String()
		}
	}
	switch {
	case w.Status().Intent != nil:
		return "upgrade"
	case strings.Contains(w.Status().ReconciliationStatus.LastReconciledSpec, to):
		return "record"
	}
	return "nothing"
}

func TestWhatARescaleInPlaceNeeds(t *testing.T) {
	adaptive := strings.Replace(enginetest.Stateful, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"jobmanager.scheduler":"adaptive",`, 1)
	for name, row := range map[string]struct {
		version string
		state   v1beta1.FlinkJobState // not listed if empty
		want    bool
	}{
		"Flink 1.18":       {"v1_18", v1beta1.FlinkJobRunning, true},
		"Flink 1.17":       {"v1_17", v1beta1.FlinkJobRunning, false},
		"the job failed":   {"v1_20", v1beta1.FlinkJobFailed, false},
		"it is not listed": {"v1_20", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			spec := strings.Replace(adaptive, "v1_20", row.version, 1)
			w := rescales(t, spec, vertexA+":8", vertexA+":9", "")
			if w.Snapshot.Flink.Jobs = plan.Present([]world.Job{}); row.state != "" {
				w.FlinkSays(row.state)
			}
			w.Snapshot.Flink.Requirements = plan.Present(map[string]plan.Bounds{vertexA: {Lower: 1, Upper: 8}})
			p := w.Run()
			if got := rescaledBy(w, p, vertexA+":9"); strings.HasPrefix(got, "rescale") != row.want {
				t.Errorf("got %s, want it in place %t", got, row.want)
			}
		})
	}
}

// A JobManager that cannot be reached for a moment is no reason to redeploy what can be rescaled in place.
func TestARescaleWaitsForFlinkToAnswer(t *testing.T) {
	adaptive := strings.Replace(enginetest.Application, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"jobmanager.scheduler":"adaptive",`, 1)
	w := rescales(t, adaptive, vertexA+":8", vertexA+":9", "")
	w.Snapshot.Flink = enginetest.UnansweredFlink()
	for _, row := range []struct {
		after time.Duration
		want  string
	}{{0, "nothing"}, {50 * time.Second, "nothing"}, {15 * time.Second, "upgrade"}} {
		w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
		if got := rescaledBy(w, w.Run(), vertexA+":9"); got != row.want {
			t.Fatalf("%s later: got %s, want %s: %s", row.after, got, row.want, w.Status().Situation)
		}
	}
}
