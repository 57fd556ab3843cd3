package view

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestHowAResourceIs(t *testing.T) {
	for name, row := range map[string]struct {
		kind, status string
		deleted      bool
		want         Resource
	}{
		"new": {"FlinkDeployment", `{}`, false, Resource{}},
		"steady": {
			"FlinkDeployment", `{lifecycleState: STABLE, jobStatus: {state: RUNNING}, situation: Steady}`, false,
			Resource{Lifecycle: "STABLE", Job: "RUNNING", Now: "Steady"},
		},
		"under way": {
			"FlinkDeployment",
			`{situation: x, conditions: [{type: Reconciling, status: "True", reason: Starting, message: soon}]}`, false,
			Resource{Now: "Starting: soon"},
		},
		"stalled": {"FlinkDeployment",
			`{error: e, conditions: [{type: Reconciling, status: "True", reason: R}, {type: Stalled, status: "True", ` +
				`reason: S}]}`, false,
			Resource{Now: "S"}},
		"not stalled": {
			"FlinkDeployment", `{error: e, conditions: [{type: Stalled, status: "False", reason: S}]}`, false,
			Resource{Now: "e"},
		},
		"deleted":    {"FlinkDeployment", `{situation: x}`, true, Resource{Now: "is being deleted"}},
		"a snapshot": {"FlinkStateSnapshot", `{state: COMPLETED}`, false, Resource{Lifecycle: "COMPLETED"}},
		"blue, green": {
			"FlinkBlueGreenDeployment", `{blueGreenState: ACTIVE_BLUE}`, false, Resource{Lifecycle: "ACTIVE_BLUE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal(
				[]byte("kind: "+row.kind+"\nmetadata: {name: a, namespace: b}\nstatus: "+row.status), &object.Object,
			); err != nil {
				t.Fatal(err)
			}
			if row.deleted {
				now := metav1.Now()
				object.SetDeletionTimestamp(&now)
			}
			row.want.Kind, row.want.Name = row.kind, "b/a"
			if got := ResourceOf(object); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestOneLine(t *testing.T) {
	for want, got := range map[string]string{
		"FlinkDeployment b/a: -": Resource{Kind: "FlinkDeployment", Name: "b/a"}.Sentence(),
		"FlinkDeployment b/a: DEPLOYED, job RECONCILING (starts)": Resource{
			Kind: "FlinkDeployment", Name: "b/a", Lifecycle: "DEPLOYED", Job: "RECONCILING", Now: "starts",
		}.Sentence(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
