package rehearsal_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/rehearsal"
)

func pod(cpu, memory string) *corev1.Pod {
	asked := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "demo-0000000000-dryrn"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: asked}}}},
	}
}

func answer(o metav1.Object, kind string, count int32, said rehearsal.Said, message string) rehearsal.Answer {
	a := rehearsal.Answer{Piece: rehearsal.Piece{Object: o, Kind: kind, Count: count}, Said: said, Message: message}
	if message != "" {
		a.Reason = "Forbidden"
	}
	return a
}

func named(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

const exceeded = `pods "demo" is forbidden: exceeded quota: team, `

// TestJudge: what the API server's answers mean together. jm and tm are the pods that would be made: one of 1 core, and
// two of 2 cores each. One of 1 core and two of 2 run.
func TestJudge(t *testing.T) {
	running := rehearsal.Running{Pods: []*corev1.Pod{pod("1", "1Gi"), pod("2", "1Gi"), pod("2", "1Gi")}}
	for behaviour, row := range map[string]struct {
		reason  string
		jm, tm  string // refusals of the pods
		answers []rehearsal.Answer
		want    rehearsal.Said
		says    string
	}{
		"all taken": {reason: "nothing is refused", want: rehearsal.Taken},
		"a refusal": {
			reason: "one object is enough", want: rehearsal.Refused, says: "Deployment demo: spec is invalid",
			answers: []rehearsal.Answer{answer(named("demo"), "Deployment", 1, rehearsal.Refused, "spec is invalid")},
		},
		"away": {
			reason: "what is not known is no permission", want: rehearsal.Away,
			answers: []rehearsal.Answer{answer(named("demo"), "Service", 1, rehearsal.Away, "etcd is away")},
		},
		"an answer that nobody knows": {
			reason: "the zero value is no permission", want: rehearsal.Away,
			answers: []rehearsal.Answer{answer(named("demo"), "Service", 1, "", "x")},
		},
		"a refusal beside what is away": {
			reason: "waiting does not help", want: rehearsal.Refused,
			answers: []rehearsal.Answer{
				answer(named("a"), "Service", 1, rehearsal.Away, "x"), answer(named("b"), "Service", 1, rehearsal.Refused, "y"),
			},
		},
		"cannot be judged": {
			reason: "only the creation tells", want: rehearsal.Taken,
			answers: []rehearsal.Answer{answer(named("demo"), "Service", 1, rehearsal.Unjudged, "does not support dry run")},
		},
		"a full quota of cores that the stop makes room in": {
			reason: "5 cores are wanted, 5 of the 5 that are used go",
			jm:     exceeded + "requested: cpu=1, used: cpu=5, limited: cpu=5", want: rehearsal.Taken,
		},
		"a quota of cores that others fill": {
			reason: "5 are wanted, 3 of the others stay, 7 is the limit", want: rehearsal.Refused,
			jm: exceeded + "requested: cpu=1, used: cpu=8, limited: cpu=7", says: "exceeded quota: team",
		},
		"a quota that was lowered below what runs": {
			reason: "5 are wanted, 4 is the limit", want: rehearsal.Refused,
			tm: exceeded + "requested: requests.cpu=2, used: requests.cpu=5, limited: requests.cpu=4",
		},
		"a quota of pods": {
			reason: "three go, three come", tm: exceeded + "requested: pods=1, used: pods=3, limited: pods=3",
			want: rehearsal.Taken,
		},
		"two names, one of which is exceeded for good": {
			reason: "each must fit", want: rehearsal.Refused,
			jm: exceeded + "requested: cpu=1,memory=1Gi, used: cpu=5,memory=9Gi, limited: cpu=5,memory=4Gi",
		},
		"a name that no pod says": {
			reason: "what cannot be derived holds", want: rehearsal.Refused,
			jm: exceeded + "requested: count/volumes=1, used: count/volumes=1, limited: count/volumes=1",
		},
		"a quota that uses less than runs": {
			reason: "its figures are late: nothing is taken below zero", want: rehearsal.Refused,
			jm: exceeded + "requested: pods=1, used: pods=1, limited: pods=2",
		},
		"a text that is like a quota's": {
			reason: "amounts that cannot be read hold", want: rehearsal.Refused,
			jm: exceeded + "requested: cpu=much, used: cpu=5, limited: cpu=5",
		},
		"a quota of Deployments that the stop makes room in": {
			reason: "the old one goes", want: rehearsal.Taken,
			answers: []rehearsal.Answer{{
				Piece: rehearsal.Piece{Object: named("demo"), Kind: "Deployment", Count: 1},
				Said:  rehearsal.Refused, Replaces: true,
				Message: `x: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=1, ` +
					`limited: count/deployments.apps=1`,
			}},
		},
		"a quota of Services that is full of others'": {
			reason: "this one would be new", want: rehearsal.Refused,
			answers: []rehearsal.Answer{answer(named("demo"), "Service", 1, rehearsal.Refused,
				`x: exceeded quota: q, requested: services=1, used: services=1, limited: services=1`)},
		},
		"a quota of load balancers": {
			reason: "whether the old Service is one is not known", want: rehearsal.Refused,
			answers: []rehearsal.Answer{{
				Piece: rehearsal.Piece{Object: named("demo"), Kind: "Service", Count: 1}, Said: rehearsal.Refused, Replaces: true,
				Message: `x: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=1, ` +
					`limited: services.loadbalancers=1`,
			}},
		},
	} {
		t.Run(behaviour, func(t *testing.T) {
			said := func(message string) rehearsal.Said {
				if message == "" {
					return rehearsal.Taken
				}
				return rehearsal.Refused
			}
			answers := append([]rehearsal.Answer{
				answer(pod("1", "1Gi"), "Pod", 1, said(row.jm), row.jm), answer(pod("2", "1Gi"), "Pod", 2, said(row.tm), row.tm),
			}, row.answers...)
			got := rehearsal.Judge(answers, running)
			if got.Said != row.want || !strings.Contains(got.Message, row.says) {
				t.Errorf("%s: %s, %q; want %s, saying %q", row.reason, got.Said, got.Message, row.want, row.says)
			}
			if (got.Said == rehearsal.Taken) != (got.Message == "") {
				t.Errorf("%s with message %q", got.Said, got.Message)
			}
		})
	}
}
