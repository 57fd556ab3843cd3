package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var lists = map[string]func(*bench){
	"selectors":     selectors,
	"pages":         pages,
	"all in order":  allInOrder,
	"broken tokens": brokenTokens,
}

func names(list *unstructured.UnstructuredList) []string {
	found := []string{}
	for _, item := range list.Items {
		found = append(found, item.GetName())
	}
	return found
}

func selectors(b *bench) {
	for i, pace := range []string{"fast", "slow", "fast"} {
		u := flinkDeployment(fmt.Sprintf("f%d", i))
		u.SetLabels(map[string]string{"team": pace[:1]})
		b.create(kubesim.FlinkDeployments, u)
		b.mustMerge(kubesim.FlinkDeployments, u.GetName(),
			`{"status":{"pace":"`+pace+`","lifecycleState":"STABLE"}}`, "status")
	}
	b.create(kubesim.FlinkDeployments, flinkDeployment("f3"))
	failed := inNamespace(b, event("e1"))
	failed.Object["reason"] = "FailedMount"
	b.create(kubesim.Events, failed)
	b.create(kubesim.Pods, pod("p", "nowhere"))
	f, e := kubesim.FlinkDeployments, kubesim.Events
	for name, row := range map[string]struct {
		gvr    schema.GroupVersionResource
		labels string
		fields string
		want   []string
		why    string
	}{
		"everything":   {f, "", "", []string{"f0", "f1", "f2", "f3"}, "ordered by name"},
		"by label":     {f, "team=f", "", []string{"f0", "f2"}, "equality"},
		"by label set": {f, "team notin (f),team", "", []string{"f1"}, "sets and existence"},
		"by no label":  {f, "!team", "", []string{"f3"}, "absence"},
		"by name":      {f, "", "metadata.name=f1", []string{"f1"}, "every kind knows its name"},
		"by pace":      {f, "", "status.pace=fast", []string{"f0", "f2"}, "a selectable field of the CRD"},
		"by state":     {f, "", "status.lifecycleState!=STABLE", []string{"f3"}, "absent is empty"},
		"by both":      {f, "team=f", "status.pace=fast,metadata.name!=f0", []string{"f2"}, "all must hold"},
		"by involved": {
			e, "", "involvedObject.uid=u1,reason=FailedMount", []string{"e1"}, "the Events of an object",
		},
		"nothing": {e, "", "involvedObject.uid=u2", []string{}, "an empty list, not an error"},
		"by node": {kubesim.Pods, "", "spec.nodeName=nowhere", []string{"p"}, "the pods of a node"},
	} {
		b.Run(name, func(t *testing.T) {
			list, err := b.on(row.gvr).List(
				t.Context(), metav1.ListOptions{LabelSelector: row.labels, FieldSelector: row.fields})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, names(list)); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
			if list.GetResourceVersion() == "" || !strings.HasSuffix(list.GetKind(), "List") {
				t.Errorf("kind %q, version %q: a list has both", list.GetKind(), list.GetResourceVersion())
			}
		})
	}
	for _, options := range []metav1.ListOptions{
		{FieldSelector: "spec.flinkVersion=v1_20"}, {FieldSelector: "nonsense"}, {LabelSelector: "a in b"},
	} {
		if _, err := b.on(f).List(b.Context(), options); !apierrors.IsBadRequest(err) {
			b.Errorf("%v: %v, want 400", options, err)
		}
	}
}

// pages deletes what was given already: that must neither lose nor repeat another object.
func pages(b *bench) {
	for i := range 5 {
		b.create(kubesim.Secrets, object("v1", "Secret", fmt.Sprintf("c%d", i)))
	}
	client := b.on(kubesim.Secrets)
	var found [][]string
	versions := map[string]bool{}
	for options := (metav1.ListOptions{Limit: 2}); ; {
		list, err := client.List(b.Context(), options)
		if err != nil {
			b.Fatal(err)
		}
		versions[list.GetResourceVersion()] = true
		if found = append(found, names(list)); list.GetContinue() == "" {
			break
		}
		if rest := list.GetRemainingItemCount(); len(found) == 1 && (rest == nil || *rest != 3) {
			b.Errorf("remaining = %v, want 3", rest)
		}
		b.remove(kubesim.Secrets, list.Items[1].GetName(), metav1.DeleteOptions{})
		options.Continue = list.GetContinue()
	}
	if diff := cmp.Diff([][]string{{"c0", "c1"}, {"c2", "c3"}, {"c4"}}, found); diff != "" || len(versions) != 1 {
		b.Errorf("versions %v: all pages are one list\n%s", versions, diff)
	}
}

func allInOrder(b *bench) {
	homes := []string{b.namespace, b.Namespace(b.T)}
	slices.Sort(homes)
	var want []string
	for _, home := range homes {
		for _, name := range []string{"b", "a"} {
			u := flinkDeployment(name)
			u.SetLabels(map[string]string{"of": homes[0]})
			if _, err := b.Client.Resource(kubesim.FlinkDeployments).Namespace(home).Create(
				b.Context(), u, metav1.CreateOptions{},
			); err != nil {
				b.Fatal(err)
			}
		}
		want = append(want, home+"/a", home+"/b")
	}
	var got []string
	for options := (metav1.ListOptions{LabelSelector: "of=" + homes[0], Limit: 3}); ; {
		list, err := b.Client.Resource(kubesim.FlinkDeployments).List(b.Context(), options)
		if err != nil {
			b.Fatal(err)
		}
		for _, item := range list.Items {
			got = append(got, item.GetNamespace()+"/"+item.GetName())
		}
		if list.GetRemainingItemCount() != nil {
			b.Error("with a selector nobody counts the rest")
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("by namespace and name\n%s", diff)
	}
}

func brokenTokens(b *bench) {
	if _, err := b.on(kubesim.Secrets).List(
		b.Context(), metav1.ListOptions{Limit: 2, Continue: "%%"},
	); !apierrors.IsBadRequest(err) {
		b.Errorf("%v, want 400", err)
	}
}
