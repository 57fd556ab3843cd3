package takedown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// leader is high-availability data whose leader renewed its lease so by its own clock.
func leader(renewed string) plan.Observed[[]hadata.ConfigMap] {
	return led(plan.Present(hadata.Lease{Holder: "a", Renewed: renewed, Lasts: 15 * time.Second}))
}

func led(lease plan.Observed[hadata.Lease]) plan.Observed[[]hadata.ConfigMap] {
	return plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map"}, Leader: lease},
	})
}

// seen is how such data was seen some time ago.
func seen(data plan.Observed[[]hadata.ConfigMap], ago time.Duration) *v1beta1.Leases {
	all, _ := data.Get()
	return &v1beta1.Leases{Of: cluster.Leases(all).Of(), Since: metav1.NewTime(clustertest.Now.Add(-ago))}
}

func TestJudge(t *testing.T) {
	const soon, late = time.Minute, 6 * time.Minute
	answers, silent, gone := plan.Present(true), plan.Present(false), plan.Absent[bool]()
	fenced, leads, none := leader("one"), leader("another"), plan.Present([]hadata.ConfigMap{})
	rows := map[string]struct {
		since    time.Duration
		pods     []corev1.Pod
		node     plan.Observed[bool] // of node n
		standing bool                // the Deployment is there
		stateful bool                // high availability is on
		data     plan.Observed[[]hadata.ConfigMap]
		deletes  string
		stalled  bool
		reason   string
		says     string
		why      string
	}{
		"no pod, in time": {
			soon,
			nil,
			answers,
			true,
			true,
			fenced,
			"",
			false,
			"ClusterTerminating",
			"is being deleted",
			"it takes its time",
		},
		"no pod, at the last moment": {
			5 * time.Minute, nil, answers, true, true, fenced, "", false, "ClusterTerminating", "is being deleted",
			"it has until then",
		},
		"no pod, late": {
			late, nil, answers, true, true, fenced, "", true, "ClusterTerminating", "get deployment demo",
			"somebody's finalizer",
		},
		"no pod and no Deployment": {
			late, nil, answers, false, true, fenced, "", false, "ClusterTerminating", "is being deleted",
			"nothing is left to wait for",
		},
		"a pod, in time": {
			soon, []corev1.Pod{clustertest.Pod("a", "n")}, silent, true, true, fenced, "", false, "ClusterTerminating",
			"is being deleted", "nobody is given up early",
		},
		"its node is gone": {
			soon, []corev1.Pod{clustertest.Pod("a", "n")}, gone, true, false, none, "a", false, "ClusterTerminating",
			"node n does not exist any more", "a machine that is gone runs nothing",
		},
		"its node is gone, late": {
			late, []corev1.Pod{clustertest.Pod("a", "n")}, gone, false, false, none, "a", false, "ClusterTerminating",
			"node n does not exist any more", "nobody has to come",
		},
		"silent, the lease has run out": {
			late, []corev1.Pod{clustertest.Pod("a", "n")}, silent, true, true, fenced, "a", false, "ClusterTerminating",
			"holds the leadership", "it leads no more",
		},
		"silent, nobody ever led": {
			late, []corev1.Pod{clustertest.Pod("a", "n")}, silent, true, true, none, "a", false, "ClusterTerminating",
			"holds the leadership", "there was nothing to run",
		},
		"silent, the lease was given back": {
			late,
			[]corev1.Pod{clustertest.Pod("a", "n")},
			silent,
			true,
			true,
			led(plan.Absent[hadata.Lease]()),
			"a",
			false,
			"ClusterTerminating",
			"holds the leadership",
			"it has ended as it should",
		},
		"silent, the lease is renewed": {
			late, []corev1.Pod{clustertest.Pod("a", "n")}, silent, true, true, leads, "", true, "NodeUnreachable",
			"may still renew its lease", "the kubelet is dead, the job is not",
		},
		"silent, the lease cannot be read": {
			late,
			[]corev1.Pod{clustertest.Pod("a", "n")},
			silent,
			true,
			true,
			led(plan.Unknown[hadata.Lease]("no time")),
			"",
			true,
			"NodeUnreachable",
			"cannot be read: no time",
			"nothing on a guess",
		},
		"silent, the data cannot be read": {
			late,
			[]corev1.Pod{clustertest.Pod("a", "n")},
			silent,
			true,
			true,
			plan.Unknown[[]hadata.ConfigMap]("refused"),
			"",
			true,
			"NodeUnreachable",
			"refused",
			"nothing on a guess",
		},
		"silent, not highly available": {
			late, []corev1.Pod{clustertest.Pod("a", "n")}, silent, true, false, none, "", true, "NodeUnreachable",
			"kubectl delete pod -n default --force --grace-period=0 a", "it may still run",
		},
		"nobody could ask": {
			late,
			[]corev1.Pod{clustertest.Pod("a", "n")},
			plan.Unknown[bool]("forbidden"),
			true,
			true,
			fenced,
			"",
			true,
			"NodeUnreachable",
			"forbidden",
			"nothing on a guess",
		},
		"its node answers": {
			late, []corev1.Pod{clustertest.Pod("a", "n")}, answers, true, true, fenced, "", true, "ClusterTerminating",
			"kubectl describe pod -n default a", "the machine is at it",
		},
		"it was never bound to a node": {
			late, []corev1.Pod{clustertest.Pod("a", "")}, answers, true, true, fenced, "", true, "ClusterTerminating",
			"kubectl describe pod", "somebody holds it",
		},
		"one silent, one on a node that is not": {
			late,
			[]corev1.Pod{clustertest.Pod("a", "other"), clustertest.Pod("b", "n")},
			gone,
			true,
			false,
			none,
			"b",
			false,
			"ClusterTerminating",
			"node n",
			"one after the other",
		},
		"all on a node that is gone": {
			soon,
			[]corev1.Pod{clustertest.Pod("a", "n"), clustertest.Pod("b", "n")},
			gone,
			true,
			false,
			none,
			"a b",
			false,
			"ClusterTerminating",
			"node n does not",
			"twenty of them are no more rounds than one",
		},
		"two silent ones": {
			late,
			[]corev1.Pod{clustertest.Pod("a", "n"), clustertest.Pod("b", "n")},
			silent,
			true,
			false,
			none,
			"",
			true,
			"NodeUnreachable",
			"pods a, b on nodes n do not end",
			"each named once",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := &v1beta1.FlinkDeployment{}
			r.Namespace, r.Name = "default", "demo"
			r.Spec.Job = &v1beta1.JobSpec{}
			if row.stateful {
				r.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"high-availability.type":"kubernetes"}`)
			}
			r.Status.Intent = &v1beta1.Intent{
				Step:     v1beta1.StepStopping,
				StoredAt: metav1.NewTime(clustertest.Now.Add(-row.since)),
			}
			r.Status.Leases = seen(fenced, 2*time.Minute)
			s := cluster.Snapshot{
				Seen: world.Seen{Now: clustertest.Now, Operator: flinkconf.NewOperator(nil), Resource: r},
				Objects: cluster.Objects{
					JobManager: plan.Absent[*appsv1.Deployment](), HAData: row.data,
					Pods: plan.Present(row.pods), Nodes: map[string]plan.Observed[bool]{"n": row.node},
				},
			}
			if row.standing {
				s.JobManager = plan.Present(&appsv1.Deployment{})
			}
			d := judgeEnd(cluster.New(s))
			deletes := deleted(d)
			if deletes != row.deletes || d.Stalled != row.stalled || string(d.Reason) != row.reason ||
				!strings.Contains(d.Message, row.says) {
				t.Errorf("deletes %q, stalled %t, %s: %q\nwant %q, %t, %s, saying %q: %s",
					deletes, d.Stalled, d.Reason, d.Message, row.deletes, row.stalled, row.reason, row.says, row.why)
			}
		})
	}
}

// deleted names the pods that a decision takes away, each with its UID as the precondition, and why.
func deleted(d ending) string {
	if d.Delete == nil {
		return ""
	}
	var names []string
	for _, p := range d.Delete.Pods {
		if p.UID == "" || !strings.Contains(d.Why, p.Name) {
			return fmt.Sprintf("%+v because %q, which lacks a UID or a reason", p, d.Why)
		}
		names = append(names, p.Name)
	}
	word := "pods"
	if len(names) == 1 {
		word = "pod"
	}
	if says := "Deleting " + word + " " + strings.Join(names, ", ") + " by force: "; !strings.HasPrefix(d.Why, says) {
		return fmt.Sprintf("%q, want %q", d.Why, says)
	}
	return strings.Join(names, " ")
}

func TestTaskManagersAreWaitedFor(t *testing.T) {
	r := &v1beta1.FlinkDeployment{}
	r.Spec.Job = &v1beta1.JobSpec{}
	r.Status.Intent = &v1beta1.Intent{StoredAt: metav1.NewTime(clustertest.Now.Add(-time.Hour))}
	d := judgeEnd(cluster.New(cluster.Snapshot{
		Seen: world.Seen{Now: clustertest.Now, Operator: flinkconf.NewOperator(nil), Resource: r},
		Objects: cluster.Objects{
			Pods:         plan.Present([]corev1.Pod{}),
			TaskManagers: plan.Present([]corev1.Pod{clustertest.Pod("tm", "n")}),
			Nodes:        map[string]plan.Observed[bool]{"n": plan.Absent[bool]()},
		},
	}))
	if deleted(d) != "tm" {
		t.Errorf("got %+v, want pod tm deleted: the Deployment waits for it", d)
	}
}
