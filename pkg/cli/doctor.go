package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/doctor/inspect"
)

// shape are the flags that say which installation is meant.
type shape struct {
	overlay, scope, gateway string

	noWebhook, goOn bool
}

func (s *shape) bind(f *pflag.FlagSet) {
	f.StringVar(&s.overlay, "overlay", "", "the shape of the installation: a folder of config/overlays")
	f.StringVar(&s.scope, "scope", "", "label selector of the namespaces that it is to watch; none is all")
	f.BoolVar(&s.noWebhook, "no-webhook", false, "it is to have no admission webhook")
	f.StringVar(&s.gateway, "gateway-namespace", "",
		"where the gateway of Knative's ingress is, if there is more than one")
	f.BoolVar(&s.goOn, "go-on", false, "resources that are not run in full are a warning")
}

// asked is the installation that is meant.
func (p *program) asked(s shape) doctor.Asked {
	return doctor.Asked{
		System: p.system, Version: p.Version, Overlay: s.overlay, Scope: s.scope, NoWebhook: s.noWebhook,
		GatewayNamespace: s.gateway, GoOn: s.goOn,
	}
}

// rightsOfDoctor belong to a report in full. What may not be read is named, and the rest is judged.
var rightsOfDoctor = []string{
	"list of pods, events and Knative's kinds in the system namespace", "get of customresourcedefinitions",
	"list of namespaces, services, deployments, serviceaccounts, roles, policies and webhook configurations",
	"create of flinksessionjobs, for a dry run",
}

// installations are the commands of an installation.
func (p *program) installations() []command {
	return []command{p.doctor(), p.install(), p.uninstall(), p.tenant(), p.migrate()}
}

func (p *program) doctor() command {
	var s shape
	var pre bool
	probing := probing{limit: probeLimit}
	return command{
		use: "doctor", group: "installation", args: cobra.NoArgs, rights: rightsOfDoctor,
		short:   "Check an installation, or with --pre a cluster before one",
		example: "  kn flink doctor\n  kn flink doctor --pre\n  kn flink doctor --probe -n team-a",
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			s.bind(f)
			probing.bind(f)
			f.BoolVar(&pre, "pre", false, "what stands in the way of an installation or an update")
		},
		run: func(ctx context.Context, _ []string) error {
			if pre && probing.on {
				return failed("--pre and --probe: a cluster before an installation has nothing to probe")
			}
			rows := doctor.Installed
			if pre {
				rows = doctor.Before
			}
			report, c, err := p.examine(ctx, rows, s)
			if err != nil {
				return err
			}
			if probing.on {
				lines, err := p.probe(ctx, c, probing)
				if err != nil {
					return err
				}
				report.Add(lines...)
			}
			return p.verdict(report)
		},
	}
}

// examine has rows judge a cluster.
func (p *program) examine(ctx context.Context, rows []doctor.Row, s shape) (doctor.Report, *cluster, error) {
	c, err := p.connect()
	if err != nil {
		return doctor.Report{}, nil, err
	}
	a := p.asked(s)
	found, err := inspect.Look(ctx, c.Client, a, doctor.Needs(rows), p.Now)
	if err != nil {
		return doctor.Report{}, nil, &Exit{CodeError, err}
	}
	return doctor.Judge(rows, found, a), c, nil
}

// verdict shows a report, and is the answer no where something of it fails.
func (p *program) verdict(r doctor.Report) error {
	if err := p.show(r, r.Text()); err != nil {
		return err
	}
	if n := r.Failed(); n > 0 {
		return &Exit{CodeNo, fmt.Errorf("%d checks fail: see the lines with fail", n)}
	}
	return nil
}
