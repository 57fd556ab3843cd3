package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// gated is a pair that waits for gates, and one of them has a secret in its message.
const gated = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata: {name: shop, namespace: flink, generation: 2}
spec:
  template: {spec: {image: "flink:2.2", flinkVersion: v2_2, flinkConfiguration: {s3.secret-key: plantedInSpec},
    job: {jarURI: "local:///job.jar", parallelism: 2, upgradeMode: savepoint}}}
status:
  observedGeneration: 2
  blueGreenState: TRANSITIONING_TO_GREEN
  transition:
    operationID: a
    over: "1"
    step: AWAIT
    target: GREEN
    from: BLUE
    since: "2026-01-01T12:52:32Z"
    gates:
    - {name: checkpoints, verdict: Passed, value: "2", since: "2026-01-01T12:53:00Z"}
    - {name: approval, verdict: Waiting, message: "a user decides about plantedInSpec", since: "2026-01-01T12:52:40Z"}
  conditions:
  - {type: Ready, status: "False", reason: AwaitingGates, message: waits, lastTransitionTime: "2026-01-01T12:52:40Z"}
`

func TestGatesOfAPairAreShown(t *testing.T) {
	job := view.JobOf(view.Seen{Resource: kubesim.Parse(t, gated), Now: now})
	text := job.Text(now, false)
	for _, want := range []string{
		"Gates      checkpoints Passed since 12:53:00 (2)", "approval Waiting since 12:52:40: a user decides about ***",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
}

func TestMomentsAreInTheOrderOfTheirTimes(t *testing.T) {
	moments := view.JobOf(view.Seen{Resource: kubesim.Parse(t, gated), Now: now}).Moments()
	var said []string
	for _, m := range moments {
		said = append(said, m.Time.Format(time.TimeOnly)+" "+m.What)
	}
	want := []string{
		"12:52:40 became TRANSITIONING_TO_GREEN", "12:52:40 condition Ready became False: AwaitingGates",
		"12:52:40 gate approval says Waiting", "12:53:00 gate checkpoints says Passed",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("moments:\n%s\nwant:\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}
