package deployment_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// High-availability data may be of another cluster of this name: it goes with a resource that ran, and whose place
// nobody has taken.
func TestADeletionLeavesTheDataOfAnotherCluster(t *testing.T) {
	rows := map[string]struct {
		of    func(t *testing.T) *enginetest.Deployment
		stays bool
	}{
		"it has run": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Lose()
			return w
		}, false},
		"it was never deployed": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.HighlyAvailable)
			w.Round()
			return w
		}, true},
		"another owner has its place": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			jm := w.Deployment().DeepCopy()
			jm.OwnerReferences = nil
			w.Snapshot.JobManager = plan.Present(jm)
			return w
		}, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.of(t)
			w.Snapshot.HAData = enginetest.HaMaps("1")
			w.Delete()
			w.Run()
			if data, _ := w.Snapshot.HAData.Get(); !w.Gone || (len(data) > 0) != row.stays {
				t.Errorf("gone %t, %d ConfigMaps, to stay: %t; rounds %q", w.Gone, len(data), row.stays, w.Log)
			}
		})
	}
}

func TestADeletionIsToldOnce(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Delete()
	for range 3 {
		w.Run()
	}
	w.Terminate()
	if w.Run(); !w.Gone || w.Told("Cleanup") != 1 {
		t.Errorf("gone %t, told %d times; rounds %q", w.Gone, w.Told("Cleanup"), w.Log)
	}
}
