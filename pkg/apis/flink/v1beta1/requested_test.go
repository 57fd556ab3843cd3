package v1beta1

import (
	"strings"
	"testing"
)

// A long value is remembered by its hash: status stays small, and another value is another one.
func TestReconcileRequested(t *testing.T) {
	of := func(value string) string {
		return ReconcileRequested(map[string]string{AnnotationReconcileRequested: value})
	}
	long := strings.Repeat("x", 1000)
	if of("2026-01-01T12:00:00Z") != "2026-01-01T12:00:00Z" || of("") != "" || ReconcileRequested(nil) != "" {
		t.Error("a short value is not remembered as it is")
	}
	if a, b := of(long+"a"), of(long+"b"); a == b || len(a) != 64 || a != of(long+"a") {
		t.Errorf("%q and %q", a, b)
	}
}
