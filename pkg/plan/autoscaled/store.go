package autoscaled

import (
	"maps"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
)

// The ConfigMap in which the autoscaler keeps what it knows of a job.
const (
	// StorePrefix and the name of the resource are its name.
	StorePrefix = store.Prefix
	// StoreSelector and the name of the resource select it by its labels.
	StoreSelector = store.Selector
)

// Store is what the autoscaler stored as its own decisions.
type Store struct {
	// Vertices are those whose parallelism it has set, by hex ID.
	Vertices map[string]bool
	// Options are those of flinkConfiguration that it has set or taken away to fit memory; empty when it never did.
	Options []string
}

// Read reads the data of the ConfigMap. What cannot be read counts as never stored.
func Read(data map[string]string) Store {
	s := Store{Vertices: map[string]bool{}}
	for vertex := range vertices(data[store.ParallelismKey]) {
		s.Vertices[vertex] = true
	}
	changes := store.ReadConfig(data[store.ConfigKey])
	if s.Options = slices.Collect(maps.Keys(changes.Overrides)); len(s.Options) > 0 {
		s.Options = append(s.Options, changes.Removals...)
	}
	slices.Sort(s.Options)
	return s
}

// vertices reads the parallelism of vertices. What cannot be read is left out.
func vertices(text string) map[string]string {
	found, _ := store.ReadParallelism(text)
	return found
}

// text prints the parallelism of vertices as Flink reads it.
func text(of map[string]string) string { return store.WriteParallelism(of) }
