package console

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/act"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/lookout"
	"github.com/kn-flink/kn-flink/pkg/preview"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Plan is the page that says what an edit would do. It never makes one.
type Plan struct {
	// Of is the resource, in Namespace.
	Of view.Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Edit is what was pasted; empty for nothing yet.
	Edit string `json:"edit,omitempty"`
	// Plan is what would come of it; nil while nothing was pasted, and where the edit is refused.
	Plan *preview.View `json:"plan,omitempty"`
	// Refused is why the edit cannot be judged; empty where it is.
	Refused string `json:"refused,omitempty"`
}

func readPlan(ctx context.Context, v *visit) (shown, error) {
	p, _, err := v.planOf(ctx)
	return p.shown(), err
}

func (p Plan) shown() shown {
	return shown{title: "What an edit of " + p.Of.Name + " would do", view: p, still: true}
}

// planOf is the page without an edit.
func (v *visit) planOf(ctx context.Context) (Plan, *unstructured.Unstructured, error) {
	u, err := v.object(ctx)
	if err != nil {
		return Plan{}, nil, err
	}
	if kind, _ := kinds.Of(u.GetKind()); !kind.Pods || v.config == nil {
		return Plan{}, nil, &problem{http.StatusNotFound, "There is no plan", "A " + u.GetKind() + " has none."}
	}
	return Plan{Of: view.RowOf(u).Ref, Namespace: u.GetNamespace()}, u, nil
}

// plan answers with what an edit would do.
func (c *console) plan(w http.ResponseWriter, r *http.Request) {
	c.post(w, r, func(ctx context.Context, v *visit) error {
		p, u, err := v.planOf(ctx)
		if err != nil {
			return err
		}
		p.Edit = v.PostForm.Get("edit")
		if err := v.judge(ctx, u, &p); err != nil {
			return err
		}
		c.answer(w, r, page{body: planBody}, p.shown())
		return nil
	})
}

// judge has the API server and the operator's decision judge an edit.
func (v *visit) judge(ctx context.Context, u *unstructured.Unstructured, p *Plan) error {
	hide := view.SecretsOf(u).Text
	patch, err := pasted(p.Edit, u)
	if err != nil {
		p.Refused = err.Error()
		return nil
	}
	after, err := v.Edit(ctx, act.At(u), patch, true)
	switch {
	case apierrors.IsForbidden(err) && !bytes.Contains([]byte(err.Error()), []byte("denied the request")),
		apierrors.IsUnauthorized(err):
		return err
	case err != nil:
		p.Refused = redact.Text(hide(err.Error()))
		return nil
	}
	plan, err := v.preview(ctx, lookout.Edited{Before: u, After: after})
	if err != nil {
		return err
	}
	p.Plan = &plan
	return nil
}

// pasted is an edit as a merge patch: one, or the whole manifest of the resource with the edit in it.
func pasted(text string, u *unstructured.Unstructured) (map[string]any, error) {
	var patch map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &patch); err != nil {
		return nil, fmt.Errorf("the edit is neither YAML nor JSON of a mapping: %w", err)
	}
	if len(patch) == 0 {
		return nil, fmt.Errorf("paste an edit, for example spec: {job: {parallelism: 8}}")
	}
	named := &unstructured.Unstructured{Object: patch}
	if kind := named.GetKind(); kind != "" && kind != u.GetKind() {
		return nil, fmt.Errorf("the edit is of a %s, and this is the page of a %s", kind, u.GetKind())
	}
	if name := named.GetName(); name != "" && name != u.GetName() {
		return nil, fmt.Errorf("the edit is of %s, and this is the page of %s", name, u.GetName())
	}
	if namespace := named.GetNamespace(); namespace != "" && namespace != u.GetNamespace() {
		return nil, fmt.Errorf("the edit is of namespace %s, and this is the page of one in %s", namespace, u.GetNamespace())
	}
	only := map[string]any{}
	if spec, has := patch["spec"]; has {
		only["spec"] = spec
	}
	metadata := map[string]any{}
	for _, field := range []string{"labels", "annotations"} {
		if value, has, _ := unstructured.NestedFieldNoCopy(patch, "metadata", field); has {
			metadata[field] = value
		}
	}
	if len(metadata) > 0 {
		only["metadata"] = metadata
	}
	if len(only) == 0 {
		return nil, fmt.Errorf("the edit has no spec: begin it with spec:")
	}
	return only, nil
}
