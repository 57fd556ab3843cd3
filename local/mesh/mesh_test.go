package mesh

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	brief = `autoscaling.knative.dev/window: 6s`
	long  = `autoscaling.knative.dev/window: 5m`
)

func TestDelivery(t *testing.T) {
	r := enter(t, long)
	if code := r.post("other.type", "1"); code != http.StatusAccepted {
		t.Fatalf("the Broker answers %d", code)
	}
	if code := r.post("test.plain", "2"); code != http.StatusAccepted || len(r.of("test.plain")) != 1 ||
		len(r.of("other.type")) != 0 {
		t.Errorf(
			"%d, %d of the filter's, %d of others: want what the filter passes, once", code, len(r.of("test.plain")),
			len(r.of("other.type")),
		)
	}

	// Two failures, then an answer that is an event: it goes back to the Broker, and by the same Trigger to the function.
	tries := 0
	r.say(func(got received) (int, http.Header) {
		switch {
		case got.kind == "test.again" && tries < 2:
			tries++
			return http.StatusServiceUnavailable, nil
		case got.kind == "test.again":
			return http.StatusOK, http.Header{
				"Ce-Specversion": {"1.0"}, "Ce-Id": {"4"}, "Ce-Type": {"test.reply"}, "Ce-Source": {"/relay"},
			}
		}
		return http.StatusOK, nil
	})
	if code := r.post("test.again", "3"); code != http.StatusAccepted || len(r.of("test.again")) != 3 ||
		len(r.of("test.reply")) != 1 {
		t.Errorf(
			"%d, %d tries, %d replies: want two retries and the reply", code, len(r.of("test.again")),
			len(r.of("test.reply")),
		)
	}

	// What is never taken goes to the dead letter sink, when retries are used up.
	r.apply(`
apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: {name: dead}
spec:
  broker: b
  filters: [{exact: {type: dead.letter}}]
  subscriber: {ref: {apiVersion: serving.knative.dev/v1, kind: Service, name: relay}, uri: /nowhere}
  delivery: {retry: 1, backoffPolicy: linear, backoffDelay: PT0.01S, deadLetterSink: {uri: "` + r.URL + `?pod=sink"}}
`)
	r.say(func(got received) (int, http.Header) {
		if got.pod == "sink" {
			return http.StatusOK, nil
		}
		return http.StatusInternalServerError, nil
	})
	r.ready("triggers.eventing.knative.dev/v1", "dead")
	eventually(t, "the dead letter", func() bool {
		r.post("dead.letter", "5")
		seen := r.of("dead.letter")
		return len(seen) > 0 && seen[len(seen)-1].pod == "sink"
	})
}

func TestToZeroAndBack(t *testing.T) {
	r := enter(t, brief)
	pods := func() int {
		list, err := client.CoreV1().Pods(r.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Items)
	}
	eventually(t, "no pod is left after the window", func() bool { return r.function().Replicas == 0 && pods() == 0 })
	if status, text := r.condition("services.serving.knative.dev/v1", "relay"); status != "True" {
		t.Errorf("at zero Ready is %s %s: nothing is wrong with sleeping", status, text)
	}
	begun := time.Now()
	if code := r.post("test.wake", "1"); code != http.StatusAccepted || len(r.of("test.wake")) != 1 {
		t.Errorf("%d, %d events: want a request to wait for its pod", code, len(r.of("test.wake")))
	}
	t.Logf("from zero to the answer: %s", time.Since(begun).Round(time.Millisecond))
	f := r.function()
	if f.Replicas != 1 || f.Served != 1 || f.LastRequest.Before(begun) {
		t.Errorf("%+v, want one pod that served one request now", f)
	}
	if _, err := os.Stat(f.LogFile); err != nil {
		t.Errorf("its log: %v", err)
	}
	if code, text := r.call("/settings"); code != http.StatusOK || text != "hello" {
		t.Errorf("%d %q, want the mounted ConfigMap", code, text)
	}
}

func TestRightsAreTheServiceAccounts(t *testing.T) {
	r := enter(t, long)
	if code, _ := r.call("/rights"); code != http.StatusForbidden {
		t.Errorf("without a role the API server answers %d, want 403", code)
	}
	r.apply(`
apiVersion: sources.knative.dev/v1
kind: ApiServerSource
metadata: {name: maps}
spec:
  mode: Reference
  resources: [{apiVersion: v1, kind: ConfigMap, selector: {matchLabels: {watched: "yes"}}}]
  sink: {ref: {apiVersion: serving.knative.dev/v1, kind: Service, name: relay}}
`)
	eventually(t, "the source says what it may not", func() bool {
		status, text := r.condition("apiserversources.sources.knative.dev/v1", "maps")
		return status == "False" && strings.Contains(
			text, "system:serviceaccount:"+r.namespace+":default cannot get resource \"configmaps\"",
		)
	})
	for _, create := range []func() error{
		func() error {
			role := &rbacv1.Role{
				ObjectMeta: metav1.ObjectMeta{Name: "reader"},
				Rules: []rbacv1.PolicyRule{
					{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}},
				},
			}
			_, err := client.RbacV1().Roles(r.namespace).Create(t.Context(), role, metav1.CreateOptions{})
			return err
		},
		func() error {
			binding := &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: "reader"},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
				Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: "default", Namespace: r.namespace}},
			}
			_, err := client.RbacV1().RoleBindings(r.namespace).Create(t.Context(), binding, metav1.CreateOptions{})
			return err
		},
	} {
		if err := create(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the role counts", func() bool { code, _ := r.call("/rights"); return code == http.StatusOK })
	r.ready("apiserversources.sources.knative.dev/v1", "maps")
	// The first ones may come before the watch: the source says nothing of what is there already.
	made := 0
	eventually(t, "an event of a change", func() bool {
		made++
		for name, labels := range map[string]map[string]string{"seen": {"watched": "yes"}, "unseen": nil} {
			m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(name, made), Labels: labels}}
			if _, err := client.CoreV1().ConfigMaps(r.namespace).Create(t.Context(), m, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		return len(r.of("dev.knative.apiserver.ref.add")) > 0
	})
	for _, e := range r.of("dev.knative.apiserver.ref.add") {
		if !strings.Contains(e.subject, "/configmaps/seen") {
			t.Errorf("an event of %s, which the selector leaves out", e.subject)
		}
	}
}

func TestTheClockIsPatched(t *testing.T) {
	r := enter(t, long)
	r.apply(`
apiVersion: sources.knative.dev/v1
kind: PingSource
metadata: {name: clock}
spec:
  schedule: "0 0 1 1 *"
  contentType: application/json
  data: "{}"
  sink: {ref: {apiVersion: serving.knative.dev/v1, kind: Service, name: relay}}
`)
	r.ready("pingsources.sources.knative.dev/v1", "clock")
	if n := len(r.of("dev.knative.sources.ping")); n != 0 {
		t.Fatalf("%d ticks of a clock that ticks once a year", n)
	}
	patch := []byte(`{"spec":{"schedule":"* * * * * *"}}`)
	if _, err := objects.Resource(resource("pingsources.sources.knative.dev/v1")).Namespace(r.namespace).
		Patch(t.Context(), "clock", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "ticks every second", func() bool { return len(r.of("dev.knative.sources.ping")) >= 2 })
}

func TestACrashIsFollowedByAStart(t *testing.T) {
	// a request that waits for the restart is a reason for another pod
	r := enter(t, long+`, autoscaling.knative.dev/max-scale: "1"`)
	if code, _ := r.call("/crash"); code != http.StatusBadGateway {
		t.Errorf("a request whose function dies is answered %d, want 502", code)
	}
	if code := r.post("test.after", "1"); code != http.StatusAccepted || len(r.of("test.after")) != 1 {
		t.Errorf("%d, %d events: want the next request to wait for the restarted container", code, len(r.of("test.after")))
	}
	eventually(t, "the restart is counted", func() bool {
		list, err := client.CoreV1().Pods(r.namespace).List(t.Context(), metav1.ListOptions{})
		return err == nil && len(list.Items) == 1 && len(list.Items[0].Status.ContainerStatuses) == 1 &&
			list.Items[0].Status.ContainerStatuses[0].RestartCount == 1
	})
}

func TestMoreRequestsThanAPodTakes(t *testing.T) {
	r := enter(
		t, long+`, autoscaling.knative.dev/max-scale: "2", autoscaling.knative.dev/target-utilization-percentage: "100"`,
	)
	// Each request waits until a second pod has got one.
	both := make(chan struct{})
	var once sync.Once
	pods := map[string]bool{}
	var mu sync.Mutex
	r.say(func(got received) (int, http.Header) {
		mu.Lock()
		pods[got.pod] = true
		if len(pods) == 2 {
			once.Do(func() { close(both) })
		}
		mu.Unlock()
		<-both
		return http.StatusOK, nil
	})
	var requests sync.WaitGroup
	for i := range 4 {
		requests.Go(func() {
			if code := r.post("test.many", fmt.Sprint(i)); code != http.StatusAccepted {
				t.Errorf("request %d: %d", i, code)
			}
		})
	}
	requests.Wait()
	if len(r.of("test.many")) != 4 || len(pods) != 2 {
		t.Errorf("%d requests in %d pods, want 4 in 2", len(r.of("test.many")), len(pods))
	}
}

func TestFaults(t *testing.T) {
	r := enter(t, long)
	t.Cleanup(func() { mesh.SetFaults(Faults{}) })
	before := mesh.Counts()
	mesh.SetFaults(Faults{Drop: 1})
	if code := r.post("test.dropped", "1"); code != http.StatusAccepted {
		t.Errorf("its sender is told %d, want to be none the wiser", code)
	}
	mesh.SetFaults(Faults{Double: 1})
	r.post("test.doubled", "2")
	eventually(t, "the event comes twice", func() bool { return len(r.of("test.doubled")) == 2 })
	mesh.SetFaults(Faults{Reorder: 1, DelayUpTo: time.Minute})
	r.post("test.first", "3")
	mesh.SetFaults(Faults{})
	r.post("test.second", "4")
	eventually(t, "the event that was held back", func() bool { return len(r.of("test.first")) == 1 })
	if n := len(r.of("test.dropped")); n != 0 {
		t.Errorf("the dropped event comes %d times", n)
	}
	mesh.SetFaults(Faults{Kill: 1})
	held := make(chan struct{})
	r.say(func(received) (int, http.Header) { <-held; return http.StatusOK, nil })
	if code, _ := r.call("/"); code != http.StatusBadGateway {
		t.Errorf("a function that is killed in mid-pass is answered for with %d, want 502", code)
	}
	close(held)
	eventually(t, "the kill is counted", func() bool { return mesh.Counts().Killed > before.Killed })
	after := mesh.Counts()
	if after.Dropped-before.Dropped != 1 || after.Doubled-before.Doubled != 1 || after.Reordered-before.Reordered != 1 {
		t.Errorf("counted %+v after %+v", after, before)
	}
}

func TestABadBuildIsTold(t *testing.T) {
	r := enter(t, long)
	patch := []byte(
		`{"spec":{"template":{"spec":{"containers":[{"image":"ko://example.org/checkout/functions/none"}]}}}}`,
	)
	if _, err := objects.Resource(resource("services.serving.knative.dev/v1")).Namespace(r.namespace).
		Patch(t.Context(), "relay", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "Ready says why", func() bool {
		status, text := r.condition("services.serving.knative.dev/v1", "relay")
		return status == "False" && strings.Contains(text, "ContainerMissing") && strings.Contains(text, "functions/none")
	})
	if code := r.post("test.still", "1"); code != http.StatusAccepted || len(r.of("test.still")) != 1 {
		t.Errorf("%d, %d events: want the last good revision to serve on", code, len(r.of("test.still")))
	}
}
