package claim

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A person says once that a cluster is to be taken over, and may leave the annotation there: it counts where there is a
// cluster that status does not account for.
func TestWhichClusterIsAdopted(t *testing.T) {
	type story struct{ deployed, present, told, invalid bool }
	const adopted, stopped, notIts = "adopted", "unaccounted", "not its business"
	rows := map[string]struct {
		story story
		want  string
	}{
		"its status was lost":            {story{present: true, told: true}, adopted},
		"nobody said so":                 {story{present: true}, stopped},
		"its spec is invalid":            {story{present: true, told: true, invalid: true}, stopped},
		"it is deployed":                 {story{present: true, told: true, deployed: true}, notIts},
		"it was deployed, and is gone":   {story{told: true, deployed: true}, notIts},
		"it was never deployed":          {story{told: true}, notIts},
		"it was never, and nobody asked": {story{}, notIts},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := unaccounted(1, func(s *cluster.Snapshot) {
				if s.JobManager = plan.Absent[*appsv1.Deployment](); row.story.present {
					s.JobManager = plan.Present(clustertest.Owned())
				}
				if !row.story.told {
					s.Resource.Annotations = nil
				}
				if row.story.deployed {
					text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
					if err != nil {
						t.Fatal(err)
					}
					s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
				}
			})
			if row.story.invalid {
				v.Look.Problem = "it is invalid"
			}
			got := notIts
			switch r, its := Unaccounted(v); {
			case its && r.Situation == plan.Unaccounted:
				got = stopped
			case its && v.Look.Last != nil && v.Look.Want.ReconciliationStatus.State == v1beta1.ReconciliationDeployed:
				got = adopted
			case its:
				t.Fatalf("%+v", r)
			}
			if got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// Of an application that runs more than one job, or none, nobody knows which is its own.
func TestHowManyJobsAnAdoptedClusterHas(t *testing.T) {
	for jobs, want := range map[int]bool{0: false, 1: true, 2: false} {
		v := unaccounted(jobs, func(*cluster.Snapshot) {})
		if r, _ := Unaccounted(v); (r.Situation != plan.Unaccounted) != want {
			t.Errorf("an application with %d jobs: %+v", jobs, r)
		}
		v = unaccounted(jobs, func(s *cluster.Snapshot) { s.Resource.Spec.Job = nil })
		if r, _ := Unaccounted(v); r.Situation == plan.Unaccounted {
			t.Errorf("a session with %d jobs: %+v", jobs, r)
		}
	}
	v := unaccounted(2, func(*cluster.Snapshot) {})
	if r, _ := Unaccounted(v); r.Stall == nil || !strings.Contains(r.Stall.Message, "2 jobs instead of one") {
		t.Errorf("it says %+v", r.Stall)
	}
}

// unaccounted is a stateless cluster that runs jobs, and that status says nothing of; a person wants it.
func unaccounted(jobs int, change func(s *cluster.Snapshot)) *cluster.Cluster {
	return clustertest.Application(func(s *cluster.Snapshot) {
		s.Resource.Spec.Job = &v1beta1.JobSpec{UpgradeMode: v1beta1.UpgradeModeStateless}
		s.Resource.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
		list := make([]world.Job, jobs)
		for i := range list {
			list[i] = world.Job{ID: strings.Repeat(string(rune('a'+i)), 32), State: v1beta1.FlinkJobRunning}
		}
		s.JobManager, s.Flink.Jobs = plan.Present(clustertest.Owned()), plan.Present(list)
		change(s)
	})
}
