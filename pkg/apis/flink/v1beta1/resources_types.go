package v1beta1

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Resource is the older way to size a container. It is ignored when
// ResourceRequirements with a request or a limit stand beside it.
type Resource struct {
	// CPU cores; absent means not set.
	CPU *float64 `json:"cpu,omitempty"`
	// Memory as a Flink memory size ("2048m", "2 gb") or a Kubernetes quantity
	// ("2Gi"); empty means not set.
	Memory string `json:"memory,omitempty"`
	// EphemeralStorage as a Kubernetes quantity; empty means not set.
	EphemeralStorage string `json:"ephemeralStorage,omitempty"`
}

// ResourceRequirements are Kubernetes resource requirements whose quantities
// keep the text the user wrote, so that an unreadable one can be reported with
// its path.
type ResourceRequirements struct {
	// Claims name resource claims of the pod that the container uses.
	Claims []corev1.ResourceClaim `json:"claims,omitzero"`
	// Limits by resource name (cpu, memory, ephemeral-storage, …).
	Limits map[string]Quantity `json:"limits,omitzero"`
	// Requests by resource name.
	Requests map[string]Quantity `json:"requests,omitzero"`
}

// IsUsable tells whether the requirements size anything: a request or a limit
// is written. {} and claims alone count as absent.
func (r *ResourceRequirements) IsUsable() bool {
	return r != nil && len(r.Requests)+len(r.Limits) > 0
}

// Quantity is a Kubernetes quantity as written: text ("1024m") or a number.
// Empty means not set.
type Quantity string

// UnmarshalJSON accepts a string or a number and keeps its text.
func (q *Quantity) UnmarshalJSON(text []byte) error {
	trimmed := strings.TrimSpace(string(text))
	switch {
	case trimmed == "null":
		*q = ""
		return nil
	case strings.HasPrefix(trimmed, `"`):
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		*q = Quantity(s)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(text, &number); err != nil {
		return fmt.Errorf("quantity must be a string or a number: %w", err)
	}
	*q = Quantity(number)
	return nil
}

// Parse reads the text as a Kubernetes quantity. The error names the text.
func (q Quantity) Parse() (resource.Quantity, error) {
	parsed, err := resource.ParseQuantity(strings.TrimSpace(string(q)))
	if err != nil {
		return resource.Quantity{}, fmt.Errorf(
			"quantity %q cannot be read: write a number with an optional unit, such as 500m or 2Gi", string(q),
		)
	}
	return parsed, nil
}
