//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// failed waits until Flink says that the one job of a cluster has failed for good, and says when that was.
func (c *cluster) failed(t *testing.T, name string) (at time.Time) {
	t.Helper()
	poll(t, startLimit, "the job of "+name+" fails", func(ctx context.Context) (bool, error) {
		var answer struct {
			Jobs []struct {
				State string `json:"state"`
				End   int64  `json:"end-time"`
			} `json:"jobs"`
		}
		if err := c.flink(ctx, name, "/jobs/overview", &answer); err != nil {
			return false, err
		}
		if len(answer.Jobs) != 1 || answer.Jobs[0].State != "FAILED" {
			return false, fmt.Errorf("jobs: %+v", answer.Jobs)
		}
		at = time.UnixMilli(answer.Jobs[0].End)
		return true, nil
	})
	return at
}

// A job that was steady and fails for good is told, with its cause, by the next look of the clock at the latest.
func TestAFailureForGoodIsTold(t *testing.T) {
	rows := []struct {
		title, name, cause string
		aim                time.Duration
		change             func(*unstructured.Unstructured)
		provoke            func(t *testing.T, name string)
	}{
		{"when it was steady", "fails-late", "Recovery is suppressed", 66 * time.Second,
			func(u *unstructured.Unstructured) {
				set(t, u, map[string]any{"restart-strategy.type": "disable"}, "spec", "flinkConfiguration")
			},
			func(t *testing.T, name string) {
				t.Helper()
				kube.resource(t, name, startLimit).until("is STABLE", state("STABLE"))
				if err := kube.kill(t.Context(), space, "app="+name+",component=taskmanager"); err != nil {
					t.Fatal(err)
				}
			}},
	}
	for _, row := range rows {
		t.Run(row.title, func(t *testing.T) {
			kube.create(t, example(t, "basic.yaml", row.name, row.change))
			row.provoke(t, row.name)
			resource := kube.resource(t, row.name, startLimit)
			at := kube.failed(t, row.name)
			told := resource.until("tells the failure", func(o object) (bool, string) {
				if o.Unstructured == nil {
					return false, "there is no FlinkDeployment"
				}
				is, why := text(o.Unstructured, "status", "jobStatus", "state"), text(o.Unstructured, "status", "error")
				return is == "FAILED" && why != "", fmt.Sprintf("the job is %s, error %q", is, why)
			})
			if why := text(told.Unstructured, "status", "error"); !strings.Contains(why, row.cause) {
				t.Errorf("status.error names no cause: %s", why)
			}
			figures.duration("a job fails for good "+row.title+": Flink to status", row.aim, max(0, told.at.Sub(at)))
		})
	}
}
