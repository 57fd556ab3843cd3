package guesttest

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// Deployed records the spec as the one that was deployed, and runs well.
func Deployed(t *testing.T, s *world.Seen) {
	t.Helper()
	text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
	if err != nil {
		t.Fatal(err)
	}
	s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
	s.Resource.Status.ReconciliationStatus.LastStableSpec = text
}
