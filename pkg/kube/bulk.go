package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	sigsjson "sigs.k8s.io/json"
)

// What a list may be asked for as, beside whole objects in JSON.
const (
	asTable  = "application/json;as=Table;v=v1;g=meta.k8s.io, application/json"
	asBinary = "application/vnd.kubernetes.protobuf, application/json"
)

// Page is the outcome of a list without its objects.
type Page struct {
	// Continue is the token of the next page; empty after the last one.
	Continue string
}

// Row is what a Table says of one object: the cells of its columns, by their names.
type Row map[string]any

// Text is a cell as text; empty when there is none.
func (r Row) Text(column string) string {
	text, _ := r[column].(string)
	return text
}

// Columns are what a Table is read for: the names of columns of the kind's CustomResourceDefinition, and where their
// values are in the object, for a client that knows whole objects only.
type Columns map[string]func(object map[string]any) any

// Table reads one page as a Table: a few columns of each object and not the object. Of the optional columns a row has
// those that the definition of the kind has.
func (c *Client) Table(ctx context.Context, q Query, columns, optional Columns) (Page, []Row, error) {
	wanted := Columns{}
	maps.Copy(wanted, columns)
	maps.Copy(wanted, optional)
	if c.core == nil {
		return c.tableOfObjects(ctx, q, wanted)
	}
	body, err := text(ctx, c.list(q, asTable).Param("includeObject", "None"))
	if err != nil {
		return Page{}, nil, listFailed(q, err)
	}
	var table struct {
		Metadata struct {
			Continue string `json:"continue"`
		} `json:"metadata"`
		Columns []struct {
			Name string `json:"name"`
		} `json:"columnDefinitions"`
		Rows []struct {
			Cells []any `json:"cells"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(body, &table); err != nil {
		return Page{}, nil, listFailed(q, fmt.Errorf("read the table: %w", err))
	}
	at := map[string]int{}
	for i, column := range table.Columns {
		at[column.Name] = i
	}
	for name := range columns {
		if _, there := at[name]; !there {
			return Page{}, nil, listFailed(q, fmt.Errorf("it has no column %q: install its definition again", name))
		}
	}
	rows := make([]Row, 0, len(table.Rows))
	for _, r := range table.Rows {
		row := Row{}
		for name := range wanted {
			if i, there := at[name]; there && i < len(r.Cells) {
				row[name] = r.Cells[i]
			}
		}
		rows = append(rows, row)
	}
	return Page{Continue: table.Metadata.Continue}, rows, nil
}

// tableOfObjects is Table for a client that knows whole objects only.
func (c *Client) tableOfObjects(ctx context.Context, q Query, columns Columns) (Page, []Row, error) {
	list, err := c.List(ctx, q)
	if err != nil {
		return Page{}, nil, err
	}
	rows := make([]Row, 0, len(list.Items))
	for i := range list.Items {
		row := Row{}
		for name, of := range columns {
			row[name] = of(list.Items[i].Object)
		}
		rows = append(rows, row)
	}
	return Page{Continue: list.GetContinue()}, rows, nil
}

// ListEach reads one page and hands the content of each object on, one by one: what nobody keeps of it is garbage
// before the next one is read. Values are as in an unstructured object.
func (c *Client) ListEach(ctx context.Context, q Query, see func(content map[string]any) error) (Page, error) {
	if c.core == nil {
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
	body, err := text(ctx, c.list(q, runtime.ContentTypeJSON))
	if err != nil {
		return Page{}, listFailed(q, err)
	}
	list, err := eachItem(body, see)
	if err != nil {
		return Page{}, listFailed(q, fmt.Errorf("read the list: %w", err))
	}
	return Page{Continue: list.GetContinue()}, nil
}

// whole reads one page with all of its objects. Those of Kubernetes' own kinds do not say what they are; their list
// does.
func (c *Client) whole(ctx context.Context, q Query) (*unstructured.UnstructuredList, error) {
	body, err := text(ctx, c.list(q, runtime.ContentTypeJSON))
	if err != nil {
		return nil, listFailed(q, err)
	}
	var items []unstructured.Unstructured
	list, err := eachItem(body, func(content map[string]any) error {
		items = append(items, unstructured.Unstructured{Object: content})
		return nil
	})
	if err != nil {
		return nil, listFailed(q, fmt.Errorf("read the list: %w", err))
	}
	for _, item := range items {
		if item.GetKind() == "" {
			item.SetAPIVersion(list.GetAPIVersion())
			item.SetKind(strings.TrimSuffix(list.GetKind(), "List"))
		}
	}
	list.Items = items
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

// BinaryList is a list of one of Kubernetes' own kinds, such as a pointer to a PodList.
type BinaryList interface {
	Unmarshal(data []byte) error
	GetContinue() string
}

// ListBinary reads one page of one of Kubernetes' own kinds into its list, in the binary form, which costs a tenth of
// JSON to read. The list is empty before.
func (c *Client) ListBinary(ctx context.Context, q Query, into BinaryList) error {
	if c.core == nil {
		list, err := c.List(ctx, q)
		if err != nil {
			return err
		}
		body, err := json.Marshal(list)
		if err != nil {
			return listFailed(q, err)
		}
		return json.Unmarshal(body, into)
	}
	body, err := text(ctx, c.list(q, asBinary))
	if err != nil {
		return listFailed(q, err)
	}
	wrapped, is := bytes.CutPrefix(body, []byte("k8s\x00"))
	if !is { // a server may answer in the other form that was offered
		return json.Unmarshal(body, into)
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(wrapped); err != nil {
		return listFailed(q, fmt.Errorf("read the list: %w", err))
	}
	if err := into.Unmarshal(envelope.Raw); err != nil {
		return listFailed(q, fmt.Errorf("read the list: %w", err))
	}
	return nil
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

// text is the body of an answer. Raw alone would not read what the API server says of a failure.
func text(ctx context.Context, r *rest.Request) ([]byte, error) {
	result := r.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

func listFailed(q Query, err error) error {
	return fmt.Errorf("list %s in namespace %q: %w", q.Resource.Resource, q.Namespace, err)
}
