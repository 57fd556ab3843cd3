package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func TestOtherCommands(t *testing.T) {
	w := newWorld(t, "team.yaml")
	held(t, "other.txt", w.transcript("version", "--client")+w.transcript("version")+
		w.transcript("options", "periodic", "savepoint", "interval")+w.transcript("options", "no-such-option")+
		w.transcript("completion", "kubectl")+w.transcript("__complete", "suspend", "")+
		w.transcript("__complete", "describe", "")+w.transcript("__complete", "list", ""))
	for _, right := range []string{"customresourcedefinitions"} {
		w.Tap.Inject(wire.Fault{Match: wire.On("get", right), Status: 403})
		if out, _, code := w.run("version"); code != 0 || !strings.Contains(out, "the right to get "+right) {
			t.Errorf("without the right to get %s: exit code %d\n%s", right, code, out)
		}
	}
}

// A command of the plugin that is not finished does not exist: no stub says that it will come.
func TestEachCommandIsInItsGroupAndRuns(t *testing.T) {
	w := newWorld(t, "team.yaml")
	help, _, _ := w.run("--help")
	for _, group := range []string{"Look:", "Change:", "Installation:", "Other:"} {
		if !strings.Contains(help, "\n"+group+"\n") {
			t.Errorf("there is no group %s", group)
		}
	}
	if strings.Contains(help, "Additional Commands") {
		t.Error("a command is in no group")
	}
	var names []string
	for _, c := range []string{
		"list", "describe", "why", "wait", "events", "logs", "console", "suspend", "resume", "restart", "scale",
		"top", "ui", "plan", "autoscale",
		"reconcile", "promote", "abort", "savepoint", "checkpoint", "doctor", "install", "uninstall",
		"tenant", "migrate", "version", "options", "completion",
		"history", "rollback", "restore",
	} {
		out, notes, code := w.run(c, "--help")
		if code != 0 || !strings.Contains(out, "Usage:") {
			t.Errorf("%s: exit code %d\n%s%s", c, code, out, notes)
		}
		names = append(names, c)
	}
	for line := range strings.Lines(help) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		named := strings.HasPrefix(line, "  ") && line[2] != ' ' && line[2] != '-' && name != "help" && name != "kn"
		if named && !slices.Contains(names, name) {
			t.Errorf("command %s is not known here", name)
		}
	}
}
