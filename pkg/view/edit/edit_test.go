package edit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/view/edit"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

const (
	stateful  = "kind: FlinkDeployment\nmetadata: {name: a}\nspec: {job: {parallelism: 4, upgradeMode: savepoint}}"
	stateless = "kind: FlinkSessionJob\nmetadata: {name: a}\nspec: {job: {parallelism: 1}}"
	session   = "kind: FlinkDeployment\nmetadata: {name: a}\nspec: {}"
	reactive  = "kind: FlinkDeployment\nmetadata: {name: a}\nspec: {mode: standalone}"
	pair      = "kind: FlinkBlueGreenDeployment\nmetadata: {name: a}\nspec: {template: {spec: {restartNonce: 7, " +
		"job: {upgradeMode: last-state}}}}"
	snapshot = "kind: FlinkStateSnapshot\nmetadata: {name: a}\nspec: {savepoint: {}}"
)

func TestWhichChangeACommandIs(t *testing.T) {
	scale := func(u *unstructured.Unstructured) (edit.Edit, error) { return edit.Scale(u, 4) }
	for name, row := range map[string]struct {
		of      func(*unstructured.Unstructured) (edit.Edit, error)
		text    string
		patch   string // empty: it is refused
		gives   bool
		nothing bool
	}{
		"suspend a job":             {edit.Suspend, stateful, `{"spec":{"job":{"state":"suspended"}}}`, false, false},
		"suspend without state":     {edit.Suspend, stateless, `{"spec":{"job":{"state":"suspended"}}}`, true, false},
		"suspend a session cluster": {edit.Suspend, session, "", false, false},
		"suspend a snapshot":        {edit.Suspend, snapshot, "", false, false},
		"suspend a pair": {
			edit.Suspend, pair, `{"spec":{"template":{"spec":{"job":{"state":"suspended"}}}}}`, false, false,
		},
		"resume what runs":        {edit.Resume, stateful, `{"spec":{"job":{"state":"running"}}}`, false, true},
		"resume without state":    {edit.Resume, stateless, `{"spec":{"job":{"state":"running"}}}`, false, true},
		"restart a job":           {edit.Restart, stateful, `{"spec":{"restartNonce":1}}`, false, false},
		"restart without state":   {edit.Restart, stateless, `{"spec":{"restartNonce":1}}`, true, false},
		"restart a session":       {edit.Restart, session, `{"spec":{"restartNonce":1}}`, false, false},
		"restart a pair":          {edit.Restart, pair, `{"spec":{"template":{"spec":{"restartNonce":8}}}}`, false, false},
		"scale a job":             {scale, stateless, `{"spec":{"job":{"parallelism":4}}}`, true, false},
		"scale to what it has":    {scale, stateful, `{"spec":{"job":{"parallelism":4}}}`, false, true},
		"scale a session cluster": {scale, session, "", false, false},
		"scale in standalone":     {scale, reactive, `{"spec":{"taskManager":{"replicas":4}}}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := kubesim.Parse(t, row.text)
			before := u.DeepCopy()
			got, err := row.of(u)
			patch, _ := json.Marshal(got.Patch)
			switch {
			case row.patch == "" && err == nil:
				t.Errorf("it is not refused: %s", patch)
			case row.patch != "" && (err != nil || string(patch) != row.patch):
				t.Errorf("%s, error %v, want %s", patch, err, row.patch)
			case (got.GivesUp != "") != row.gives || got.Nothing != row.nothing:
				t.Errorf("gives up %q, nothing %t", got.GivesUp, got.Nothing)
			}
			if want, _ := json.Marshal(before); string(want) != marshalled(t, u) {
				t.Errorf("the resource was changed: %s", marshalled(t, u))
			}
		})
	}
}

func marshalled(t *testing.T, u *unstructured.Unstructured) string {
	t.Helper()
	text, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheAutoscalerIsNamed(t *testing.T) {
	u := kubesim.Parse(t, stateful+"\nstatus: {conditions: [{type: Autoscaling, reason: AutoscalerActive}]}")
	if e, err := edit.Scale(u, 8); err != nil || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "autoscaler") {
		t.Errorf("notes %q, error %v", e.Notes, err)
	}
}

func TestSnapshotsHaveNamesThatKubernetesTakes(t *testing.T) {
	u := kubesim.Parse(t, stateful)
	u.SetName(strings.Repeat("a", 240) + "-bbbbbbbbbbbb")
	made, err := edit.Snapshot{}.Of(u, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil || len(made.GetName()) > 253 || !strings.HasSuffix(made.GetName(), "a-0102-030405") {
		t.Errorf("%d characters, %s, error %v", len(made.GetName()), made.GetName(), err)
	}
}
