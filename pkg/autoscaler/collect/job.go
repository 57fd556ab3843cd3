package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// ErrNotReady is a job that cannot be looked at yet. The cycle ends without an event, and nothing is stored.
var ErrNotReady = errors.New("the job is not ready to be looked at")

// Job is what the autoscaler reads of the answer of GET /jobs/{jid}.
type Job struct {
	// Running is when the job went to RUNNING last, by the JobManager's clock.
	Running time.Time
	// Vertices are those of its plan, without the number of source partitions.
	Vertices []model.Vertex
}

// Decimal is a number of Flink's answers; it may come as text, and be NaN.
type decimal float64

func (d *decimal) UnmarshalJSON(content []byte) error {
	text := strings.Trim(string(content), `"`)
	if text == "null" {
		*d = decimal(model.NaN)
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", text)
	}
	*d = decimal(value)
	return nil
}

// details is the form of the answer.
type details struct {
	Timestamps map[string]int64 `json:"timestamps"`
	Vertices   []struct {
		ID             string `json:"id"`
		MaxParallelism int    `json:"maxParallelism"`
		SlotSharing    string `json:"slotSharingGroupId"`
		Status         string `json:"status"`
		Metrics        struct {
			Read  float64  `json:"read-records"`
			Write float64  `json:"write-records"`
			Busy  *decimal `json:"accumulated-busy-time"`
		} `json:"metrics"`
	} `json:"vertices"`
	Plan struct {
		Nodes []struct {
			ID          string `json:"id"`
			Parallelism int    `json:"parallelism"`
			Inputs      []struct {
				ID   string `json:"id"`
				Ship string `json:"ship_strategy"`
			} `json:"inputs"`
		} `json:"nodes"`
	} `json:"plan"`
}

// ParseJob reads the body of GET /jobs/{jid}. It returns ErrNotReady for a job whose plan has no nodes yet.
func ParseJob(body []byte) (Job, error) {
	var d details
	if err := json.Unmarshal(body, &d); err != nil {
		return Job{}, fmt.Errorf("could not read the details of the job: %w", err)
	}
	running, ok := d.Timestamps["RUNNING"]
	if !ok {
		return Job{}, errors.New("the details of the job have no time of RUNNING")
	}
	if len(d.Plan.Nodes) == 0 {
		return Job{}, fmt.Errorf("%w: its plan has no vertices", ErrNotReady)
	}
	job := Job{Running: time.UnixMilli(running).UTC()}
	for _, node := range d.Plan.Nodes {
		v := model.Vertex{ID: node.ID, Parallelism: node.Parallelism}
		for _, in := range node.Inputs {
			v.Inputs = withEdge(v.Inputs, model.Edge{Vertex: in.ID, Ship: model.ParseShipStrategy(in.Ship)})
		}
		job.Vertices = append(job.Vertices, v)
	}
	d.fill(job.Vertices)
	return job, nil
}

// fill adds what stands in the list of vertices to those of the plan. The figures of a finished vertex count as zero.
func (d details) fill(vertices []model.Vertex) {
	for i := range vertices {
		v := &vertices[i]
		for _, info := range d.Vertices {
			if info.ID != v.ID {
				continue
			}
			v.MaxParallelism, v.SlotSharingGroup = info.MaxParallelism, info.SlotSharing
			v.Finished = info.Status == "FINISHED"
			if v.Finished {
				continue
			}
			v.Counters = model.Counters{RecordsIn: info.Metrics.Read, RecordsOut: info.Metrics.Write, BusyTime: math.NaN()}
			if info.Metrics.Busy != nil {
				v.Counters.BusyTime = float64(*info.Metrics.Busy)
			}
		}
	}
}

// withEdge adds an edge. Several between the same two vertices count as one, the last.
func withEdge(edges []model.Edge, e model.Edge) []model.Edge {
	for i := range edges {
		if edges[i].Vertex == e.Vertex {
			edges[i] = e
			return edges
		}
	}
	return append(edges, e)
}
