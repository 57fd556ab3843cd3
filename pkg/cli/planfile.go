package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kn-flink/kn-flink/pkg/lookout"
)

// pluginName is the field manager of what nobody else applies.
const pluginName = "kn-flink"

// planFile shows what the resources of a file would do.
func (p *program) planFile(ctx context.Context, name string) error {
	from := p.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return failed("read --filename: %w", err)
		}
		defer file.Close()
		from = file
	}
	wanted, err := p.documents(from)
	if err != nil {
		return err
	}
	c, err := p.connect()
	if err != nil {
		return err
	}
	var edits []lookout.Edited
	for _, u := range wanted {
		if u.GetNamespace() == "" {
			u.SetNamespace(c.namespace)
		}
		e, err := p.applied(ctx, c, u)
		if err != nil {
			return refused(err)
		}
		edits = append(edits, e)
	}
	return p.planned(ctx, c, edits...)
}

// documents are the resources of a file that there is a plan of. Others are noted.
func (p *program) documents(from io.Reader) (found []*unstructured.Unstructured, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(from, 1<<16)
	for {
		var u unstructured.Unstructured
		err := decoder.Decode(&u.Object)
		switch {
		case errors.Is(err, io.EOF) && len(found) == 0:
			return nil, failed("--filename has no resource of the kinds of this command")
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, failed("read --filename: %w", err)
		case len(u.Object) == 0:
			continue
		}
		all := []*unstructured.Unstructured{&u}
		if u.IsList() {
			list, err := u.ToList()
			if err != nil {
				return nil, failed("read --filename: %w", err)
			}
			all = nil
			for i := range list.Items {
				all = append(all, &list.Items[i])
			}
		}
		for _, one := range all {
			if !slices.Contains(planKinds, one.GetKind()) {
				p.note("%s %s is left out: there is no plan of this kind", one.GetKind(), one.GetName())
				continue
			}
			if one.GetName() == "" {
				return nil, failed("a %s of --filename has no name", one.GetKind())
			}
			delete(one.Object, "status")
			found = append(found, one)
		}
	}
}

// applied is a resource as kubectl apply would leave it, judged by the API server, by the way it was applied before:
//
//	the stored resource                    then
//	is not there                           server-side apply
//	was applied by the server              the same, in the name of who applied it
//	was applied by kubectl                 what is no longer in the file goes, as kubectl does
//	was made in another way                server-side apply: what is not in the file stays, which is noted
func (p *program) applied(
	ctx context.Context, c *cluster, wanted *unstructured.Unstructured,
) (e lookout.Edited, err error) {
	there, found, err := c.Get(ctx, at(wanted))
	if err != nil {
		return e, err
	}
	e.Before = there
	manager := pluginName
	if found {
		switch by, last := appliedBy(there), lastApplied(there); {
		case by != "":
			manager = by
		case last != nil:
			patch, err := threeWay(last, wanted, there)
			if err != nil {
				return e, err
			}
			e.After, err = c.dryRun(ctx, there, patch)
			return e, err
		default:
			p.note("%s was not made by apply: what the file leaves out stays as it is", wanted.GetName())
		}
	}
	e.After, err = c.TryApply(ctx, at(wanted), wanted, manager)
	return e, err
}

// appliedBy is the field manager that applied a resource last; empty when none did.
func appliedBy(u *unstructured.Unstructured) string {
	for _, f := range u.GetManagedFields() {
		if f.Operation == metav1.ManagedFieldsOperationApply && f.Subresource == "" {
			return f.Manager
		}
	}
	return ""
}

// threeWay is the merge patch of kubectl apply.
func threeWay(last []byte, wanted, there *unstructured.Unstructured) (patch map[string]any, err error) {
	modified, err := json.Marshal(wanted.Object)
	if err != nil {
		return nil, err
	}
	current, err := json.Marshal(there.Object)
	if err != nil {
		return nil, err
	}
	text, err := jsonmergepatch.CreateThreeWayJSONMergePatch(last, modified, current)
	if err != nil {
		return nil, err
	}
	return patch, json.Unmarshal(text, &patch)
}
