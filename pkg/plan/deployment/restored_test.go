package deployment

import (
	"testing"
	"time"
)

// etcd restored from an older copy brings resourceVersions back, and what was derived from them would come back with
// them.
func TestIDsDoNotComeBackWithARestoredEtcd(t *testing.T) {
	for name, edit := range map[string]string{"a savepoint": stateful, "no state": application} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, edit)
			copied, version := *w.s.Resource.DeepCopy(), w.version
			ids := func() (operation, trigger, job string) {
				w.edit(upgradeImage)
				w.run()
				operation, trigger = w.status().Intent.OperationID, w.status().Intent.TriggerID
				if edit == application {
					w.terminate()
					w.run()
					job = w.status().JobStatus.JobID
				}
				return operation, trigger, job
			}
			operation, trigger, job := ids()
			w = stable(t, edit)
			w.s.Resource, w.version, w.s.Now = &copied, version, w.s.Now.Add(time.Hour)
			again, triggered, started := ids()
			if again == operation || (trigger != "" && triggered == trigger) || (job != "" && started == job) {
				t.Errorf("operation %s, trigger %s, job %s came back", again, triggered, started)
			}
		})
	}
}
