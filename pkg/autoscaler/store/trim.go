package store

import "github.com/kn-flink/kn-flink/pkg/autoscaler/model"

// MaxLength is how long the three compressed values may be together, in characters. A ConfigMap holds 1 MiB.
const MaxLength = 1_000_000

// Length is how long the samples are in the store.
func Length(w model.Window) int { return len(compressed(samplesText(w))) }

// Trim drops the oldest samples until what is stored fits into MaxLength beside the other compressed values, or none is
// left. length is that of some samples in the store, such as Length.
func Trim(w model.Window, others int, length func(model.Window) int) model.Window {
	for len(w) > 0 && others+length(w) > MaxLength {
		w = w[1:]
	}
	return w
}

// Text gives the compressed values of a store as plain YAML, for people.
func Text(s model.State) map[string]string {
	return map[string]string{
		SamplesKey: samplesText(s.Samples), HistoryKey: historyText(s.History), RestartsKey: restartsText(s.Restarts),
	}
}
