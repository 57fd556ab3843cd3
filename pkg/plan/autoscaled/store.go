package autoscaled

import (
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/confyaml"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// The ConfigMap in which the Java operator's autoscaler keeps what it knows of a job.
const (
	// StorePrefix and the name of the resource are its name.
	StorePrefix = "autoscaler-"
	// StoreSelector and the name of the resource select it by its labels.
	StoreSelector = "component=autoscaler,app="
)

// Keys of its data.
const (
	parallelismKey = "parallelismOverrides"
	tuningKey      = "configOverrides"
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
	for vertex := range vertices(data[parallelismKey]) {
		s.Vertices[vertex] = true
	}
	tuning, err := confyaml.Parse(data[tuningKey])
	if err != nil {
		return s
	}
	for name := range tuning {
		if option, found := strings.CutPrefix(name, "overrides."); found {
			s.Options = append(s.Options, option)
		}
	}
	if removals, err := syntax.SplitList(tuning["removals"]); err == nil && len(s.Options) > 0 {
		s.Options = append(s.Options, removals...)
	}
	slices.Sort(s.Options)
	return s
}

// vertices reads the parallelism of vertices in either form that the Java operator writes: hex:4,hex2:8 or {hex: '4',
// hex2: '8'}.
func vertices(text string) map[string]string {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		found, _ := confyaml.Parse(text)
		return found
	}
	pairs, err := syntax.SplitMap(text)
	if err != nil {
		return nil
	}
	found := map[string]string{}
	for _, p := range pairs {
		found[p[0]] = p[1]
	}
	return found
}

// text prints the parallelism of vertices as Flink reads it.
func text(of map[string]string) string {
	var pairs [][2]string
	for _, vertex := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, [2]string{vertex, of[vertex]})
	}
	return syntax.JoinMap(pairs)
}
