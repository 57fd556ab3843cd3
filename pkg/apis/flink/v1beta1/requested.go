package v1beta1

import (
	"crypto/sha256"
	"encoding/hex"
)

// longestRequest is how long a value of AnnotationReconcileRequested may be, in bytes, to be remembered as it is.
const longestRequest = 64

// ReconcileRequested is the value of AnnotationReconcileRequested, as status remembers it: of a long one its SHA-256 in
// hexadecimal digits. Empty means that there is none.
func ReconcileRequested(annotations map[string]string) string {
	value := annotations[AnnotationReconcileRequested]
	if len(value) <= longestRequest {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}
