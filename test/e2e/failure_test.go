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
	const name = "fails"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, map[string]any{"restart-strategy.type": "disable"}, "spec", "flinkConfiguration")
	}))
	resource := kube.resource(t, name, startLimit)
	resource.until("is STABLE", state("STABLE"))
	if err := kube.kill(t.Context(), space, "app="+name+",component=taskmanager"); err != nil {
		t.Fatal(err)
	}
	at := kube.failed(t, name)
	told := resource.until("tells the failure", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		is, why := text(o.Unstructured, "status", "jobStatus", "state"), text(o.Unstructured, "status", "error")
		return is == "FAILED" && why != "", fmt.Sprintf("the job is %s, error %q", is, why)
	})
	if why := text(told.Unstructured, "status", "error"); !strings.Contains(why, "Recovery is suppressed") {
		t.Errorf("status.error names no cause: %s", why)
	}
	figures.duration("a steady job fails for good: Flink to status", 66*time.Second, max(0, told.at.Sub(at)))
}
