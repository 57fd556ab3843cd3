package startup

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A prepared start is released when no controller of Kubernetes can make another JobManager of its predecessor.
func TestAStartAwaitsTheControllers(t *testing.T) {
	ours := cluster.ReplicaSet{Name: "demo-2", UID: "set-2", Deployment: "new", Seen: true}
	unseen, asks, rests := ours, cluster.ReplicaSet{
		Name:       "demo-1",
		UID:        "set-1",
		Deployment: "old",
		Replicas:   1,
		Seen:       true,
	},
		cluster.ReplicaSet{
			Name:       "demo-1",
			UID:        "set-1",
			Deployment: "old",
			Seen:       true,
		}
	unseen.Seen = false
	sets := func(all ...cluster.ReplicaSet) plan.Observed[[]cluster.ReplicaSet] { return plan.Present(all) }
	pods := func(all ...corev1.Pod) plan.Observed[[]corev1.Pod] { return plan.Present(all) }
	ended := clustertest.Pod("demo-1-a", "n")
	ended.Status.Phase = corev1.PodFailed
	noSets, noPods := plan.Unknown[[]cluster.ReplicaSet]("time-out"), plan.Unknown[[]corev1.Pod]("time-out")
	const releases, waits, takes = "", "waits", "delete cluster demo (new)"
	rows := map[string]struct {
		purpose        v1beta1.IntentPurpose
		sets           plan.Observed[[]cluster.ReplicaSet]
		jobManagers    plan.Observed[[]corev1.Pod]
		taskManagers   plan.Observed[[]corev1.Pod]
		since          time.Duration
		does, situated string
	}{
		"they have caught up":            {"", sets(ours), pods(), pods(), 0, releases, ""},
		"a first start":                  {v1beta1.PurposeDeploy, noSets, noPods, noPods, 0, releases, ""},
		"ReplicaSets are not known":      {"", noSets, pods(), pods(), 0, waits, "the ReplicaSets of the cluster"},
		"pods are not known":             {"", sets(ours), noPods, pods(), 0, waits, "the pods of the cluster"},
		"TaskManagers are not known":     {"", sets(ours), pods(), noPods, 0, waits, "the pods of the cluster"},
		"no ReplicaSet of ours":          {"", sets(), pods(), pods(), 0, waits, ""},
		"ours is not acted on":           {"", sets(unseen), pods(), pods(), 0, waits, ""},
		"the same, for some time":        {"", sets(unseen), pods(), pods(), time.Minute, waits, "have not seen the"},
		"another one that asks for one":  {"", sets(ours, asks), pods(), pods(), 0, waits, ""},
		"another one that asks for none": {"", sets(ours, rests), pods(), pods(), 0, releases, ""},
		"a JobManager": {
			"",
			sets(ours),
			pods(clustertest.Pod("demo-1-a", "n")),
			pods(),
			0,
			takes,
			"",
		},
		"a TaskManager":               {"", sets(ours), pods(), pods(clustertest.Pod("tm", "n")), 0, takes, ""},
		"a JobManager that has ended": {"", sets(ours), pods(ended), pods(), 0, releases, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "demo", UID: "new"}}
			v := clustertest.Application(func(s *cluster.Snapshot) {
				text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
				if err != nil {
					t.Fatal(err)
				}
				s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step:     v1beta1.StepStarting,
					Purpose:  row.purpose,
					StoredAt: metav1.NewTime(clustertest.Now.Add(-row.since)),
				}
				s.JobManager, s.ReplicaSets = plan.Present(jm), row.sets
				s.Pods, s.TaskManagers = row.jobManagers, row.taskManagers
			})
			r, held := awaitLeftovers(v, jm)
			if !held {
				r, held = awaitControllers(v, jm)
			}
			did := releases
			switch {
			case held && len(r.Actions) == 0:
				did = waits
			case held:
				did = r.Actions[0].String()
			}
			if !strings.HasPrefix(did, row.does) || (row.does == releases) != (did == releases) || len(r.Actions) > 1 ||
				!strings.Contains(r.Wait.Message, row.situated) {
				t.Errorf(
					"it %q (%v), waits for %q; want %q and %q",
					did,
					r.Actions,
					r.Wait.Message,
					row.does,
					row.situated,
				)
			}
			remove, is := firstOf(r.Actions).(plan.DeleteCluster)
			if is && len(remove.Owned) != 0 {
				t.Errorf("with what is prepared go %v, want no pod: it would be replaced", remove.Owned)
			}
		})
	}
}

func firstOf(actions []plan.Action) plan.Action {
	if len(actions) == 0 {
		return nil
	}
	return actions[0]
}

// Every Deployment of a standalone cluster is waited for.
func TestAStandaloneStartAwaitsBothControllers(t *testing.T) {
	for name, row := range map[string]struct {
		sets []cluster.ReplicaSet
		want bool
	}{
		"both": {[]cluster.ReplicaSet{{Deployment: "jm", Seen: true}, {Deployment: "tm", Seen: true}}, false},
		"one":  {[]cluster.ReplicaSet{{Deployment: "jm", Seen: true}}, true},
		"one and another": {
			[]cluster.ReplicaSet{{Deployment: "jm", Seen: true}, {Deployment: "tm-of-old", Seen: true}}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			jm := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{UID: "jm"}}
			v := clustertest.Application(func(s *cluster.Snapshot) {
				s.Resource.Spec.Mode = v1beta1.ModeStandalone
				text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
				if err != nil {
					t.Fatal(err)
				}
				s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step:     v1beta1.StepStarting,
					StoredAt: metav1.NewTime(clustertest.Now),
				}
				s.JobManager, s.ReplicaSets = plan.Present(jm), plan.Present(row.sets)
				s.TaskManagerDeployment = plan.Present(
					cluster.TaskManagerDeployment{ObjectVersion: plan.ObjectVersion{UID: "tm"}},
				)
			})
			if _, waits := awaitControllers(v, jm); waits != row.want {
				t.Errorf("it waits: %t, want %t", waits, row.want)
			}
		})
	}
}
