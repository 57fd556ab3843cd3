package history

import (
	"cmp"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NewestFirst sorts revisions.
func NewestFirst(all []Revision) {
	slices.SortFunc(all, func(a, b Revision) int {
		return cmp.Or(cmp.Compare(b.Number, a.Number), b.Started.Compare(a.Started.Time), cmp.Compare(b.Name, a.Name))
	})
}

// Excess are the revisions that go when so many are kept. The newest start, which runs or whose state the next one
// needs, stays, and so do the one before it, whose state it began from, and the newest of those that were stable.
func Excess(all []Revision, limit int) []Revision {
	const always = 2
	all = slices.Clone(all)
	NewestFirst(all)
	stable := slices.IndexFunc(all, func(r Revision) bool { return r.Stable != nil })
	var gone []Revision
	for i, r := range all {
		if i >= max(limit, always) && i != stable {
			gone = append(gone, r)
		}
	}
	return gone
}

// ChangedBy is the field manager that wrote the spec of a resource last; empty when that is not known.
func ChangedBy(fields []metav1.ManagedFieldsEntry) string {
	var newest metav1.ManagedFieldsEntry
	for _, f := range fields {
		if f.Subresource != "" || f.FieldsV1 == nil || f.Time == nil {
			continue
		}
		var owned map[string]json.RawMessage
		if err := json.Unmarshal(f.FieldsV1.Raw, &owned); err != nil || owned["f:spec"] == nil {
			continue
		}
		if newest.Time == nil || newest.Time.Before(f.Time) {
			newest = f
		}
	}
	return newest.Manager
}
