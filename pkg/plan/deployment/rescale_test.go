package deployment

import (
	"cmp"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const (
	vertexA = "cbc357ccb763df2852fee8c4fc7d55f2"
	vertexB = "bc764cd8ddf7a0cff126f51c16239658"
)

// O3 to O6: a change of the parallelism of vertices alone is made in place where Flink can.
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
			"rescale job " + takenOverJob + " to " + vertexB + " 1-1, " + vertexA + " 1-12", "O3",
		},
		"an unknown vertex beside": {
			"adaptive", "", "", both("4", "3") + "," + unknown, now,
			"rescale job " + takenOverJob + " to " + vertexB + " 3-3, " + vertexA + " 1-4", "O4",
		},
		"it is so already": {
			"adaptive", "", "", both("9", "3"), plan.Present(bounds{vertexA: {Lower: 1, Upper: 9}}), "record", "O5: no request",
		},
		"a vertex that is named no more": {"adaptive", "", "", vertexA + ":9", now, "upgrade", "O6"},
		"an unknown vertex is named no more": {
			"adaptive", both("8", "3") + "," + unknown, "", both("4", "3"), now,
			"rescale job " + takenOverJob + " to " + vertexB + " 3-3, " + vertexA + " 1-4", "O6",
		},
		"none was named before":  {"adaptive", " ", "", both("4", "3"), now, "upgrade", "O3"},
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
			spec := strings.Replace(stateful, `"flinkConfiguration":{`,
				`"flinkConfiguration":{"jobmanager.scheduler":"`+row.scheduler+`",`, 1)
			with := func(to, more string) string {
				return strings.Replace(
					spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"`+overrides+`":"`+to+`"`+more+`,`, 1,
				)
			}
			from := cmp.Or(row.from, both("8", "3"))
			w := takeOver(t, with(from, ""), deployed(record(t, with(from, ""), nil, false)), 1)
			w.s.Autoscaled = plan.Absent[Autoscaled]()
			w.flinkSays(v1beta1.FlinkJobRunning).run()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
					string(s.FlinkConfiguration), from+`"`, row.to+`"`+row.more, 1,
				))
			})
			w.s.Flink.Requirements = row.says
			p := w.run()
			got := "nothing"
			for _, a := range p.Effects() {
				if _, is := a.(plan.Rescale); is {
					got = a.String()
				}
			}
			switch {
			case got != "nothing":
			case w.status().Intent != nil:
				got = "upgrade"
			case strings.Contains(w.status().ReconciliationStatus.LastReconciledSpec, row.to):
				got = "record"
			}
			if got != row.want {
				t.Fatalf("got %s, want %s: %s\n%s", got, row.want, row.reason, p)
			}
			answered := name == "Flink has no such thing" || name == "a vertex that is named no more"
			if asked := AskFlink(w.s).Requirements; asked && got == "upgrade" && !answered {
				t.Error("Flink is asked for nothing")
			}
			if strings.HasPrefix(got, "rescale") && w.recordedOverrides() != row.to {
				t.Errorf("recorded is %s", w.recordedOverrides())
			}
		})
	}
}

func TestARefusedRescaleIsAnUpgrade(t *testing.T) {
	s, mine := RefusedRescale(Snapshot{}, plan.Rescale{})
	if !mine || !s.Flink.Requirements.IsAbsent() {
		t.Error("what Flink refuses is not there")
	}
	if _, mine := RefusedRescale(Snapshot{}, plan.WakeClock{}); mine {
		t.Error("it is about rescaling alone")
	}
}
