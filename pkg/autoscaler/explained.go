package autoscaler

import (
	"slices"
	"strconv"
)

// MaxKept is how many explanations of a job are kept.
const MaxKept = 10

// String says in a line for each vertex what was decided and why.
func (e Explanation) String() string {
	text := e.Time.UTC().Format("2006-01-02T15:04:05Z") + " " + string(e.Outcome)
	if e.Backlog {
		text += ", while a backlog is worked off"
	}
	for _, v := range e.Vertices {
		text += "\n" + v.String()
	}
	return text
}

// String says what was decided of the vertex and why.
func (v VertexExplanation) String() string {
	text := "vertex " + v.Vertex + ": parallelism " + strconv.Itoa(v.Current)
	if v.New != v.Current {
		text += " -> " + strconv.Itoa(v.New)
	} else if v.Aligned != 0 && v.Aligned != v.Current {
		text += ", " + strconv.Itoa(v.Aligned) + " was considered"
	}
	text += " (" + string(v.Rule) + "). It can process " + v.Seen.Capacity.String() + "/s at a load of " +
		v.Seen.Load.String() + "; " + v.Seen.Target.String() + "/s come in and the target asks for " +
		v.Needed.String() + "/s. It is left alone from " + v.Seen.UpBelow.String() + "/s to " +
		v.Seen.DownAbove.String() + "/s."
	if v.Predicted == v.Predicted {
		text += " Predicted: " + v.Predicted.String() + "/s."
	}
	if p := v.Past; p != nil {
		text += " Its last scaling, " + strconv.Itoa(p.From) + " -> " + strconv.Itoa(p.To) +
			", was predicted to take it from " + p.Before.String() + "/s to " + p.Predicted.String() + "/s and took it to " +
			p.Actual.String() + "/s."
	}
	return text
}

// says reports whether two explanations say the same: the outcome, and of each vertex its parallelism and rule. Rates
// differ from cycle to cycle.
func (e Explanation) says(other Explanation) bool {
	return e.Outcome == other.Outcome && slices.EqualFunc(e.Vertices, other.Vertices, func(a, b VertexExplanation) bool {
		return a.Vertex == b.Vertex && a.Current == b.Current && a.New == b.New && a.Rule == b.Rule
	})
}

// Keep adds an explanation to those that are kept, the newest last. One that says the same as the newest is not added,
// so that a job in balance causes no write.
func Keep(kept []Explanation, e Explanation) []Explanation {
	if n := len(kept); n > 0 && kept[n-1].says(e) {
		return kept
	}
	kept = append(slices.Clone(kept), e)
	return kept[max(0, len(kept)-MaxKept):]
}
