package autoscaled

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The ConfigMap in which the autoscaler keeps what it knows of a job.
const (
	// StorePrefix and the name of the resource are its name.
	StorePrefix = store.Prefix
	// StoreSelector and the name of the resource select it by its labels.
	StoreSelector = store.Selector
)

// Store is what the autoscaler keeps of a job, as it was read. Nothing is decoded before it is asked for.
type Store struct {
	// Version is that of the ConfigMap; empty where nobody will write it.
	Version plan.ObjectVersion
	// Data are the keys of the Java autoscaler.
	Data map[string]string
	// Samples is what was measured, see package samples; nil: nothing.
	Samples []byte
}

// IsEmpty reports whether nothing is kept.
func (s Store) IsEmpty() bool { return len(s.Data) == 0 && len(s.Samples) == 0 }

// Parallelism is what it has set, by hex ID of the vertex. What cannot be read counts as never stored.
func (s Store) Parallelism() map[string]string { return vertices(s.Data[store.ParallelismKey]) }

// Changes are the options of flinkConfiguration that it has set or taken away to fit memory; none when it never did.
func (s Store) Changes() model.ConfigChanges { return store.ReadConfig(s.Data[store.ConfigKey]) }

// options are the names of Changes, sorted; empty when it has set none.
func (s Store) options() []string {
	changes := s.Changes()
	if len(changes.Overrides) == 0 {
		return nil
	}
	names := append(slices.Collect(maps.Keys(changes.Overrides)), changes.Removals...)
	slices.Sort(names)
	return names
}

// Problem says why its parallelism cannot be read; empty when it can. A job must not go back to its base size for that.
func (s Store) Problem() string {
	if _, err := store.ReadParallelism(s.Data[store.ParallelismKey]); err != nil {
		return fmt.Sprintf("%s of ConfigMap %s: %v", store.ParallelismKey, s.Version.Name, err)
	}
	return ""
}

// isIn reports whether a recorded configuration has what memory tuning has set, as it is stored.
func (s Store) isIn(recorded flinkconf.Config) bool {
	changes := s.Changes()
	for name, value := range changes.Overrides {
		if recorded[name] != value {
			return false
		}
	}
	return !slices.ContainsFunc(changes.Removals, func(name string) bool { _, set := recorded[name]; return set })
}

// vertices reads the parallelism of vertices. What cannot be read is left out.
func vertices(text string) map[string]string {
	found, _ := store.ReadParallelism(text)
	return found
}
