package operation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
)

// etcd restored from an older copy brings resourceVersions back, and what was derived from them would come back with
// them.
func TestIDsDoNotComeBackWithARestoredEtcd(t *testing.T) {
	rows := map[string]struct {
		spec string
		ids  func(w *enginetest.Deployment) []string
	}{
		"a savepoint": {enginetest.Stateful, func(w *enginetest.Deployment) []string {
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			return []string{w.Status().Intent.OperationID, w.Status().Intent.TriggerID}
		}},
		"no state": {enginetest.Application, func(w *enginetest.Deployment) []string {
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			operation := w.Status().Intent.OperationID
			w.Terminate()
			w.Run()
			return []string{operation, w.Status().JobStatus.JobID}
		}},
		"snapshots in status": {enginetest.Recording, func(w *enginetest.Deployment) []string {
			w.Edit(enginetest.Nonces(7))
			w.Round()
			job := w.Status().JobStatus
			return []string{*job.SavepointInfo.TriggerID, *job.CheckpointInfo.TriggerID}
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			copied, version := *w.Snapshot.Resource.DeepCopy(), w.Version
			first := row.ids(w)
			w = enginetest.Stable(t, row.spec)
			w.Snapshot.Resource, w.Version, w.Snapshot.Now = &copied, version, w.Snapshot.Now.Add(time.Hour)
			again := row.ids(w)
			for i, id := range first {
				if id == "" || slices.Contains(again, id) {
					t.Errorf("ID %d of %q came back: %q", i, first, again)
				}
			}
		})
	}
}
