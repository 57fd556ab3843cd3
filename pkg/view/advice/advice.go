package advice

import "strings"

// Advice is what is known of a reason.
type Advice struct {
	// Means is its meaning, a sentence.
	Means string
	// Look is a command that shows the evidence.
	Look string
	// Do is what to do.
	Do string
	// Nothing is whether Do is that nothing is to be done.
	Nothing bool
}

// Of is the advice for a reason, about the resource of a name that kubectl knows by short, such as flinkdep. It is
// false for a reason that this version does not know.
func Of(reason, short, name string) (Advice, bool) {
	a, known := table[reason]
	a.Look = strings.NewReplacer("flinkdep <name>", short+" "+name, "<name>", name).Replace(a.Look)
	return a, known
}
