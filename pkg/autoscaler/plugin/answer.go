package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Answer is what a plug-in said of a sample.
type Answer struct {
	// Kind and Name are those of the question.
	Kind Kind `json:"kind"`
	// Name is that of the plug-in.
	Name string `json:"name"`
	// Metrics are those that an evaluator gives, by hex ID of the vertex. A number that is not known leaves the one that
	// was evaluated.
	Metrics map[string]map[model.Metric]Value `json:"metrics,omitempty"`
	// Parallelism is what an alignment mode or an executor gives, by hex ID of the vertex. An alignment mode leaves a
	// vertex that it does not name to BALANCED; an executor holds it back.
	Parallelism map[string]int `json:"parallelism,omitempty"`
	// Problem is why there is no answer; empty when there is one.
	Problem string `json:"problem,omitempty"`
}

// maxProblem bounds what is kept of a problem, in bytes.
const maxProblem = 256

// Failed is no answer, and why.
func (q Question) Failed(why error) Answer {
	text := why.Error()
	return Answer{Kind: q.Kind, Name: q.Name, Problem: text[:min(len(text), maxProblem)]}
}

// Read reads the text of an answer. What does not fit the question is no answer.
//
//	the kind    the answer has           else it is no answer
//	evaluator   metrics that are known   of a vertex that was asked about
//	the rest    parallelism              the same, from 1 to its max parallelism
func (q Question) Read(text []byte) Answer {
	var said struct {
		Metrics     map[string]map[model.Metric]Value `json:"metrics"`
		Parallelism map[string]int                    `json:"parallelism"`
		Problem     string                            `json:"problem"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return q.Failed(fmt.Errorf("the answer is no JSON of that form: %w", err))
	}
	if said.Problem != "" {
		return q.Failed(errors.New(said.Problem))
	}
	a := Answer{Kind: q.Kind, Name: q.Name}
	if q.Kind == KindEvaluator {
		a.Metrics = said.Metrics
	} else {
		a.Parallelism = said.Parallelism
	}
	if err := q.fits(a); err != nil {
		return q.Failed(err)
	}
	return a
}

func (q Question) fits(a Answer) error {
	for id, metrics := range a.Metrics {
		if _, err := q.vertex(id); err != nil {
			return err
		}
		for name := range metrics {
			if !model.Known(name) {
				return fmt.Errorf("the answer has metric %q of vertex %s, which is not known", name, id)
			}
		}
	}
	for id, parallelism := range a.Parallelism {
		v, err := q.vertex(id)
		if err != nil {
			return err
		}
		if parallelism < 1 || parallelism > v.MaxParallelism {
			return fmt.Errorf("the answer has parallelism %d of vertex %s, which is not between 1 and its max parallelism %d",
				parallelism, id, v.MaxParallelism)
		}
	}
	return nil
}

func (q Question) vertex(id string) (Vertex, error) {
	i := slices.IndexFunc(q.Vertices, func(v Vertex) bool { return v.ID == id })
	if i < 0 {
		return Vertex{}, fmt.Errorf("the answer has vertex %q, which was not asked about", id)
	}
	return q.Vertices[i], nil
}

// Of finds the answer of a plug-in; false when it was not asked yet.
func Of(answers []Answer, kind Kind, name string) (Answer, bool) {
	for _, a := range answers {
		if a.Kind == kind && a.Name == name {
			return a, true
		}
	}
	return Answer{}, false
}

// Evaluations are the metrics of an evaluator's answer.
func (a Answer) Evaluations() map[string]model.Evaluation {
	evaluations := make(map[string]model.Evaluation, len(a.Metrics))
	for id, metrics := range a.Metrics {
		evaluations[id] = make(model.Evaluation, len(metrics))
		for name, value := range metrics {
			evaluations[id][name] = model.Evaluated{
				Current: float64(value.Current), Average: float64(value.Average),
			}
		}
	}
	return evaluations
}
