package flinkconf

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// UnfitArgument finds the first argument of an application that the configuration file of a Flink version cannot hold,
// and says why. There is no escape for it: Flink would get another text. Not unfit means that all arrive as they are.
//
//	argument has    | flink-conf.yaml (before 2.0)   | config.yaml
//	a line break    | unfit: a value has one line    | fits
//	a #             | unfit: the rest is a comment   | fits
//	anything else   | fits                           | fits
func UnfitArgument(args []string, v v1beta1.FlinkVersion) (index int, why string, unfit bool) {
	if BehaviourOf(v).StandardYAML {
		return 0, "", false
	}
	for i, arg := range args {
		switch {
		case strings.ContainsAny(arg, "\r\n"):
			return i, "it has several lines, and a value in " + LegacyFile + " has one", true
		case strings.Contains(arg, "#"):
			return i, "it has a #, and from there on Flink takes " + LegacyFile + " for a comment, within quotes, too", true
		}
	}
	return 0, "", false
}

// argsText prints program arguments so that they arrive as they are, but for those that UnfitArgument finds. Quotes
// around blanks and empty arguments stand only where the Java operator's text would lose one, or where Files splits
// them again.
func argsText(args []string, b Behaviour) string {
	text := syntax.JoinList(args)
	if read, err := syntax.SplitList(text); b.StandardYAML || err != nil || !slices.Equal(read, args) {
		return syntax.JoinListExactly(args)
	}
	return text
}
