package guesttest

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// Noon is when tests look.
var Noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// NewLife is the life of a stateful job that was deployed, on a host that is always there, with what a test makes of
// what is seen.
func NewLife(t *testing.T, change func(s *world.Seen)) *world.Look {
	t.Helper()
	r := &v1beta1.FlinkDeployment{}
	r.Namespace, r.Name, r.Generation = "default", "demo", 1
	r.Spec.Job = &v1beta1.JobSpec{UpgradeMode: v1beta1.UpgradeModeSavepoint, State: v1beta1.JobStateRunning}
	text, err := v1beta1.ReconciledDeployment{Spec: r.Spec}.Text()
	if err != nil {
		t.Fatal(err)
	}
	r.Status.ReconciliationStatus.LastReconciledSpec = text
	r.Status.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	r.Status.ObservedGeneration, r.Status.JobStatus.JobID = 1, "a"
	seen := &world.Seen{Now: Noon, Operator: flinkconf.NewOperator(nil), Resource: r}
	change(seen)
	v := world.New(seen)
	v.Host = &Guest{Look: v}
	return v
}

// NeverDeployed forgets what was deployed.
func NeverDeployed(s *world.Seen) {
	s.Resource.Status.ReconciliationStatus = v1beta1.ReconciliationStatus{}
}
