package arch

import (
	"slices"
	"strings"
	"testing"
)

// kinds are the packages below pkg/plan that stand for a kind of resource: what is outside imports them and pkg/plan,
// and no other package below it.
var kinds = []string{"deployment", "sessionjob", "snapshot", "unsupported"}

// planRooms say what a package below pkg/plan may import of the others there, besides pkg/plan and its own
// sub-packages. A package that is not named is a leaf: it may import leaves.
//
//	deployment -> cluster -> job -> status -> leaves
//	sessionjob -> cluster -> job -> status -> leaves
//	snapshot -> leaves
//
// A job knows its cluster by interfaces of its own (host.go, steps.go).
var planRooms = map[string][]string{
	"status":      {},
	"job":         {"status"},
	"cluster":     {"job", "status"},
	"deployment":  {"cluster", "job", "status"},
	"sessionjob":  {"cluster", "job", "status"},
	"snapshot":    {},
	"unsupported": {},
}

// planRoom is the third part of a path below pkg/plan; empty elsewhere.
func planRoom(path string) string {
	rest, below := strings.CutPrefix(path, "pkg/plan/")
	if !below || strings.HasSuffix(rest, ".go") && !strings.Contains(rest, "/") {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// planDirection checks what one file imports of the packages below pkg/plan.
func planDirection(s *source) []finding {
	var found []finding
	inPlan := room(s.path) == "plan"
	from := planRoom(s.path)
	for _, path := range s.imports() {
		to := planRoom(path)
		if to == "" || to == from || strings.HasPrefix(s.path, "test/") {
			continue
		}
		_, named := planRooms[to]
		switch {
		case !inPlan && (!slices.Contains(kinds, to) || path != "pkg/plan/"+to):
			found = append(found, finding{"plan", s.path, "must not import " + path + ": only pkg/plan and its kinds"})
		case inPlan && named && !slices.Contains(planRooms[from], to):
			found = append(found, finding{"plan", s.path, "must not import " + path})
		}
	}
	return found
}

func TestPlanDirections(t *testing.T) { report(t, each(t, planDirection), "plan") }

func TestPlanDirectionBites(t *testing.T) {
	rows := map[string]struct {
		path, imports string
		bad           bool
		reason        string
	}{
		"job to its cluster":  {"pkg/plan/job/a.go", "pkg/plan/cluster", true, "it knows its host by an interface"},
		"cluster to the job":  {"pkg/plan/cluster/a.go", "pkg/plan/job", false, "it is the host"},
		"job to a leaf":       {"pkg/plan/job/a.go", "pkg/plan/upgrade", false, "leaves are below"},
		"leaf to a job":       {"pkg/plan/upgrade/a.go", "pkg/plan/job", true, "leaves import leaves"},
		"leaf to a leaf":      {"pkg/plan/hadata/a.go", "pkg/plan/upgrade", false, "leaves import leaves"},
		"kind to kind":        {"pkg/plan/deployment/a.go", "pkg/plan/snapshot", true, "kinds do not know each other"},
		"outside to a kind":   {"pkg/gather/a.go", "pkg/plan/deployment", false, "that is its face"},
		"outside to plan":     {"pkg/gather/a.go", "pkg/plan", false, "that is its face"},
		"outside to a job":    {"pkg/gather/a.go", "pkg/plan/job", true, "what it needs is in the kind"},
		"outside below":       {"pkg/apply/a.go", "pkg/plan/deployment/inside", true, "what it needs is in the kind"},
		"a test of the world": {"test/scenario/a_test.go", "pkg/plan/job", false, "it may look into everything"},
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
