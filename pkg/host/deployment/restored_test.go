package deployment

import (
	"slices"
	"testing"
	"time"
)

// etcd restored from an older copy brings resourceVersions back, and what was derived from them would come back with
// them.
func TestIDsDoNotComeBackWithARestoredEtcd(t *testing.T) {
	rows := map[string]struct {
		spec string
		ids  func(w *fixture) []string
	}{
		"a savepoint": {stateful, func(w *fixture) []string {
			w.edit(upgradeImage)
			w.run()
			return []string{w.status().Intent.OperationID, w.status().Intent.TriggerID}
		}},
		"no state": {application, func(w *fixture) []string {
			w.edit(upgradeImage)
			w.run()
			operation := w.status().Intent.OperationID
			w.terminate()
			w.run()
			return []string{operation, w.status().JobStatus.JobID}
		}},
		"snapshots in status": {recording, func(w *fixture) []string {
			w.edit(nonces(7))
			w.round()
			job := w.status().JobStatus
			return []string{*job.SavepointInfo.TriggerID, *job.CheckpointInfo.TriggerID}
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			copied, version := *w.s.Resource.DeepCopy(), w.version
			first := row.ids(w)
			w = stable(t, row.spec)
			w.s.Resource, w.version, w.s.Now = &copied, version, w.s.Now.Add(time.Hour)
			again := row.ids(w)
			for i, id := range first {
				if id == "" || slices.Contains(again, id) {
					t.Errorf("ID %d of %q came back: %q", i, first, again)
				}
			}
		})
	}
}
