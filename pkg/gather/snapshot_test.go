package gather

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// shelf is a Reader of objects by "<plural>/<name>"; what is named in broken cannot be read. It notes what it was
// asked.
type shelf struct {
	objects map[string]*unstructured.Unstructured
	broken  string
	asked   []string
	queries []kube.Query
	pages   [][]unstructured.Unstructured
}

// Get reads one object.
func (s *shelf) Get(_ context.Context, o kube.Object) (*unstructured.Unstructured, bool, error) {
	name := o.Resource.Resource + "/" + o.Name
	s.asked = append(s.asked, name)
	if name == s.broken {
		return nil, false, errors.New("read " + name + ": timeout")
	}
	u, found := s.objects[name]
	return u, found, nil
}

// Log is read by nobody here.
func (*shelf) Log(context.Context, kube.Log) (string, error) { return "", kube.ErrNoLogs }

// ListBinary is asked of nobody here.
func (*shelf) ListBinary(context.Context, kube.Query, kube.BinaryList) error { return kube.ErrNoLogs }

// List gives one page after the other.
func (s *shelf) List(_ context.Context, q kube.Query) (*unstructured.UnstructuredList, error) {
	s.queries = append(s.queries, q)
	if len(s.pages) == 0 {
		return nil, errors.New("list: timeout")
	}
	list := &unstructured.UnstructuredList{Items: s.pages[0]}
	if s.pages = s.pages[1:]; len(s.pages) > 0 {
		list.SetContinue("more")
	}
	return list, nil
}

func object(kind, name string, spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": kind,
		"metadata": map[string]any{"namespace": "default", "name": name, "uid": "uid-of-" + name},
		"spec":     spec, "status": status,
	}}
}

func snapshotOf(kind, name string, status map[string]any) *unstructured.Unstructured {
	return object(v1beta1.KindFlinkStateSnapshot, "snap", map[string]any{
		"savepoint": map[string]any{}, "jobReference": map[string]any{"kind": kind, "name": name},
	}, status)
}

func gatherer(s *shelf, asked *[]plan.Endpoint) *Gatherer {
	return &Gatherer{
		Kube: s, Operator: flinkconf.NewOperator(nil), Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
		Flink: func(e plan.Endpoint) (*flinkrest.Client, error) {
			*asked = append(*asked, e)
			return nil, errors.New("no network here")
		},
	}
}

const reconciled = `{"spec":{"flinkVersion":"v1_20","flinkConfiguration":{"rest.port":"9999"},` +
	`"job":{"state":"running"}},"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1"}}`

func TestASnapshotIsLookedAtAsFarAsNeeded(t *testing.T) {
	deployed := map[string]any{
		"jobStatus":                  map[string]any{"jobId": strings.Repeat("a", 32), "state": "RUNNING"},
		"jobManagerDeploymentStatus": "READY",
		"reconciliationStatus":       map[string]any{"state": "DEPLOYED", "lastReconciledSpec": reconciled},
	}
	objects := map[string]*unstructured.Unstructured{
		"flinkdeployments/demo": object("FlinkDeployment", "demo", map[string]any{"flinkVersion": "v1_20"}, deployed),
		"flinksessionjobs/job": object(
			"FlinkSessionJob", "job", map[string]any{"deploymentName": "demo", "job": map[string]any{}}, deployed,
		),
	}
	rows := map[string]struct {
		snapshot *unstructured.Unstructured
		broken   string
		asked    string
		flink    string
		reason   string
	}{
		"of a deployment": {
			snapshotOf("FlinkDeployment", "demo", nil), "", "flinkdeployments/demo", "http://demo-rest.default.svc:9999",
			"the port it was deployed with",
		},
		"of a session job": {
			snapshotOf("FlinkSessionJob", "job", nil), "", "flinksessionjobs/job flinkdeployments/demo",
			"http://demo-rest.default.svc:9999", "its cluster's",
		},
		"of nothing": {snapshotOf("FlinkDeployment", "other", nil), "", "flinkdeployments/other", "", "nobody to ask"},
		"unreadable": {
			snapshotOf("FlinkDeployment", "demo", nil), "flinkdeployments/demo", "flinkdeployments/demo", "",
			"nobody known to ask",
		},
		"completed": {
			snapshotOf("FlinkDeployment", "demo", map[string]any{"state": "COMPLETED"}), "", "", "",
			"a finished one costs nothing",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			shelf := &shelf{objects: objects, broken: row.broken}
			var flink []plan.Endpoint
			s, err := gatherer(shelf, &flink).StateSnapshotOf(t.Context(), row.snapshot)
			if err != nil {
				t.Fatal(err)
			}
			url := ""
			if len(flink) > 0 {
				url = flink[0].URL
			}
			if got := strings.Join(shelf.asked, " "); got != row.asked || url != row.flink {
				t.Errorf("%s: asked for %q and %q, want %q and %q", row.reason, got, url, row.asked, row.flink)
			}
			if row.broken != "" && (!s.Deployment.IsUnknown() || !strings.Contains(s.Deployment.Why(), "timeout")) {
				t.Errorf("a failed read is Unknown and says why: %q", s.Deployment.Why())
			}
			if row.flink != "" && (!s.Flink.Job.IsUnknown() || !strings.Contains(s.Flink.Job.Why(), "no network")) {
				t.Errorf("a Flink that cannot be reached is Unknown: %q", s.Flink.Job.Why())
			}
		})
	}
}

func TestAnUnreadableSnapshotsSpecProblem(t *testing.T) {
	u := object(v1beta1.KindFlinkStateSnapshot, "snap", map[string]any{"savepoint": "yes"}, nil)
	var flink []plan.Endpoint
	s, err := gatherer(&shelf{}, &flink).StateSnapshotOf(t.Context(), u)
	if err != nil || !strings.Contains(s.SpecProblem, "spec.savepoint") {
		t.Errorf("problem %q, %v", s.SpecProblem, err)
	}
}

func TestSnapshotsAreListedByLabels(t *testing.T) {
	one, two := *snapshotOf(
		"FlinkDeployment", "demo", nil,
	), *snapshotOf("FlinkDeployment", "demo", map[string]any{"state": "COMPLETED"})
	shelf := &shelf{pages: [][]unstructured.Unstructured{{one}, {two}}}
	var flink []plan.Endpoint
	g := gatherer(shelf, &flink)
	list, ok := g.Snapshots(
		t.Context(), "default", v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: "demo"},
	).Get()
	if !ok || len(list) != 2 || list[1].Status.State != v1beta1.SnapshotCompleted {
		t.Errorf("%t, %d snapshots", ok, len(list))
	}
	if q := shelf.queries[1]; q.Labels != "job-reference.kind=FlinkDeployment,job-reference.name=demo" ||
		q.Continue != "more" || q.Namespace != "default" {
		t.Errorf("query %+v", q)
	}
	unknown := g.Snapshots(
		t.Context(), "default", v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: strings.Repeat("x", 64)},
	)
	if q := shelf.queries[2]; !unknown.IsUnknown() || q.Labels != "" {
		t.Errorf("unknown %t, query %+v; a name that no label can hold is looked for among all", unknown.IsUnknown(), q)
	}
}

func TestNothingInFlightAsksNothing(t *testing.T) {
	answers := (&Gatherer{}).PendingOperations(t.Context(), nil, v1beta1.JobStatus{})
	if answers != (snapshots.Answers{}) {
		t.Errorf("%+v", answers)
	}
}
