package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/local/follow"
	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/local/screen"
	"github.com/kn-flink/kn-flink/local/terminal"
)

// view is what is shown of a running platform.
type view struct {
	options   options
	begun     time.Time
	out       *terminal.Terminal
	follower  *follow.Follower
	functions func() []mesh.Function
	listener  tail
	before    screen.State
	where     []string // nil until the example is stable
}

// show shows the platform until ctx ends or a part of it fails.
func show(ctx context.Context, v *view, failed <-chan error) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	if !v.options.example || v.options.keep {
		v.say(v.hints(""))
	}
	for {
		v.step(time.Now())
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-tick.C:
		}
	}
}

// step shows what is new.
func (v *view) step(now time.Time) {
	state := v.follower.State()
	state.Functions = shown(v.functions())
	state.Events = v.listener.read(listenerLog(v.functions()))
	stable := v.where == nil && page(state) != ""
	if v.out.Live() {
		v.draw(state, now)
	} else if lines := screen.Changes(v.before, state); len(lines) > 0 {
		for _, line := range lines {
			v.out.Print(now.Format("15:04:05 ") + line)
		}
	}
	v.before = state
	if stable {
		v.say(append([]string{
			fmt.Sprintf("%s is STABLE, %s after the start.", example, rounded(now.Sub(v.begun))),
		}, v.hints(page(state))...))
	}
}

func (v *view) draw(state screen.State, now time.Time) {
	title, size := "kn-flink on this machine. Ctrl-C stops it.", v.out.Size()
	if v.where == nil {
		title = fmt.Sprintf("kn-flink on this machine: %s starts, %d s", example, int(now.Sub(v.begun).Seconds()))
	}
	// What was said above stays in sight where there is room.
	size.Height = max(size.Height-len(v.where)-1, min(size.Height, 14))
	v.out.Draw(screen.Lines(title, state, size))
}

// say prints lines that stay.
func (v *view) say(lines []string) {
	v.where = lines
	v.out.Print(append(append([]string{""}, lines...), "")...)
}

// example is the resource that examples/basic.yaml makes.
const example = "default/basic"

// page is the web page of the example once it is stable; empty before that.
func page(state screen.State) string {
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
func (v *view) hints(page string) []string {
	hints := []string{
		"In another terminal:",
		"",
		"  export KUBECONFIG=" + filepath.Join(v.options.dir, "kubeconfig"),
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
		hints, "Logs: "+filepath.Join(v.options.dir, "log")+" (the platform), kubectl logs (functions and Flink)",
	)
}

// shown are functions as the screen has them. The operator's own come without their namespace.
func shown(all []mesh.Function) []screen.Function {
	var functions []screen.Function
	for _, f := range all {
		one := screen.Function{Name: f.Name, Pods: f.Replicas, Requests: int64(f.Served)}
		if f.Namespace != "flink-system" {
			one.Name = f.Namespace + "/" + f.Name
		}
		if f.Starting {
			one.Pods, one.Starting = one.Pods+1, 1
		}
		if !f.LastRequest.IsZero() {
			one.Last = f.LastRequest.Format("15:04:05")
		}
		functions = append(functions, one)
	}
	return functions
}
