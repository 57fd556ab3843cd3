package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// longest is how long a write is followed where nothing is said.
const longest = 10 * time.Minute

// writing is what the flags of all writes say.
type writing struct {
	dryRun             string
	noWait, yes, force bool

	timeout time.Duration
}

func (w *writing) bind(f *pflag.FlagSet) {
	f.StringVar(&w.dryRun, "dry-run", "none", "none, or server: it is judged as a real one, and nothing is changed")
	f.BoolVar(&w.noWait, "no-wait", false, "do not wait for the end")
	f.DurationVar(&w.timeout, "timeout", longest, "how long to wait for the end")
	f.BoolVarP(&w.yes, "yes", "y", false, "do not ask before state is given up")
	f.BoolVar(&w.force, "force", false, "change a resource that Argo CD, Flux or Helm owns, too")
}

func (w *writing) check() error { return oneOf("dry-run", w.dryRun, "none", "server") }

// maker makes the change of a command for a resource and the arguments that follow its name.
type maker func(object *unstructured.Unstructured, args []string) (edit.Edit, error)

// change is the command of one change.
func (p *program) change(c command, make maker) command {
	var w writing
	c.group, c.rights = "change", []string{"patch of the kind"}
	bind := c.flags
	c.flags = func(f *pflag.FlagSet) {
		w.bind(f)
		if bind != nil {
			bind(f)
		}
	}
	c.run = func(ctx context.Context, args []string) error {
		if err := w.check(); err != nil {
			return err
		}
		cluster, object, err := p.named(ctx, args[0], allKinds)
		if err != nil {
			return err
		}
		made, err := make(object, args[1:])
		if err != nil {
			return &Exit{CodeError, err}
		}
		return p.apply(ctx, cluster, object, made, w)
	}
	return c
}

// changes are the commands that change one field of a resource.
func (p *program) changes() []command {
	alone := func(of func(*unstructured.Unstructured) (edit.Edit, error)) maker {
		return func(object *unstructured.Unstructured, _ []string) (edit.Edit, error) { return of(object) }
	}
	return []command{
		p.change(command{
			use: "suspend NAME", kinds: jobKinds, args: cobra.ExactArgs(1), short: "Stop a job and keep its state",
		}, alone(edit.Suspend)),
		p.change(command{
			use: "resume NAME", kinds: jobKinds, args: cobra.ExactArgs(1), short: "Start a suspended job again",
		}, alone(edit.Resume)),
		p.change(command{
			use: "restart NAME", kinds: jobKinds, args: cobra.ExactArgs(1),
			short: "Start a job, or a session cluster, again",
		}, alone(edit.Restart)),
		p.change(command{
			use: "scale NAME N", kinds: jobKinds, args: cobra.ExactArgs(2),
			short: "Set the parallelism of a job or, in standalone mode, the number of TaskManagers",
		}, func(object *unstructured.Unstructured, args []string) (edit.Edit, error) {
			to, err := strconv.ParseInt(args[0], 10, 32)
			if err != nil || to < 1 {
				return edit.Edit{}, fmt.Errorf("scale to %q: it is a whole number from 1 on", args[0])
			}
			return edit.Scale(object, to)
		}),
		p.change(command{
			use: "promote NAME", kinds: pairKinds, args: cobra.ExactArgs(1),
			short: "Approve the change of a blue/green deployment",
		}, alone(edit.Promote)),
		p.change(command{
			use: "abort NAME", kinds: pairKinds, args: cobra.ExactArgs(1),
			short: "Give up the change of a blue/green deployment",
		}, alone(edit.Abort)),
		p.change(command{
			use: "reconcile NAME", kinds: allKinds, args: cobra.ExactArgs(1), short: "Ask for a pass of the operator now",
		}, func(object *unstructured.Unstructured, _ []string) (edit.Edit, error) {
			return edit.Reconcile(object, p.Now())
		}),
	}
}

// apply makes a change, if it may be made, and follows it to its end.
func (p *program) apply(
	ctx context.Context, c *cluster, object *unstructured.Unstructured, e edit.Edit, w writing,
) error {
	name := object.GetName()
	if e.Nothing {
		p.note("%s is so already: %s", name, e.Says)
		return nil
	}
	if e.After != nil && w.noWait {
		return failed("%s: this has a second step, %s, when the first has come to its end: leave --no-wait out", name,
			e.AfterSays)
	}
	if err := p.mayChange(object, e, w); err != nil {
		return err
	}
	for _, text := range e.Notes {
		p.note("%s", text)
	}
	kind, _ := kinds.Of(object.GetKind())
	if body, err := json.Marshal(e.Patch); err == nil && p.verbose {
		if e.Hide != nil {
			body = []byte(e.Hide(string(body)))
		}
		p.note("kubectl patch %s %s -n %s --type=merge -p '%s'", kind.Resource.Resource, name, object.GetNamespace(), body)
	}
	at := kube.Object{Resource: kind.Resource, Namespace: object.GetNamespace(), Name: name}
	changed, err := c.Edit(ctx, at, e.Patch, w.dryRun == "server")
	if err != nil {
		return refused(err)
	}
	if w.dryRun == "server" {
		_, err := fmt.Fprintf(p.Out, "%s  %s (server dry run: nothing was changed)\n", name, e.Says)
		return err
	}
	if _, err := fmt.Fprintf(p.Out, "%s  %s\n", name, e.Says); err != nil || w.noWait || e.Goal == "" {
		return err
	}
	begun := p.Now()
	now, err := p.follow(ctx, c, changed, following{goal: e.Goal, timeout: w.timeout, to: p.Err})
	if err != nil {
		if e.After != nil {
			p.note("when it runs, set this yourself: %s", e.AfterSays)
		}
		return err
	}
	if e.After != nil {
		if _, err := c.Edit(ctx, at, e.After, false); err != nil {
			return refused(fmt.Errorf("%s: set it yourself: %w", e.AfterSays, err))
		}
		p.note("%s  %s", name, e.AfterSays)
	}
	_, err = fmt.Fprintf(p.Out, "%s  %s in %v%s\n", name, e.Goal, p.Now().Sub(begun).Round(time.Second), view.Kept(now))
	return err
}

// mayChange refuses what a GitOps tool owns, and asks before state is given up.
func (p *program) mayChange(object *unstructured.Unstructured, e edit.Edit, w writing) error {
	if owner := edit.Owner(object); owner != "" && !e.Beside && !w.force {
		text, err := e.Commit(object)
		if err != nil {
			return &Exit{CodeError, err}
		}
		fmt.Fprint(p.Out, text)
		return &Exit{CodeRefused, fmt.Errorf("%s comes from %s, which would take the change back: commit the change "+
			"above, or use --force", object.GetName(), owner)}
	}
	if e.GivesUp == "" || w.yes || w.dryRun == "server" {
		return nil
	}
	if !p.Terminal {
		return failed("%s: %s; use --yes if that is meant", object.GetName(), e.GivesUp)
	}
	fmt.Fprintf(p.Err, "%s  %s\n%s. Continue? [y/N] ", object.GetName(), e.Says, e.GivesUp)
	answer, err := bufio.NewReader(p.In).ReadString('\n')
	if err != nil && err != io.EOF {
		return failed("read the answer: %w", err)
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return &Exit{CodeNo, fmt.Errorf("nothing was changed")}
	}
	return nil
}

// refused tells what is invalid, or what admission refuses, from other errors of a write.
func refused(err error) error {
	if apierrors.IsInvalid(err) || strings.Contains(err.Error(), "denied the request") {
		return &Exit{CodeRefused, fmt.Errorf("nothing was changed: %w", err)}
	}
	return &Exit{CodeError, err}
}
