package cli_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kn-flink/kn-flink/test/golden"
)

// screenWidth is how many characters of a line the page shows.
const screenWidth = 118

// screensPage is the page of the documentation that shows what commands print.
const screensPage = "../../docs/observe/kn-flink-screens.md"

// screens are the commands of the page, below what each answers.
var screens = []struct {
	heading, says string
	args          []string
}{
	{
		"Find the job that needs you",
		"`!!` waits for a user, `!` continues by itself. `--sort=need` has those first that wait for a user.",
		[]string{"list"},
	},
	{"Ask why", "The reason, what it means, and what to do.", []string{"why", "payments"}},
	{
		"Ask why of a job that waits for you", "What is known of its state stands there, too.",
		[]string{"why", "sessions-daily"},
	},
	{"See everything of one", "`-v` prints long lines in full, and each condition.", []string{"describe", "payments"}},
	{
		"See its history", "`*` runs, `=` ran well. `kn flink rollback` brings any of them back.",
		[]string{"history", "orders"},
	},
	{"List its savepoints", "Which of them are there, who keeps them, and which a job needs.",
		[]string{"savepoint", "list", "orders"}},
}

// TestScreens holds the page to what the commands print. What a plan looks like is of a story of test/scenario, where a
// job really runs.
func TestScreens(t *testing.T) {
	var page strings.Builder
	page.WriteString("# What kn flink shows\n\nFor authors of jobs and engineers on call: see what the commands of " +
		"`kn flink` print before you run one.\n\nA test writes this page, so it is what [kn flink](kn-flink.md) prints. " +
		"Secrets of a spec are stars; long lines\nare cut here.\n")
	show := func(heading, says, screen string) {
		page.WriteString("\n## " + heading + "\n\n" + says + "\n\n```text\n")
		for line := range strings.Lines(screen) {
			page.WriteString(cutTo(strings.TrimRight(line, "\n"), screenWidth) + "\n")
		}
		page.WriteString("```\n")
	}
	for _, s := range screens {
		out, notes, code := saved(t).run(s.args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", s.args, code, notes)
		}
		show(s.heading, s.says, "$ kn flink "+strings.Join(s.args, " ")+"\n"+out)
	}
	plans, err := os.ReadFile("../../test/scenario/testdata/plugin/plan.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, plan, found := strings.Cut(string(plans), "$ kn flink plan demo --to 1\n")
	plan, _, ends := strings.Cut(plan, "\n\n")
	if !found || !ends {
		t.Fatal("test/scenario shows no plan of a rollback any more")
	}
	show("See what a rollback would do", "[The same](kn-flink-plan.md) for an edit, or a file with edited resources.",
		"$ kn flink plan demo --to 1\n"+plan+"\n")
	golden.Compare(t, screensPage, page.String(), *update, "go test ./pkg/cli -run TestScreens -update")
}

// cutTo is a line as a terminal of a width shows it.
func cutTo(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}

// byKn are the arguments that kn hands on to the plugin: all but the first that is its name (argsWithoutCommands in
// cmd/kn/main.go of knative/client).
func byKn(args ...string) []string {
	for i, arg := range args {
		if arg == "flink" {
			return append(append([]string{}, args[:i]...), args[i+1:]...)
		}
	}
	return args
}

// Row C1: by kn, by kubectl and by its own name, with flags before and behind the command, the same is printed.
func TestC1EachCallerSeesTheSame(t *testing.T) {
	w := newWorld(t, "team.yaml")
	want, _, code := w.run("list", "--context", "x")
	if code != 0 || !strings.Contains(want, "orders") {
		t.Fatalf("exit code %d\n%s", code, want)
	}
	for name, args := range map[string][]string{
		"kn":                         byKn("flink", "list"),
		"kn, flags before":           byKn("--kubeconfig", "/x", "--as", "me", "flink", "list"),
		"kn, flags behind flink":     byKn("flink", "--context", "flink", "list"),
		"kn, flags behind list":      byKn("flink", "list", "--context", "flink"),
		"kn, its own flags":          byKn("--config", "/x", "--log-http", "flink", "list"),
		"kubectl":                    {"list"},
		"kubectl, flags behind list": {"list", "--context", "x", "--kubeconfig=/x"},
		"kubectl, flags before list": {"--context", "x", "list"},
		"its own name, and an alias": {"ls"},
	} {
		if got, notes, code := w.run(args...); code != 0 || got != want {
			t.Errorf("%s: exit code %d\n%s%s", name, code, got, notes)
		}
	}
}
