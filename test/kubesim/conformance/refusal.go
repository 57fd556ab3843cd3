package conformance

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// Answer is a refusal as text. What differs from run to run is replaced, as by strings.NewReplacer.
func Answer(err error, replace ...string) (string, error) {
	var refusal apierrors.APIStatus
	if !errors.As(err, &refusal) {
		return "", errors.Join(errors.New("no answer of an API server"), err)
	}
	status := refusal.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	text, err := json.MarshalIndent(status, "", "  ")
	return strings.NewReplacer(replace...).Replace(string(text)) + "\n", err
}

type refusal struct {
	call   func(*bench) error
	code   int32
	reason metav1.StatusReason
	why    string
}

// refused makes FlinkDeployment a, and then one call that is refused. The whole answer is held to a recording.
func refused(t *testing.T, start func(*testing.T) Cluster) {
	for name, row := range refusals {
		t.Run(name, func(t *testing.T) {
			b := begin(t, start)
			made := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
			err := row.call(b)
			answer, notOne := Answer(err, b.namespace, "flink", string(made.GetUID()), "UID",
				"ResourceVersion in record ("+made.GetResourceVersion()+")", "ResourceVersion in record (VERSION)")
			if notOne != nil {
				b.Fatalf("%v: %s", notOne, row.why)
			}
			var api apierrors.APIStatus
			if errors.As(err, &api); api.Status().Code != row.code || api.Status().Reason != row.reason {
				b.Errorf("got %d %s, want %d %s: %s", api.Status().Code, api.Status().Reason, row.code, row.reason, row.why)
			}
			b.Recorded(b.T, strings.ReplaceAll(name, " ", "-"), answer)
			if diff := cmp.Diff(made.Object, b.read(kubesim.FlinkDeployments, "a").Object); diff != "" {
				b.Errorf("a refused call changed something: %s\n%s", row.why, diff)
			}
		})
	}
}

func creating(change func(*bench, *unstructured.Unstructured)) func(*bench) error {
	return func(b *bench) error {
		u := flinkDeployment("b")
		change(b, u)
		namespace := b.namespace
		if u.GetNamespace() == "nowhere" {
			namespace = "nowhere"
		}
		_, err := b.Client.Resource(kubesim.FlinkDeployments).Namespace(namespace).Create(
			b.Context(), u, metav1.CreateOptions{})
		return err
	}
}

func putting(change func(*unstructured.Unstructured), below ...string) func(*bench) error {
	return func(b *bench) error {
		u := b.read(kubesim.FlinkDeployments, "a")
		u.Object["status"] = map[string]any{"pace": "slow"}
		change(u)
		_, err := b.on(kubesim.FlinkDeployments).Update(b.Context(), u, metav1.UpdateOptions{}, below...)
		return err
	}
}

func patching(kind types.PatchType, text string, below ...string) func(*bench) error {
	return func(b *bench) error {
		_, err := b.on(kubesim.FlinkDeployments).Patch(
			b.Context(), "a", kind, []byte(text), metav1.PatchOptions{}, below...)
		return err
	}
}

func applying(change func(*bench, *unstructured.Unstructured), options metav1.ApplyOptions) func(*bench) error {
	return func(b *bench) error {
		u := flinkDeployment("b")
		change(b, u)
		_, err := b.on(kubesim.FlinkDeployments).Apply(b.Context(), u.GetName(), u, options)
		return err
	}
}

func deleting(name string, preconditions metav1.Preconditions) func(*bench) error {
	return func(b *bench) error {
		return b.on(kubesim.FlinkDeployments).Delete(
			b.Context(), name, metav1.DeleteOptions{Preconditions: &preconditions})
	}
}
