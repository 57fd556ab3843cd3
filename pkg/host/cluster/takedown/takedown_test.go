package takedown

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A job whose state is given up is cancelled before its cluster goes. One whose state is needed is not: Flink would
// delete that with the job.
func TestWhichJobsAreCancelledFirst(t *testing.T) {
	rows := map[string]struct {
		stop    v1beta1.StopKind
		purpose v1beta1.IntentPurpose
		state   v1beta1.FlinkJobState
		want    bool
	}{
		"its state is given up": {
			v1beta1.StopStateless,
			v1beta1.PurposeUpgrade,
			v1beta1.FlinkJobRunning,
			true,
		},
		"a deletion": {"", v1beta1.PurposeDelete, v1beta1.FlinkJobRunning, true},
		"its last state is needed": {
			v1beta1.StopLastState,
			v1beta1.PurposeUpgrade,
			v1beta1.FlinkJobRunning,
			false,
		},
		"its savepoint is": {
			v1beta1.StopSavepoint,
			v1beta1.PurposeUpgrade,
			v1beta1.FlinkJobRunning,
			false,
		},
		"nothing was to be stopped": {v1beta1.StopNone, v1beta1.PurposeUpgrade, v1beta1.FlinkJobRunning, false},
		"a person named another state": {
			v1beta1.StopStateless,
			v1beta1.PurposeRedeploy,
			v1beta1.FlinkJobRunning,
			false,
		},
		"it has ended": {
			v1beta1.StopStateless,
			v1beta1.PurposeUpgrade,
			v1beta1.FlinkJobFinished,
			false,
		},
		"its cancellation is on its way": {
			v1beta1.StopStateless,
			v1beta1.PurposeUpgrade,
			v1beta1.FlinkJobCancelling,
			false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				s.Resource.Status.JobStatus.JobID = clustertest.JobX
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step: v1beta1.StepStopping, Stop: row.stop, Purpose: row.purpose,
				}
				s.Flink.Jobs = plan.Present([]world.Job{{ID: clustertest.JobX, State: row.state}})
			})
			if got := len(TakeDown(v)) > 0; got != row.want {
				t.Errorf("cancelled: %t, want %t", got, row.want)
			}
		})
	}
}

// A Deployment is deleted when its controllers can make no more pods of it, but for that of a resource that goes.
func TestAClusterIsRetiredBeforeItIsDeleted(t *testing.T) {
	zero, one := int32(0), int32(1)
	const retire, deletes, waits = "retire demo (jm)", "delete cluster demo (jm)", ""
	const scales = "scale demo-taskmanager (tm) to 0"
	absent, none := plan.Absent[cluster.TaskManagerDeployment](), cluster.ReplicaSet{}
	tm := func(replicas int32, makes bool) plan.Observed[cluster.TaskManagerDeployment] {
		return plan.Present(cluster.TaskManagerDeployment{
			ObjectVersion: plan.ObjectVersion{
				Name: "demo-taskmanager",
				UID:  "tm",
			},
			Replicas:    replicas,
			MayMakePods: makes,
		})
	}
	rows := map[string]struct {
		purpose      v1beta1.IntentPurpose
		stop         v1beta1.StopKind
		operation    string
		replicas     *int32
		observed     int64 // of generation 2
		made         int32
		going        bool
		taskManagers plan.Observed[cluster.TaskManagerDeployment]
		want         string
		set          cluster.ReplicaSet // of it
	}{
		"it runs":                        {"", "", "x", &one, 2, 1, false, absent, retire, none},
		"it runs, and its resource goes": {v1beta1.PurposeDelete, "", "x", &one, 2, 1, false, absent, deletes, none},
		"it is being deleted":            {"", "", "x", &one, 2, 1, true, absent, deletes, none},
		"it may be released":             {"", "", "x", &zero, 2, 0, false, absent, retire, none},
		"it is retired, unseen":          {"", "", "", &zero, 1, 0, false, absent, waits, none},
		"it is retired, and has a pod":   {"", "", "", &zero, 2, 1, false, absent, waits, none},
		"it is retired":                  {"", "", "", &zero, 2, 0, false, absent, deletes, none},
		"it never ran":                   {"", v1beta1.StopNone, "x", &one, 2, 1, false, absent, retire, none},
		"TaskManagers run": {
			"", "", "x", &one, 2, 1, false, tm(2, true), retire, none,
		},
		"TaskManagers run on":              {"", "", "", &zero, 2, 0, false, tm(2, true), scales, none},
		"TaskManagers are retired, unseen": {"", "", "", &zero, 2, 0, false, tm(0, true), waits, none},
		"TaskManagers are retired":         {"", "", "", &zero, 2, 0, false, tm(0, false), deletes, none},
		"TaskManagers run, their job goes": {
			v1beta1.PurposeDelete,
			"",
			"x",
			&one,
			2,
			1,
			false,
			tm(2, true),
			deletes,
			none,
		},
		"its ReplicaSet asks for a pod": {
			"",
			"",
			"",
			&zero,
			2,
			0,
			false,
			absent,
			waits,
			cluster.ReplicaSet{Deployment: "jm", Replicas: 1, Seen: true},
		},
		"its ReplicaSet is not acted on": {
			"", "", "", &zero, 2, 0, false, absent, waits, cluster.ReplicaSet{Deployment: "jm"},
		},
		"TaskManagers' ReplicaSet asks for pods": {
			"",
			"",
			"",
			&zero,
			2,
			0,
			false,
			tm(0, false),
			waits,
			cluster.ReplicaSet{Deployment: "tm", Replicas: 2, Seen: true},
		},
		"another one asks for a pod": {
			"", "", "", &zero, 2, 0, false, absent, deletes, cluster.ReplicaSet{Deployment: "another", Replicas: 1},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				jm := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
					Namespace: "default", Name: "demo", UID: "jm", Generation: 2,
				}}
				if jm.Spec.Replicas = row.replicas; row.operation != "" {
					jm.Annotations = map[string]string{v1beta1.AnnotationOperation: row.operation}
				}
				if row.going {
					jm.DeletionTimestamp = &metav1.Time{Time: clustertest.Now}
				}
				jm.Status.ObservedGeneration, jm.Status.Replicas = row.observed, row.made
				s.JobManager, s.TaskManagerDeployment = plan.Present(jm), row.taskManagers
				if row.taskManagers.IsPresent() {
					s.Resource.Spec.Mode = v1beta1.ModeStandalone
				}
				if row.set.Deployment == "" {
					row.set = cluster.ReplicaSet{Deployment: "jm", Seen: true}
				}
				s.Pods, s.ReplicaSets = plan.Present(
					[]corev1.Pod{clustertest.Pod("demo-1-a", "")},
				), plan.Present(
					[]cluster.ReplicaSet{row.set},
				)
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step:     v1beta1.StepStopping,
					Stop:     row.stop,
					Purpose:  row.purpose,
					StoredAt: metav1.NewTime(clustertest.Now),
					Stops:    &v1beta1.Incarnation{DeploymentUID: "jm"},
				}
			})
			r := TakeApart(v)
			var did []string
			for _, a := range r.Actions {
				did = append(did, a.String())
				if retires, is := a.(plan.Retire); is && (len(retires.Pods) == 1) != (row.stop == v1beta1.StopNone) {
					t.Errorf("with it go %v: pods that have not begun go with a job that never ran", retires.Pods)
				}
			}
			if got := strings.Join(did, ", "); got != row.want {
				t.Errorf("it does %q, want %q", got, row.want)
			}
		})
	}
}
