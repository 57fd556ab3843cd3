package console

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Spec is the page of the spec of a resource: as it is wanted, and as it was acted on last where that differs. Secrets
// are stars.
type Spec struct {
	// Of is the resource, in Namespace.
	Of view.Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Wanted is the spec, as YAML.
	Wanted string `json:"wanted"`
	// Accepted is the spec that was acted on last, as YAML; empty where it is the same, or there is none.
	Accepted string `json:"accepted,omitempty"`
}

func readSpec(ctx context.Context, v *visit) (shown, error) {
	u, err := v.object(ctx)
	if err != nil {
		return shown{}, err
	}
	p := Spec{Of: view.RowOf(u).Ref, Namespace: u.GetNamespace()}
	hide := view.SecretsOf(u).Text
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	if p.Wanted, err = shownYAML(spec, hide); err != nil {
		return shown{}, err
	}
	recorded, _, _ := unstructured.NestedString(u.Object, "status", "reconciliationStatus", "lastReconciledSpec")
	var last struct {
		Spec map[string]any `json:"spec"`
	}
	if json.Unmarshal([]byte(recorded), &last) == nil && len(last.Spec) > 0 {
		if p.Accepted, err = shownYAML(last.Spec, hide); err != nil {
			return shown{}, err
		}
	}
	if p.Accepted == p.Wanted {
		p.Accepted = ""
	}
	return shown{title: "Spec of " + u.GetName(), view: p}, nil
}

// shownYAML is a spec as YAML, with stars for its secrets.
func shownYAML(spec map[string]any, hide func(string) string) (string, error) {
	text, err := yaml.Marshal(spec)
	return redact.Text(hide(string(text))), err
}
