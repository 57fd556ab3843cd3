package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// enforced is the label with the pod security level of a namespace.
const enforced = "pod-security.kubernetes.io/enforce"

func (p *program) tenant() command {
	var open bool
	return command{
		use: "tenant NAMESPACE", group: "installation", args: cobra.ExactArgs(1),
		short: "Let Flink jobs run in a namespace: service accounts, rights, a NetworkPolicy, pod security level baseline",
		rights: []string{
			"patch of the namespace, and of serviceaccounts, rolebindings and networkpolicies in it", "list of pods",
		},
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&open, "open", false, "no NetworkPolicy, and the pod security level as it is")
		},
		run: func(ctx context.Context, args []string) error {
			if err := p.own("tenant"); err != nil {
				return err
			}
			return p.prepare(ctx, args[0], open)
		},
	}
}

// prepare makes a namespace ready for jobs.
func (p *program) prepare(ctx context.Context, namespace string, open bool) error {
	text, err := p.file("tenant")
	if err != nil {
		return failed("this plugin was built from source and has no manifests: run make tenant NS=%s in the checkout",
			namespace)
	}
	objects, err := install.Read(strings.ReplaceAll(text, "${NAMESPACE}", namespace))
	if err != nil {
		return failed("tenant.yaml of the release: %w", err)
	}
	c, err := p.connect()
	if err != nil {
		return err
	}
	a := applier{c, p}
	there, err := a.has(ctx, kube.Object{Resource: kube.Namespaces, Name: namespace})
	if err == nil && there == nil {
		return failed("no namespace %s; make it first: kubectl create namespace %s", namespace, namespace)
	}
	role, roleErr := a.has(ctx, kube.Object{Resource: gvr("clusterroles"), Name: "flink"})
	if roleErr == nil && role == nil {
		return failed("no ClusterRole flink; install the operator first: kn flink install")
	}
	if err = firstOf(err, roleErr); err != nil {
		return err
	}
	if open {
		objects = slices.DeleteFunc(objects, func(u *unstructured.Unstructured) bool {
			return u.GetKind() == "NetworkPolicy"
		})
	}
	if _, err := a.apply(ctx, objects); err != nil {
		return err
	}
	if !open {
		if err := a.secure(ctx, there); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.Out, "namespace %s can run Flink jobs (service account flink)\n", namespace)
	return err
}

func firstOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// has is an object, or nil.
func (a applier) has(ctx context.Context, o kube.Object) (*unstructured.Unstructured, error) {
	u, there, err := a.Get(ctx, o)
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	if !there {
		return nil, nil
	}
	return u, nil
}

// secure sets a pod security level where none is set and no pod runs that it might refuse.
func (a applier) secure(ctx context.Context, namespace *unstructured.Unstructured) error {
	name := namespace.GetName()
	if namespace.GetLabels()[enforced] != "" {
		return nil
	}
	pods := 0
	if err := a.Each(ctx, kube.Query{Resource: kube.Pods, Namespace: name}, func(map[string]any) error {
		pods++
		return nil
	}); err != nil {
		return &Exit{CodeError, err}
	}
	if pods > 0 {
		a.p.note("pods run in %s, so its pod security level is not set. See which of them level baseline refuses:\n"+
			"  kubectl label namespace %s %s=baseline --dry-run=server", name, name, enforced)
		return nil
	}
	_, err := a.MergePatch(ctx, kube.Object{Resource: kube.Namespaces, Name: name}, map[string]any{
		"metadata": map[string]any{"labels": map[string]any{enforced: "baseline"}},
	})
	if err != nil {
		return refused(err)
	}
	return nil
}
