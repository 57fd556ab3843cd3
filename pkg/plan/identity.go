package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Purpose is what a derived identifier is for. Two purposes never give the same identifier.
type Purpose string

// The purposes.
const (
	// PurposeOperation names an operation, that is one intent.
	PurposeOperation Purpose = "operation"
	// PurposeJob names the job that a start submits.
	PurposeJob Purpose = "job"
	// PurposeTrigger names a savepoint or checkpoint request.
	PurposeTrigger Purpose = "trigger"
	// PurposeSavepoint and PurposeCheckpoint name requests that a job's own status records.
	PurposeSavepoint  Purpose = "savepoint"
	PurposeCheckpoint Purpose = "checkpoint"
	// PurposeJobResults names a job result store directory.
	PurposeJobResults Purpose = "job-result-store"
	// PurposeWarmUp names the small job that warms a new cluster.
	PurposeWarmUp Purpose = "warm-up"
)

// DeriveID is the identifier for one purpose of what is stored over a look at the resource with the given UID, as Over
// tells it: 32 hexadecimal digits, the form of Flink's JobID and TriggerId. There is no counter in it, so an edited or
// restored status cannot bring an old identifier back.
func DeriveID(uid types.UID, over string, purpose Purpose) string {
	sum := sha256.Sum256([]byte(string(uid) + "\x00" + over + "\x00" + string(purpose)))
	return hex.EncodeToString(sum[:16])
}

// Over tells one look at a resource from all others: the resourceVersion that it read, and the second in which it did.
// A version alone comes back when etcd is restored from an older copy; the second does not.
func Over(resourceVersion string, now time.Time) string {
	return fmt.Sprintf("%s@%d", resourceVersion, now.Unix())
}
