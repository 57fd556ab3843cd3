package flinkrest

import (
	"context"
	"errors"
	"net/http"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// Requirements is the parallelism that a job asks for, by vertex ID (GET and PUT /jobs/:jobid/resource-requirements,
// Flink 1.18 and later, adaptive scheduler only).
type Requirements map[string]Requirement

// Requirement is the range for one vertex.
type Requirement struct {
	// Parallelism is the range.
	Parallelism Bounds `json:"parallelism"`
}

// Bounds is a range of parallelism.
type Bounds struct {
	// Lower is the least that the vertex runs with, 1 or more.
	Lower int `json:"lowerBound"`
	// Upper is the most.
	Upper int `json:"upperBound"`
}

func (r *Requirements) Check() error {
	if *r == nil {
		return errors.New("an object with requirements is missing")
	}
	return nil
}

// ResourceRequirements reads what the job asks for. ErrNoEndpoint: Flink is older than 1.18. ErrNotFound: as Job.
func (c *Client) ResourceRequirements(ctx context.Context, jobID string) (Requirements, error) {
	var out Requirements
	err := c.conn.Do(ctx, wire.Call{
		Op: "read resource requirements", Method: http.MethodGet, Path: []string{"jobs", jobID, "resource-requirements"},
		Out: &out,
	})
	return out, err
}

// SetResourceRequirements asks for another parallelism without a restart of the cluster. Every vertex of the job must
// be named.
func (c *Client) SetResourceRequirements(ctx context.Context, jobID string, requirements Requirements) error {
	return c.conn.Do(ctx, wire.Call{
		Op: "set resource requirements", Method: http.MethodPut, Path: []string{"jobs", jobID, "resource-requirements"},
		Body: requirements,
	})
}
