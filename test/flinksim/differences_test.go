package flinksim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/javatrace"
)

// loose are the values that no two runs of one story have in common, and what is compared of them.
var loose = []struct {
	path *regexp.Regexp
	kept func(value any) any
}{
	// When something happened: whether it did.
	{regexp.MustCompile(`(start-time|end-time|[tT]imestamp|\.now|uploaded|last-modification|timestamps\.[A-Z]+)$`), known},
	// How long it took, how much there was of it, what Flink draws, and what is of the machine.
	{regexp.MustCompile(`(uration|NetRuntime|_size|-records|busy-time|flink-commit|flink-revision)$`), nothing},
	{regexp.MustCompile(`(timeSinceLastHeartbeat|dataPort|(hardware|memoryConfiguration)\.\w+|\[\d+\]\.path)$`), nothing},
	// The names of operators, and the number of checkpoints that failed: it counts those that never began, too.
	{regexp.MustCompile(`(vertices\[\d+\]\.name|counts\.failed)$`), nothing},
	// How many checkpoints there were: whether there was one.
	{regexp.MustCompile(`(counts\.(total|completed)|CheckpointID)$`), known},
	{regexp.MustCompile(`((completed|savepoint|failed|restored|history.*)\.id)$`), known},
	{regexp.MustCompile(`flink-version$`), release},
	// Where something happened: whether it is told.
	{regexp.MustCompile(`(taskName|endpoint|taskManagerId)$`), func(value any) any { return value != "" }},
	// What Flink says to people: the cause that the model names is among its causes.
	{regexp.MustCompile(`(message|trace)$`), causes},
}

// known says whether a number is of something that was.
func known(value any) any {
	n, _ := value.(json.Number).Int64()
	return n > 0
}

func nothing(any) any { return nil }

// text is what Flink says to people, on one line.
type text string

func causes(value any) any { return text(alike(javatrace.Summary(fmt.Sprint(value)))) }

// release is a version without its patch.
func release(value any) any {
	parts := strings.Split(fmt.Sprint(value), ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// chk is the folder of a checkpoint.
var chk = regexp.MustCompile(`\bchk-\d+\b`)

// same are parts of texts that are the same for whoever reads them.
var same = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`file:/+`), "file:/"},
	{regexp.MustCompile(`\bsavepoint-([0-9a-z]{6})-[0-9a-f]{12}\b`), "savepoint-$1-*"},
	{chk, "chk-*"},
	{regexp.MustCompile(`/\S+/flink-web-upload\b`), "/flink-web-upload"},
}

// alike is a text without what it need not have in common with another.
func alike(text string) string {
	for _, s := range same {
		text = s.is.ReplaceAllString(text, s.as)
	}
	return text
}

// normal is a value without what no two runs have in common.
func normal(path string, value any) any {
	for _, l := range loose {
		if value != nil && l.path.MatchString(path) {
			return l.kept(value)
		}
	}
	switch v := value.(type) {
	case string:
		return alike(v)
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			out[key] = normal(path+"."+key, inner)
		}
		if lies, _ := v["external_path"].(string); chk.MatchString(lies) {
			out["is numbered as its path"] = strings.HasSuffix(lies, fmt.Sprint("/chk-", v["id"]))
		}
		return out
	case []any:
		return normalList(path, v)
	}
	return value
}

// normalList is a list in the order of the IDs that are in it, if there are; nobody tells an empty one from none. Of a
// history only the sorts of entries count.
func normalList(path string, list []any) any {
	var out []any
	for i, inner := range list {
		out = append(out, normal(fmt.Sprintf("%s[%d]", path, i), inner))
	}
	slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(idOf(a), idOf(b)) })
	if strings.HasSuffix(path, ".history") {
		newestFirst := slices.IsSortedFunc(list, func(a, b any) int { return cmp.Compare(number(b), number(a)) })
		out = append(out, fmt.Sprintf("newest first: %t", newestFirst))
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		out = slices.CompactFunc(out, func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// number is that of a checkpoint.
func number(value any) int64 {
	fields, _ := value.(map[string]any)
	id, _ := fields["id"].(json.Number)
	n, _ := id.Int64()
	return n
}

// idOf is the ID of a job, a vertex or a jar; empty when it has none.
func idOf(value any) string {
	fields, _ := value.(map[string]any)
	for _, key := range []string{"jid", "id"} {
		if id, is := fields[key].(string); is {
			return id
		}
	}
	return ""
}

// differences are the fields in which two answers differ for kn-flink, with a line for each.
func differences(theirs, mine any) map[string]string {
	lines := map[string]string{}
	differ("", normal("", theirs), normal("", mine), func(path string, flink, model any) {
		lines[path] = fmt.Sprintf("%s is %.500q, Flink's %.500q", path, fmt.Sprint(model), fmt.Sprint(flink))
	})
	return lines
}

// differ tells of each field in which two values differ.
func differ(path string, theirs, mine any, tell func(path string, flink, model any)) {
	switch a := theirs.(type) {
	case map[string]any:
		if b, is := mine.(map[string]any); is {
			keys := maps.Clone(a)
			maps.Copy(keys, b)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				differ(path+"."+key, a[key], b[key], tell)
			}
			return
		}
	case []any:
		if b, is := mine.([]any); is && len(a) == len(b) {
			for i := range a {
				differ(fmt.Sprintf("%s[%d]", path, i), a[i], b[i], tell)
			}
			return
		}
	case text:
		if b, is := mine.(text); is && (a == "") == (b == "") && strings.Contains(string(a), root(string(b))) {
			return
		}
	}
	if fmt.Sprint(theirs) != fmt.Sprint(mine) {
		tell(path, theirs, mine)
	}
}

// root is the last of the causes in a summary, without its class.
func root(summary string) string {
	causes := strings.Split(summary, " <- ")
	last := causes[len(causes)-1]
	if class, message, found := strings.Cut(last, ": "); found && !strings.Contains(class, " ") {
		return message
	}
	return last
}
