package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// starting is a job on its way.
var starting = State{
	Resources: []Resource{
		{
			Kind: "FlinkDeployment", Name: "default/basic", Lifecycle: "DEPLOYED", Job: "RECONCILING",
			Now: "JobManagerIsDeploying: waits for its REST API",
		},
	},
	Functions: []Function{
		{Name: "admit", Requests: 1, Last: "21:33:00"},
		{Name: "observe", Pods: 2, Starting: 1, Requests: 14, Last: "21:33:07"},
		{Name: "reconcile", Pods: 1, Starting: 1},
	},
	Pods: []Pod{
		{Name: "default/basic-6d8f7c-abcde", Phase: "Running", Ready: 1, Containers: 1, Page: "http://127.1.1.1:8081"},
		{Name: "default/basic-taskmanager-1-1", Phase: "Pending", Containers: 1},
	},
	Events: []string{
		"21:33:01 status default/FlinkDeployment/basic: CREATED -> DEPLOYED",
		"21:33:02 event default/FlinkDeployment/basic: Submit",
	},
}

// failing is one whose JobManager crashes, beside a session job.
var failing = State{
	Resources: []Resource{
		{
			Kind: "FlinkDeployment", Name: "default/basic", Lifecycle: "FAILED", Job: "FAILED",
			Now: "CrashLoopBackOff: the jar is not there\nand never was",
		},
		{Kind: "FlinkSessionJob", Name: "default/job"},
	},
	Functions: []Function{{Name: "reconcile", Requests: 31, Last: "21:33:00"}},
	Pods: []Pod{
		{
			Name: "default/basic-6d8f7c-abcde", Phase: "CrashLoopBackOff", Containers: 1, Restarts: 3,
			CrashCause: []string{"Caused by: java.io.FileNotFoundException: \x1b[31mno.jar", "\tat org.apache.flink"},
		},
		{Name: "default/other-5b7", Phase: "Running", Ready: 1, Containers: 1},
	},
	Events:  []string{"one", "two", "three"},
	Trouble: "the API server does not answer",
}

func TestTheScreen(t *testing.T) {
	for name, row := range map[string]struct {
		title string
		state State
		size  Size
	}{
		"empty":    {"kn-flink", State{}, Size{}},
		"starting": {"kn-flink local, 12 s since the start", starting, Size{Width: 100, Height: 40}},
		"narrow":   {"kn-flink local, 12 s since the start", starting, Size{Width: 48, Height: 40}},
		"failing":  {"kn-flink", failing, Size{Width: 100, Height: 40}},
		"low":      {"kn-flink", failing, Size{Width: 100, Height: 18}},
		"lowest":   {"kn-flink", failing, Size{Width: 100, Height: 8}},
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, Lines(row.title, row.state, row.size))
		})
	}
}

// golden compares lines with a file; UPDATE=1 writes it.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	got, path := strings.Join(lines, "\n")+"\n", filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheScreenFitsTheTerminal(t *testing.T) {
	word := rapid.StringMatching(`[a-zä\n\t\x1b ]{0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		state := State{Events: rapid.SliceOfN(word, 0, 5).Draw(t, "events"), Trouble: word.Draw(t, "trouble")}
		for i := range rapid.IntRange(0, 5).Draw(t, "resources") {
			state.Resources = append(
				state.Resources, Resource{Kind: "FlinkDeployment", Name: fmt.Sprint(i), Now: word.Draw(t, "now")},
			)
		}
		for i := range rapid.IntRange(0, 9).Draw(t, "pods") {
			state.Pods = append(
				state.Pods,
				Pod{Name: fmt.Sprint(i), Phase: word.Draw(t, "phase"), CrashCause: rapid.SliceOfN(word, 0, 3).Draw(t, "words")},
			)
		}
		size := Size{Width: rapid.IntRange(1, 60).Draw(t, "width"), Height: rapid.IntRange(1, 30).Draw(t, "height")}
		lines := Lines("title", state, size)
		if len(lines) > size.Height {
			t.Fatalf("%d lines", len(lines))
		}
		for _, line := range lines {
			if length(line) > size.Width || strings.ContainsAny(line, "\n\t\x1b") {
				t.Fatalf("%q does not fit", line)
			}
		}
		if again := Lines("title", state, size); strings.Join(again, "\n") != strings.Join(lines, "\n") {
			t.Fatal("another screen of the same state")
		}
		if said := Changes(state, state); len(said) != 0 {
			t.Fatalf("nothing changed, and it says %q", said)
		}
	})
}

func TestProgress(t *testing.T) {
	golden(t, "progress", Progress([]Step{
		{Name: "modules", Done: 120, Unit: "modules", Took: 61 * time.Second, Ended: true},
		{Name: "compile Kubernetes", Done: 12, Total: 1700, Unit: "packages", Took: 5 * time.Second},
		{Name: "download Flink 2.2.1", Done: 100 << 20, Total: 331 << 20, Took: 1400 * time.Millisecond},
		{Name: "wait for a Broker", Took: 900 * time.Millisecond, Ended: true},
		{Name: "start etcd"},
	}, Size{Width: 80}))
}

func TestAStepInAPlainLog(t *testing.T) {
	for want, step := range map[string]Step{
		"start etcd": {Name: "start etcd"},
		"compile: 3 of 9 packages, done after 2 min 05 s": {
			Name: "compile", Done: 3, Total: 9, Unit: "packages", Took: 125 * time.Second, Ended: true,
		},
		"download: 1 MB":       {Name: "download", Done: 1 << 20},
		"download: 0 of 2 MB":  {Name: "download", Total: 2 << 20},
		"modules: 4 modules":   {Name: "modules", Done: 4, Unit: "modules"},
		"etcd, done after 0 s": {Name: "etcd", Ended: true},
	} {
		if got := step.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
