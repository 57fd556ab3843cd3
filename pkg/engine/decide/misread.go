package decide

import (
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// Misread holds everything back while an option that counts without a new deployment cannot be read: what its user
// asked for is not known. The condition says what is wrong with the value. What was seen is recorded as always, and
// what is under way, a deletion or an open operation, goes on before this rule.
//
//	the spec          an option of the operator or the autoscaler   then
//	validates         -                                             not its business
//	is refused        all can be read                               not its business: the last accepted spec counts
//	is refused        one cannot be read                            nothing is done
func Misread(v *world.Look) decision.Decision {
	if v.Problem == "" || v.Options.Misread() == "" {
		return decision.Pass()
	}
	d := Settled(v)
	d.Snapshots, d.Result.Actions, d.Result.Finish, d.Result.Last = false, nil, nil, nil
	d.Result.Record, d.Result.Again = "", false
	return d
}
