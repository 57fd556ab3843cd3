package certs

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

func TestAPathOpensWithTheRenewalThatWritesIt(t *testing.T) {
	w := newWorld(t, manifests()...)
	if _, err := w.renewer().Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := w.called(t, validating)
	if first != w.called(t, mutating) || len(Token(first)) != 64 || !w.open(t, first) {
		t.Errorf("the configurations call %q and %q, want one open path of 256 bits", first, w.called(t, mutating))
	}
	s, _ := w.stored(t)
	for path, reason := range map[string]string{
		"":                                   "no path",
		"/":                                  "the root",
		"/x":                                 "without a token, as the manifests of before called it",
		"/x/":                                "an empty token",
		"/renew":                             "nothing listens there any more",
		"/x/" + strings.Repeat("0", 64):      "a guess",
		first + "0":                          "one character more",
		first[:len(first)-1]:                 "one character less",
		strings.ToUpper(first):               "in capitals",
		first + "/" + Token(first):           "a token below a token",
		"/" + Token(first):                   "a token alone",
		"/x/" + string(s.Data["token-made"]): "another key of the Secret",
	} {
		if w.open(t, path) {
			t.Errorf("%q is open: %s", path, reason)
		}
	}
}

func TestAPathIsRotatedWithTheCertificateAndBothAreOpenMeanwhile(t *testing.T) {
	w := newWorld(t, manifests()...)
	renew := func() Result {
		t.Helper()
		result, err := w.renewer().Renew(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	renew()
	old := w.called(t, validating)
	w.now = w.now.Add(tokenLife - time.Hour)
	if renew(); w.called(t, validating) != old {
		t.Error("the path changed before its time")
	}
	w.now = w.now.Add(2 * time.Hour)
	if result := renew(); result.Renewed == "" || !result.Moved || w.called(t, validating) == old {
		t.Errorf("%+v: want a new certificate and another path at once", result)
	}
	if !w.open(t, old) || !w.open(t, w.called(t, validating)) {
		t.Error("both paths must be open while API servers hear of the change")
	}
	w.now = w.now.Add(24 * time.Hour)
	renew()
	if w.open(t, old) || !w.open(t, w.called(t, validating)) {
		t.Error("a day later only the new path is open")
	}
}

// cert-manager renews its own certificate, so the path has its own life.
func TestAPathIsRotatedBesideACertificateOfSomebodyElse(t *testing.T) {
	w := newWorld(t, manifests()...)
	w.put(t, tlsSecret(pair(t, start)))
	if result, err := w.renewer().Renew(t.Context()); err != nil || result.Renewed != "" || !result.Moved {
		t.Fatalf("%+v, %v: want a path and the certificate as it was", result, err)
	}
	old := w.called(t, validating)
	w.now = w.now.Add(tokenLife + time.Minute)
	fresh := tlsSecret(pair(t, w.now))
	if _, err := w.MergePatch(t.Context(), secretObject, map[string]any{"data": fresh.Data}); err == nil {
		t.Fatal("the model must refuse a write without a version")
	}
	u, _, err := w.Get(t.Context(), secretObject)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.MergePatch(t.Context(), secretObject, map[string]any{
		"metadata": map[string]any{"resourceVersion": u.GetResourceVersion()}, "data": fresh.Data,
	}); err != nil {
		t.Fatal(err)
	}
	result, err := w.renewer().Renew(t.Context())
	if err != nil || result.Renewed != "" || !result.Moved || w.called(t, validating) == old {
		t.Errorf("%+v, %v: want another path", result, err)
	}
}

func TestAPathThatAnEditorWroteIsReplaced(t *testing.T) {
	w := newWorld(t, manifests()...)
	if _, err := w.renewer().Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, _, err := w.Get(t.Context(), secretObject)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Client.MergePatch(t.Context(), secretObject, map[string]any{
		"metadata": map[string]any{"resourceVersion": u.GetResourceVersion()},
		"data":     map[string][]byte{"token": []byte("easy")},
	}); err != nil {
		t.Fatal(err)
	}
	if w.open(t, "/x/easy") {
		t.Error("a path that can be guessed is open")
	}
	if _, err := w.renewer().Renew(t.Context()); err != nil || !w.open(t, w.called(t, validating)) {
		t.Errorf("after the renewal %q is not open, %v", w.called(t, validating), err)
	}
}

// A pod that ran before the rotation learns the new path when it is asked, and callers who guess cost one read a
// second.
func TestAPodLearnsANewPathAndGuessesCostLittle(t *testing.T) {
	w := newWorld(t, manifests()...)
	if _, err := w.renewer().Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	reads := 0
	now := func() time.Time { return w.now }
	paths := &Paths{API: counted{w, &reads}, Namespace: namespace, Secret: secret, Now: now}
	ask := func(path string) bool {
		_, open, err := paths.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	if !ask(w.called(t, validating)) || !ask(w.called(t, mutating)) || reads != 1 {
		t.Errorf("%d reads, want one for a path that is known", reads)
	}
	w.now = w.now.Add(tokenLife + 2*time.Hour)
	if _, err := w.renewer().Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !ask(w.called(t, validating)) {
		t.Error("the new path is not open in a pod that started before it")
	}
	reads = 0
	w.now = w.now.Add(time.Minute)
	for range 1000 {
		ask("/x/" + strings.Repeat("ab", 32))
	}
	if reads != 1 {
		t.Errorf("a thousand guesses within a second cost %d reads of the Secret, want 1", reads)
	}
}

// counted counts the reads.
type counted struct {
	*world
	reads *int
}

func (c counted) Get(ctx context.Context, o kube.Object) (*unstructured.Unstructured, bool, error) {
	*c.reads++
	return c.world.Get(ctx, o)
}
