package cli

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// manager is the field manager of an installation.
const manager = "kn-flink"

// The patience of an installation.
const (
	applyLimit = time.Minute     // a webhook of Knative may be starting
	readyLimit = 3 * time.Minute // images are pulled
)

// applier applies and removes the objects of an installation.
type applier struct {
	*cluster
	p *program
}

// until asks again until it holds, or the limit is over; the error is what was asked for.
func (a applier) until(ctx context.Context, limit time.Duration, what string, holds func() (bool, error)) error {
	for begun := a.p.Now(); ; {
		held, err := holds()
		if held || err != nil && !passes(err) {
			return err
		}
		if a.p.Now().Sub(begun) > limit {
			if err == nil {
				err = fmt.Errorf("it is not so after %v", limit)
			}
			return &Exit{CodeTime, fmt.Errorf("%s: %w", what, err)}
		}
		wait := time.NewTimer(a.p.Pace)
		select {
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		case <-wait.C:
		}
	}
}

var transient = regexp.MustCompile(
	`(?i)failed calling webhook|connection refused|i/o timeout|deadline exceeded|etcdserver|could not find the requested`)

// passes is whether an error is one of a cluster that is still starting.
func passes(err error) bool {
	return transient.MatchString(err.Error()) || apierrors.IsTooManyRequests(err) || apierrors.IsConflict(err)
}

// object is where an object of a manifest is.
func object(u *unstructured.Unstructured) (kube.Object, error) {
	r, err := install.ResourceOf(u)
	return kube.Object{Resource: r.GVR, Namespace: u.GetNamespace(), Name: u.GetName()}, err
}

// apply applies objects in their order, and answers with the UIDs of what is then there.
func (a applier) apply(ctx context.Context, objects []*unstructured.Unstructured) (map[types.UID]bool, error) {
	there := map[types.UID]bool{}
	for _, u := range objects {
		o, err := object(u)
		if err != nil {
			return nil, &Exit{CodeError, err}
		}
		err = a.until(ctx, applyLimit, "apply "+o.String(), func() (bool, error) {
			err := a.Apply(ctx, o, u, manager)
			return err == nil, err
		})
		if err != nil {
			return nil, refused(err)
		}
		stored, found, err := a.Get(ctx, o)
		if err != nil {
			return nil, &Exit{CodeError, err}
		}
		if found {
			there[stored.GetUID()] = true
		}
	}
	return there, nil
}

// established waits until the API server serves the kinds.
func (a applier) established(ctx context.Context, definitions []*unstructured.Unstructured) error {
	for _, u := range definitions {
		o, err := object(u)
		if err != nil {
			return &Exit{CodeError, err}
		}
		err = a.until(ctx, applyLimit, "the API server does not take "+o.Name, func() (bool, error) {
			stored, _, err := a.Get(ctx, o)
			return err == nil && isTrue(stored, "Established"), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isTrue is whether a condition is true.
func isTrue(u *unstructured.Unstructured, kind string) bool {
	if u == nil {
		return false
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(list, func(entry any) bool {
		c, _ := entry.(map[string]any)
		return c["type"] == kind && c["status"] == "True"
	})
}

// remove deletes what is selected, and does not wait.
func (a applier) remove(ctx context.Context, q kube.Query, wanted func(*unstructured.Unstructured) bool) error {
	var found []*unstructured.Unstructured
	err := a.Each(ctx, q, func(content map[string]any) error {
		if u := (&unstructured.Unstructured{Object: content}); wanted == nil || wanted(u) {
			found = append(found, u)
		}
		return nil
	})
	if apierrors.IsNotFound(err) { // the API server does not have the kind
		return nil
	}
	for _, u := range found {
		o := kube.Object{Resource: q.Resource, Namespace: u.GetNamespace(), Name: u.GetName()}
		if err == nil {
			err = a.Delete(ctx, o, u.GetUID(), kube.Propagation(metav1.DeletePropagationBackground)) // a Job keeps its pods
		}
	}
	if err != nil {
		return &Exit{CodeError, err}
	}
	return nil
}

// labels select what an installation has, in any namespace.
func (p *program) labels() string {
	if p.system == install.DefaultNamespace {
		return "app.kubernetes.io/part-of=kn-flink,!app.kubernetes.io/instance"
	}
	return "app.kubernetes.io/part-of=kn-flink,app.kubernetes.io/instance=" + p.system
}

// madeByFunctions is what the functions make themselves.
const madeByFunctions = "flink-operator-config-accepted"

// prune deletes what an earlier version has installed and this one has not, as hack/prune.sh does.
func (a applier) prune(ctx context.Context, there map[types.UID]bool) error {
	kept := []string{"CustomResourceDefinition", "Namespace"}
	anywhere := []string{"roles", "rolebindings", "networkpolicies", "services"}
	for _, r := range install.Resources {
		if slices.Contains(kept, r.Kind) {
			continue
		}
		q := kube.Query{
			Resource: r.GVR, Labels: a.p.labels() + ",app.kubernetes.io/component notin (tenant,monitoring,console)",
		}
		knatives := strings.HasSuffix(r.GVR.Group, "knative.dev")
		if !r.Cluster && (knatives || !slices.Contains(anywhere, r.GVR.Resource)) {
			q.Namespace = a.p.system
		}
		err := a.remove(ctx, q, func(u *unstructured.Unstructured) bool {
			routed := r.GVR == kube.Services && u.GetNamespace() == a.p.system // Knative's
			gone := !there[u.GetUID()] && len(u.GetOwnerReferences()) == 0 && u.GetName() != madeByFunctions && !routed
			if gone {
				a.p.note("%s %s is not in this version any more", r.GVR.Resource, u.GetName())
			}
			return gone
		})
		if err != nil {
			return err
		}
	}
	return nil
}
