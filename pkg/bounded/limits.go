package bounded

import "fmt"

// Limits are the ceilings of a text. Zero is no ceiling, but for Depth, where it is maxDepth.
type Limits struct {
	// Bytes bounds the text itself.
	Bytes int
	// Values bounds how many values it has: objects, lists, texts, numbers, booleans and nulls.
	Values int
	// Depth bounds how deep objects and lists stand in each other.
	Depth int
	// Keys bounds how many flat keys it becomes: one for each value that is no object.
	Keys int
	// Flat bounds the bytes of all flat keys and their texts. A flat key is the names on the way to a value, with dots.
	Flat int
}

// maxDepth is as deep as encoding/json reads.
const maxDepth = 10_000

// Size is what a text becomes; see Limits.
type Size struct {
	// Bytes, Values, Depth, Keys and Flat are what Limits bound.
	Bytes, Values, Depth, Keys, Flat int
	// Objects are those of Values that are objects.
	Objects int
}

// What a value takes in memory, in bytes, decoded into maps: the place of each, and an object besides.
const (
	valueCost  = 100
	objectCost = 350
)

// Cost is what the text takes in memory, in bytes, once it is decoded into maps and lists. A test compares.
func (s Size) Cost() int { return s.Bytes + s.Values*valueCost + s.Objects*objectCost }

// TooLarge is that a text is larger than a ceiling.
type TooLarge struct {
	// What is counted, such as "keys".
	What string
	// Most is the ceiling.
	Most int
}

// Error says which ceiling, and where it lies.
func (t *TooLarge) Error() string { return fmt.Sprintf("too large: more than %d %s", t.Most, t.What) }

// over is the first ceiling that a size is beyond; nil: none. Bytes and depth are looked at where they are counted.
func (l *Limits) over(s *Size) error {
	switch {
	case l.Values > 0 && s.Values > l.Values:
		return &TooLarge{"values", l.Values}
	case l.Keys > 0 && s.Keys > l.Keys:
		return &TooLarge{"keys", l.Keys}
	case l.Flat > 0 && s.Flat > l.Flat:
		return &TooLarge{"bytes of flat keys and their values", l.Flat}
	}
	return nil
}

// The ceilings of what comes from outside. docs/reference/limits.md tells them.
var (
	// FlinkConfiguration is spec.flinkConfiguration of any kind. Flink itself has some 500 options.
	FlinkConfiguration = Limits{Bytes: 512 << 10, Depth: 100, Keys: 5_000, Flat: 256 << 10}
	// Spec is the spec of a resource, its pod templates and its configuration included, and a recorded spec. etcd takes
	// 1.5 MB.
	Spec = Limits{Bytes: 3 << 20, Values: 20_000, Depth: 200}
	// Status is the status of a resource. Its recorded specs are texts in it.
	Status = Limits{Bytes: 3 << 20, Values: 10_000, Depth: 100}
	// Metadata is one field of the metadata of a resource, such as annotations, which may have 256 KiB.
	Metadata = Limits{Bytes: 1 << 20, Values: 30_000, Depth: 20}
	// Answer is what an address of the user answers: a validator, a mutator, a plug-in of the autoscaler.
	Answer = Limits{Bytes: 3 << 20, Values: 20_000, Depth: 200}
	// Settings is a file of the settings.
	Settings = Limits{Bytes: 1 << 20, Values: 50_000, Depth: 100}
	// Store is a text of the autoscaler's store, unpacked.
	Store = Limits{Bytes: 2 << 20, Values: 50_000, Depth: 20}
)

// CostOf is Cost of what was decoded into maps and lists.
func CostOf(value any) int {
	cost := valueCost
	switch value := value.(type) {
	case map[string]any:
		cost += objectCost
		for name, member := range value {
			cost += len(name) + CostOf(member)
		}
	case []any:
		for _, item := range value {
			cost += CostOf(item)
		}
	case string:
		cost += len(value)
	}
	return cost
}
