package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/doctor/inspect"
	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// installing is what the flags of install say.
type installing struct {
	shape

	export, crdsOnly bool
	registry         string
}

func (p *program) install() command {
	var i installing
	return command{
		use: "install", group: "installation", args: cobra.NoArgs, short: "Install the plugin's version, or update to it",
		rights:  []string{"get, list, patch, create and delete of all that an installation has: role cluster-admin"},
		example: "  kn flink install\n  kn flink install --export > kn-flink.yaml",
		flags: func(f *pflag.FlagSet) {
			i.bind(f)
			f.BoolVar(&i.export, "export", false, "print the manifests; no cluster is asked")
			f.BoolVar(&i.crdsOnly, "crds-only", false, "apply the definitions of the kinds alone")
			f.StringVar(&i.registry, "registry", "", "host of a registry with copies of the images")
		},
		run: func(ctx context.Context, _ []string) error {
			if err := p.own("install"); err != nil {
				return err
			}
			if i.export {
				return p.export(i)
			}
			return p.bringIn(ctx, i)
		},
	}
}

// parts are the definitions and the other objects of an installation.
func (p *program) parts(i installing) (definitions, objects []*unstructured.Unstructured, err error) {
	const instead = "run make deploy"
	if definitions, err = p.released(instead, "crds"); err != nil || i.crdsOnly {
		return definitions, nil, err
	}
	names := []string{"kn-flink", "kn-flink-webhook"}
	if i.overlay != "" {
		if !slices.Contains(p.overlays(), i.overlay) {
			return nil, nil, failed("--overlay %s: it is one of %s", i.overlay, strings.Join(p.overlays(), ", "))
		}
		names = []string{"overlay-" + i.overlay}
	}
	if objects, err = p.released(instead, names...); err != nil {
		return nil, nil, err
	}
	if i.noWebhook {
		objects = install.Without(objects)
	}
	if i.registry != "" {
		objects = install.From(objects, i.registry)
	}
	return definitions, objects, nil
}

// export prints the manifests.
func (p *program) export(i installing) error {
	definitions, objects, err := p.parts(i)
	if err != nil {
		return err
	}
	if i.gateway != "" {
		objects = install.At(objects, doctor.Kourier(i.gateway))
	}
	text, err := install.Print(slices.Concat(definitions, objects))
	if err != nil {
		return &Exit{CodeError, err}
	}
	_, err = fmt.Fprint(p.Out, text)
	return err
}

// bringIn installs.
func (p *program) bringIn(ctx context.Context, i installing) error {
	definitions, objects, err := p.parts(i)
	if err != nil {
		return err
	}
	c, err := p.connect()
	if err != nil {
		return err
	}
	a := applier{c, p}
	found, err := p.before(ctx, c, i)
	if err != nil {
		return err
	}
	p.note("custom resource definitions")
	if _, err = a.apply(ctx, definitions); err == nil {
		err = a.established(ctx, definitions)
	}
	if err != nil || i.crdsOnly {
		return err
	}
	if gateways := doctor.Gateways(found, p.asked(i.shape)); len(gateways) == 1 && i.overlay != "istio" {
		objects = install.At(objects, gateways[0])
	}
	p.note("the functions and their events")
	// The template of a Job cannot be changed, only replaced.
	jobs := kube.Query{Resource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}}
	jobs.Namespace, jobs.Labels = p.system, "app.kubernetes.io/part-of=kn-flink"
	if err := a.remove(ctx, jobs, nil); err != nil {
		return err
	}
	there, err := a.apply(ctx, objects)
	if err == nil {
		err = a.prune(ctx, there)
	}
	if err != nil {
		return err
	}
	p.note("wait until all is Ready")
	if err := a.ready(ctx); err != nil {
		return err
	}
	report, _, err := p.examine(ctx, doctor.Installed, shape{})
	if err != nil {
		return err
	}
	p.note("installed; a namespace for jobs: kn flink tenant NAMESPACE")
	return p.verdict(report)
}

// before checks the cluster. What fails stops an installation.
func (p *program) before(ctx context.Context, c *cluster, i installing) (doctor.Found, error) {
	rows := doctor.Before
	if i.crdsOnly {
		rows = doctor.BeforeKinds
	}
	asked := p.asked(i.shape)
	if i.overlay == "tenants" && asked.Scope == "" {
		asked.Scope = "flink.apache.org/watched=true"
	}
	found, err := inspect.Look(ctx, c.Client, asked, doctor.Needs(rows), p.Now)
	if err != nil {
		return found, &Exit{CodeError, err}
	}
	report := doctor.Judge(rows, found, asked)
	if report.Failed() > 0 {
		fmt.Fprint(p.Out, report.Text())
		return found, &Exit{CodeRefused, fmt.Errorf("nothing was changed: see the lines with fail")}
	}
	return found, nil
}

// waited are the kinds that are to be Ready, in the order in which they come to be.
var waited = []schema.GroupVersionResource{
	{Group: "eventing.knative.dev", Version: "v1", Resource: "brokers"},
	knativeServices,
	{Group: "eventing.knative.dev", Version: "v1", Resource: "triggers"},
	{Group: "sources.knative.dev", Version: "v1", Resource: "apiserversources"},
	kube.PingSources,
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "serving.knative.dev", Version: "v1beta1", Resource: "domainmappings"},
}

// ready waits until all of the installation is Ready.
func (a applier) ready(ctx context.Context) error {
	for _, r := range waited {
		why := ""
		err := a.until(ctx, readyLimit, r.Resource+" are not Ready", func() (bool, error) {
			all := true
			err := a.Each(ctx, kube.Query{Resource: r, Namespace: a.p.system}, func(content map[string]any) error {
				u := &unstructured.Unstructured{Object: content}
				if r.Resource == "jobs" && !isTrue(u, "Complete") {
					why, all = u.GetName()+" is not complete", false
				} else if told := doctor.NotReady(u); r.Resource != "jobs" && told != "" {
					why, all = u.GetName()+": "+told, false
				}
				return nil
			})
			if err == nil && !all && r.Resource == "triggers" {
				err = a.touchSubscriptions(ctx)
			}
			return err == nil && all, err
		})
		if err != nil && why != "" {
			return &Exit{CodeTime, fmt.Errorf("%w; %s: kn flink doctor says what to do", err, why)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// touchSubscriptions changes those that are not Ready: Knative looks once at one whose channel could not be written,
// because a webhook was away for instance, and not again.
func (a applier) touchSubscriptions(ctx context.Context) error {
	subscriptions := schema.GroupVersionResource{Group: "messaging.knative.dev", Version: "v1", Resource: "subscriptions"}
	for _, u := range a.Optional(ctx, kube.Query{Resource: subscriptions, Namespace: a.p.system},
		func(u *unstructured.Unstructured) bool { return !isTrue(u, "Ready") }) {
		touch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{
			"flink.apache.org/touched": fmt.Sprint(a.p.Now().Unix()),
		}}}
		o := kube.Object{Resource: subscriptions, Namespace: a.p.system, Name: u.GetName()}
		if _, err := a.MergePatch(ctx, o, touch); err != nil {
			return err
		}
	}
	return nil
}
