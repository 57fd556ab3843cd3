package cluster

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// A start says to Flink which state it is from. One from the last state has a path that nobody can read: where the
// high-availability data is gone, Flink fails instead of starting empty.
func TestTheStateOfAStart(t *testing.T) {
	const option, marker = "execution.savepoint.path: ", "KUBERNETES_OPERATOR_LAST_STATE"
	for name, row := range map[string]struct {
		from   *v1beta1.StartPoint
		want   string
		reason string
	}{
		"nothing":     {nil, "", "a stateless start"},
		"a savepoint": {&v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://sp/1"}, "s3://sp/1", "it is named"},
		"the last state": {
			&v1beta1.StartPoint{Kind: v1beta1.StartLastState, Path: "s3://chk/1"}, marker, "Flink finds it by itself",
		},
		"the last state of a job without one": {
			&v1beta1.StartPoint{Kind: v1beta1.StartLastState}, "", "it had no checkpoint, so it begins anew",
		},
		"nothing, by name": {&v1beta1.StartPoint{Kind: v1beta1.StartEmpty}, "", "a stateless start"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1beta1.FlinkDeployment{}
			r.Namespace, r.Name, r.UID = "default", "demo", "uid-of-demo"
			r.Spec = v1beta1.FlinkDeploymentSpec{
				Image:          "flink:1.20",
				FlinkVersion:   v1beta1.FlinkV1_20,
				ServiceAccount: "flink",
				Job: &v1beta1.JobSpec{
					JarURI:      "local:///a.jar",
					Parallelism: 1,
					UpgradeMode: v1beta1.UpgradeModeLastState,
				},
				JobManager:  &v1beta1.JobManagerSpec{Resource: &v1beta1.Resource{Memory: "2g"}},
				TaskManager: &v1beta1.TaskManagerSpec{Resource: &v1beta1.Resource{Memory: "2g"}},
			}
			text, err := v1beta1.ReconciledDeployment{Spec: r.Spec}.Text()
			if err != nil {
				t.Fatal(err)
			}
			intent := &v1beta1.Intent{Spec: text, JobID: strings.Repeat("a", 32), From: row.from}
			v := New(Snapshot{Seen: world.Seen{Operator: flinkconf.NewOperator(nil), Resource: r}})
			made, _, err := RenderStart(v, intent)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, m := range made.ConfigMaps {
				for line := range strings.Lines(m.Data["flink-conf.yaml"]) {
					if path, is := strings.CutPrefix(line, option); is {
						got = strings.TrimSpace(path)
					}
				}
			}
			if got != row.want {
				t.Errorf("%q, want %q: %s", got, row.want, row.reason)
			}
		})
	}
}
