package deployment

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// High-availability data may be of another cluster of this name: it goes with a resource that ran, and whose place
// nobody has taken.
func TestADeletionLeavesTheDataOfAnotherCluster(t *testing.T) {
	rows := map[string]struct {
		of    func(t *testing.T) *fixture
		stays bool
	}{
		"it has run": {func(t *testing.T) *fixture { w := stable(t, highlyAvailable); w.lose(); return w }, false},
		"it was never deployed": {func(t *testing.T) *fixture {
			w := newWorld(t, highlyAvailable)
			w.round()
			return w
		}, true},
		"another owner has its place": {func(t *testing.T) *fixture {
			w := stable(t, highlyAvailable)
			jm := w.deployment().DeepCopy()
			jm.OwnerReferences = nil
			w.s.JobManager = plan.Present(jm)
			return w
		}, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.of(t)
			w.s.HAData = haMaps("1")
			w.delete()
			w.run()
			if data, _ := w.s.HAData.Get(); !w.gone || (len(data) > 0) != row.stays {
				t.Errorf("gone %t, %d ConfigMaps, to stay: %t; rounds %q", w.gone, len(data), row.stays, w.log)
			}
		})
	}
}

func TestADeletionIsToldOnce(t *testing.T) {
	w := stable(t, application)
	w.delete()
	for range 3 {
		w.run()
	}
	w.terminate()
	if w.run(); !w.gone || w.told("Cleanup") != 1 {
		t.Errorf("gone %t, told %d times; rounds %q", w.gone, w.told("Cleanup"), w.log)
	}
}
