package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePageIsUpToDate(t *testing.T) {
	text, _, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("../../docs/reference/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(written) {
		t.Error("docs/reference/reasons.md differs: run make generate")
	}
}

// TestWhatEachPackageSaysIsOnThePage: reasons are not in the catalogue of package plan alone.
func TestWhatEachPackageSaysIsOnThePage(t *testing.T) {
	text, _, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	reasons, situations, _ := strings.Cut(text, "## Situations")
	for _, want := range []string{
		"ValidationFailed", "JobFailed", "ObjectTooLarge", "ScalingReport", "IneffectiveScaling", "MemoryPressure",
		"ResourceQuotaReached", "ScalingLimited", "ScalingVetoed", "PluginWithoutAnswer", "JarHostRestricted", "JarNotFound",
		"JarTooLarge", "JarOptionInvalid", "JarUploadRefused", "JarRunFailed", "JarGone", "JarsNotServed", "JarNotDeleted",
		"JarURIInvalid", "JarRedirectRefused", "JarUnreadable", "JarForbidden", "JarServerFailed", "JarHostUnknown",
	} {
		if !strings.Contains(reasons, "\n### "+want+"\n") {
			t.Errorf("there is no reason %s", want)
		}
	}
	if !strings.Contains(reasons, "## Conditions\n\n| condition | meaning |\n|---|---|\n| `Ready` | the resource is") {
		t.Error("the conditions are not first, in the order of their declaration")
	}
	for _, want := range []string{"Steady", "ForeignIntent", "Abandoned"} {
		if !strings.Contains(situations, "| `"+want+"` |") {
			t.Errorf("there is no situation %s", want)
		}
	}
}

func TestAReasonMayStandAloneBesideWhatHasIt(t *testing.T) {
	text := "package p\n\n// reasonA: is a.\nconst reasonA plan.Reason = \"A\"\n"
	file, err := parser.ParseFile(token.NewFileSet(), "a.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found, err := constants(file, "Reason")
	if err != nil || len(found) != 1 || found[0] != (word{"A", "is a"}) {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestAReasonWithoutAMeaningIsRefused(t *testing.T) {
	rows := map[string]struct{ text, says string }{
		"no comment":       {"// Some.\nconst (\n\tReasonA Reason = \"A\"\n)", "ReasonA"},
		"of another name":  {"// Some.\nconst (\n\t// B: b.\n\tReasonA Reason = \"A\"\n)", "ReasonA"},
		"is no Go":         {"const (", "reason.go"},
		"with its meaning": {"// Some.\nconst (\n\t// ReasonA: is a.\n\tReasonA Reason = \"A\"\n)", ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reason.go")
			if err := os.WriteFile(path, []byte("package plan\n\n"+row.text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			groups, err := catalogue(path)
			switch {
			case row.says == "" && (err != nil || len(groups) != 1 || groups[0].words[0] != word{"A", "is a"}):
				t.Errorf("%v, %v", groups, err)
			case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
				t.Errorf("error %v, want it to name %s", err, row.says)
			}
		})
	}
}

// TestEachReasonHasAdvice: a reason without a meaning, a command and a fix fails the page, and so does advice for a
// word that is no reason.
func TestEachReasonHasAdvice(t *testing.T) {
	groups := []group{{title: "Reasons", words: []word{{"A", "is a"}}}}
	whole := advice{Look: "resource", Do: "wait"}
	rows := map[string]struct {
		advised map[string]advice
		says    string
	}{
		"whole":             {map[string]advice{"A": whole}, ""},
		"none":              {map[string]advice{}, "A has no meaning"},
		"no command":        {map[string]advice{"A": {Look: "unknown", Do: "wait"}}, "A has no command"},
		"no fix":            {map[string]advice{"A": {Look: "resource", Do: "unknown"}}, "no fix"},
		"of no such reason": {map[string]advice{"A": whole, "B": whole}, "B is not a reason"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			_, _, err := page(group{}, groups, group{}, sheet{
				Commands: map[string]string{"resource": "kubectl describe"}, Fixes: map[string]string{"wait": "It is done."},
				Reasons: row.advised,
			})
			if (row.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("told %v, want %q", err, row.says)
			}
		})
	}
}
