package arch

import (
	"slices"
	"strings"
	"testing"
)

// The way of a decision, from the bottom up. Each package may import the ones that it names, and leaves of pkg/plan:
//
//	host/deployment, host/sessionjob -> host/session -> host/cluster -> engine
//	engine: ask, tell, failed -> decide, operation -> observe -> record -> loss, report -> facts -> world -> decision
//	bluegreen, plan/snapshot, plan/quarantined -> leaves of plan
//
// decide and operation do not know each other: a rule gives a decision, which is a value, and an operation carries one
// out. A job knows its host by interfaces: world.Host, decision.Starter and decision.Stopper.
var ways = map[string][]string{
	"plan/status":      {},
	"plan/snapshot":    {"plan/status"},
	"plan/quarantined": {"plan/status"},

	"engine/decision": {},
	"engine/world":    {"engine/decision", "plan/status"},
	"engine/facts":    {"engine/world", "engine/decision", "plan/status"},
	"engine/report":   {"engine/facts", "engine/world", "engine/decision", "plan/status"},
	"engine/loss":     {"engine/facts", "engine/world", "plan/status"},
	"engine/record":   {"engine/loss", "engine/facts", "engine/world", "engine/decision", "plan/status"},
	"engine/observe":  {"engine/record", "engine/loss", "engine/facts", "engine/world", "engine/decision", "plan/status"},
	"engine/operation": {
		"engine/record", "engine/report", "engine/loss", "engine/facts", "engine/world", "engine/decision", "plan/status",
	},
	"engine/decide": {
		"engine/report", "engine/loss", "engine/facts", "engine/world", "engine/decision", "plan/status",
	},
	"engine/ask": {
		"engine/decide", "engine/report", "engine/loss", "engine/facts", "engine/world", "engine/decision", "plan/status",
	},
	"engine/tell": {
		"engine/decide", "engine/record", "engine/report", "engine/loss", "engine/facts", "engine/world", "engine/decision",
		"plan/status",
	},
	"engine/failed": {
		"engine/operation", "engine/loss", "engine/report", "engine/facts", "engine/world", "engine/decision", "plan/status",
	},
	"engine/guesttest":  {"engine/world", "engine/decision"},
	"engine/enginetest": {},

	"bluegreen": {"plan/status"},

	"host/cluster":    {"engine"},
	"host/deployment": {"host/cluster", "engine", "plan/status"},
	"host/session":    {"host/cluster", "engine"},
	"host/sessionjob": {"host/session", "host/cluster", "engine", "plan/status"},
}

// inputs are the packages of the three rooms that others may import: the kinds, and what a decision sees of the world.
// Who looks at the world fills it in.
var inputs = []string{
	"bluegreen", "engine/world", "engine/ask", "engine/failed",
	"host/cluster", "host/cluster/podfailure", "host/deployment", "host/session",
	"host/sessionjob",
	"plan/autoscaled", "plan/exceptions", "plan/hadata", "plan/health", "plan/snapshot", "plan/snapshots",
	"plan/quarantined", "plan/specdiff", "plan/upgrade",
}

// wayOf is the package of ways that a path below pkg belongs to; empty: none.
func wayOf(path string) string {
	rest, below := strings.CutPrefix(path, "pkg/")
	if !below {
		return ""
	}
	parts := strings.SplitN(rest, "/", 3)
	if parts[0] == "bluegreen" {
		return parts[0]
	}
	if len(parts) < 2 || strings.HasSuffix(parts[1], ".go") {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

// decides says whether a room takes part in decisions.
func decides(room string) bool {
	return room == "plan" || room == "engine" || room == "host" || room == "bluegreen"
}

// planDirection checks what one file imports of the packages that take part in decisions. A test may import what its
// package may, and guesttest; the tests of decide carry decisions out.
func planDirection(s *source) []finding {
	var found []finding
	from := wayOf(s.path)
	for _, path := range s.imports() {
		to := wayOf(path)
		_, named := ways[to]
		switch {
		case to == "" || to == from || strings.HasPrefix(s.path, "test/"):
		case !decides(room(s.path)):
			if below := strings.TrimPrefix(path, "pkg/"); decides(room(path)) && !slices.Contains(inputs, below) {
				found = append(found, finding{
					"plan", s.path, "must not import " + path + ": only pkg/plan, the kinds and what they see",
				})
			}
		case !named:
		case worldOfTests(s) && decides(room(path)):
		case s.test && (to == "engine/guesttest" || from == "engine/decide" || from == "engine/ask"):
		case slices.Contains(ways[from], to), slices.Contains(ways[from], room(path)):
		default:
			found = append(found, finding{"plan", s.path, "must not import " + path})
		}
	}
	return found
}

// worldOfTests reports whether a file is of the world of the engine's tests, which has its hosts, or of a test that
// uses it: a rule is held by what becomes of a resource. Nothing of the product can import either.
func worldOfTests(s *source) bool {
	external := s.test && strings.HasSuffix(s.ast.Name.Name, "_test")
	return room(s.path) == "engine" && (external || wayOf(s.path) == "engine/enginetest")
}

func TestPlanDirections(t *testing.T) { report(t, each(t, planDirection), "plan") }

func TestPlanDirectionBites(t *testing.T) {
	rows := map[string]struct {
		path, imports string
		bad           bool
		reason        string
	}{
		"decide to operation":  {"pkg/engine/decide/a.go", "pkg/engine/operation", true, "a decision is a value"},
		"decide to record":     {"pkg/engine/decide/a.go", "pkg/engine/record", true, "a rule writes nothing"},
		"operation to decide":  {"pkg/engine/operation/a.go", "pkg/engine/decide", true, "it carries out what was decided"},
		"operation to record":  {"pkg/engine/operation/a.go", "pkg/engine/record", false, "it writes there"},
		"facts to loss":        {"pkg/engine/facts/a.go", "pkg/engine/loss", true, "facts are below"},
		"engine to its host":   {"pkg/engine/operation/a.go", "pkg/host/cluster", true, "it knows its host by an interface"},
		"cluster to engine":    {"pkg/host/cluster/a.go", "pkg/engine/operation", false, "it is the host"},
		"cluster to a kind":    {"pkg/host/cluster/a.go", "pkg/host/deployment", true, "kinds are above"},
		"engine to a leaf":     {"pkg/engine/facts/a.go", "pkg/plan/upgrade", false, "leaves are below"},
		"leaf to the engine":   {"pkg/plan/upgrade/a.go", "pkg/engine/world", true, "leaves import leaves"},
		"leaf to a leaf":       {"pkg/plan/hadata/a.go", "pkg/plan/upgrade", false, "leaves import leaves"},
		"kind to kind":         {"pkg/host/deployment/a.go", "pkg/host/sessionjob", true, "kinds do not know each other"},
		"outside to a kind":    {"pkg/gather/a.go", "pkg/host/deployment", false, "that is its face"},
		"outside to plan":      {"pkg/gather/a.go", "pkg/plan", false, "that is its face"},
		"outside to the world": {"pkg/gather/a.go", "pkg/engine/world", false, "it looks at jobs"},
		"outside to a rule":    {"pkg/gather/a.go", "pkg/engine/decide", true, "plans are made inside"},
		"outside below":        {"pkg/apply/a.go", "pkg/host/deployment/inside", true, "what it needs is in the kind"},
		"a test of the world":  {"test/scenario/a_test.go", "pkg/engine/facts", false, "it may look into everything"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := planDirection(mustParse(t, row.path, "package x\nimport _ \""+module+row.imports+"\"\n"))
			if (len(got) > 0) != row.bad {
				t.Errorf("%v, want bad=%v: %s", got, row.bad, row.reason)
			}
		})
	}
}
