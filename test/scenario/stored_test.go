package scenario

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

var rewriteStored = flag.Bool(
	"rewrite-stored", false, "write testdata/stored.yaml again: what any release has stored must stay in it",
)

// gone are fields of status that earlier releases stored and nobody reads any more.
var gone = []string{"nextLook"}

var storedPath = filepath.Join("testdata", "stored.yaml")

// storedStatus is a resource as a pass has left it, and what a later pass makes of it.
type storedStatus struct {
	// Kind is the situation and the intent, which no other one of the file has.
	Kind string `json:"kind"`
	// Blind is the plan of a pass that can look at nothing but the resource; Gone is that of one that finds nothing of
	// its cluster.
	Blind string `json:"blind"`
	Gone  string `json:"gone"`
	// Resource is the FlinkDeployment.
	Resource json.RawMessage `json:"resource"`
}

// kindOf names what a status is about: no two of a kind are recorded.
func kindOf(d *v1beta1.FlinkDeployment) string {
	s := d.Status
	parts := []string{s.Situation, string(s.ReconciliationStatus.State)}
	if d.Spec.Job == nil {
		parts = append(parts, "session")
	}
	if i := s.Intent; i != nil {
		parts = append(parts, string(i.Purpose), string(i.Step), string(i.Stop))
		if i.Ended {
			parts = append(parts, "ended")
		}
		if i.From != nil {
			parts = append(parts, "from "+string(i.From.Kind))
		}
	}
	return strings.Join(parts, " ")
}

// record runs every story and keeps the first resource of each kind.
func record(t *testing.T) map[string]storedStatus {
	found := map[string]storedStatus{}
	for _, name := range names(scenarios) {
		h := newHarness(t)
		h.watch.stored = func(d *v1beta1.FlinkDeployment) {
			kind := kindOf(d)
			if _, known := found[kind]; known {
				return
			}
			d = d.DeepCopy()
			d.ManagedFields = nil
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			found[kind] = storedStatus{Kind: kind, Resource: text, Blind: planOf(t, text, false), Gone: planOf(t, text, true)}
		}
		scenarios[name].story(h)
	}
	return found
}

// planOf is what a pass decides on the day after the status was stored, as text.
func planOf(t *testing.T, resource []byte, noCluster bool) string {
	t.Helper()
	var content map[string]any
	if err := json.Unmarshal(resource, &content); err != nil {
		t.Fatal(err)
	}
	d, specErr, err := v1beta1.DecodeDeployment(content)
	if err != nil || specErr != nil {
		t.Fatal(err, specErr)
	}
	return decide(d, noCluster)
}

func decide(d v1beta1.FlinkDeployment, noCluster bool) string {
	s := cluster.Snapshot{}
	s.Now, s.Operator, s.Resource = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), flinkconf.NewOperator(nil), &d
	if noCluster {
		s.JobManager = plan.Absent[*appsv1.Deployment]()
		s.Pods, s.TaskManagers = plan.Present[[]corev1.Pod](nil), plan.Present[[]corev1.Pod](nil)
		s.ReplicaSets = plan.Present[[]cluster.ReplicaSet](nil)
		s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
		s.HAData, s.HANodes = plan.Present([]hadata.ConfigMap{}), plan.Absent[znode.Tree]()
		s.Companions = plan.Present([]cluster.Companion{})
		s.SessionJobs = plan.Present([]cluster.SessionJob{})
	}
	p := deployment.Make(s)
	text := p.String()
	if status, is := p.Status.(*v1beta1.FlinkDeploymentStatus); is {
		text += fmt.Sprintf(" -> %s %s", status.LifecycleState, status.Situation)
	}
	return text
}

// readStored reads what is recorded.
func readStored(t *testing.T) []storedStatus {
	t.Helper()
	content, err := os.ReadFile(storedPath)
	if err != nil {
		t.Fatal(err)
	}
	var all []storedStatus
	for document := range strings.SplitSeq(strings.TrimPrefix(string(content), "---\n"), "\n---\n") {
		var s storedStatus
		if err := yaml.Unmarshal([]byte(document), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// Stored statuses outlive the release that wrote them: a pass of this one reads each, and goes on as the one that
// recorded it would have.
func TestStoredStatusesAreReadAgain(t *testing.T) {
	if *rewriteStored {
		var text bytes.Buffer
		found := record(t)
		for _, kind := range names(found) {
			document, err := yaml.Marshal(found[kind])
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString("---\n")
			text.Write(document)
		}
		if err := os.WriteFile(storedPath, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range readStored(t) {
		t.Run(s.Kind, func(t *testing.T) {
			expect(t, "the plan of a pass that sees nothing but the resource", planOf(t, s.Resource, false), s.Blind)
			expect(t, "the plan of a pass that finds no cluster", planOf(t, s.Resource, true), s.Gone)
			var before map[string]any
			if err := json.Unmarshal(s.Resource, &before); err != nil {
				t.Fatal(err)
			}
			d, _, err := v1beta1.DecodeDeployment(before)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var after map[string]any
			if err := json.Unmarshal(text, &after); err != nil {
				t.Fatal(err)
			}
			stored := before["status"].(map[string]any)
			for _, field := range gone {
				delete(stored, field)
			}
			if diff := cmp.Diff(any(stored), after["status"]); diff != "" {
				t.Errorf("the status that is read and written again (-stored +written)\n%s", diff)
			}
		})
	}
}

// damagedStatuses are tried by each run; each is decided on twice.
var damagedStatuses = setting("KNFLINK_SCENARIO_DAMAGED", 5_000)

// A status that somebody edited, restored in parts, or wrote with another release is no reason for a pass to panic:
// what cannot be read is told.
func TestADamagedStatusIsDecidedOn(t *testing.T) {
	all, r, read := readStored(t), rand.New(rand.NewPCG(1, 1)), 0
	for range damagedStatuses {
		var content map[string]any
		if err := json.Unmarshal(all[r.IntN(len(all))].Resource, &content); err != nil {
			t.Fatal(err)
		}
		other := all[r.IntN(len(all))]
		var donor map[string]any
		if err := json.Unmarshal(other.Resource, &donor); err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(4) {
			damage(r, content["status"].(map[string]any), donor["status"].(map[string]any))
		}
		d, _, err := v1beta1.DecodeDeployment(content)
		if err != nil {
			continue // the pass says that the resource cannot be read
		}
		read++
		if why := panics(func() { decide(d, r.IntN(2) == 0) }); why != "" {
			text, _ := json.Marshal(content)
			t.Fatalf("%s\n%s", why, text)
		}
	}
	if read < damagedStatuses/4 {
		t.Errorf("only %d of %d damaged statuses could be read: they show little", read, damagedStatuses)
	}
	t.Logf("%d damaged statuses, %d of them could be read", damagedStatuses, read)
}

func panics(f func()) (why string) {
	defer func() {
		if value := recover(); value != nil {
			why = fmt.Sprintf("panic: %v\n%s", value, debug.Stack())
		}
	}()
	f()
	return ""
}

// damage changes one value somewhere in a status: away, empty, of another kind, or that of another status.
func damage(r *rand.Rand, status, donor map[string]any) {
	name := names(status)
	if len(name) == 0 {
		return
	}
	field := name[r.IntN(len(name))]
	inner, isMap := status[field].(map[string]any)
	if isMap && r.IntN(4) > 0 {
		other, _ := donor[field].(map[string]any)
		damage(r, inner, other)
		return
	}
	text, isText := status[field].(string)
	if isText && strings.HasPrefix(text, "{") && r.IntN(2) == 0 { // a record within
		var record map[string]any
		if json.Unmarshal([]byte(text), &record) == nil {
			damage(r, record, nil)
			damaged, _ := json.Marshal(record)
			status[field] = string(damaged)
			return
		}
	}
	switch r.IntN(8) {
	case 0:
		delete(status, field)
	case 1:
		status[field] = nil
	case 2:
		if isText {
			status[field] = ""
		}
	case 3:
		if isText {
			status[field] = text[:r.IntN(len(text)+1)]
		}
	case 4:
		if isText {
			status[field] = []string{
				"Unheard", "-1", "0", "{}", "9223372036854775807", "file:/x", "2026-01-01T00:00:00Z",
			}[r.IntN(7)]
		}
	case 5:
		if _, isNumber := status[field].(float64); isNumber {
			status[field] = []float64{-1, 0, 1, 1 << 52}[r.IntN(4)]
		}
	case 6:
		if isMap {
			clear(inner)
		}
	default:
		if value, there := donor[field]; there {
			status[field] = value
		}
	}
}
