package sessionjob

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// etcd restored from an older copy brings resourceVersions back, and with them would come the IDs of the operation
// (which name the uploaded jar, too), of the savepoint and of the job.
func TestIDsDoNotComeBackWithARestoredEtcd(t *testing.T) {
	for mode, kinds := range map[string]int{"savepoint": 3, "last-state": 2, "stateless": 2} {
		t.Run(mode, func(t *testing.T) {
			upgraded := func(later time.Duration) (ids map[string]string, version int) {
				w := newWorld(t, stateful(mode))
				w.untilSteady()
				w.sleep(later)
				w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
				ids = map[string]string{}
				for ; len(w.runs) < 2 && len(w.log) < 100; w.sleep(10 * time.Second) {
					if w.round(); w.status().Intent != nil {
						i := w.status().Intent
						ids["operation"] = i.OperationID
						if i.TriggerID != "" {
							ids["trigger"] = i.TriggerID
						}
					}
				}
				if len(w.runs) == 2 {
					ids["job"] = w.runs[1].JobID
				}
				return ids, w.version
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
