package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/plan/quarantined"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

var rewriteJudged = flag.Bool(
	"rewrite-judged", false, "have TestScenarios write testdata/judged.yaml again, and disturb no story",
)

var judgedPath = filepath.Join("testdata", "judged.yaml")

func init() {
	scenarios["a canary is watched"] = scenario{func(h *harness) {
		h.watches(demo)
		h.flush()
	}, "a resource that tests an operator is never deployed"}
}

// showsQuarantined shows a job whose changed spec the function died of twice.
func showsQuarantined(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.apply(demo, application())
	h.untilStable(demo)
	h.edit(demo, parallelism(4))
	u := h.w.Kube.Get(kubesim.FlinkDeployments, namespace, demo)
	p := quarantined.Make(quarantined.Snapshot{Now: h.w.Clock.Now(), Resource: u})
	text, err := json.Marshal(p.Status)
	if err != nil {
		t.Fatal(err)
	}
	var status map[string]any
	if err := json.Unmarshal(text, &status); err != nil {
		t.Fatal(err)
	}
	u.Object["status"] = status
	j := judged(u)
	heldToJudged("a function dies twice of it", map[string]judgedStatus{j.Kind: j})
}

// judgedStatus is a resource as people, and tools that judge it for them, see it. What it is deployed with is left out.
type judgedStatus struct {
	// Kind names the kind, the situation, and what its conditions come to: no other one of the file has all these.
	Kind string `json:"kind"`
	// Story is one in which it was seen.
	Story string `json:"story"`
	// Resource is what test/gitops has Argo CD and Flux judge.
	Resource map[string]any `json:"resource"`
}

// shown are the fields of a status that say how a resource is.
var shown = []string{
	"conditions", "error", "jobManagerDeploymentStatus", "lifecycleState", "observedGeneration", "situation", "state",
}

func judged(u *unstructured.Unstructured) judgedStatus {
	situation, _, _ := unstructured.NestedString(u.Object, "status", "situation")
	parts := []string{u.GetKind(), cmp.Or(situation, "-")}
	if u.GetLabels()[v1beta1.LabelCanary] != "" {
		parts = append(parts, "canary")
	}
	if u.GetDeletionTimestamp() != nil {
		parts = append(parts, "deleted")
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range conditions {
		switch c := item.(map[string]any); c["type"] {
		case "Reconciling":
			parts = append(parts, "Reconciling")
		case "Stalled":
			parts = append(parts, "Stalled "+c["reason"].(string))
		case "Ready":
			if c["status"] == "True" {
				parts = append(parts, "Ready "+c["reason"].(string))
			}
		}
	}
	u = u.DeepCopy()
	metadata, status := map[string]any{}, map[string]any{}
	for _, field := range []string{"name", "namespace", "labels", "generation", "deletionTimestamp", "finalizers"} {
		if value, is, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", field); is {
			metadata[field] = value
		}
	}
	for _, field := range shown {
		if value, is, _ := unstructured.NestedFieldNoCopy(u.Object, "status", field); is {
			status[field] = value
		}
	}
	state, _, _ := unstructured.NestedString(u.Object, "status", "jobStatus", "state")
	if state != "" {
		status["jobStatus"] = map[string]any{"state": state}
	}
	state, _, _ = unstructured.NestedString(u.Object, "status", "reconciliationStatus", "state")
	if state != "" {
		status["reconciliationStatus"] = map[string]any{"state": state}
	}
	return judgedStatus{Kind: strings.Join(parts, " "), Resource: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": u.GetKind(), "metadata": metadata, "status": status,
	}}
}

// judge keeps what each resource shows.
func (w *watcher) judge() {
	for _, k := range kinds.All {
		for _, u := range w.h.w.Kube.PeekAll(k.Resource, "", nil) {
			if j := judged(u); w.judged[j.Kind].Kind == "" {
				w.judged[j.Kind] = j
			}
		}
	}
}

// allJudged are those of all stories: of each kind, the one of the first story by name.
var allJudged struct {
	sync.Mutex
	all map[string]judgedStatus
}

func heldToJudged(story string, seen map[string]judgedStatus) {
	allJudged.Lock()
	defer allJudged.Unlock()
	if allJudged.all == nil {
		allJudged.all = map[string]judgedStatus{}
	}
	for kind, j := range seen {
		if known, is := allJudged.all[kind]; !is || story < known.Story {
			j.Story = story
			allJudged.all[kind] = j
		}
	}
}

// judgedAreRecorded holds that test/gitops has a status of each kind that a story shows, or writes them again.
func judgedAreRecorded(t *testing.T) {
	allJudged.Lock()
	defer allJudged.Unlock()
	if *rewriteJudged {
		var text bytes.Buffer
		for _, kind := range slices.Sorted(maps.Keys(allJudged.all)) {
			document, err := yaml.Marshal(allJudged.all[kind])
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString("---\n")
			text.Write(document)
		}
		if err := os.WriteFile(judgedPath, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	content, err := os.ReadFile(judgedPath)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]bool{}
	for document := range strings.SplitSeq(strings.TrimPrefix(string(content), "---\n"), "\n---\n") {
		var j judgedStatus
		if err := yaml.Unmarshal([]byte(document), &j); err != nil {
			t.Fatal(err)
		}
		recorded[j.Kind] = true
	}
	for kind, j := range allJudged.all {
		if !recorded[kind] {
			text, _ := json.Marshal(j.Resource)
			t.Errorf("no recorded status is %q, seen in %q: go test ./test/scenario -run TestScenarios -rewrite-judged\n%s",
				kind, j.Story, text)
		}
	}
}
