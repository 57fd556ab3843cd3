package kinds_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

func TestTheTableIsWhole(t *testing.T) {
	named := map[string]bool{}
	for _, k := range kinds.All {
		if named[k.Name] || k.Name == "" {
			t.Errorf("%q is in the table twice, or has no name", k.Name)
		}
		named[k.Name] = true
		if k.Resource.GroupVersion() != v1beta1.GroupVersion || k.Resource.Resource == "" {
			t.Errorf("%s is read as %s", k.Name, k.Resource)
		}
		if k.Sweep.Page < 1 || k.Specs == nil {
			t.Errorf("%s has no page, or no secrets", k.Name)
		}
		if k.Counted && k.Running == nil {
			t.Errorf("%s is counted, and nothing says whether it runs", k.Name)
		}
		if found, known := kinds.Of(k.Name); !known || found.Resource != k.Resource {
			t.Errorf("%s is not found by its name", k.Name)
		}
	}
	if _, known := kinds.Of("Pod"); known {
		t.Error("a Pod is one of our kinds")
	}
}

func TestTheShortNamesAreThoseOfTheDefinitions(t *testing.T) {
	for _, k := range kinds.All {
		text, err := os.ReadFile("../../config/crds/" + k.Resource.Group + "_" + k.Resource.Resource + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "shortNames:\n    - "+k.Short+"\n") {
			t.Errorf("the definition of %s does not have the short name %q", k.Name, k.Short)
		}
		for _, below := range k.Below {
			if _, known := kinds.Of(below); !known {
				t.Errorf("%s, below %s, is no kind", below, k.Name)
			}
		}
	}
}

func TestTheFinalizersAreThoseOfTheJavaOperator(t *testing.T) {
	want := map[string]string{
		v1beta1.KindFlinkDeployment: v1beta1.FinalizerFlinkDeployment,
		v1beta1.KindFlinkSessionJob: v1beta1.FinalizerFlinkSessionJob,

		v1beta1.KindFlinkStateSnapshot:       v1beta1.FinalizerFlinkStateSnapshot,
		v1beta1.KindFlinkBlueGreenDeployment: v1beta1.FinalizerFlinkBlueGreenDeployment,
	}
	for _, k := range kinds.All {
		if k.Finalizer() != want[k.Name] {
			t.Errorf("%s: %s, want %s", k.Name, k.Finalizer(), want[k.Name])
		}
	}
}

func TestWhatRuns(t *testing.T) {
	const jobManager, job = "jobManagerDeploymentStatus", "jobStatus"
	state := func(text string) any { return map[string]any{"state": text} }
	for name, row := range map[string]struct {
		kind, field string
		value       any
		want        bool
	}{
		"a JobManager that comes up": {v1beta1.KindFlinkDeployment, jobManager, string(v1beta1.JobManagerDeploying), true},
		"no JobManager":              {v1beta1.KindFlinkDeployment, jobManager, string(v1beta1.JobManagerMissing), false},
		"a cluster of no pass":       {v1beta1.KindFlinkDeployment, "other", "", false},
		"a job that runs":            {v1beta1.KindFlinkSessionJob, job, state("RUNNING"), true},
		"a job that ended":           {v1beta1.KindFlinkSessionJob, job, state("FINISHED"), false},
		"a session job of no pass":   {v1beta1.KindFlinkSessionJob, "other", "", false},
	} {
		k, _ := kinds.Of(row.kind)
		if got := k.Running(map[string]any{"status": map[string]any{row.field: row.value}}); got != row.want {
			t.Errorf("%s: runs %t, want %t", name, got, row.want)
		}
	}
}
