package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
)

// Decisions are the last ones of the autoscaler for a job.
type Decisions struct {
	metav1.TypeMeta `json:",inline"`
	// Resource is the job's.
	Resource Ref `json:"resource"`
	// Decisions are the newest first.
	Decisions []autoscaler.Explanation `json:"decisions"`
	// Names are those of vertices by ID, where Flink says them.
	Names map[string]string `json:"names,omitempty"`
}

// DecisionsOf are those that are kept of a job, in any order.
func DecisionsOf(of Row, kept []autoscaler.Explanation, names map[string]string) Decisions {
	kept = slices.Clone(kept)
	slices.SortFunc(kept, func(a, b autoscaler.Explanation) int { return b.Time.Compare(a.Time) })
	return Decisions{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "DecisionsView"},
		Resource: of.Ref, Decisions: kept, Names: names,
	}
}

// Text is the newest decision in full, and a line for those before it.
func (d Decisions) Text(now time.Time) string {
	var out strings.Builder
	for i, e := range d.Decisions {
		if i > 0 {
			fmt.Fprintf(&out, "%s %s\n", moment(e.Time, now), e.Outcome)
			continue
		}
		fmt.Fprintf(&out, "%s %s (a restart is expected to take %.0f s)\n", moment(e.Time, now), e.Outcome, e.RestartSeconds)
		for _, v := range e.Vertices {
			text := v.String()
			if name := d.Names[v.Vertex]; name != "" {
				text = strings.Replace(text, "vertex "+v.Vertex, name, 1)
			}
			fmt.Fprintf(&out, "  %s\n", text)
		}
	}
	return out.String()
}
