package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/doctor/inspect"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// migrating is what the flags of migrate say.
type migrating struct {
	shape

	yes bool
}

func (p *program) migrate() command {
	var m migrating
	return command{
		use: "migrate check|take|back", group: "installation", args: cobra.ExactArgs(1),
		short: "Move from the Java operator and back: what would change, stop it, prepare the way back",
		example: "  kn flink migrate check     # 1 if something would not run here\n" +
			"  kn flink migrate take      # stops the Java operator; jobs keep running\n" +
			"  kn flink migrate back      # 1 while an operation is open",
		rights: []string{
			"list of deployments; get of configmaps and customresourcedefinitions",
			"take: patch of deployments, delete of webhook configurations",
		},
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			m.bind(f)
			f.BoolVarP(&m.yes, "yes", "y", false, "do not ask")
		},
		run: func(ctx context.Context, args []string) error {
			step, known := map[string]func(context.Context, migrating) error{
				"check": p.checkMigration, "take": p.takeOver, "back": p.wayBack,
			}[args[0]]
			if !known {
				return failed("migrate %s: it is one of check, take, back", args[0])
			}
			return step(ctx, m)
		},
	}
}

// checkMigration says what a take-over would change.
func (p *program) checkMigration(ctx context.Context, m migrating) error {
	report, _, err := p.examine(ctx, doctor.TakeOver, m.shape)
	if err != nil {
		return err
	}
	return p.verdict(report)
}

// takeOver stops the Java operators that watch what an installation is to watch, if all that they ran is run here.
func (p *program) takeOver(ctx context.Context, m migrating) error {
	c, err := p.connect()
	if err != nil {
		return err
	}
	a, asked := applier{c, p}, p.asked(m.shape)
	found, err := inspect.Look(ctx, c.Client, asked, doctor.Needs(doctor.TakeOver), p.Now)
	if err != nil {
		return &Exit{CodeError, err}
	}
	if report := doctor.Judge(doctor.TakeOver, found, asked); report.Verdict == doctor.Fail {
		fmt.Fprint(p.Out, report.Text())
		return &Exit{CodeRefused, fmt.Errorf("nothing was changed: see the lines with fail")}
	}
	if why := found.Unread[doctor.Operators]; why != "" {
		return failed("which Java operators run is not known: %s", why)
	}
	running := doctor.Java(found, asked)
	for _, u := range running {
		what := fmt.Sprintf("deployment %s/%s is scaled to zero, and its webhooks are deleted", u.GetNamespace(), u.GetName())
		if err := p.agreed(what, m.yes); err != nil {
			return err
		}
		if err := a.stop(ctx, u); err != nil {
			return err
		}
		p.note("%s/%s has stopped; jobs keep running", u.GetNamespace(), u.GetName())
	}
	if len(running) == 0 {
		p.note("no Java operator runs on the same namespaces")
	}
	_, err = fmt.Fprintln(p.Out, "next: kn flink install (from a checkout: make deploy)")
	return err
}

// stop stops a Java operator: first its webhooks, so that no write asks one that has gone, and then its pod.
func (a applier) stop(ctx context.Context, u *unstructured.Unstructured) error {
	for _, plural := range []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"} {
		q := kube.Query{Resource: gvr(plural), Fields: "metadata.name=" + doctor.JavaWebhooks(u.GetNamespace())}
		if err := a.remove(ctx, q, nil); err != nil {
			return err
		}
	}
	o := kube.Object{Resource: kube.Deployments, Namespace: u.GetNamespace(), Name: u.GetName()}
	if _, err := a.MergePatch(ctx, o, map[string]any{"spec": map[string]any{"replicas": 0}}); err != nil {
		return refused(err)
	}
	return a.until(ctx, goneLimit, o.String()+" has pods", func() (bool, error) {
		now, there, err := a.Get(ctx, o)
		if err != nil || !there {
			return err == nil, err
		}
		pods, _, _ := unstructured.NestedInt64(now.Object, "status", "replicas")
		return pods == 0, nil
	})
}

// wayBack says whether the Java operator may take over again.
func (p *program) wayBack(ctx context.Context, m migrating) error {
	report, _, err := p.examine(ctx, doctor.Back, m.shape)
	if err != nil {
		return err
	}
	return p.verdict(report)
}
