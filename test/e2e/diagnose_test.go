//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// diagnose prints what a person would look at after a failure: the resources' status, the events, the functions' logs.
func (c *cluster) diagnose(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var b strings.Builder
	crs, err := c.list(ctx, life.Resources, space, "")
	fmt.Fprintf(&b, "FlinkDeployments in %s: %d %v\n", space, len(crs), err)
	for i, u := range crs {
		if i == 3 {
			fmt.Fprintln(&b, "…")
			break
		}
		status, _ := yaml.Marshal(map[string]any{
			"generation": u.GetGeneration(), "deleted": u.GetDeletionTimestamp(), "status": u.Object["status"],
		})
		fmt.Fprintf(&b, "--- %s\n%s", u.GetName(), status)
	}
	list, _ := c.list(ctx, pods, space, "")
	for _, u := range list {
		fmt.Fprintf(&b, "pod %s %s\n", u.GetName(), watch.Text(&u, "status", "phase"))
	}
	list, _ = c.list(ctx, events, space, "")
	for _, u := range list {
		if watch.Text(&u, "type") == "Warning" || watch.Text(&u, "involvedObject", "kind") == "FlinkDeployment" {
			fmt.Fprintf(
				&b, "event %s %s %s: %s\n", watch.Text(&u, "involvedObject", "kind"), watch.Text(&u, "involvedObject", "name"),
				watch.Text(&u, "reason"), watch.Text(&u, "message"),
			)
		}
	}
	list, _ = c.list(ctx, pods, system, "")
	for _, u := range list {
		function := u.GetLabels()["serving.knative.dev/service"]
		fmt.Fprintf(&b, "pod %s %s\n", u.GetName(), watch.Text(&u, "status", "phase"))
		if function == "" {
			continue
		}
		log, err := c.raw(
			ctx, fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log?container=user-container&tailLines=40", system, u.GetName()),
		)
		fmt.Fprintf(&b, "%s %v\n", log, err)
	}
	t.Log(b.String())
}
