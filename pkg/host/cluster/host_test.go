package cluster_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// withJobManager is the same with a Deployment.
func withJobManager(change func(jm *appsv1.Deployment)) *cluster.Cluster {
	return clustertest.Application(func(s *cluster.Snapshot) {
		jm := &appsv1.Deployment{}
		change(jm)
		s.JobManager = plan.Present(jm)
	})
}

func TestHowFarADeploymentIsThere(t *testing.T) {
	of := func(seen plan.Observed[*appsv1.Deployment]) *cluster.Cluster {
		return clustertest.Application(func(s *cluster.Snapshot) { s.JobManager = seen })
	}
	scaled := func(to int32) *cluster.Cluster {
		return withJobManager(func(jm *appsv1.Deployment) { jm.Spec.Replicas = &to })
	}
	rows := map[string]struct {
		v    *cluster.Cluster
		want world.Standing
	}{
		"not read":  {of(plan.Unknown[*appsv1.Deployment]("time-out")), world.StandingUnknown},
		"not there": {of(plan.Absent[*appsv1.Deployment]()), world.Gone},
		"being deleted": {
			withJobManager(func(jm *appsv1.Deployment) { jm.DeletionTimestamp = &metav1.Time{} }),
			world.Going,
		},
		"without a pod":   {scaled(0), world.Standby},
		"with one":        {scaled(1), world.There},
		"with one, as no": {withJobManager(func(*appsv1.Deployment) {}), world.There},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got, _ := row.v.Standing(); got != row.want {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}

// A Deployment has more conditions than that it is available, and that one may say that it is not.
func TestSinceWhenAJobManagerIsAvailable(t *testing.T) {
	at := metav1.NewTime(clustertest.Now.Add(-time.Minute))
	condition := func(kind appsv1.DeploymentConditionType, status corev1.ConditionStatus) *cluster.Cluster {
		return withJobManager(func(jm *appsv1.Deployment) {
			jm.Status.Conditions = []appsv1.DeploymentCondition{{Type: kind, Status: status, LastTransitionTime: at}}
		})
	}
	rows := map[string]struct {
		v    *cluster.Cluster
		want metav1.Time
	}{
		"available":      {condition(appsv1.DeploymentAvailable, corev1.ConditionTrue), at},
		"not any more":   {condition(appsv1.DeploymentAvailable, corev1.ConditionFalse), metav1.Time{}},
		"something else": {condition(appsv1.DeploymentProgressing, corev1.ConditionTrue), metav1.Time{}},
		"nothing said":   {withJobManager(func(*appsv1.Deployment) {}), metav1.Time{}},
		"not there":      {clustertest.Application(func(*cluster.Snapshot) {}), metav1.Time{}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := row.v.AvailableAt(); !got.Equal(&row.want) {
				t.Errorf("since %s, want %s", got, row.want)
			}
		})
	}
}

// A call to Flink has the time that the option gives it, and no more than a pass can spare.
func TestHowLongACallToFlinkMayTake(t *testing.T) {
	for option, want := range map[string]time.Duration{
		"": 10 * time.Second, "3 s": 3 * time.Second, "1 min": 10 * time.Second,
	} {
		v := clustertest.Application(func(s *cluster.Snapshot) {
			if option != "" {
				s.Operator = flinkconf.NewOperator(flinkconf.Config{"kubernetes.operator.flink.client.timeout": option})
			}
		})
		if got := v.Endpoint().Timeout; got != want {
			t.Errorf("%q: %s, want %s", option, got, want)
		}
	}
}
