package operation_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// etcd restored from an older copy brings resourceVersions back, and with them would come the IDs of the operation
// (which name the uploaded jar, too), of the savepoint and of the job.
func TestIDsDoNotComeBackWithARestoredEtcdOfASessionJob(t *testing.T) {
	for mode, kinds := range map[string]int{"savepoint": 3, "last-state": 2, "stateless": 2} {
		t.Run(mode, func(t *testing.T) {
			upgraded := func(later time.Duration) (ids map[string]string, version int) {
				w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
				w.UntilSteady()
				w.Sleep(later)
				w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
				ids = map[string]string{}
				for ; len(w.Runs) < 2 && len(w.Log) < 100; w.Sleep(10 * time.Second) {
					if w.Round(); w.Status().Intent != nil {
						i := w.Status().Intent
						ids["operation"] = i.OperationID
						if i.TriggerID != "" {
							ids["trigger"] = i.TriggerID
						}
					}
				}
				if len(w.Runs) == 2 {
					ids["job"] = w.Runs[1].JobID
				}
				return ids, w.Version
			}
			first, version := upgraded(time.Minute)
			again, versionAgain := upgraded(time.Hour)
			if len(first) != kinds || len(again) != kinds || version != versionAgain {
				t.Fatalf("IDs %v and %v at versions %d and %d: the versions have to come back", first, again, version,
					versionAgain)
			}
			for kind, id := range first {
				if again[kind] == id {
					t.Errorf("%s %s came back", kind, id)
				}
			}
		})
	}
}

// Nor do the IDs of the savepoints and checkpoints that status records come back.
func TestRecordedIDsDoNotComeBack(t *testing.T) {
	recorded := func(later time.Duration) (ids []string, version int) {
		w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
		w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.snapshot.resource.enabled":"false"}`))
		w.UntilSteady()
		w.Sleep(later)
		nonce := int64(7)
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
			s.Job.SavepointTriggerNonce, s.Job.CheckpointTriggerNonce = &nonce, &nonce
		})
		for _, a := range w.Round().Actions {
			switch a := a.(type) {
			case plan.TriggerSavepoint:
				ids = append(ids, a.TriggerID)
			case plan.TriggerCheckpoint:
				ids = append(ids, a.TriggerID)
			}
		}
		return ids, w.Version
	}
	first, version := recorded(time.Minute)
	again, versionAgain := recorded(time.Hour)
	if len(first) != 2 || len(again) != 2 || version != versionAgain {
		t.Fatalf("IDs %q and %q at versions %d and %d: the versions have to come back", first, again, version,
			versionAgain)
	}
	for i, id := range first {
		if again[i] == id {
			t.Errorf("%s came back", id)
		}
	}
}
