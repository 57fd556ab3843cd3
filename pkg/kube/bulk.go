package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
)

// What a list may be asked for as, beside whole objects in JSON.
const (
	asTable  = "application/json;as=Table;v=v1;g=meta.k8s.io, application/json"
	asBinary = "application/vnd.kubernetes.protobuf, application/json"
)

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
	var body []byte
	if err := inHalves(q, func(q Query) (err error) {
		body, err = text(ctx, c.list(q, asTable).Param("includeObject", "None"))
		return err
	}); err != nil {
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
	var body []byte
	if err := inHalves(q, func(q Query) (err error) {
		body, err = text(ctx, c.list(q, asBinary))
		return err
	}); err != nil {
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
