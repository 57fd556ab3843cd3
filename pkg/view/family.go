package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// Clock says what time it is, in the reader's location.
type Clock = func() time.Time

// Named is the kind and the name in an argument NAME or KIND/NAME, where the kind is written as kubectl takes it. The
// kind is empty for a bare name.
func Named(arg string) (kind, name string, err error) {
	before, name, has := strings.Cut(arg, "/")
	if !has {
		return "", arg, nil
	}
	var shorts []string
	written, _, _ := strings.Cut(strings.ToLower(before), ".")
	for _, k := range kinds.All {
		if slices.Contains([]string{k.Short, strings.ToLower(k.Name), k.Resource.Resource}, written) {
			return k.Name, name, nil
		}
		shorts = append(shorts, k.Short)
	}
	return "", "", fmt.Errorf("%s: %q is no kind: write one of %s", arg, before, strings.Join(shorts, ", "))
}

// Family is what belongs to a resource.
type Family struct {
	// Kinds are the kinds of which resources may stand below it.
	Kinds []string
	// Cluster is the name of its Flink cluster; empty for a kind that has none of its own.
	Cluster string

	of Row
}

// FamilyOf is the family of a resource. The cluster of a FlinkDeployment is its own, that of a session job the one that
// it names; a pair has none, as each of its sides has one.
func FamilyOf(object *unstructured.Unstructured) Family {
	of := RowOf(object)
	kind, _ := kinds.Of(of.Kind)
	family := Family{Kinds: kind.Below, of: of}
	if fieldOf(object, "spec")["job"] != nil { // an application has no jobs of others
		family.Kinds = slices.DeleteFunc(slices.Clone(kind.Below), func(below string) bool {
			return below == v1beta1.KindFlinkSessionJob
		})
	}
	switch {
	case of.Kind == v1beta1.KindFlinkDeployment:
		family.Cluster = of.Name
	case of.Kind == v1beta1.KindFlinkSessionJob && of.Of != nil:
		family.Cluster = of.Of.Name
	}
	return family
}

// Has is whether a resource stands below the family's.
func (f Family) Has(object *unstructured.Unstructured) bool {
	s, _ := read(object) // what cannot be read names nothing
	of := s.of()
	return of != nil && *of == f.of.Ref
}

// Speaks is whether an event is about the family: the resource, its cluster, their Deployments, ReplicaSets and pods,
// or a resource below it.
func (f Family) Speaks(event *unstructured.Unstructured, below []*unstructured.Unstructured) bool {
	name, _, _ := unstructured.NestedString(event.Object, "involvedObject", "name")
	kind, _, _ := unstructured.NestedString(event.Object, "involvedObject", "kind")
	if _, ours := kinds.Of(kind); ours {
		return kind == f.of.Kind && name == f.of.Name ||
			kind == v1beta1.KindFlinkDeployment && name == f.Cluster ||
			slices.ContainsFunc(below, func(u *unstructured.Unstructured) bool {
				return u.GetKind() == kind && u.GetName() == name
			})
	}
	return f.Cluster != "" && (name == f.Cluster || slices.ContainsFunc([]string{"-taskmanager-", "-rest"},
		func(part string) bool { return strings.HasPrefix(name, f.Cluster+part) }) || ofDeployment(name, f.Cluster))
}

// ofDeployment is whether a name is that of a ReplicaSet or a pod of a Deployment: one or two more words, of which the
// first is a hash of Kubernetes.
func ofDeployment(name, deployment string) bool {
	rest, is := strings.CutPrefix(name, deployment+"-")
	hash, pod, _ := strings.Cut(rest, "-")
	return is && len(hash) >= 5 && strings.Trim(hash, "bcdfghjklmnpqrstvwxz2456789") == "" &&
		(pod == "" || len(pod) == 5)
}
