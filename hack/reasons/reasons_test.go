package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePageIsUpToDate(t *testing.T) {
	groups, err := read("../../pkg/plan/reason.go")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("../../docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	if page(groups) != string(written) {
		t.Error("docs/reasons.md differs: run make generate")
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
			groups, err := read(path)
			switch {
			case row.says == "" && (err != nil || len(groups) != 1 || groups[0].reasons[0] != reason{"A", "is a"}):
				t.Errorf("%v, %v", groups, err)
			case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
				t.Errorf("error %v, want it to name %s", err, row.says)
			}
		})
	}
}
