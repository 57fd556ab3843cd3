package arch

import (
	"slices"
	"strings"
	"testing"
)

// rooms says what a room of pkg may import of this module besides itself and its sub-packages. Down is allowed, up and
// sideways are not:
//
//	functions -> pass, sweep, admission -> gather, apply -> host -> engine -> plan
//	cmd -> cli -> console -> act, lookout, look, doctor -> view, kube
//	lookout -> preview, gather; preview -> host, bluegreen
//	plan -> history, render, autoscaler, validation, flinkconf -> kinds -> apis
//
// bounded, quarantine, redact, reach, fail, coalesce, telemetry, settings, kube, zookeeper, event, flinkrest, clock,
// jarsource, certs, announce, extension, startup and serve are leaves: they import other leaves at the most. gather and
// apply never import each other. sweep never imports pass: it only reads.
var rooms = map[string][]string{
	// PURE
	"apis":       {"bounded"},
	"kinds":      {"apis"},
	"flinkconf":  {"apis", "kinds", "reach", "redact", "bounded"},
	"render":     {"apis", "flinkconf"},
	"validation": {"apis", "flinkconf", "render", "reach"},
	"autoscaler": {"apis", "flinkconf", "bounded"},
	"rehearsal":  {"render"},
	"history":    {"apis"},
	"view":       {"apis", "kinds", "flinkconf", "autoscaler", "redact", "history"},
	"plot":       {},
	"plan": {
		"apis", "kinds", "flinkconf", "render", "rehearsal", "validation", "autoscaler", "fail", "redact", "history",
	},
	"engine": {
		"apis", "kinds", "flinkconf", "render", "validation", "autoscaler", "fail", "redact", "plan", "history",
	},
	"host": {
		"history",
		"apis",
		"kinds",
		"flinkconf",
		"render",
		"rehearsal",
		"validation",
		"autoscaler",
		"fail",
		"redact",
		"plan",
		"engine",
	},
	"preview": {
		"apis", "kinds", "flinkconf", "redact", "view", "plan", "engine", "host", "bluegreen",
	},
	"bluegreen": {
		"apis", "kinds", "flinkconf", "render", "validation", "fail", "redact", "plan",
	},
	// leaves
	"bounded":    {},
	"reachflink": {"flinkrest", "plan"},
	"quarantine": {},
	"warmup":     {},
	"redact":     {},
	"reach":      {},
	"fail":       {"redact"},
	"coalesce":   {"fail"},
	"telemetry":  {"redact"},
	"serve":      {},
	"flinkrest":  {"bounded"},
	"jarsource":  {"fail", "flinkconf", "reach", "redact"},
	"kube":       {"fail", "bounded"},
	"zookeeper":  {"fail", "flinkconf", "reach"},
	"settings":   {"flinkconf", "redact", "install"},
	"event":      {"fail", "telemetry", "settings"},
	"clock":      {"fail", "kube", "telemetry", "settings"},
	"certs":      {"fail", "kube", "telemetry", "settings"},
	"announce":   {"fail", "kube", "telemetry", "settings", "redact"},
	"extension":  {"fail", "kube", "flinkconf", "apis", "kinds", "redact", "bounded"},
	"startup":    {"quarantine", "kube", "serve", "settings", "telemetry"},
	// I/O
	"gather": {
		"history",
		"bluegreen",
		"plan",
		"engine",
		"host",
		"autoscaler",
		"validation",
		"render",
		"flinkconf",
		"apis",
		"kinds",
		"kube",
		"zookeeper",
		"flinkrest",
		"fail",
		"telemetry",
		"settings",
		"extension",
	},
	"apply": {
		"history",
		"plan",
		"host",
		"render",
		"rehearsal",
		"flinkconf",
		"apis",
		"kinds",
		"kube",
		"zookeeper",
		"flinkrest",
		"jarsource",
		"warmup",
		"event",
		"clock",
		"fail",
		"telemetry",
		"settings",
	},
	"pass": {
		"coalesce",
		"gather",
		"apply",
		"bluegreen",
		"plan",
		"engine",
		"host",
		"apis",
		"kinds",
		"kube",
		"event",
		"clock",
		"fail",
		"telemetry",
		"settings",
		"extension",
		"flinkconf",
		"quarantine",
	},
	"sweep": {
		"bounded",
		"quarantine",
		"coalesce",
		"gather",
		"bluegreen",
		"plan",
		"engine",
		"host",
		"autoscaler",
		"render",
		"flinkconf",
		"apis",
		"kinds",
		"kube",
		"event",
		"clock",
		"fail",
		"telemetry",
		"settings",
	},
	"look": {"view", "autoscaler", "history", "kinds", "kube", "redact"},
	"lookout": {
		"look", "gather", "preview", "view", "flinkconf", "flinkrest", "reachflink", "settings", "kinds", "apis", "kube",
	},
	"act": {"look", "view", "kinds", "apis", "kube"},
	"console": {
		"act", "lookout", "look", "preview", "view", "doctor", "plot", "autoscaler", "history", "kinds", "apis", "kube",
		"redact",
	},
	"install": {},
	"release": {},
	"doctor":  {"apis", "kinds", "flinkconf", "kube", "install"},
	"cli": {
		"act", "lookout", "history", "console", "look", "view", "flinkconf", "kinds", "apis", "kube", "redact", "doctor",
		"install", "preview", "reachflink", "autoscaler",
	},
	"admission": {
		"validation", "render", "flinkconf", "apis", "kinds", "kube", "event", "fail", "telemetry", "settings", "redact",
		"extension", "bounded", "plan", // what an edit changes
	},
}

// room is the second part of a path below pkg; empty elsewhere.
func room(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) < 2 || parts[0] != "pkg" {
		return ""
	}
	return parts[1]
}

// ours says whether an import path is a package of this module.
func ours(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains([]string{"pkg", "functions", "cmd", "test", "hack", "local"}, first)
}

// direction checks the imports of one file. Tests may import test packages, and so may the tools of hack; nothing else
// more.
func direction(s *source) []finding {
	var found []finding
	from := room(s.path)
	top, _, _ := strings.Cut(s.path, "/")
	for _, path := range s.imports() {
		if !ours(path) {
			continue
		}
		to, above := room(path), strings.SplitN(path, "/", 2)[0]
		allowed := true
		switch {
		case above == "functions" || above == "cmd" || above == "hack" || above == "local":
			allowed = strings.HasPrefix(path, s.dir()) // a main package belongs to nobody
		case above == "test":
			allowed = s.test || top == "test" || top == "hack" || worldOfTests(s)
		case worldOfTests(s):
			allowed = to == "host" || to == from || slices.Contains(rooms[from], to)
		case from != "":
			allowed = from == to || slices.Contains(rooms[from], to)
		}
		if !allowed {
			found = append(found, finding{"direction", s.path, "must not import " + path})
		}
	}
	return found
}

func TestImportDirections(t *testing.T) {
	var found []finding
	for _, f := range tree(t) {
		if r := room(f.path); r != "" && rooms[r] == nil {
			found = append(
				found,
				finding{
					"direction", f.path,
					"is a room that the plan of the house does not know: add it to rooms with what it may import",
				},
			)
		}
	}
	report(t, append(found, each(t, direction)...), "direction")
}

func TestRoomsHaveNoCircle(t *testing.T) {
	state := map[string]int{}
	var visit func(string, []string)
	visit = func(r string, way []string) {
		if state[r] == 1 {
			t.Errorf("the plan of the house goes in a circle: %s", strings.Join(append(way, r), " -> "))
		}
		if state[r] != 0 {
			return
		}
		state[r] = 1
		for _, next := range rooms[r] {
			if rooms[next] == nil {
				t.Errorf("room %s may import %s, which is no room", r, next)
			}
			visit(next, append(way, r))
		}
		state[r] = 2
	}
	for r := range rooms {
		visit(r, nil)
	}
}

func TestDirectionBites(t *testing.T) {
	rows := map[string]struct {
		path, imports string
		bad           bool
		reason        string
	}{
		"up":                {"pkg/plan/a.go", "pkg/gather", true, "plan is below gather"},
		"down":              {"pkg/gather/a.go", "pkg/plan/snapshot", false, "sub-packages belong to their room"},
		"sideways":          {"pkg/gather/a.go", "pkg/apply", true, "they never import each other"},
		"sideways back":     {"pkg/apply/a.go", "pkg/gather", true, "they never import each other"},
		"leaf to house":     {"pkg/fail/a.go", "pkg/plan", true, "a leaf imports nothing of the house"},
		"own room":          {"pkg/plan/snapshot/a.go", "pkg/plan", false, "one room"},
		"shipped to test":   {"pkg/plan/a.go", "test/gen", true, "test packages are not shipped"},
		"test to test":      {"pkg/plan/a_test.go", "test/gen", false, "that is what they are for"},
		"tool to test":      {"hack/options/a.go", "test/gen", false, "no tool of hack is shipped"},
		"test goes up":      {"pkg/plan/a_test.go", "pkg/apply", true, "a test has its package's place"},
		"house to main":     {"pkg/pass/a.go", "functions/reconcile", true, "a main package belongs to nobody"},
		"function to pass":  {"functions/reconcile/a.go", "pkg/pass", false, "wiring"},
		"function to own":   {"functions/reconcile/a.go", "functions/reconcile/inner", false, "its own folder"},
		"function to other": {"functions/reconcile/a.go", "functions/observe", true, "functions share through pkg"},
		"stranger":          {"pkg/plan/a.go", "k8s.io/api/core/v1", false, "not ours to judge here"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			path := row.imports
			if ours(path) {
				path = module + path
			}
			got := direction(mustParse(t, row.path, "package x\nimport _ \""+path+"\"\n"))
			if (len(got) > 0) != row.bad {
				t.Errorf("%v, want bad=%v: %s", got, row.bad, row.reason)
			}
		})
	}
}
