package deployment_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// highlyAvailableSession is a session cluster with Kubernetes high availability.
var highlyAvailableSession = strings.Replace(enginetest.Session, `"serviceAccount"`,
	`"flinkConfiguration":{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"},`+
		`"serviceAccount"`, 1)

// A job that loses its TaskManagers before its JobManager may fail for good, and Flink then removes what the next start
// needs.
func TestWhatGoesFirstWhenAClusterIsTakenDown(t *testing.T) {
	mode := func(m v1beta1.UpgradeMode) func(*v1beta1.FlinkDeploymentSpec) {
		return func(s *v1beta1.FlinkDeploymentSpec) { enginetest.UpgradeImage(s); s.Job.UpgradeMode = m }
	}
	const retire, all = "retire demo (jm-1)", "delete cluster demo (jm-1)"
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		first  string
		reason string
	}{
		"an upgrade by last state": {
			enginetest.HighlyAvailable, enginetest.UpgradeImage, retire,
			"the next start is from the data that a failed job would lose",
		},
		"a suspension by last state": {
			enginetest.HighlyAvailable, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }, retire,
			"the same, later",
		},
		"a session, highly available": {highlyAvailableSession, enginetest.UpgradeImage, retire, "it brings its jobs back"},
		"a session without it": {
			enginetest.Session,
			enginetest.UpgradeImage,
			retire,
			"its controllers hear of a deletion later",
		},
		"a stateless upgrade": {enginetest.Application, enginetest.UpgradeImage, retire, "the same"},
		"to stateless, highly available": {
			enginetest.HighlyAvailable, mode(v1beta1.UpgradeModeStateless), retire, "the same",
		},
		"a deletion of a last-state job":  {enginetest.HighlyAvailable, nil, all, "the data goes, too"},
		"a deletion of a session cluster": {highlyAvailableSession, nil, all, "the data goes, too"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			if row.edit == nil {
				w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
				w.Snapshot.Pods = enginetest.RanPods()
				w.Delete()
			} else {
				w.Edit(row.edit)
			}
			p := w.Run()
			if got := p.String(); !strings.HasSuffix(got, row.first) ||
				strings.Contains(got, retire) == strings.Contains(got, all) {
				t.Errorf("got %q, want %s alone: %s", got, row.first, row.reason)
			}
		})
	}
}

// Nobody looks, once a resource is gone, for a JobManager that controllers which are behind make then: its
// high-availability data would stay.
func TestADeletionAwaitsPodsThatAreNotThereYet(t *testing.T) {
	const retire, all = "retire demo (jm-1)", "delete cluster demo (jm-1)"
	unseen := func(_ *enginetest.Deployment, jm *appsv1.Deployment) { jm.Generation = 2 }
	sets := func(replicas int32, seen bool) func(*enginetest.Deployment, *appsv1.Deployment) {
		return func(w *enginetest.Deployment, jm *appsv1.Deployment) {
			w.Snapshot.ReplicaSets = plan.Present([]cluster.ReplicaSet{{Deployment: jm.UID, Replicas: replicas, Seen: seen}})
		}
	}
	going := enginetest.RanPods()
	pods, _ := going.Get()
	pods[0].DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	rows := map[string]struct {
		pods   plan.Observed[[]corev1.Pod]
		first  string
		change func(w *enginetest.Deployment, jm *appsv1.Deployment)
		after  time.Duration
		then   string
	}{
		"its pod is there":                  {enginetest.RanPods(), all, nil, 0, ""},
		"its pods are unknown":              {plan.Unknown[[]corev1.Pod]("time-out"), all, nil, 0, ""},
		"its pod is not there":              {plan.Present([]corev1.Pod{}), retire, sets(0, true), 0, all},
		"its pod goes and is replaced":      {going, retire, sets(0, true), 0, all},
		"the Deployment's has not heard":    {plan.Present([]corev1.Pod{}), retire, unseen, 0, ""},
		"the ReplicaSet's has not heard":    {plan.Present([]corev1.Pod{}), retire, sets(0, false), 0, ""},
		"the ReplicaSet asks for one still": {plan.Present([]corev1.Pod{}), retire, sets(1, true), 0, ""},
		"nobody knows the ReplicaSets":      {plan.Present([]corev1.Pod{}), retire, nil, 0, ""},
		"none of them hears for long":       {plan.Present([]corev1.Pod{}), retire, unseen, time.Hour, all},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData, w.Snapshot.Pods = enginetest.HaMaps(w.Status().JobStatus.JobID), row.pods
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			w.Delete()
			if got := w.Run().String(); !strings.HasSuffix(got, row.first) {
				t.Fatalf("got %q, want %s", got, row.first)
			}
			if row.first == all {
				return
			}
			if !deployment.Open(w.Snapshot).First().ReplicaSets {
				t.Error("the ReplicaSets are not asked for")
			}
			jm := w.Deployment().DeepCopy()
			if row.change != nil {
				row.change(w, jm)
			}
			w.Snapshot.JobManager, w.Snapshot.Now = plan.Present(jm), w.Snapshot.Now.Add(row.after)
			p := deployment.Make(w.Snapshot)
			if got := p.String(); row.then == "" && enginetest.Touches(p) || !strings.HasSuffix(got, row.then) {
				t.Errorf("got %q, want %q", got, row.then)
			}
		})
	}
}

func TestTheRestGoesAfterTheJobManager(t *testing.T) {
	running := corev1.Pod{}
	running.Name, running.Spec.NodeName = "demo-1", "n"
	ended := *running.DeepCopy()
	ended.Status.Phase = corev1.PodSucceeded
	silent := map[string]plan.Observed[bool]{"n": plan.Present(false)}
	led := func(renewed string) plan.Observed[[]hadata.ConfigMap] {
		return plan.Present([]hadata.ConfigMap{
			{Leader: plan.Present(hadata.Lease{Holder: "a", Renewed: renewed, Lasts: 15 * time.Second})},
		})
	}
	ledLongAgo := func(w *enginetest.Deployment) {
		w.Snapshot.HAData, w.Snapshot.Nodes, w.Snapshot.Now = led("once"), silent, w.Snapshot.Now.Add(time.Hour)
		w.Run()
		w.Snapshot.Now = w.Snapshot.Now.Add(76 * time.Second)
	}
	rows := map[string]struct {
		pods   plan.Observed[[]corev1.Pod]
		change func(w *enginetest.Deployment, jm *appsv1.Deployment)
		then   string
		reason string
	}{
		"its pod runs": {plan.Present([]corev1.Pod{running}), nil, "", "its job still may fail"},
		"its pod has ended": {
			plan.Present([]corev1.Pod{ended}), nil, "delete cluster",
			"only an object is left",
		},
		"its pod is gone":      {plan.Present([]corev1.Pod{}), nil, "delete cluster", "none runs"},
		"its pods are unknown": {plan.Unknown[[]corev1.Pod]("time-out"), nil, "", "nothing on a guess"},
		"the controller has not seen it": {
			plan.Present([]corev1.Pod{}), func(_ *enginetest.Deployment, jm *appsv1.Deployment) { jm.Generation = 2 }, "",
			"it may still make a pod",
		},
		"the controller has a pod on hand": {
			plan.Present(
				[]corev1.Pod{},
			), func(_ *enginetest.Deployment, jm *appsv1.Deployment) { jm.Status.Replicas = 1 }, "",
			"it is about to delete it",
		},
		"somebody scaled it up again": {
			plan.Present([]corev1.Pod{}),
			func(_ *enginetest.Deployment, jm *appsv1.Deployment) {
				jm.Spec.Replicas = new(int32)
				*jm.Spec.Replicas = 1
			}, "retire",
			"the stop is still ours",
		},
		"a release may come late": {plan.Present([]corev1.Pod{}), func(_ *enginetest.Deployment, jm *appsv1.Deployment) {
			metav1.SetMetaDataAnnotation(&jm.ObjectMeta, v1beta1.AnnotationOperation, "of another pass")
		}, "retire", "it finds nothing to match"},
		"its node is lost, its lease has run out": {
			plan.Present([]corev1.Pod{running}), func(w *enginetest.Deployment, _ *appsv1.Deployment) { ledLongAgo(w) },
			"force-delete pods demo-1",
			"as for a cluster that is deleted",
		},
		"its node is lost, it leads": {
			plan.Present([]corev1.Pod{running}),
			func(w *enginetest.Deployment, _ *appsv1.Deployment) {
				ledLongAgo(w)
				w.Snapshot.HAData = led("again")
			},
			"",
			"a person decides",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.Snapshot.Pods = row.pods
			if row.change != nil {
				jm := w.Deployment().DeepCopy()
				row.change(w, jm)
				w.Snapshot.JobManager = plan.Present(jm)
			}
			p := w.Round()
			if got := p.String(); row.then == "" && enginetest.Touches(p) || !strings.Contains(got, row.then) {
				t.Errorf("got %q, want %q: %s", got, row.then, row.reason)
			}
		})
	}
}
