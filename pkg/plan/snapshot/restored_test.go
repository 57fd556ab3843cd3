package snapshot

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// etcd restored from an older copy brings resourceVersions back, and with them would come the ID of the request. Flink
// would answer that with the savepoint of the one before.
func TestIDsDoNotComeBackWithARestoredEtcd(t *testing.T) {
	for name, spec := range map[string]v1beta1.FlinkStateSnapshotSpec{
		"a savepoint": savepoint(), "a checkpoint": checkpoint(),
	} {
		t.Run(name, func(t *testing.T) {
			asked := func(later time.Duration) (id string, version int) {
				w := newWorld(t, spec).later(later).runJob().run()
				w.want(Triggering, v1beta1.SnapshotInProgress)
				return w.status().TriggerID, w.version
			}
			first, version := asked(time.Minute)
			again, versionAgain := asked(time.Hour)
			if first == "" || version != versionAgain {
				t.Fatalf("ID %q at versions %d and %d: the versions have to come back", first, version, versionAgain)
			}
			if again == first {
				t.Errorf("%s came back", again)
			}
		})
	}
}
