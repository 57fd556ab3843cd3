package key

import (
	"strings"
	"unicode/utf8"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// Known reports whether a key is a spelling of an option of the tables, stands below one that is a map, or belongs to
// one of the families whose names are the users' own.
func Known(name string) bool {
	if InstallationKey(name) || len(Spelled(name)) > 0 {
		return true
	}
	plain := strings.TrimPrefix(name, OperatorPrefix)
	for _, family := range []string{AlignmentModePrefix, CustomEvaluatorPrefix, CustomExecutorPrefix} {
		if strings.HasPrefix(plain, family) {
			return true
		}
	}
	for at := strings.LastIndexByte(name, '.'); at > 0; at = strings.LastIndexByte(name[:at], '.') {
		for _, o := range Spelled(name[:at]) {
			if o.Kind == conf.KindMap {
				return true
			}
		}
	}
	return false
}

const (
	// longest is the longest key that is looked for, in bytes: no option's is as long.
	longest = 128
	// farthest is how many letters a key may differ by from the nearest one that is named.
	farthest = 5
)

// Nearest is the key of the operator or the autoscaler that differs from a name by the fewest letters, and by a third
// of what follows the prefix at the most; empty when there is none.
func Nearest(name string) string {
	if len(name) > longest {
		return ""
	}
	nearest, least := "", min(farthest, utf8.RuneCountInString(strings.TrimPrefix(name, OperatorPrefix))/3)+1
	letters := utf8.RuneCountInString(name)
	for _, o := range all {
		for _, spelling := range append([]string{o.Key}, o.Fallbacks...) {
			if !strings.HasPrefix(spelling, OperatorPrefix) && !strings.HasPrefix(spelling, AutoscalerPrefix) {
				continue
			}
			if apart := letters - len(spelling); apart > least || -apart > least {
				continue // at least as many letters have to be put in or taken out
			}
			d := distance(name, spelling)
			if d < least || (d == least && nearest != "" && spelling < nearest) {
				nearest, least = spelling, d
			}
		}
	}
	return nearest
}

// distance is how many letters are to be put in, taken out or replaced to make one text of another.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(to)]
}
