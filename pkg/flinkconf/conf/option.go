package conf

import "iter"

// Kind says how the text of an option is read.
type Kind string

// The kinds of option values. The unknown kind is the zero value; it reads like String.
const (
	KindUnknown  Kind = ""
	KindString   Kind = "string"
	KindDuration Kind = "duration"
	KindMemory   Kind = "memory"
	KindInt      Kind = "int"
	KindFloat    Kind = "float"
	KindBool     Kind = "bool"
	KindEnum     Kind = "enum"
	KindList     Kind = "list"
	KindMap      Kind = "map"
	KindMapList  Kind = "list of maps"
	KindPort     Kind = "port"
	KindSchedule Kind = "schedule"
	KindLong     Kind = "long"
)

// Scope says whose value of an option counts.
type Scope string

// The scopes of options. Options of Flink itself have the unknown scope: the operator only passes them on.
const (
	ScopeUnknown  Scope = ""
	ScopeOperator Scope = "operator" // read from the operator's own configuration only
	// as operator, but with the defaults of the namespace and Flink version laid over it
	ScopeNamespace Scope = "namespace"
	ScopeResource  Scope = "resource" // the resource's own flinkConfiguration wins
	// read from spec.configuration of a FlinkBlueGreenDeployment only
	ScopeBlueGreen Scope = "blue/green"
)

// Option describes one configuration key. Options are values: nobody changes them.
type Option struct {
	// Key is the key itself, the one to write.
	Key string
	// Kind says how the text is read.
	Kind Kind
	// Default is the value, in Flink's text form, of an option that is not set. It counts only with HasDefault.
	Default string
	// HasDefault tells an empty default from none.
	HasDefault bool
	// Fallbacks are older or more general keys that are read when Key is not set, in the order in which Flink tries them.
	Fallbacks []string
	// Values are the accepted constants of an enumeration, in Flink's spelling; nil for other kinds.
	Values []string
	// Scope says whose value counts; unknown for options of Flink itself.
	Scope Scope
}

// keys are the key and then its fallbacks.
func (o Option) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(o.Key) {
			return
		}
		for _, fallback := range o.Fallbacks {
			if !yield(fallback) {
				return
			}
		}
	}
}
