package console

import (
	"context"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Button leads to the plan of a change.
type Button struct {
	// Title is what it does, Address its page.
	Title   string `json:"title"`
	Address string `json:"address"` // a page
}

// mayFor is how long the answer to a question for a right counts.
const mayFor = time.Minute

// buttons are those of the changes that a resource may have and the user may make, and which rights are missing for
// others. Both are empty where changes are off.
func (v *visit) buttons(ctx context.Context, u *unstructured.Unstructured) (all []Button, lacks []string) {
	if !v.options.Actions {
		return nil, nil
	}
	kind, _ := kinds.Of(u.GetKind())
	resource, namespace := kind.Resource.Resource, u.GetNamespace()
	patches := v.may(ctx, "patch", resource, namespace)
	creates := v.may(ctx, "create", v1beta1.FlinkStateSnapshotGVR.Resource, namespace)
	if !patches {
		lacks = append(lacks, "the right to patch "+resource+" in namespace "+namespace)
	}
	if !creates && kind.Counted {
		lacks = append(lacks, "the right to create flinkstatesnapshots in namespace "+namespace)
	}
	at := address(namespace, view.RowOf(u).Ref)
	for _, b := range verbs {
		if b.snapshot && !creates || !b.snapshot && !patches || b.name == "rollback" { // its history has the buttons
			continue
		}
		if v.fits(ctx, b, u) {
			all = append(all, Button{b.title, at + "/" + b.name})
		}
	}
	return all, lacks
}

// fits is whether a resource can have a change now.
func (v *visit) fits(ctx context.Context, b verb, u *unstructured.Unstructured) bool {
	params := url.Values{}
	for _, a := range b.asks {
		params.Set(a.Name, "1") // any number, and any path
	}
	made, err := v.change(ctx, b, u, params)
	return err == nil && (!made.Nothing || len(b.asks) > 0)
}

// may is whether the user has a right to our resources. It is false where that cannot be asked.
func (v *visit) may(ctx context.Context, verb, resource, namespace string) bool {
	now := func() time.Time { return v.now }
	is, err := share(v.shared, sharedKey{v.key, "may " + verb + " " + resource + " " + namespace}, now, mayFor,
		func() (bool, error) { return v.May(ctx, verb, v1beta1.Group, resource, namespace) })
	return err == nil && is
}
