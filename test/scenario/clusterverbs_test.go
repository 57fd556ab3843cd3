package scenario

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// clusterVerbs are what a person does with the cluster of session jobs, and what goes wrong for all.
var clusterVerbs = map[string]func(r *sessionRun, n int){
	"delete-cluster": func(r *sessionRun, _ int) {
		if r.there(host) {
			r.remove(host)
		}
	},
	"cluster-slots": func(r *sessionRun, n int) {
		if r.slots = n % 5; r.there(host) {
			r.losesProcess()
			r.apply(host, r.cluster())
		}
	},
	"cluster-web-refresh": func(r *sessionRun, n int) {
		if r.refresh = pick(n, "", "3 s", "20 s", "0 s"); r.there(host) {
			r.losesProcess()
			r.apply(host, r.cluster())
		}
	},
	"cluster-ha": func(r *sessionRun, _ int) {
		if r.there(host) {
			r.losesProcess()
			r.flipped = !r.flipped
			r.losesProcess()
			r.excuse("its cluster kept its data elsewhere for a while")
			r.apply(host, r.cluster())
		}
	},
	"make-cluster": func(r *sessionRun, _ int) {
		if r.resource(host) == nil {
			r.excuse("its cluster was deleted")
			r.apply(host, r.cluster())
		}
	},
	"wait":      func(r *sessionRun, n int) { r.steps(1 + n/3) },
	"wait-more": func(r *sessionRun, n int) { r.steps(6 + n) },
	"wait-long": func(r *sessionRun, n int) { r.steps(30 + n) },
	"lose-events": func(r *sessionRun, _ int) {
		r.w.Kube.Feed.Take()
		r.takeControl()
		r.late = nil
	},
	"disorder": func(r *sessionRun, n int) {
		r.disorder = append(disorders, inOrder, inOrder)[n%(len(disorders)+2)]
	},
	"crash": func(r *sessionRun, n int) { r.w.Tap.Inject(crashAfter(1 + n)) },
	"second-pass": func(r *sessionRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Do: r.secondPass()})
	},
	"refuse": func(r *sessionRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Status: 500})
	},
	"lose-answer": func(r *sessionRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.Writes("reconcile"), Nth: 1 + n, After: true, Err: wire.Reset})
	},
	"lose-deployment": func(r *sessionRun, _ int) {
		if r.w.Kube.Get(kubesim.Deployments, namespace, host) != nil {
			r.losesProcess()
			r.loseDeployment(host)
		}
	},
	"crash-jobmanager": func(r *sessionRun, _ int) { r.crash() },
	"clock-ahead":      func(r *sessionRun, n int) { r.clockAhead(n) },
	"run-in-a-mesh":    func(r *sessionRun, n int) { r.runInAMesh(n) },
	"runs-time-out": func(r *sessionRun, n int) {
		r.w.Flink.Script(namespace, host, process.Script{RunTimesOut: n%2 == 0, MainSteps: n % 4 * 5})
	},
	"cleaned-up-slowly": func(r *sessionRun, n int) {
		r.w.Flink.Script(namespace, host, process.Script{CleanUpSteps: n % 4})
	},
	"flink-refuses":     func(r *sessionRun, n int) { r.flinkRefuses(n) },
	"webhook-on-jobs":   func(r *sessionRun, n int) { r.webhookOnJobs(n) },
	"no-jar":            func(r *sessionRun, n int) { r.noJar(n) },
	"drop-snapshot":     func(r *sessionRun, n int) { r.taken.dropOne(n) },
	"pods-end-slowly":   func(r *sessionRun, n int) { r.image("flink:1.20", controllers.Script{StopSteps: n}) },
	"pod-status-late":   func(r *sessionRun, n int) { r.w.Nodes.StatusLate(n % 4) },
	"controllers-late":  func(r *sessionRun, n int) { r.w.Nodes.ControllersLate(delays[n%len(delays)]) },
	"garbage-late":      func(r *sessionRun, n int) { r.w.Nodes.GarbageLate(10 * delays[n%len(delays)]) },
	"controllers-away":  func(r *sessionRun, _ int) { r.w.Nodes.ControllersAway() },
	"controllers-back":  func(r *sessionRun, _ int) { r.w.Nodes.ControllersBack() },
	"kubelet-dead":      func(r *sessionRun, _ int) { r.losesProcess(); r.w.Nodes.KubeletDown("node-1") },
	"kubelet-back":      func(r *sessionRun, _ int) { r.losesProcess(); r.w.Nodes.KubeletUp("node-1") },
	"taskmanagers-slow": func(r *sessionRun, n int) { r.endsSlowly("taskmanager", n) },
	"jobmanager-slow":   func(r *sessionRun, n int) { r.endsSlowly("jobmanager", n) },
	"node-down":         func(r *sessionRun, _ int) { r.nodeDown() },
	"node-up":           func(r *sessionRun, _ int) { r.nodeUp() },
}

// crash ends the process of the JobManager.
func (r *sessionRun) crash() {
	pods := r.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": host, "component": "jobmanager"})
	if len(pods) > 0 && r.w.Flink.JobManagers(namespace, host) > 0 {
		r.losesProcess()
		r.w.Nodes.Crash(namespace, pods[0].GetName(), "oom")
	}
}

// runInAMesh has a proxy answer the next run of a jar, however long that takes.
func (r *sessionRun) runInAMesh(n int) {
	var answered atomic.Bool
	r.sends = func(q *http.Request, send sent) (*http.Response, error) {
		answer, err := send(q)
		if !strings.HasSuffix(q.URL.Path, "/run") || answered.Swap(true) {
			return answer, err
		}
		if err == nil {
			answer.Body.Close()
		}
		return &http.Response{
			StatusCode: pick(n, http.StatusGatewayTimeout, http.StatusBadGateway, http.StatusServiceUnavailable),
			Header:     http.Header{}, Body: io.NopCloser(strings.NewReader("upstream request timeout")), Request: q,
		}, nil
	}
}

// clockAhead has the JobManager's Deployment say that it is available since a moment ago, by a clock that is ahead.
func (r *sessionRun) clockAhead(n int) {
	u := r.w.Kube.Peek(kubesim.Deployments, namespace, host)
	if u == nil {
		return
	}
	status, there, _ := unstructured.NestedMap(u.Object, "status")
	if !there {
		return
	}
	conditions, _, _ := unstructured.NestedSlice(status, "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == "Available" {
			c["lastTransitionTime"] = r.w.Clock.Now().Add(time.Duration(n) * time.Second).UTC().Format(time.RFC3339)
		}
	}
	status["conditions"] = conditions
	if _, err := r.w.Kube.UpdateStatus(kubesim.Deployments, namespace, host, status); err != nil {
		r.t.Error(err)
	}
}

func (r *sessionRun) endsSlowly(component string, n int) {
	r.image("flink:1.20@"+component, controllers.Script{StopSteps: n % 6})
}

// nodeDown loses sight of a machine, and of a JobManager on it.
func (r *sessionRun) nodeDown() {
	if !r.w.Nodes.IsDown("node-1") {
		r.losesProcess()
		r.w.Nodes.NodeDown("node-1")
	}
}

// nodeUp has the machine back: what ran there may end only now.
func (r *sessionRun) nodeUp() {
	if r.w.Nodes.IsDown("node-1") {
		r.losesProcess()
		r.w.Nodes.NodeUp("node-1")
	}
}

// flinkRefuses has the JobManager answer nothing of use for a while, to reads, to writes or to both: nobody then may
// take a job for gone.
func (r *sessionRun) flinkRefuses(n int) {
	until := r.w.Clock.Now().Add(aWhile(n))
	f := wire.Fault{Match: func(q wire.Request) bool {
		return q.System == "flink" && r.w.Clock.Now().Before(until) && (n%4 == 0 || q.IsWrite() == (n%4 == 1))
	}}
	if f.Status = pick(n/3, http.StatusTooManyRequests, http.StatusServiceUnavailable, 0); f.Status == 0 {
		f.Err = wire.Timeout
	}
	r.w.Tap.Inject(f)
}

// webhookOnJobs has somebody's webhook refuse writes of session jobs, or of their status, for a while.
func (r *sessionRun) webhookOnJobs(n int) {
	of, refusal := pick(n/3, "", "status"), pick(n, kubesim.DeniedByWebhook, kubesim.ForbiddenByWebhook,
		kubesim.WebhookAway)
	r.policies.govern(n/6, func(w kubesim.Write) error {
		if w.Resource != kubesim.FlinkSessionJobs || w.Subresource != of {
			return nil
		}
		return refusal()
	})
}
