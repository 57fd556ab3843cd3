package fleet

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func shapesOf(t *testing.T) map[string]*shape {
	t.Helper()
	shapes, err := readShapes(filepath.Join("..", "..", "..", shapesOfProduct))
	if err != nil {
		t.Fatal(err)
	}
	return shapes
}

func TestAFleetHasEachKind(t *testing.T) {
	for n, want := range map[int]Counts{
		0:      {},
		100:    {Applications: 84, SessionClusters: 1, SessionJobs: 10, Snapshots: 5, Finished: 200},
		10_000: {Applications: 8_480, SessionClusters: 20, SessionJobs: 1_000, Snapshots: 500, Finished: 20_000},
	} {
		if got := CountsOf(n); got != want {
			t.Errorf("%d resources are %+v, want %+v", n, got, want)
		}
	}
}

func TestACopyHasNothingOfTheShapeLeft(t *testing.T) {
	for name, s := range shapesOf(t) {
		for object := range s.Objects {
			u, err := s.stamped(object, stamp{
				namespace: "there", name: "mine", of: "its-job", host: "its-cluster", job: strings.Repeat("ab", 16),
				uids: map[string]string{s.uid(0): "11111111-0000-4000-8000-000000000000"},
			})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(u.Object)
			if err != nil {
				t.Fatal(err)
			}
			for _, left := range []string{shapeName, snapshotName, hostName, s.uid(0)} {
				if strings.Contains(string(text), left) {
					t.Errorf("%s, object %d: %q is still in it", name, object, left)
				}
			}
			if u.GetNamespace() != "there" || u.GetUID() != "" {
				t.Errorf("%s, object %d: namespace %q, UID %q", name, object, u.GetNamespace(), u.GetUID())
			}
		}
	}
}

func TestACopyIsOfTheSizeThatPeopleHave(t *testing.T) {
	u, err := shapesOf(t)[application].stamped(0, stampOf("app-00001", 1))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(text); n < 15_000 || n > 22_000 {
		t.Errorf("a FlinkDeployment has %d bytes, want about 18 KB", n)
	}
}

func TestTheLongestTimeWithoutALook(t *testing.T) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds ...int) (all []time.Time) {
		for _, s := range seconds {
			all = append(all, from.Add(time.Duration(s)*time.Second))
		}
		return all
	}
	rows := map[string]struct {
		looks  []time.Time
		want   int
		reason string
	}{
		"never":               {nil, 100, "nobody looked from the beginning to the end"},
		"between two":         {at(10, 70, 90), 60, ""},
		"before the first":    {at(80, 90), 80, ""},
		"after the last":      {at(10, 20), 80, ""},
		"outside of the time": {at(-5, 50, 120), 50, "what was before and after does not count"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := longest(row.looks, from, from.Add(100*time.Second)); got != time.Duration(row.want)*time.Second {
				t.Errorf("%s, want %d s %s", got, row.want, row.reason)
			}
		})
	}
}

func TestTheOneLookedAtLeastComesFirst(t *testing.T) {
	l, from := &looks{}, time.Now()
	for _, name := range []string{"a", "b", "c"} {
		l.expect(name)
	}
	l.saw("a", from.Add(50*time.Second))
	l.saw("c", from.Add(50*time.Second))
	l.saw("c", from.Add(75*time.Second))
	l.saw("somebody else", from)
	gaps := l.gaps(from, from.Add(100*time.Second))
	if len(gaps) != 3 || gaps[0].Resource != "b" || gaps[0].For != 100*time.Second || gaps[2].For != 50*time.Second {
		t.Errorf("gaps are %v", gaps)
	}
	if n := l.asked(); n != 4 {
		t.Errorf("%d requests, want 4: each counts", n)
	}
}

func TestTheReplicaSetIsTheControllers(t *testing.T) {
	shape := shapesOf(t)[application]
	jm, err := typedOf[appsv1.Deployment](shape, 1, stampOf("app-00001", 1))
	if err != nil {
		t.Fatal(err)
	}
	set := makeReplicaSet(jm)
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		t.Fatal(err)
	}
	template := set.Spec.Template.DeepCopy()
	delete(template.Labels, hashed)
	if len(template.Labels) != len(jm.Spec.Template.Labels) || set.OwnerReferences[0].Name != jm.Name {
		t.Errorf("it is not that of its Deployment: %+v", set)
	}
	for _, u := range []map[string]string{set.Labels, set.Spec.Template.Labels} {
		if !strings.Contains(selector.String(), hashed+"="+u[hashed]) {
			t.Errorf("its selector %s does not select %v", selector, u)
		}
	}
}

func TestTheModelServerAnswersForEachCluster(t *testing.T) {
	l := &looks{}
	j, err := startJobManagers("127.0.0.1", l)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.stop(); err != nil {
			t.Error(err)
		}
	}()
	shapes := shapesOf(t)
	for _, name := range []string{"one", "two"} {
		l.expect("there/" + name)
		if err := j.add(hostOfCluster("there", name), "there/"+name, shapes[application].answersOf(name, jobIDOf(name))); err != nil {
			t.Fatal(err)
		}
	}
	get := func(name, path string) (int, string) {
		request, err := http.NewRequest(http.MethodGet, "http://"+j.at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = hostOfCluster("there", name) + ":" + restPort
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var body struct{ Jobs []struct{ JID, State string } }
		_ = json.NewDecoder(answer.Body).Decode(&body)
		if len(body.Jobs) != 1 {
			return answer.StatusCode, ""
		}
		return answer.StatusCode, body.Jobs[0].JID + " " + body.Jobs[0].State
	}
	if code, job := get("two", "/v1/jobs/overview"); code != http.StatusOK || job != jobIDOf("two")+" RUNNING" {
		t.Errorf("%d %s", code, job)
	}
	if code, _ := get("two", "/v1/jobs/"+jobIDOf("two")+"/checkpoints"); code != http.StatusOK {
		t.Errorf("checkpoints: %d", code)
	}
	if code, _ := get("one", "/v1/jobs/"+jobIDOf("two")); code != http.StatusNotFound {
		t.Errorf("the job of another cluster: %d, want 404", code)
	}
	if there, known := j.host(hostOfCluster("there", "one")); !known || there != j.at {
		t.Errorf("its host leads to %q %t", there, known)
	}
	if _, known := j.host("broker-ingress.knative-eventing.svc.cluster.local"); known {
		t.Error("a host that is no cluster's is known")
	}
}

func TestWhatTheKernelSaysOfAProcess(t *testing.T) {
	stat := "42 (a (b) c) S 1 42 42 0 -1 4194560 900 0 0 0 150 50 0 0 20 0 9 0 1234 100 200"
	if got := cpuOf(stat); got != 2*time.Second {
		t.Errorf("CPU %s, want 2 s", got)
	}
	if got := residentOf("Name:\tobserve\nVmPeak:\t  9 kB\nVmHWM:\t  2048 kB\nVmRSS:\t 1 kB\n"); got != 2<<20 {
		t.Errorf("RSS %d, want 2 MiB", got)
	}
}

func TestARequestIsCountedByAgentAndResource(t *testing.T) {
	rows := map[string]struct{ method, path, want string }{
		"a list in all namespaces": {"GET", "/apis/flink.apache.org/v1beta1/flinkdeployments", "observe LIST flinkdeployments"},
		"a list in one namespace":  {"GET", "/api/v1/namespaces/a/pods", "observe LIST pods"},
		"one object":               {"GET", "/apis/apps/v1/namespaces/a/deployments/b", "observe GET deployments"},
		"a write":                  {"PATCH", "/apis/flink.apache.org/v1beta1/namespaces/a/flinkdeployments/b/status", "observe PATCH flinkdeployments"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequest(row.method, "https://there"+row.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("User-Agent", ours+"observe")
			if got := kindOfRequest(r); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestFiguresAreBesideEachOther(t *testing.T) {
	part := Part{Took: 2 * time.Minute, Longest: Gap{"a", 61 * time.Second}, Flink: 400, API: Requests{All: 50}}
	results := []Result{
		{N: 100, Counts: CountsOf(100), Edit: 480 * time.Millisecond, Parts: []Part{part}},
		{N: 10_000, Counts: CountsOf(10_000), Parts: []Part{part, {Fault: "lost", Took: time.Minute, Over: 3, Note: "1 event"}}},
	}
	table := Table(results)
	for _, want := range []string{"100   10,000\n", "0.48        -\n", "healthy\n", "61       61\n", "25       25\n", "lost\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	if notes := Notes(results); !strings.Contains(notes, "10,000, lost: 1 event\n") {
		t.Errorf("notes: %s", notes)
	}
	if plot := Plot(results); strings.Count(plot, "<polyline") == 0 || strings.Contains(plot, "NaN") {
		t.Errorf("the plot has no curve, or none that can be drawn:\n%s", plot)
	}
}
