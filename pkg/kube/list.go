package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	sigsjson "sigs.k8s.io/json"
)

// Query selects the objects of a List.
type Query struct {
	// Resource is the group, version and plural.
	Resource schema.GroupVersionResource
	// Namespace is empty for all namespaces.
	Namespace string
	// Labels is a label selector; empty selects all.
	Labels string
	// Fields is a field selector; empty selects all.
	Fields string
	// Limit is the size of a page; zero means everything at once. A page that is too large in bytes is shorter.
	Limit int64
	// Continue is the token of the page before; empty means the first page.
	Continue string
}

// Page is the outcome of a list without its objects.
type Page struct {
	// Continue is the token of the next page; empty after the last one.
	Continue string
}

// List reads one page. The list's own continue token is empty after the last one.
func (c *Client) List(ctx context.Context, q Query) (*unstructured.UnstructuredList, error) {
	if c.core == nil {
		list, err := c.resource(q.Resource, q.Namespace).List(ctx, metav1.ListOptions{
			LabelSelector: q.Labels, FieldSelector: q.Fields, Limit: q.Limit, Continue: q.Continue,
		})
		if err != nil {
			return nil, listFailed(q, err)
		}
		return list, nil
	}
	var items []unstructured.Unstructured
	list, err := c.read(ctx, q, func(content map[string]any) error {
		items = append(items, unstructured.Unstructured{Object: content})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, item := range items { // those of Kubernetes' own kinds do not say what they are
		if item.GetKind() == "" {
			item.SetAPIVersion(list.GetAPIVersion())
			item.SetKind(strings.TrimSuffix(list.GetKind(), "List"))
		}
	}
	list.Items = items
	return list, nil
}

// ListEach reads one page and hands the content of each object on, one by one: what nobody keeps of it is garbage
// before the next one is read. Values are as in an unstructured object.
func (c *Client) ListEach(ctx context.Context, q Query, see func(content map[string]any) error) (Page, error) {
	if c.core != nil {
		list, err := c.read(ctx, q, see)
		if err != nil {
			return Page{}, err
		}
		return Page{Continue: list.GetContinue()}, nil
	}
	list, err := c.List(ctx, q)
	if err != nil {
		return Page{}, err
	}
	for i := range list.Items {
		if err := see(list.Items[i].Object); err != nil {
			return Page{}, err
		}
	}
	return Page{Continue: list.GetContinue()}, nil
}

// read asks for a page, hands each object on, and answers with what the list says beside them.
func (c *Client) read(
	ctx context.Context, q Query, see func(content map[string]any) error,
) (*unstructured.UnstructuredList, error) {
	var body []byte
	if err := inHalves(q, func(q Query) (err error) {
		body, err = text(ctx, c.list(q, runtime.ContentTypeJSON))
		return err
	}); err != nil {
		return nil, listFailed(q, err)
	}
	list, err := eachItem(body, see)
	if err != nil {
		return nil, listFailed(q, fmt.Errorf("read the list: %w", err))
	}
	return list, nil
}

// eachItem reads the text of a list once, from its start to its end, and answers with what it says beside its items. To
// decode all of it as one value takes twice the time.
func eachItem(
	body []byte, see func(content map[string]any) error,
) (list *unstructured.UnstructuredList, err error) {
	list = &unstructured.UnstructuredList{Object: map[string]any{}}
	in := sigsjson.NewDecoderCaseSensitivePreserveInts(bytes.NewReader(body))
	err = enter(in, '{')
	for err == nil && in.More() {
		var name json.Token
		if name, err = in.Token(); err == nil && name == "items" {
			err = eachOf(in, see)
		} else if err == nil {
			var value any
			err = in.Decode(&value)
			list.Object[fmt.Sprint(name)] = value
		}
	}
	if err == nil {
		_, err = in.Token() // its end
	}
	return list, err
}

// eachOf reads the objects of a JSON array.
func eachOf(in sigsjson.Decoder, see func(content map[string]any) error) error {
	err := enter(in, '[')
	for err == nil && in.More() {
		var content map[string]any
		if err = in.Decode(&content); err == nil {
			err = see(content)
		}
	}
	if err == nil {
		_, err = in.Token() // its end
	}
	return err
}

// enter reads what an object or an array begins with.
func enter(in sigsjson.Decoder, with json.Delim) error {
	token, err := in.Token()
	if err == nil && token != with {
		return fmt.Errorf("%v is there instead of %v", token, with)
	}
	return err
}

// list is the request for a query, answered in one of the forms.
func (c *Client) list(q Query, accept string) *rest.Request {
	path := []string{"/apis", q.Resource.Group, q.Resource.Version}
	if q.Resource.Group == "" {
		path = []string{"/api", q.Resource.Version}
	}
	if q.Namespace != "" {
		path = append(path, "namespaces", q.Namespace)
	}
	r := c.core.Get().AbsPath(append(path, q.Resource.Resource)...).SetHeader("Accept", accept)
	for name, value := range map[string]string{
		"labelSelector": q.Labels, "fieldSelector": q.Fields, "continue": q.Continue,
	} {
		if value != "" {
			r = r.Param(name, value)
		}
	}
	if q.Limit > 0 {
		r = r.Param("limit", strconv.FormatInt(q.Limit, 10))
	}
	return r
}

// text is the body of an answer.
func text(ctx context.Context, r *rest.Request) ([]byte, error) {
	answer, err := r.Stream(ctx) // Do says in a log line of its own that a body is too large
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	return io.ReadAll(answer)
}

func listFailed(q Query, err error) error {
	return fmt.Errorf("list %s in namespace %q: %w", q.Resource.Resource, q.Namespace, err)
}
