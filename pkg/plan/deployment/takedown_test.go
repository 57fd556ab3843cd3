package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// highlyAvailableSession is a session cluster with Kubernetes high availability.
var highlyAvailableSession = strings.Replace(session, `"serviceAccount"`,
	`"flinkConfiguration":{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"},`+
		`"serviceAccount"`, 1)

// A job that loses its TaskManagers before its JobManager may fail for good, and Flink then removes what the next
// start needs.
func TestWhatGoesFirstWhenAClusterIsTakenDown(t *testing.T) {
	mode := func(m v1beta1.UpgradeMode) func(*v1beta1.FlinkDeploymentSpec) {
		return func(s *v1beta1.FlinkDeploymentSpec) { upgradeImage(s); s.Job.UpgradeMode = m }
	}
	const retire, all = "retire demo (jm-1)", "delete cluster demo (jm-1)"
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		first  string
		reason string
	}{
		"an upgrade by last state": {
			highlyAvailable, upgradeImage, retire,
			"the next start is from the data that a failed job would lose",
		},
		"a suspension by last state": {
			highlyAvailable, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }, retire,
			"the same, later",
		},
		"a session, highly available": {highlyAvailableSession, upgradeImage, retire, "it brings its jobs back"},
		"a session without it":        {session, upgradeImage, retire, "its controllers hear of a deletion later"},
		"a stateless upgrade":         {application, upgradeImage, retire, "the same"},
		"to stateless, highly available": {
			highlyAvailable, mode(v1beta1.UpgradeModeStateless), retire, "the same",
		},
		"a deletion of a last-state job":  {highlyAvailable, nil, all, "the data goes, too"},
		"a deletion of a session cluster": {highlyAvailableSession, nil, all, "the data goes, too"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			if row.edit == nil {
				w.s.Flink.Jobs = plan.Present([]job.Job{})
				w.delete()
			} else {
				w.edit(row.edit)
			}
			p := w.run()
			if got := p.String(); !strings.HasSuffix(got, row.first) ||
				strings.Contains(got, retire) == strings.Contains(got, all) {
				t.Errorf("got %q, want %s alone: %s", got, row.first, row.reason)
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
	ledLongAgo := func(w *world) {
		w.s.HAData, w.s.Nodes, w.s.Now = plan.Present([]hadata.ConfigMap{
			{LeaderUntil: plan.Present(w.s.Now)},
		}), silent, w.s.Now.Add(time.Hour)
	}
	rows := map[string]struct {
		pods   plan.Observed[[]corev1.Pod]
		change func(w *world, jm *appsv1.Deployment)
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
			plan.Present([]corev1.Pod{}), func(_ *world, jm *appsv1.Deployment) { jm.Generation = 2 }, "",
			"it may still make a pod",
		},
		"the controller has a pod on hand": {
			plan.Present([]corev1.Pod{}), func(_ *world, jm *appsv1.Deployment) { jm.Status.Replicas = 1 }, "",
			"it is about to delete it",
		},
		"somebody scaled it up again": {
			plan.Present([]corev1.Pod{}),
			func(_ *world, jm *appsv1.Deployment) { jm.Spec.Replicas = new(int32); *jm.Spec.Replicas = 1 }, "retire",
			"the stop is still ours",
		},
		"a release may come late": {plan.Present([]corev1.Pod{}), func(_ *world, jm *appsv1.Deployment) {
			metav1.SetMetaDataAnnotation(&jm.ObjectMeta, v1beta1.AnnotationOperation, "of another pass")
		}, "retire", "it finds nothing to match"},
		"its node is lost, its lease has run out": {
			plan.Present([]corev1.Pod{running}), func(w *world, _ *appsv1.Deployment) { ledLongAgo(w) },
			"force-delete pods demo-1",
			"as for a cluster that is deleted",
		},
		"its node is lost, it leads": {plan.Present([]corev1.Pod{running}), func(w *world, _ *appsv1.Deployment) {
			ledLongAgo(w)
			w.s.HAData = plan.Present([]hadata.ConfigMap{{LeaderUntil: plan.Present(w.s.Now)}})
		}, "", "a person decides"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.edit(upgradeImage)
			w.run()
			w.s.Pods = row.pods
			if row.change != nil {
				jm := w.deployment().DeepCopy()
				row.change(w, jm)
				w.s.JobManager = plan.Present(jm)
			}
			p := w.round()
			if got := p.String(); row.then == "" && touches(p) || !strings.Contains(got, row.then) {
				t.Errorf("got %q, want %q: %s", got, row.then, row.reason)
			}
		})
	}
}
