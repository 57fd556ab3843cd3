package conformance

import (
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var removals = map[string]func(*bench){
	"propagation":                   propagation,
	"a policy of a second delete":   secondPolicy,
	"one of two owners goes":        oneOfTwoOwners,
	"another incarnation":           anotherIncarnation,
	"no owner at all":               noOwner,
	"made for an owner that goes":   madeForOwnerThatGoes,
	"an owner by another kind":      ownerByAnotherKind,
	"finalizers":                    finalizers,
	"finalizers by version":         finalizersByVersion,
	"pods":                          pods,
	"a shorter grace period":        shorterGrace,
	"a namespace goes when empty":   namespaceGoes,
	"a delete under preconditions":  deleteUnderPreconditions,
	"what was deleted is made anew": madeAnew,
}

// chain is what the tests of propagation delete: a is the owner of b, which owns c. None is a custom resource: it takes
// the garbage collector half a minute to hear of their kinds.
var chain = []string{"deployments/a", "configmaps/b", "secrets/c"}

func (b *bench) makeChain(block bool) {
	b.Helper()
	top := b.create(kubesim.Deployments, deployment("a"))
	middle := b.create(kubesim.ConfigMaps, owned(held(configMap("b")), top, block))
	b.create(kubesim.Secrets, owned(held(object("v1", "Secret", "c")), middle, block))
	b.collectorKnows()
}

// collectorKnows waits until the garbage collector knows the ConfigMaps and Secrets that are there: it hears of those
// of a kind in the order in which they were made, and removes the last one, whose owner never was. It takes what it
// does not know for nothing: it neither orphans it nor waits for it.
func (b *bench) collectorKnows() {
	b.Helper()
	never := configMap("never")
	never.SetUID("00000000-0000-0000-0000-000000000000")
	b.create(kubesim.ConfigMaps, owned(configMap("last"), never, false))
	b.create(kubesim.Secrets, owned(object("v1", "Secret", "last"), never, false))
	b.awaits("the collector knows what came before", []string{"configmaps/last", "secrets/last"})
}

// propagation holds the dependents by finalizers, so that each level can be looked at.
func propagation(b *bench) {
	for name, row := range map[string]struct {
		policy metav1.DeletionPropagation
		block  bool
		first  []string // as soon as the controllers have caught up
		then   []string // when b is let go
		why    string
	}{
		"default": {
			"", true, []string{"configmaps/b-", "secrets/c"}, []string{"secrets/c-"},
			"Background: the owner goes at once, what b owns waits for b",
		},
		"background": {
			metav1.DeletePropagationBackground, true, []string{"configmaps/b-", "secrets/c"}, []string{"secrets/c-"},
			"as the default",
		},
		"orphan": {
			metav1.DeletePropagationOrphan, true, []string{"configmaps/b", "secrets/c"},
			[]string{"configmaps/b", "secrets/c"}, "the dependents stay without an owner",
		},
		"foreground, blocking": {
			metav1.DeletePropagationForeground, true, []string{"deployments/a-", "configmaps/b-", "secrets/c-"},
			[]string{"deployments/a-", "configmaps/b-", "secrets/c-"}, "the owner goes last: c holds b, and b holds a",
		},
		"foreground, not blocking": {
			metav1.DeletePropagationForeground, false, []string{"configmaps/b-"}, []string{"secrets/c-"},
			"nobody holds an owner up; b goes in the foreground, or in the background if a was gone first",
		},
	} {
		b.row(name, func(b *bench) {
			b.makeChain(row.block)
			options := metav1.DeleteOptions{}
			if row.policy != "" {
				options.PropagationPolicy = &row.policy
			}
			b.remove(kubesim.Deployments, "a", options)
			shown := chain
			if !row.block {
				shown = chain[:2]
			}
			b.awaits(row.why, shown, row.first...)
			b.letGo("b")
			b.awaits(row.why, chain, row.then...)
			if name == "orphan" {
				if refs := b.read(kubesim.ConfigMaps, "b").GetOwnerReferences(); len(refs) != 0 {
					b.Errorf("owner references %v are left: %s", refs, row.why)
				}
				return
			}
			if _, err := b.merge(kubesim.Secrets, "c", letGo); err != nil {
				b.Fatal(err)
			}
			b.awaits("all goes", chain)
		})
	}
}

// letGo takes the test's own finalizer away, and leaves the collector's.
func (b *bench) letGo(name string) {
	b.Helper()
	kept := slices.DeleteFunc(b.read(kubesim.ConfigMaps, name).GetFinalizers(), func(f string) bool {
		return f == "example.com/held"
	})
	u := b.read(kubesim.ConfigMaps, name)
	u.SetFinalizers(kept)
	if _, err := b.on(kubesim.ConfigMaps).Update(b.Context(), u, metav1.UpdateOptions{}); err != nil {
		b.Fatal(err)
	}
}

// secondPolicy deletes again, in another way: the last policy counts.
func secondPolicy(b *bench) {
	policy := func(p metav1.DeletionPropagation) metav1.DeleteOptions {
		return metav1.DeleteOptions{PropagationPolicy: &p}
	}
	b.makeChain(true)
	b.remove(kubesim.Deployments, "a", policy(metav1.DeletePropagationForeground))
	b.awaits("b holds a", chain, "deployments/a-", "configmaps/b-", "secrets/c-")
	b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{})
	if diff := cmp.Diff(
		[]string{metav1.FinalizerDeleteDependents}, b.read(kubesim.Deployments, "a").GetFinalizers(),
	); diff != "" {
		b.Errorf("a delete without a policy keeps that of the one before\n%s", diff)
	}
	b.remove(kubesim.Deployments, "a", policy(metav1.DeletePropagationBackground))
	if got := b.left("deployments/a"); len(got) != 0 {
		b.Errorf("%v is left: in the background nobody holds it up", got)
	}
}

func oneOfTwoOwners(b *bench) {
	one := b.create(kubesim.Deployments, deployment("a"))
	two := b.create(kubesim.Deployments, deployment("b"))
	b.create(kubesim.ConfigMaps, owned(owned(configMap("c"), one, true), two, true))
	b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{})
	b.eventually("a reference to an owner that is gone is taken away", func() bool {
		refs := b.read(kubesim.ConfigMaps, "c").GetOwnerReferences()
		return len(refs) == 1 && refs[0].Name == "b"
	})
}

func anotherIncarnation(b *bench) {
	one := b.create(kubesim.Deployments, deployment("a"))
	b.create(kubesim.ConfigMaps, owned(configMap("c"), one, true))
	b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{})
	b.create(kubesim.Deployments, deployment("a"))
	b.awaits("owners are told apart by uid", []string{"deployments/a", "configmaps/c"}, "deployments/a")
}

// noOwner rests on the order: when an orphan that was made later is collected, c was looked at.
func noOwner(b *bench) {
	b.create(kubesim.ConfigMaps, configMap("c"))
	gone := b.create(kubesim.Deployments, deployment("a"))
	b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{})
	b.create(kubesim.ConfigMaps, owned(configMap("d"), gone, true))
	b.awaits("an object without owners is never collected: data for high availability relies on that",
		[]string{"configmaps/c", "configmaps/d"}, "configmaps/c")
}

// madeForOwnerThatGoes makes a dependent while its owner waits for another one.
func madeForOwnerThatGoes(b *bench) {
	foreground := metav1.DeletePropagationForeground
	owner := b.create(kubesim.Deployments, deployment("a"))
	b.create(kubesim.ConfigMaps, owned(held(configMap("b")), owner, true))
	b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{PropagationPolicy: &foreground})
	b.awaits("b holds a", chain, "deployments/a-", "configmaps/b-")
	b.create(kubesim.Secrets, owned(held(object("v1", "Secret", "c")), owner, true))
	b.letGo("b")
	b.awaits("what is made now goes, too, and is waited for", chain, "deployments/a-", "secrets/c-")
	b.mustMerge(kubesim.Secrets, "c", letGo)
	b.awaits("all goes", chain)
}

// ownerByAnotherKind names an owner by the right uid, and a kind that has no such object: that is no owner.
func ownerByAnotherKind(b *bench) {
	owner := b.create(kubesim.ConfigMaps, configMap("b"))
	owner.SetKind("Secret")
	b.create(kubesim.Secrets, owned(object("v1", "Secret", "c"), owner, false))
	b.awaits("kind and name count", chain, "configmaps/b")
}

func finalizers(b *bench) {
	b.create(kubesim.FlinkDeployments, held(flinkDeployment("a")))
	b.remove(kubesim.FlinkDeployments, "a", metav1.DeleteOptions{})
	marked := b.read(kubesim.FlinkDeployments, "a")
	if at := marked.GetDeletionTimestamp(); at == nil || at.Time.Before(marked.GetCreationTimestamp().Time) ||
		marked.GetGeneration() != 2 || *marked.GetDeletionGracePeriodSeconds() != 0 {
		b.Fatalf("deleted at %v, generation %d; want it marked, with no grace, of generation 2", at, marked.GetGeneration())
	}
	b.remove(kubesim.FlinkDeployments, "a", metav1.DeleteOptions{})
	if diff := cmp.Diff(marked.Object, b.read(kubesim.FlinkDeployments, "a").Object); diff != "" {
		b.Errorf("a second delete is nothing\n%s", diff)
	}
	if _, err := b.merge(
		kubesim.FlinkDeployments, "a", `{"metadata":{"finalizers":["example.com/held","new/one"]}}`,
	); !apierrors.IsInvalid(err) {
		b.Errorf("a new finalizer during deletion: %v, want 422", err)
	}
	got := b.mustMerge(kubesim.FlinkDeployments, "a", `{"metadata":{"deletionTimestamp":null},"spec":{"image":"two"}}`)
	if got.GetDeletionTimestamp() == nil {
		b.Error("a patch took the deletion back")
	}
	last := b.mustMerge(kubesim.FlinkDeployments, "a", letGo)
	if b.get(kubesim.FlinkDeployments, "a") != nil || last.GetUID() != marked.GetUID() {
		b.Error("it is still there without a finalizer, or the answer was not its last state")
	}
}

// finalizersByVersion is how a finalizer is added and taken away: the list is replaced, so its version is part of it.
func finalizersByVersion(b *bench) {
	made := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
	set := func(version, list string) (*unstructured.Unstructured, error) {
		return b.merge(kubesim.FlinkDeployments, "a",
			`{"metadata":{"finalizers":`+list+`,"resourceVersion":"`+version+`"}}`)
	}
	next, err := set(made.GetResourceVersion(), `["example.com/held"]`)
	if err != nil || next.GetGeneration() != 1 || next.GetResourceVersion() == made.GetResourceVersion() {
		b.Fatalf("%v: generation %d; want 1, and a new version", err, next.GetGeneration())
	}
	if _, err := set(made.GetResourceVersion(), `[]`); !apierrors.IsConflict(err) {
		b.Errorf("the version before: %v, want a conflict", err)
	}
	b.remove(kubesim.FlinkDeployments, "a", metav1.DeleteOptions{})
	if _, err := set(next.GetResourceVersion(), `[]`); !apierrors.IsConflict(err) {
		b.Errorf("the version before the deletion: %v, want a conflict", err)
	}
	if _, err := set(b.read(kubesim.FlinkDeployments, "a").GetResourceVersion(), `[]`); err != nil ||
		b.get(kubesim.FlinkDeployments, "a") != nil {
		b.Errorf("%v; an empty list lets it go", err)
	}
	if _, err := set(next.GetResourceVersion(), `[]`); !apierrors.IsNotFound(err) {
		b.Errorf("a patch of what is gone: %v, want 404", err)
	}
}

func pods(b *bench) {
	zero, two := int64(0), int64(2)
	for name, row := range map[string]struct {
		node  string
		phase string
		own   int64 // terminationGracePeriodSeconds, -1 for none
		grace *int64
		gone  bool
		after time.Duration
		why   string
	}{
		"running":        {"nowhere", "Running", -1, nil, false, 30 * time.Second, "the kubelet ends it"},
		"of its own":     {"nowhere", "Running", 7, nil, false, 7 * time.Second, "its own grace counts"},
		"as asked":       {"nowhere", "Running", 7, &two, false, 2 * time.Second, "the caller's grace counts more"},
		"without grace":  {"nowhere", "Running", 0, nil, true, 0, "it asks for no time"},
		"forced":         {"nowhere", "Running", -1, &zero, true, 0, "grace 0 waits for nobody"},
		"never bound":    {"", "Pending", -1, nil, true, 0, "no kubelet knows it"},
		"already failed": {"nowhere", "Failed", -1, nil, true, 0, "no process is left"},
	} {
		b.row(name, func(b *bench) {
			b.makePod(row.node, row.phase, row.own)
			b.remove(kubesim.Pods, "p", metav1.DeleteOptions{GracePeriodSeconds: row.grace})
			left := b.get(kubesim.Pods, "p")
			if (left == nil) != row.gone {
				b.Fatalf("gone = %t, want %t: %s", left == nil, row.gone, row.why)
			}
			if left == nil {
				return
			}
			if seconds := time.Duration(*left.GetDeletionGracePeriodSeconds()) * time.Second; seconds != row.after {
				b.Errorf("a grace period of %s, want %s: %s", seconds, row.after, row.why)
			}
			ends := left.GetDeletionTimestamp().Sub(left.GetCreationTimestamp().Time)
			if ends < row.after || ends > row.after+20*time.Second {
				b.Errorf("it ends %s after its creation, want about %s: deletionTimestamp is the end", ends, row.after)
			}
			b.remove(kubesim.Pods, "p", metav1.DeleteOptions{GracePeriodSeconds: &zero})
			if b.get(kubesim.Pods, "p") != nil {
				b.Error("the kubelet's own delete left it")
			}
		})
	}
}

func (b *bench) makePod(node, phase string, own int64) {
	b.Helper()
	u := pod("p", node)
	if own >= 0 {
		u.Object["spec"].(map[string]any)["terminationGracePeriodSeconds"] = own
	}
	b.create(kubesim.Pods, u)
	b.mustMerge(kubesim.Pods, "p", `{"status":{"phase":"`+phase+`"}}`, "status")
}

func shorterGrace(b *bench) {
	b.makePod("nowhere", "Running", -1)
	seconds := func(grace int64) int64 {
		b.remove(kubesim.Pods, "p", metav1.DeleteOptions{GracePeriodSeconds: &grace})
		return *b.read(kubesim.Pods, "p").GetDeletionGracePeriodSeconds()
	}
	for _, row := range [][2]int64{{20, 20}, {10, 10}, {15, 10}} {
		if got := seconds(row[0]); got != row[1] {
			b.Errorf("a delete with %d s gave %d s, want %d: a grace period only becomes shorter", row[0], got, row[1])
		}
	}
	b.mustMerge(kubesim.Pods, "p", `{"status":{"phase":"Failed"}}`, "status")
	at := b.read(kubesim.Pods, "p").GetDeletionTimestamp()
	b.remove(kubesim.Pods, "p", metav1.DeleteOptions{})
	if got := b.read(kubesim.Pods, "p").GetDeletionTimestamp(); !got.Equal(at) {
		b.Errorf("a delete without a period moved the end of a pod, whose processes have ended, from %s to %s", at, got)
	}
}

func namespaceGoes(b *bench) {
	namespaces := b.Client.Resource(kubesim.Namespaces)
	b.create(kubesim.FlinkDeployments, held(flinkDeployment("a")))
	b.create(kubesim.ConfigMaps, configMap("c"))
	if err := namespaces.Delete(b.Context(), b.namespace, metav1.DeleteOptions{}); err != nil {
		b.Fatal(err)
	}
	u, err := namespaces.Get(b.Context(), b.namespace, metav1.GetOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if phase, _, _ := unstructured.NestedString(u.Object, "status", "phase"); phase != "Terminating" ||
		u.GetDeletionTimestamp() == nil || len(u.GetFinalizers()) != 0 {
		b.Errorf("phase %q, deleted %v, finalizers %v: want it to end; its finalizer is in its spec",
			phase, u.GetDeletionTimestamp(), u.GetFinalizers())
	}
	_, err = b.on(kubesim.ConfigMaps).Create(b.Context(), configMap("d"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !apierrors.HasStatusCause(err, "NamespaceTerminating") {
		b.Errorf("create in a namespace that ends: %v, want 403 with its cause", err)
	}
	b.awaits("a finalizer holds its object", []string{"flinkdeployments/a"}, "flinkdeployments/a-")
	b.awaits("and no other", []string{"configmaps/c"})
	b.mustMerge(kubesim.FlinkDeployments, "a", `{"status":{"pace":"slow"}}`, "status")
	b.mustMerge(kubesim.FlinkDeployments, "a", letGo)
	b.eventually("the empty namespace is gone", func() bool {
		_, err := namespaces.Get(b.Context(), b.namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func deleteUnderPreconditions(b *bench) {
	made := b.create(kubesim.ConfigMaps, configMap("a"))
	next := b.mustMerge(kubesim.ConfigMaps, "a", `{"data":{"k":"w"}}`)
	uid, old, new := made.GetUID(), made.GetResourceVersion(), next.GetResourceVersion()
	err := b.on(kubesim.ConfigMaps).Delete(b.Context(), "a", metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &old},
	})
	if !apierrors.IsConflict(err) {
		b.Errorf("the version before: %v, want a conflict", err)
	}
	b.remove(kubesim.ConfigMaps, "a", metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &new},
	})
	if err := b.on(kubesim.ConfigMaps).Delete(
		b.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}},
	); !apierrors.IsNotFound(err) {
		b.Errorf("a delete of what is gone: %v, want 404", err)
	}
}

func madeAnew(b *bench) {
	one := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
	b.remove(kubesim.FlinkDeployments, "a", metav1.DeleteOptions{})
	two := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
	if one.GetUID() == two.GetUID() || two.GetGeneration() != 1 {
		b.Errorf("uid %s again, generation %d: want another object", two.GetUID(), two.GetGeneration())
	}
	uid := one.GetUID()
	err := b.on(kubesim.FlinkDeployments).Delete(
		b.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if !apierrors.IsConflict(err) {
		b.Errorf("a delete of the first one: %v, want a conflict", err)
	}
	if _, err := b.on(kubesim.FlinkDeployments).UpdateStatus(
		b.Context(), one, metav1.UpdateOptions{},
	); !apierrors.IsConflict(err) {
		b.Errorf("a status of the first one: %v, want a conflict", err)
	}
}
