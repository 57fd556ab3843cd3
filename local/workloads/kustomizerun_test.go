//go:build nightly

package workloads

import "testing"

// TestAnOverlayRuns: what Kustomize makes of the overlay staging runs.
func TestAnOverlayRuns(t *testing.T) {
	objects := rendered(t, kustomize+"overlays/staging", append(
		[]string{"registry.example.com/sql-runner:staging", "flink:2.2"}, onThisMachine(t)...)...)
	ns.Apply(t, objects["ConfigMap"], objects["FlinkDeployment"])
	ns.Stable(t, "staging-orders", nil)
}
