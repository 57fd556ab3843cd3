package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/local/follow"
	"github.com/kn-flink/kn-flink/local/mesh"
)

// watch says what happens on a running platform.
type watch struct {
	options   options
	begun     time.Time
	follower  *follow.Follower
	functions func() []mesh.Function
	listener  tail
	before    follow.State
	console   string
	hinted    bool // the example is stable, or there is none
}

// show says what is new until ctx ends or a part of the platform fails.
func show(ctx context.Context, w *watch, failed <-chan error) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	if !w.options.example || w.options.keep {
		w.hint("")
	}
	for {
		w.step(time.Now())
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-tick.C:
		}
	}
}

// step says what is new.
func (w *watch) step(now time.Time) {
	state := w.follower.State()
	state.Functions = shown(w.functions())
	lines := follow.Changes(w.before, state)
	for _, event := range w.listener.read(listenerLog(w.functions())) {
		lines = append(lines, "event "+event)
	}
	for _, line := range lines {
		fmt.Println(now.Format("15:04:05 ") + line)
	}
	w.before = state
	if !w.hinted && page(state) != "" {
		w.hint(page(state), fmt.Sprintf("%s is STABLE, %s after the start.", example, rounded(now.Sub(w.begun))))
	}
}

// hint says where to look, once.
func (w *watch) hint(page string, before ...string) {
	w.hinted = true
	fmt.Printf("\n%s\n\n", strings.Join(append(before, w.hints(page)...), "\n"))
}

// example is the resource that examples/basic.yaml makes.
const example = "default/basic"

// page is the web page of the example once it is stable; empty before that.
func page(state follow.State) string {
	for _, r := range state.Resources {
		if r.Name != example || r.Lifecycle != "STABLE" {
			continue
		}
		for _, p := range state.Pods {
			if p.Page != "" && strings.HasPrefix(p.Name, example+"-") {
				return p.Page
			}
		}
	}
	return ""
}

// hints say where to look.
func (w *watch) hints(page string) []string {
	hints := []string{
		"In another terminal:",
		"",
		"  export KUBECONFIG=" + filepath.Join(w.options.dir, "kubeconfig"),
		"  kubectl get flinkdeployments,pods",
	}
	if page != "" {
		hints = append(hints,
			`  kubectl patch flinkdeployment basic --type merge -p '{"spec":{"job":{"parallelism":1}}}'       # an upgrade`,
			`  kubectl patch flinkdeployment basic --type merge -p '{"spec":{"job":{"state":"suspended"}}}'   # and `+
				`"running" again`,
			"  kubectl delete pod -l app=basic,component=jobmanager    # a failure: see it recover",
			"  kubectl delete flinkdeployment basic",
			"",
			"Flink's web page: "+page)
	}
	return append(
		hints, "All of it in a browser, once: "+w.console,
		"Logs: "+filepath.Join(w.options.dir, "log")+" (the platform), kubectl logs (functions and Flink)",
	)
}

// shown are functions as they are spoken of. The operator's own come without their namespace.
func shown(all []mesh.Function) []follow.Function {
	var functions []follow.Function
	for _, f := range all {
		one := follow.Function{Name: f.Name, Awake: f.Replicas > 0 || f.Starting}
		if f.Namespace != "flink-system" {
			one.Name = f.Namespace + "/" + f.Name
		}
		functions = append(functions, one)
	}
	return functions
}
