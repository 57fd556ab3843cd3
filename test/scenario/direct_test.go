package scenario

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// direct is a dynamic client that leaves out HTTP and JSON: several times as fast as that of client-go, through the
// same Tap, with the same answers and errors. A random run makes requests by the million.
type direct struct {
	server    *kubesim.Server
	agent     string
	gvr       schema.GroupVersionResource
	namespace string
}

// Resource picks a resource.
func (d direct) Resource(gvr schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	d.gvr = gvr
	return d
}

// Namespace picks a namespace.
func (d direct) Namespace(namespace string) dynamic.ResourceInterface {
	d.namespace = namespace
	return d
}

var methods = map[string]string{
	"get": "GET", "list": "GET", "create": "POST", "update": "PUT", "patch": "PATCH", "apply": "PATCH",
	"delete": "DELETE",
}

// call carries out one request.
func (d direct) call(ctx context.Context, q kubesim.Request, name string, subresources []string) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.Manager == "" && q.Verb != "apply" {
		q.Manager, _, _ = strings.Cut(d.agent, "/")
	}
	path := kubesim.Path(d.gvr, d.namespace, name)
	subresource := strings.Join(subresources, "/")
	if subresource != "" {
		path += "/" + subresource
	}
	named := wire.Request{
		System: "kube", Agent: d.agent, Method: methods[q.Verb], Path: path + "?" + q.Query.Encode(),
		Verb: q.Verb, Resource: d.gvr.Resource, Subresource: subresource, Namespace: d.namespace, Name: name,
	}
	if q.Query.Has("dryRun") {
		named.Verb = kubesim.Try
	}
	var content any
	var refusal error
	status, err := d.server.Tap.Call(named, func() (answer wire.Answer, _ error) {
		answer, content, refusal = d.server.Do(path, q)
		return answer, nil
	})
	switch {
	case err != nil:
		return nil, &url.Error{Op: named.Method, URL: named.Path, Err: err}
	case status != 0:
		return nil, kubesim.Injected(status)
	}
	return content, refusal
}

// object is a call whose answer is an object. What is read is copied, so that the caller may write to it.
func (d direct) object(
	ctx context.Context, q kubesim.Request, name string, subresources []string,
) (*unstructured.Unstructured, error) {
	answer, err := d.call(ctx, q, name, subresources)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: copied(answer.(map[string]any))}, nil
}

// copied is a copy of an object, but for managedFields, which nobody writes to and which may be most of it.
func copied(object map[string]any) map[string]any {
	metadata, is := object["metadata"].(map[string]any)
	fields, owned := metadata["managedFields"]
	if !is || !owned {
		return runtime.DeepCopyJSON(object)
	}
	shallow := maps.Clone(object)
	rest := maps.Clone(metadata)
	delete(rest, "managedFields")
	shallow["metadata"] = rest
	again := runtime.DeepCopyJSON(shallow)
	again["metadata"].(map[string]any)["managedFields"] = fields
	return again
}

// Create makes an object.
func (d direct) Create(
	ctx context.Context, u *unstructured.Unstructured, o metav1.CreateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	q := kubesim.Request{Verb: "create", Object: u, Manager: o.FieldManager}
	if len(o.DryRun) > 0 {
		q.Query = url.Values{"dryRun": o.DryRun}
	}
	return d.object(ctx, q, "", subresources)
}

// Update replaces an object.
func (d direct) Update(
	ctx context.Context, u *unstructured.Unstructured, o metav1.UpdateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return d.object(ctx, kubesim.Request{Verb: "update", Object: u, Manager: o.FieldManager}, u.GetName(), subresources)
}

// UpdateStatus replaces the status of an object.
func (d direct) UpdateStatus(
	ctx context.Context, u *unstructured.Unstructured, o metav1.UpdateOptions,
) (*unstructured.Unstructured, error) {
	return d.Update(ctx, u, o, "status")
}

// Get reads an object.
func (d direct) Get(
	ctx context.Context, name string, _ metav1.GetOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return d.object(ctx, kubesim.Request{Verb: "get"}, name, subresources)
}

// Patch changes an object.
func (d direct) Patch(
	ctx context.Context, name string, kind types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	q := kubesim.Request{Verb: "patch", Kind: kind, Text: data, Manager: o.FieldManager}
	if kind == types.ApplyPatchType {
		q.Verb = "apply"
	}
	if o.Force != nil && *o.Force {
		q.Query = url.Values{"force": {"true"}}
	}
	return d.object(ctx, q, name, subresources)
}

// Apply is server-side apply.
func (d direct) Apply(
	ctx context.Context, name string, u *unstructured.Unstructured, o metav1.ApplyOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(u.Object)
	if err != nil {
		return nil, err
	}
	return d.Patch(ctx, name, types.ApplyPatchType, text, o.ToPatchOptions(), subresources...)
}

// ApplyStatus is server-side apply of a status.
func (d direct) ApplyStatus(
	ctx context.Context, name string, u *unstructured.Unstructured, o metav1.ApplyOptions,
) (*unstructured.Unstructured, error) {
	return d.Apply(ctx, name, u, o, "status")
}

// Delete deletes an object.
func (d direct) Delete(ctx context.Context, name string, o metav1.DeleteOptions, subresources ...string) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = d.call(ctx, kubesim.Request{Verb: "delete", Text: text}, name, subresources)
	return err
}

// List reads objects.
func (d direct) List(ctx context.Context, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	query := url.Values{}
	for name, value := range map[string]string{
		"labelSelector": o.LabelSelector, "fieldSelector": o.FieldSelector, "continue": o.Continue,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if o.Limit > 0 {
		query.Set("limit", strconv.FormatInt(o.Limit, 10))
	}
	answer, err := d.call(ctx, kubesim.Request{Verb: "list", Query: query}, "", nil)
	if err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{Object: map[string]any{}}
	for name, value := range answer.(map[string]any) {
		if name != "items" {
			list.Object[name] = value
			continue
		}
		for _, item := range value.([]any) {
			list.Items = append(list.Items, unstructured.Unstructured{Object: copied(item.(map[string]any))})
		}
	}
	return list, nil
}

// DeleteCollection is not modelled.
func (d direct) DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error {
	return apierrors.NewMethodNotSupported(d.gvr.GroupResource(), "deletecollection")
}

// Watch is not modelled.
func (d direct) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, apierrors.NewMethodNotSupported(d.gvr.GroupResource(), "watch")
}
