package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// goneLimit is how long what is deleted may take to be gone.
const goneLimit = 3 * time.Minute

// removing is one step of a removal: the objects of some resources, of an installation or in its namespace.
type removing struct {
	says      string
	resources []string
	// inside is all of the namespace; otherwise it is what has the label of the installation.
	inside bool
	// tenants is whether what is for jobs goes, too.
	tenants bool
}

// removal is the order: admission first, so that no write asks a function that is going away; sources and Triggers
// before functions, so that no event meets one that is half gone.
var removal = []removing{
	{says: "admission", resources: []string{
		"mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicybindings",
		"validatingadmissionpolicies", "clusterdomainclaims",
	}},
	{says: "the functions and their events", inside: true, resources: []string{
		"apiserversources", "pingsources", "triggers", knativeServices.GroupResource().String(),
	}},
}

// afterwards is what goes after the namespace.
var afterwards = removing{resources: []string{
	"clusterrolebindings", "clusterroles", "rolebindings", "roles", "services",
}}

func (p *program) uninstall() command {
	var crds, yes bool
	return command{
		use: "uninstall", group: "installation", args: cobra.NoArgs,
		short:   "Remove an installation: Flink clusters keep running, and resources stay",
		rights:  []string{"list and delete of all that an installation has: role cluster-admin"},
		example: "  kn flink uninstall\n  kn flink uninstall --crds",
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&crds, "crds", false, "the definitions of the kinds, too, if no resource is left")
			f.BoolVarP(&yes, "yes", "y", false, "do not ask")
		},
		run: func(ctx context.Context, _ []string) error {
			c, err := p.connect()
			if err != nil {
				return err
			}
			a := applier{c, p}
			left, err := a.left(ctx)
			if err != nil {
				return err
			}
			if crds {
				if err := a.mayRemoveKinds(ctx, left); err != nil {
					return err
				}
			}
			if err := p.agreed("the installation in namespace "+p.system+" is removed", yes); err != nil {
				return err
			}
			return a.takeAway(ctx, crds, left)
		},
	}
}

// left are the resources of our kinds that are there.
func (a applier) left(ctx context.Context) (names []string, err error) {
	for _, k := range kinds.All {
		err := a.Each(ctx, kube.Query{Resource: k.Resource}, func(content map[string]any) error {
			u := &unstructured.Unstructured{Object: content}
			names = append(names, k.Resource.Resource+" "+u.GetNamespace()+"/"+u.GetName())
			return nil
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, &Exit{CodeError, err}
		}
	}
	return names, nil
}

// mayRemoveKinds refuses to while a resource is left, or another installation.
func (a applier) mayRemoveKinds(ctx context.Context, left []string) error {
	if len(left) > 0 {
		return &Exit{CodeRefused, fmt.Errorf("nothing was changed: --crds would delete these resources, and with them their "+
			"Flink clusters; delete them first, while the operator is here to do it properly:\n  %s",
			strings.Join(left, "\n  "))}
	}
	var others []string
	err := a.Each(ctx, kube.Query{
		Resource: gvr("validatingadmissionpolicybindings"), Labels: "app.kubernetes.io/part-of=kn-flink",
	}, func(content map[string]any) error {
		name := (&unstructured.Unstructured{Object: content}).GetName()
		const own = "kn-flink-status"
		if strings.HasPrefix(name, own) && name != install.Named(a.p.system, own) {
			others = append(others, name)
		}
		return nil
	})
	if err != nil {
		return &Exit{CodeError, err}
	}
	if len(others) > 0 {
		return &Exit{CodeRefused, fmt.Errorf("nothing was changed: --crds would delete what other installations need: "+
			"%s. Remove those first", strings.Join(others, ", "))}
	}
	return nil
}

// gvr is the resource of manifests with a plural, or a plural and its group.
func gvr(name string) schema.GroupVersionResource {
	for _, r := range install.Resources {
		if r.GVR.Resource == name || r.GVR.GroupResource().String() == name {
			return r.GVR
		}
	}
	return schema.GroupVersionResource{Resource: name}
}

// step removes the objects of one step.
func (a applier) step(ctx context.Context, s removing) error {
	if s.says != "" {
		a.p.note("%s", s.says)
	}
	for _, name := range s.resources {
		q := kube.Query{Resource: gvr(name), Labels: a.p.labels()}
		if s.inside {
			q.Namespace, q.Labels = a.p.system, ""
		}
		err := a.remove(ctx, q, func(u *unstructured.Unstructured) bool {
			return s.tenants || u.GetLabels()["app.kubernetes.io/component"] != "tenant"
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takeAway removes an installation.
func (a applier) takeAway(ctx context.Context, crds bool, left []string) error {
	for _, s := range removal {
		if err := a.step(ctx, s); err != nil {
			return err
		}
	}
	// Pods before the namespace: its controller waits for the whole grace period of those that end while it begins.
	pods := kube.Query{Resource: kube.Pods, Namespace: a.p.system}
	if err := a.gone(ctx, pods, "pods of "+a.p.system); err != nil {
		a.p.note("%v", err)
	}
	namespace := kube.Query{Resource: kube.Namespaces, Fields: "metadata.name=" + a.p.system}
	if err := a.remove(ctx, namespace, nil); err != nil {
		return err
	}
	if err := a.gone(ctx, namespace, "namespace "+a.p.system); err != nil {
		return err
	}
	if err := a.step(ctx, afterwards); err != nil {
		return err
	}
	if !crds {
		a.p.note("the operator is gone; the kinds, the resources and their Flink clusters are as they were")
		if len(left) > 0 {
			a.p.note("a resource that is deleted now waits for its finalizer until an operator is back")
		}
		return nil
	}
	a.p.note("custom resource definitions")
	for _, k := range kinds.All {
		q := kube.Query{Resource: definitions, Fields: "metadata.name=" + doctor.DefinitionOf(k)}
		if err := a.remove(ctx, q, nil); err != nil {
			return err
		}
	}
	ofTenants := []string{"rolebindings", "serviceaccounts", "networkpolicies", "clusterroles"}
	if err := a.step(ctx, removing{resources: ofTenants, tenants: true}); err != nil {
		return err
	}
	a.p.note("all of kn-flink is gone")
	return nil
}

// gone waits until nothing is selected any more.
func (a applier) gone(ctx context.Context, q kube.Query, what string) error {
	return a.until(ctx, goneLimit, what+" are not gone", func() (bool, error) {
		n := 0
		err := a.Each(ctx, q, func(map[string]any) error { n++; return nil })
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && n == 0, err
	})
}
