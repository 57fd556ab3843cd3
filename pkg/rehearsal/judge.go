package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Said is what the API server said of one piece.
type Said string

// What it says. The zero value is none of them and counts as Away.
const (
	// Taken: it would create the object.
	Taken Said = "Taken"
	// Refused: it would not, and says why.
	Refused Said = "Refused"
	// Unjudged: it cannot say so of a dry run, so that only the creation tells. It keeps nothing from being started.
	Unjudged Said = "Unjudged"
	// Away: it could not be asked now.
	Away Said = "Away"
)

// Answer is what the API server answered for one piece.
type Answer struct {
	Piece
	// Said is what it means.
	Said Said
	// Reason is a CamelCase word for it; empty when the piece is taken.
	Reason string
	// Message is the API server's text; empty when the piece is taken.
	Message string
	// Replaces is true when the running cluster has an object of that kind and name, which goes before this one is made.
	// Looked at where a quota refuses.
	Replaces bool
}

// Running are the pods of the cluster that is to be stopped.
type Running struct {
	// Pods are those that have not ended.
	Pods []*corev1.Pod
}

// Verdict is what the answers mean together.
type Verdict struct {
	// Said is Taken, Refused or Away.
	Said Said
	// Reason is that of the first answer which decided.
	Reason string
	// Message is one line; empty when all is taken.
	Message string
}

// NeedsRunning reports whether the answers can be judged only with what the running cluster holds: a quota refuses, and
// the objects that go count in it still.
func NeedsRunning(answers []Answer) bool {
	return slices.ContainsFunc(answers, func(a Answer) bool {
		_, is := readQuota(a.Message)
		return a.Said == Refused && is
	})
}

// Judge says whether the start would be taken. First match wins:
//
//	an answer that is                                        then
//	Refused, and no quota that the stop makes room in        Refused, with all of these
//	Away, or none of the known ones                          Away
//	-                                                        Taken
func Judge(answers []Answer, running Running) Verdict {
	var refused, away []Answer
	for _, a := range answers {
		switch a.Said {
		case Taken, Unjudged:
		case Refused:
			if q, is := readQuota(a.Message); !is || !q.fits(a, answers, running) {
				refused = append(refused, a)
			}
		default:
			away = append(away, a)
		}
	}
	switch {
	case len(refused) > 0:
		return verdict(Refused, refused)
	case len(away) > 0:
		return verdict(Away, away)
	}
	return Verdict{Said: Taken}
}

// verdict tells every different text once, in the order of the pieces.
func verdict(said Said, answers []Answer) Verdict {
	var texts []string
	for _, a := range answers {
		text := fmt.Sprintf("%s %s: %s", a.Kind, a.Object.GetName(), a.Message)
		if a.Kind == "Pod" {
			text = "pod: " + a.Message
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return Verdict{Said: said, Reason: answers[0].Reason, Message: strings.Join(texts, "; ")}
}
