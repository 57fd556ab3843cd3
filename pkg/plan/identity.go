package plan

import (
	"crypto/sha256"
	"encoding/hex"

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
)

// DeriveID is the identifier for one purpose of the intent that is stored over the given resourceVersion of the resource with the
// given UID: 32 hexadecimal digits, the form of Flink's JobID and TriggerId. There is no counter in it: a resourceVersion is never
// seen twice, so an edited or restored status cannot bring an old identifier back.
func DeriveID(uid types.UID, over string, purpose Purpose) string {
	sum := sha256.Sum256([]byte(string(uid) + "\x00" + over + "\x00" + string(purpose)))
	return hex.EncodeToString(sum[:16])
}
