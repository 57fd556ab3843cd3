package takedown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A JobManager pod that was made when its Deployment was gone is deleted by the deletion that waits for it. The garbage
// collector would do so, too, after all that it has to do before. A stop that a start may follow leaves it alone:
// another one in its place would begin while it ends.
func TestAPodThatWasMadeLateIsDeleted(t *testing.T) {
	controller := true
	owned := func(kind string) *metav1.OwnerReference {
		return &metav1.OwnerReference{Kind: kind, Name: "demo-1", UID: "uid-of-set", Controller: &controller}
	}
	gone := plan.Absent[*appsv1.Deployment]()
	late := []plan.OwnedObject{
		{Kind: "ReplicaSet", Name: "demo-1", UID: "uid-of-set"}, {Kind: "Pod", Name: "demo-1-a", UID: "uid-of-x"},
	}
	rows := map[string]struct {
		deployment plan.Observed[*appsv1.Deployment]
		owner      *metav1.OwnerReference
		deleted    bool
		stops      string
		option     string
		want       []plan.OwnedObject
	}{
		"made by its ReplicaSet":       {gone, owned("ReplicaSet"), false, "old", "", late},
		"another stop than a deletion": {gone, owned("ReplicaSet"), false, "old", "", nil},
		"just made":                    {gone, owned("ReplicaSet"), false, "old", "", nil},
		"being deleted":                {gone, owned("ReplicaSet"), true, "old", "", nil},
		"of nobody":                    {gone, nil, false, "old", "", nil},
		"of the Deployment itself":     {gone, owned("Deployment"), false, "old", "", nil},
		"of a Deployment that is not":  {gone, owned("ReplicaSet"), false, "", "", nil},
		"left behind":                  {gone, owned("ReplicaSet"), false, "old", "Orphan", nil},
		"the Deployment is there": {
			plan.Present(&appsv1.Deployment{}),
			owned("ReplicaSet"),
			false,
			"old",
			"",
			nil,
		},
		"the Deployment cannot be read": {
			plan.Unknown[*appsv1.Deployment]("x"),
			owned("ReplicaSet"),
			false,
			"old",
			"",
			nil,
		},
		"the option says what is normal": {gone, owned("ReplicaSet"), false, "old", "Background", late},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				p := clustertest.Pod("demo-1-a", "n")
				if row.owner != nil {
					p.OwnerReferences = []metav1.OwnerReference{*row.owner}
				}
				if name == "just made" {
					p.CreationTimestamp = metav1.NewTime(clustertest.Now)
				}
				if row.deleted {
					p.DeletionTimestamp = &metav1.Time{Time: clustertest.Now}
				}
				s.JobManager, s.Pods = row.deployment, plan.Present([]corev1.Pod{p})
				s.TaskManagers = plan.Present([]corev1.Pod{})
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step:     v1beta1.StepStopping,
					StoredAt: metav1.NewTime(clustertest.Now),
					Stops:    &v1beta1.Incarnation{},
				}
				s.Resource.Status.Intent.Stops.DeploymentUID = types.UID(row.stops)
				if name != "another stop than a deletion" {
					s.Resource.Status.Intent.Purpose = v1beta1.PurposeDelete
				}
				if row.option != "" {
					s.Operator = flinkconf.NewOperator(flinkconf.Config{
						"kubernetes.operator.resource.deletion.propagation": row.option,
					})
				}
			})
			r, runs := MayRun(v)
			if !runs {
				t.Fatal("the stop does not wait for the pod")
			}
			var got []plan.OwnedObject
			for _, a := range r.Actions {
				remove, ok := a.(plan.DeleteLeftovers)
				if !ok || remove.Name != "demo" {
					t.Errorf("the stop does %v", a)
				}
				got = append(got, remove.Objects...)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("what it deletes (-want +got):\n%s", diff)
			}
		})
	}
}
