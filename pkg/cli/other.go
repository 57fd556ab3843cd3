package cli

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/option"
)

// What version reads beside the kinds.
var (
	knativeServices = schema.GroupVersionResource{Group: "serving.knative.dev", Version: "v1", Resource: "services"}
	definitions     = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}
)

func (p *program) version() command {
	client := false
	return command{
		use: "version", group: "other", args: cobra.NoArgs, short: "The versions of the plugin and of what is installed",
		rights: []string{
			"list of services.serving.knative.dev in the system namespace", "get of customresourcedefinitions",
		},
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.BoolVar(&client, "client", false, "of the plugin alone, without a request to the cluster")
		},
		run: func(ctx context.Context, _ []string) error {
			if client {
				v := view.VersionsOf(p.Version, nil, nil)
				return p.show(v, v.Text())
			}
			return p.installed(ctx)
		},
	}
}

// installed shows the versions of all parts.
func (p *program) installed(ctx context.Context) error {
	c, err := p.connect()
	if err != nil {
		return err
	}
	functions := c.Optional(ctx, kube.Query{
		Resource: knativeServices, Namespace: p.system, Labels: "app.kubernetes.io/part-of=kn-flink",
	}, func(*unstructured.Unstructured) bool { return true })
	definition, there, err := c.Get(ctx, kube.Object{
		Resource: definitions, Name: v1beta1.FlinkDeploymentGVR.GroupResource().String(),
	})
	switch {
	case apierrors.IsForbidden(err):
		c.Cannot("get", kube.Query{Resource: definitions}, err)
	case err != nil:
		return &Exit{CodeError, err}
	case !there:
		p.note("%v", errNoKinds)
	}
	v := view.VersionsOf(p.Version, functions, definition)
	v.Unreadable = c.Unreadable()
	return p.show(v, v.Text())
}

func (p *program) options() command {
	return command{
		use: "options [WORD…]", group: "other", args: cobra.ArbitraryArgs, flags: p.views,
		short:   "The options whose key or meaning has all of the words",
		example: "  kn flink options savepoint interval",
		run: func(_ context.Context, args []string) error {
			found := option.With(args...)
			if len(found) == 0 {
				return &Exit{CodeNo, fmt.Errorf("no option has all of these words")}
			}
			return p.show(found, option.Text(found))
		},
	}
}

// completionLimit is how long a completion of names may take.
const completionLimit = 2 * time.Second

// names completes the names of resources of some kinds, KIND/NAME for those that a bare name does not find.
func (p *program) names(of []string) cobra.CompletionFunc {
	return func(made *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := p.connect()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(made.Context(), completionLimit)
		defer cancel()
		var names []string
		for _, name := range of {
			kind, _ := kinds.Of(name)
			for _, u := range c.Optional(ctx, kube.Query{Resource: kind.Resource, Namespace: c.namespace},
				func(*unstructured.Unstructured) bool { return true }) {
				if slices.Contains(runKinds, name) {
					names = append(names, u.GetName())
				} else {
					names = append(names, kind.Short+"/"+u.GetName())
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// kubectlCompletion is the executable by which kubectl completes the commands of a plugin.
//
//go:embed kubectl_complete-flink
var kubectlCompletion string

// completion adds kubectl to the shells that cobra completes for.
func completion(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.GroupID = "other"
		c.AddCommand(&cobra.Command{
			Use: "kubectl", Short: "Write the executable kubectl_complete-flink, by which kubectl completes", Args: cobra.NoArgs,
			RunE: func(made *cobra.Command, _ []string) error {
				_, err := fmt.Fprint(made.OutOrStdout(), kubectlCompletion)
				return err
			},
		})
	}
}
