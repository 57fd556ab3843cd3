package flinkrest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

var nan = Number(math.NaN())

// unmarshalInto exists so that types with their own UnmarshalJSON can use the default one on a plain copy.
func unmarshalInto(text []byte, out any) error { return json.Unmarshal(text, out) }

// maxQuery bounds the list of names of one request, in bytes after escaping: Flink's server takes a request line of 4
// KiB.
const maxQuery = 3 << 10

// Aggregate is a metric over subtasks or TaskManagers. What was not asked for or does not exist is NaN.
type Aggregate struct {
	// ID is the metric's name.
	ID string `json:"id"`
	// Min is the smallest value.
	Min Number `json:"min"`
	// Max is the largest value.
	Max Number `json:"max"`
	// Avg is the mean.
	Avg Number `json:"avg"`
	// Sum is the sum.
	Sum Number `json:"sum"`
	// Skew is in percent (Flink 1.18 and later).
	Skew Number `json:"skew"`
}

// UnmarshalJSON makes absent values NaN.
func (a *Aggregate) UnmarshalJSON(text []byte) error {
	type plain Aggregate
	out := plain{Min: nan, Max: nan, Avg: nan, Sum: nan, Skew: nan}
	if err := unmarshalInto(text, &out); err != nil {
		return err
	}
	*a = Aggregate(out)
	return nil
}

type metricList []struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

func (l *metricList) Check() error { return listPresent(*l == nil) }

type aggregateList []Aggregate

func (l *aggregateList) Check() error { return listPresent(*l == nil) }

func listPresent(missing bool) error {
	if missing {
		return errors.New("a list of metrics is missing")
	}
	return nil
}

// Metrics reads metrics of a job (GET /jobs/:jobid/metrics?get=…) as the texts Flink writes. A metric that does not
// exist is not in the map; so is every metric of a job that Flink does not know, which is no error here.
func (c *Client) Metrics(ctx context.Context, jobID string, names []string) (map[string]string, error) {
	return c.values(ctx, "read job metrics", []string{"jobs", jobID, "metrics"}, names)
}

// JobManagerMetrics reads metrics of the JobManager (GET /jobmanager/metrics?get=…), such as taskSlotsTotal.
func (c *Client) JobManagerMetrics(ctx context.Context, names []string) (map[string]string, error) {
	return c.values(ctx, "read JobManager metrics", []string{"jobmanager", "metrics"}, names)
}

// VertexMetricNames lists the metrics that the subtasks of a vertex have
// (GET /jobs/:jobid/vertices/:vertexid/subtasks/metrics).
func (c *Client) VertexMetricNames(ctx context.Context, jobID, vertexID string) ([]string, error) {
	var out aggregateList
	err := c.conn.Do(ctx, wire.Call{
		Op: "list vertex metrics", Method: http.MethodGet, Path: vertexMetrics(jobID, vertexID), Out: &out,
	})
	names := make([]string, 0, len(out))
	for _, metric := range out {
		names = append(names, metric.ID)
	}
	return names, err
}

// VertexMetrics reads metrics over the subtasks of a vertex. If one of the names of a request has no value anywhere,
// Flink's answer is empty.
func (c *Client) VertexMetrics(
	ctx context.Context, jobID, vertexID string, names []string,
) (map[string]Aggregate, error) {
	return c.aggregates(ctx, "read vertex metrics", vertexMetrics(jobID, vertexID), names)
}

// TaskManagerMetrics reads metrics over all TaskManagers (GET /taskmanagers/metrics?get=…). If one of the names of a
// request has no value anywhere, Flink's answer is empty.
func (c *Client) TaskManagerMetrics(ctx context.Context, names []string) (map[string]Aggregate, error) {
	return c.aggregates(ctx, "read TaskManager metrics", []string{"taskmanagers", "metrics"}, names)
}

func vertexMetrics(jobID, vertexID string) []string {
	return []string{"jobs", jobID, "vertices", vertexID, "subtasks", "metrics"}
}

func (c *Client) values(ctx context.Context, op string, path, names []string) (map[string]string, error) {
	values := map[string]string{}
	for _, some := range queries(names) {
		var out metricList
		err := c.conn.Do(
			ctx, wire.Call{Op: op, Method: http.MethodGet, Path: path, Query: url.Values{"get": {some}}, Out: &out},
		)
		if err != nil {
			return nil, err
		}
		for _, metric := range out {
			values[metric.ID] = metric.Value
		}
	}
	return values, nil
}

func (c *Client) aggregates(ctx context.Context, op string, path, names []string) (map[string]Aggregate, error) {
	values := map[string]Aggregate{}
	for _, some := range queries(names) {
		var out aggregateList
		err := c.conn.Do(
			ctx, wire.Call{Op: op, Method: http.MethodGet, Path: path, Query: url.Values{"get": {some}}, Out: &out},
		)
		if err != nil {
			return nil, err
		}
		for _, metric := range out {
			values[metric.ID] = metric
		}
	}
	return values, nil
}

// queries joins the names with commas into as few lists as fit a request line each.
func queries(names []string) []string {
	var lists []string
	list, size := []string{}, 0
	for _, name := range names {
		width := len(url.QueryEscape(name)) + len("%2C")
		if len(list) > 0 && size+width > maxQuery {
			lists, list, size = append(lists, strings.Join(list, ",")), nil, 0
		}
		list, size = append(list, name), size+width
	}
	if len(list) > 0 {
		lists = append(lists, strings.Join(list, ","))
	}
	return lists
}
