package extension

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// token is the part of the paths that cannot be guessed.
const token = "0123456789abcdef"

// installed are webhook configurations by resource and name.
type installed struct {
	objects map[string]map[string]any
	writes  int
	asked   int
	fails   bool
}

func newInstalled() *installed {
	i := &installed{objects: map[string]map[string]any{}}
	for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
		i.objects[resource+" "+Own] = map[string]any{"webhooks": []any{map[string]any{
			"clientConfig": map[string]any{
				"caBundle": "Q0E=", "service": map[string]any{"name": "flink-admit", "path": "/validate/" + token},
			},
		}}}
		i.objects[resource+" "+Name] = map[string]any{}
	}
	return i
}

func (i *installed) Get(_ context.Context, o kube.Object) (*unstructured.Unstructured, bool, error) {
	i.asked++
	if i.fails {
		return nil, false, errors.New("the API server is away")
	}
	object, found := i.objects[o.String()]
	return (&unstructured.Unstructured{Object: object}).DeepCopy(), found, nil
}

func (i *installed) MergePatch(
	_ context.Context, o kube.Object, patch map[string]any,
) (*unstructured.Unstructured, error) {
	i.writes++
	i.objects[o.String()]["webhooks"] = patch["webhooks"]
	return nil, nil
}

func (i *installed) text(t *testing.T, resource string) string {
	t.Helper()
	text, err := json.Marshal(i.objects[resource+" "+Name]["webhooks"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheAPIServerAsksAboutTheKindsOfExtensions(t *testing.T) {
	i := newInstalled()
	clock := time.Unix(1_800_000_000, 0)
	const username = "system:serviceaccount:flink-system:reconcile"
	w := &Webhooks{API: i, Username: username, Now: func() time.Time { return clock }}
	keep := func(e flinkconf.Extensions, had bool) {
		t.Helper()
		if err := w.Keep(t.Context(), e, []string{"team"}, had); err != nil {
			t.Fatal(err)
		}
	}
	keep(flinkconf.Extensions{}, false)
	if i.asked != 0 {
		t.Errorf("%d requests for an installation without extensions", i.asked)
	}
	e := flinkconf.Extensions{
		Validators: []flinkconf.Extension{{
			Name: "a", Kinds: []string{"FlinkDeployment"}, Namespaces: []string{"x"}, Timeout: 3 * time.Second,
		}},
		Mutators: []flinkconf.Extension{{Name: "b", Kinds: []string{"FlinkSessionJob"}, Timeout: 10 * time.Second}, {
			Name: "c", Kinds: []string{"FlinkStateSnapshot"}, Timeout: 10 * time.Second, Ignore: true,
		}},
	}
	keep(e, false)
	validating, mutating := i.text(t, "validatingwebhookconfigurations"), i.text(t, "mutatingwebhookconfigurations")
	for _, part := range []string{
		`"path":"/validators/` + token + `"`,
		`"caBundle":"Q0E="`, `"resources":["flinkdeployments"]`, `"failurePolicy":"Ignore"`,
		`"timeoutSeconds":18`, `"values":["x"]`, username,
		`[\"flink.apache.org/canary\", \"team\"].exists(`,
	} {
		if !strings.Contains(validating, part) {
			t.Errorf("no %s in %s", part, validating)
		}
	}
	for _, part := range []string{
		`"path":"/mutators/` + token + `"`,
		`"resources":["flinksessionjobs","flinkstatesnapshots"]`, `"failurePolicy":"Fail"`,
		`"timeoutSeconds":30`, `"namespaceSelector":{}`,
	} {
		if !strings.Contains(mutating, part) {
			t.Errorf("no %s in %s", part, mutating)
		}
	}
	writes := i.writes
	if keep(e, true); i.writes != writes {
		t.Error("the same settings were written again")
	}
	keep(flinkconf.Extensions{}, true)
	if i.text(t, "validatingwebhookconfigurations") != "[]" || i.text(t, "mutatingwebhookconfigurations") != "[]" {
		t.Error("no extension is left, and the API server still asks")
	}
}

func TestWebhooksOfAnInstallationThatHadExtensions(t *testing.T) {
	i := newInstalled()
	w := &Webhooks{API: i, Now: time.Now}
	if err := w.Keep(t.Context(), flinkconf.Extensions{}, nil, true); err != nil || i.writes != 2 {
		t.Errorf("%d writes, %v; those of before would stay", i.writes, err)
	}
	delete(i.objects, "validatingwebhookconfigurations "+Own)
	delete(i.objects, "mutatingwebhookconfigurations "+Name)
	w = &Webhooks{API: i, Now: time.Now}
	if err := w.Keep(t.Context(), flinkconf.Extensions{}, nil, true); err != nil || i.writes != 2 {
		t.Errorf("%d writes, %v; without admit nobody is asked", i.writes, err)
	}
}

func TestAFailureIsTriedAgainLater(t *testing.T) {
	i := newInstalled()
	i.fails = true
	clock := time.Unix(1_800_000_000, 0)
	w := &Webhooks{API: i, Now: func() time.Time { return clock }}
	if w.Keep(t.Context(), flinkconf.Extensions{}, nil, true) == nil {
		t.Error("nobody knows that it failed")
	}
	i.fails = false
	if err := w.Keep(t.Context(), flinkconf.Extensions{}, nil, true); err == nil || i.writes != 0 {
		t.Errorf("%d writes at once, %v; it is still not so", i.writes, err)
	}
	clock = clock.Add(again)
	if err := w.Keep(t.Context(), flinkconf.Extensions{}, nil, true); err != nil || i.writes != 2 {
		t.Errorf("%d writes, %v", i.writes, err)
	}
}

func TestTheWebhooksOfExtensionsWaitForThePathOfAdmit(t *testing.T) {
	i := newInstalled()
	own := i.objects["validatingwebhookconfigurations "+Own]["webhooks"].([]any)[0].(map[string]any)
	service := own["clientConfig"].(map[string]any)["service"].(map[string]any)
	delete(service, "path")
	clock := time.Unix(1_800_000_000, 0)
	w := &Webhooks{API: i, Username: "u", Now: func() time.Time { return clock }}
	e := flinkconf.Extensions{Validators: []flinkconf.Extension{{Name: "v", Kinds: []string{"FlinkDeployment"}}}}
	if err := w.Keep(t.Context(), e, nil, false); err == nil || !strings.Contains(err.Error(), "flink-admit-certificate") {
		t.Errorf("%v, want the name of the Job that writes the path", err)
	}
	service["path"], clock = "/validate/"+token, clock.Add(again)
	if err := w.Keep(t.Context(), e, nil, false); err != nil {
		t.Fatal(err)
	}
	if text := i.text(t, "validatingwebhookconfigurations"); !strings.Contains(text, `"path":"/validators/`+token+`"`) {
		t.Errorf("%s does not call the path of admit", text)
	}
}

// The API server asks the admit of an installation about the resources in its scope alone: where a mutator may not be
// left out, those of another installation could not be written while this one is away.
func TestTheWebhooksOfExtensionsHaveTheScopeOfTheInstallation(t *testing.T) {
	i := newInstalled()
	for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
		own := i.objects[resource+" "+Own]
		delete(i.objects, resource+" "+Own)
		webhook := own["webhooks"].([]any)[0].(map[string]any)
		webhook["namespaceSelector"] = map[string]any{
			"matchLabels":      map[string]any{"of": "b"},
			"matchExpressions": []any{map[string]any{"key": "open", "operator": "Exists"}},
		}
		webhook["objectSelector"] = map[string]any{"matchLabels": map[string]any{"team": "b"}}
		i.objects[resource+" flink-admit-flink-b"] = own
		i.objects[resource+" flink-extensions-flink-b"] = map[string]any{}
	}
	w := &Webhooks{API: i, Own: "flink-admit-flink-b", Name: "flink-extensions-flink-b", Now: time.Now}
	e := flinkconf.Extensions{
		Validators: []flinkconf.Extension{{Name: "v", Kinds: []string{"FlinkDeployment"}, Namespaces: []string{"x"}}},
		Mutators:   []flinkconf.Extension{{Name: "m", Kinds: []string{"FlinkDeployment"}}},
	}
	if err := w.Keep(t.Context(), e, nil, false); err != nil {
		t.Fatal(err)
	}
	const open = `{"key":"open","operator":"Exists"}`
	for resource, selector := range map[string]string{
		"validatingwebhookconfigurations": `"namespaceSelector":{"matchExpressions":[` + open +
			`,{"key":"kubernetes.io/metadata.name","operator":"In","values":["x"]}],"matchLabels":{"of":"b"}}`,
		"mutatingwebhookconfigurations": `"namespaceSelector":{"matchExpressions":[` + open + `],"matchLabels":{"of":"b"}}`,
	} {
		text, err := json.Marshal(i.objects[resource+" flink-extensions-flink-b"]["webhooks"])
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{selector, `"objectSelector":{"matchLabels":{"team":"b"}}`} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: no %s in %s", resource, part, text)
			}
		}
		if _, others := i.objects[resource+" "+Name]; !others || i.objects[resource+" "+Name]["webhooks"] != nil {
			t.Errorf("%s of the first installation were written", resource)
		}
	}
}
