package upkeep

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// grown is a reactive cluster that runs with one TaskManager, whose spec asks for two.
func grown(
	t *testing.T,
	recorded, change func(s *v1beta1.FlinkDeploymentSpec),
	more func(s *cluster.Snapshot),
) *cluster.Cluster {
	t.Helper()
	return clustertest.Application(func(s *cluster.Snapshot) {
		one, two := int32(1), int32(2)
		spec := &s.Resource.Spec
		*spec = v1beta1.FlinkDeploymentSpec{
			Image:              "flink:1.20",
			FlinkVersion:       v1beta1.FlinkV1_20,
			ServiceAccount:     "flink",
			Mode:               v1beta1.ModeStandalone,
			FlinkConfiguration: v1beta1.FlinkConfiguration(`{"scheduler-mode":"reactive"}`),
			Job: &v1beta1.JobSpec{
				JarURI: "local:///a.jar", Parallelism: 1, UpgradeMode: v1beta1.UpgradeModeStateless,
				State: v1beta1.JobStateRunning,
			},
			JobManager:  &v1beta1.JobManagerSpec{Resource: &v1beta1.Resource{Memory: "2g"}},
			TaskManager: &v1beta1.TaskManagerSpec{Replicas: &one, Resource: &v1beta1.Resource{Memory: "2g"}},
		}
		recorded(spec)
		text, err := v1beta1.ReconciledDeployment{Spec: *spec.DeepCopy()}.Text()
		if err != nil {
			t.Fatal(err)
		}
		spec.TaskManager.Replicas = &two
		change(spec)
		status := &s.Resource.Status
		status.ReconciliationStatus.LastReconciledSpec = text
		status.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
		status.JobStatus.JobID, status.JobStatus.State = clustertest.JobX, v1beta1.FlinkJobRunning
		jm := clustertest.Owned()
		jm.Annotations = map[string]string{v1beta1.AnnotationOperation: "op"}
		s.JobManager = plan.Present(jm)
		s.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{Replicas: 1})
		more(s)
	})
}

func asIs(*v1beta1.FlinkDeploymentSpec) {}

// A cluster is scaled where its job goes on, by a spec that it can run.
func TestWhichClusterIsScaled(t *testing.T) {
	change := func(change func(s *v1beta1.FlinkDeploymentSpec)) *cluster.Cluster {
		return grown(t, asIs, change, func(*cluster.Snapshot) {})
	}
	more := func(more func(s *cluster.Snapshot)) *cluster.Cluster { return grown(t, asIs, asIs, more) }
	invalid := change(asIs)
	invalid.Look.Problem = "it is invalid"
	rows := map[string]struct {
		v    *cluster.Cluster
		want bool
	}{
		"it runs":             {change(asIs), true},
		"its spec is invalid": {invalid, false},
		"it is suspended, as well": {change(func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.State = v1beta1.JobStateSuspended
		}), false},
		"it is not reactive": {grown(t, func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = nil
		}, asIs, func(*cluster.Snapshot) {}), false},
		"it was suspended": {grown(t, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.State = v1beta1.JobStateSuspended
		}, asIs, func(*cluster.Snapshot) {}), false},
		"another operator is at it": {more(func(s *cluster.Snapshot) {
			s.Resource.Status.ReconciliationStatus.State = v1beta1.ReconciliationUpgrading
		}), false},
		"its job has ended": {more(func(s *cluster.Snapshot) {
			s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFinished
		}), false},
		"its Deployment goes": {more(func(s *cluster.Snapshot) {
			jm := clustertest.Owned()
			jm.DeletionTimestamp = &metav1.Time{}
			s.JobManager = plan.Present(jm)
		}), false},
		"its Deployment is gone": {
			more(func(s *cluster.Snapshot) { s.JobManager = plan.Absent[*appsv1.Deployment]() }),
			false,
		},
		"it is not known": {more(func(s *cluster.Snapshot) {
			s.JobManager = plan.Unknown[*appsv1.Deployment]("time-out")
		}), false},
		"it is stopped": {more(func(s *cluster.Snapshot) {
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}), false},
		"it has no TaskManagers": {more(func(s *cluster.Snapshot) {
			s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
		}), false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if r, got := Scaled(row.v); got != row.want || (got && r.Situation != plan.Waiting) {
				t.Errorf("%t: %+v, want %t", got, r, row.want)
			}
		})
	}
}

// A native cluster gets its TaskManagers from Flink, whatever a spec asks for that is not taken over.
func TestANativeClusterGetsNoTaskManagers(t *testing.T) {
	v := grown(t, func(s *v1beta1.FlinkDeploymentSpec) { s.Mode = v1beta1.ModeNative },
		func(s *v1beta1.FlinkDeploymentSpec) { s.Mode = v1beta1.ModeStandalone },
		func(s *cluster.Snapshot) {
			s.Resource.Status.JobStatus.State = v1beta1.FlinkJobRestarting
			s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
		})
	if r, its := TaskManagers(v); its {
		t.Errorf("%+v", r)
	}
}
