package console

import (
	"html/template"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/advice"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

// words are the functions of the templates.
var words = template.FuncMap{
	"age": age, "address": address, "mark": markOf, "reason": reasonOf, "refKind": refKind, "depth": depth,
	"rows": rowsFor, "newest": newestEvents, "moments": newestMoments,
	"decisions": newestDecisions, "findings": findingsOf, "figure": figureOf, "change": changeOf,
	"podName": podNameOf, "stamp": stamp, "percent": percentOf, "rate": rateOf,
}

// moment is a time for a page: exact, and how long ago.
type moment struct {
	// Exact is in UTC.
	Exact string
	// Ago is as kubectl writes ages.
	Ago string
}

// age is a time for a page; nil, or an empty time, is nil.
func age(at any, now time.Time) *moment {
	var t time.Time
	switch is := at.(type) {
	case time.Time:
		t = is
	case *time.Time:
		if is != nil {
			t = *is
		}
	}
	if t.IsZero() {
		return nil
	}
	return &moment{t.UTC().Format(time.RFC3339), duration.HumanDuration(max(now.Sub(t), 0))}
}

// address is the path of the page of a resource.
func address(namespace string, r view.Ref) string {
	k, known := kinds.Of(r.Kind)
	if !known {
		return ""
	}
	return "/ns/" + url.PathEscape(namespace) + "/" + k.Resource.Resource + "/" + url.PathEscape(r.Name)
}

// mark is how the state of a row looks: an icon, a word, and the class of its colour.
type mark struct {
	// Icon, Word and Class.
	Icon, Word, Class string
}

// markOf says whom a row waits for.
//
//	it                        mark
//	waits for a user          needs you
//	moves                     moves
//	is to be suspended        suspended
//	otherwise                 as wanted
func markOf(r view.Row) mark {
	switch {
	case r.Need == view.NeedUser:
		return mark{"✖", "needs you", "user"}
	case r.Need == view.NeedTime:
		return mark{"➜", "moves", "time"}
	case r.Suspended:
		return mark{"■", "suspended", "off"}
	}
	return mark{"✔", "as wanted", "well"}
}

// reasonPart is a text that begins with a reason that has a page.
type reasonPart struct {
	// Reason is the word; empty where the text has none that is known.
	Reason string
	// Rest is what follows it.
	Rest string
}

// reasonOf splits a reason off a text.
func reasonOf(text string) reasonPart {
	word, rest, has := strings.Cut(text, ":")
	if _, known := advice.Of(word, "", ""); !known {
		return reasonPart{Rest: text}
	}
	if has {
		rest = ":" + rest
	}
	return reasonPart{word, rest}
}

// refKind is how the kind of a row is written in few letters.
func refKind(r view.Ref) string {
	switch k, _ := kinds.Of(r.Kind); k.Short {
	case "flinkdep":
		return "deployment"
	case "sessionjob":
		return "session job"
	case "flinksnp":
		return "snapshot"
	case "flinkbgdep":
		return "pair"
	}
	return r.Kind
}

// findings is what the template of a table of findings has.
type findings struct {
	// Lines are the findings.
	Lines []doctor.Line
	// Label says what the table is of.
	Label string
}

func findingsOf(lines []doctor.Line, label string) findings { return findings{lines, label} }

// depth is how deep in a tree a branch stands, at most 3.
func depth(b view.Branch) int { return min(len(b.Last), 3) }

// table is what the template of a table of rows has.
type table struct {
	// Branches are the rows.
	Branches []view.Branch
	// Now is the time of the reader.
	Now time.Time
	// Label says what the table is of.
	Label string
}

// rowsFor makes the table of some rows, as a tree where that is wanted.
func rowsFor(rows []view.Row, now time.Time, label string, tree bool) table {
	t := table{Now: now, Label: label}
	if tree {
		t.Branches = view.Tree(rows)
		return t
	}
	for _, r := range rows {
		t.Branches = append(t.Branches, view.Branch{Row: r})
	}
	return t
}

// lastOf are the last n events, the newest first.
func lastOf[T any](all []T, n int) []T {
	var out []T
	for i := len(all) - 1; i >= 0 && len(out) < n; i-- {
		out = append(out, all[i])
	}
	return out
}

func newestEvents(all []view.Event) []view.Event { return lastOf(all, 100) }

func newestMoments(all []view.Moment) []view.Moment { return lastOf(all, 100) }

// podNameOf is the name of a pod without its namespace.
func podNameOf(p pods.Pod) string {
	_, name, _ := strings.Cut(p.Name, "/")
	return name
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
