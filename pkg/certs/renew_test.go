package certs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

func TestRenewFromEveryState(t *testing.T) {
	good, other := pair(t, start), pair(t, start)
	opaque := tlsSecret(good)
	opaque.Type = corev1.SecretTypeOpaque
	frozen := tlsSecret(pair(t, start.Add(-Lifetime)))
	frozen.Immutable = new(bool)
	*frozen.Immutable = true
	young := start.Add(-Lifetime * 2 / 3)

	rows := map[string]struct {
		secret *corev1.Secret
		renew  string
		reason string
	}{
		"none":       {nil, "no Secret", "the first certificate of an installation"},
		"good":       {tlsSecret(good), "", "a good pair stays, whoever put it there"},
		"almost due": {tlsSecret(pair(t, young.Add(time.Hour))), "", "more than a third of its life remains"},
		"due":        {tlsSecret(pair(t, young.Add(-2*time.Hour))), "expires in", "less than a third remains"},
		"expired":    {tlsSecret(pair(t, start.Add(-Lifetime-time.Hour))), "expired", "the pings failed for a month"},
		"not yet valid": {
			tlsSecret(pair(t, start.Add(48*time.Hour))), "not yet valid", "the clock of its maker was wrong",
		},
		"empty": {tlsSecret(Pair{}), "not a pair", "a Secret without its data"},
		"text": {
			tlsSecret(Pair{CA: []byte("x"), Cert: []byte("y"), Key: []byte("z")}), "not a pair", "somebody edited it",
		},
		"foreign key": {
			tlsSecret(Pair{CA: good.CA, Cert: good.Cert, Key: other.Key}), "not a pair", "the key is of another certificate",
		},
		"foreign CA": {
			tlsSecret(Pair{CA: other.CA, Cert: good.Cert, Key: good.Key}), "is not signed by",
			"trusting that CA would help nobody",
		},
		"no CA": {
			tlsSecret(Pair{Cert: good.Cert, Key: good.Key}), "ca.crt contains no certificate", "nothing to trust",
		},
		"other names": {
			tlsSecret(pair(t, start, "flink-admit.istio-system.svc")), "other names", "the gateway was moved",
		},
		"foreign type": {opaque, `type "Opaque"`, "the type cannot be changed, so the Secret is replaced"},
		"immutable":    {frozen, "expire", "it cannot be written over, so the Secret is replaced"},
		"wrong everything": {
			&corev1.Secret{TypeMeta: tlsSecret(good).TypeMeta, ObjectMeta: tlsSecret(good).ObjectMeta}, "type",
			"a Secret of somebody else",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, manifests()...)
			if row.secret != nil {
				w.put(t, row.secret)
			}
			result, err := w.renewer().Renew(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", row.reason, err)
			}
			if (row.renew == "") != (result.Renewed == "") || !strings.Contains(result.Renewed, row.renew) {
				t.Errorf("renewed because %q, want %q: %s", result.Renewed, row.renew, row.reason)
			}
			if result.Written != 4 || !result.Moved {
				t.Errorf("%d writes, moved %v; want both configurations to trust and to call a path", result.Written, result.Moved)
			}
			if err := w.served(t); err != nil {
				t.Errorf("after the renewal: %v", err)
			}
			if s, _ := w.stored(t); row.renew != "" && s.Labels[certificateLabel] == "" {
				t.Errorf("the Secret lacks the label by which a filtering Kourier finds it: %v", s.Labels)
			}
			w.writes = 0
			again, err := w.renewer().Renew(t.Context())
			if err != nil || w.writes != 0 || again.Renewed != "" || !again.NotAfter.Equal(result.NotAfter) {
				t.Errorf("the second renewal is not quiet: %+v, %d writes, %v", again, w.writes, err)
			}
		})
	}
}

// TestDailyPingsForYears is the life of an installation: a ping a day, of which some fail.
func TestDailyPingsForYears(t *testing.T) {
	w := newWorld(t, manifests()...)
	renewed, largest := 0, 0
	for day := range 800 {
		w.now = w.now.Add(24 * time.Hour)
		if day%31 < 11 { // the others are lost
			result, err := w.renewer().Renew(t.Context())
			if err != nil {
				t.Fatalf("day %d: %v", day, err)
			}
			if result.Renewed != "" {
				renewed++
			}
		}
		if err := w.served(t); err != nil {
			t.Fatalf("day %d: the API server is cut off: %v", day, err)
		}
		largest = max(largest, len(parse(w.bundle(t, validating))))
	}
	if renewed < 800/90 || renewed > 800/45 {
		t.Errorf("%d certificates in 800 days, want one in 45 to 90 days", renewed)
	}
	if largest > 3 {
		t.Errorf(
			"the bundle held %d authorities, want no more than the current one and those that have not expired", largest,
		)
	}
}

// TestDeathAfterEveryWrite: whatever write a renewal dies before, the API server can still verify the certificate that
// is served, and the next renewal ends the work.
func TestDeathAfterEveryWrite(t *testing.T) {
	dead := errors.New("the pod was killed")
	due := start.Add(-Lifetime * 3 / 4)
	for survived := range 6 {
		w := newWorld(t, manifests()...)
		w.now = due
		if _, err := w.renewer().Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.now, w.writes = start, 0
		w.before = func(string, kube.Object) error {
			if w.writes >= survived {
				return dead
			}
			return nil
		}
		_, err := w.renewer().Renew(t.Context())
		if finished := survived >= 5; finished == (err != nil) {
			t.Fatalf("after %d writes: %v; a renewal has five", survived, err)
		}
		if err := w.served(t); err != nil {
			t.Errorf("dead after %d writes: served without trust: %v", survived, err)
		}
		w.before = nil
		if _, err := w.renewer().Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		result, err := w.renewer().Renew(t.Context())
		if lost := w.served(t); err != nil || lost != nil || result.Renewed != "" {
			t.Errorf("dead after %d writes, and the next renewal did not fix it: %v, %v, %+v", survived, err, lost, result)
		}
	}
}

// TestTwoAtOnce lets a whole renewal run before each single write of another, from an empty and from a due state.
func TestTwoAtOnce(t *testing.T) {
	for name, old := range map[string]*corev1.Secret{"first": nil, "due": tlsSecret(pair(t, start.Add(-Lifetime*3/4)))} {
		for at := range 6 {
			w := newWorld(t, manifests()...)
			if old != nil {
				w.put(t, old)
			}
			seen, inside := 0, false
			w.before = func(string, kube.Object) error {
				if inside {
					return nil
				}
				seen++
				if seen != at+1 {
					return nil
				}
				inside = true
				defer func() { inside = false }()
				_, err := w.renewer().Renew(context.Background())
				return err
			}
			if _, err := w.renewer().Renew(t.Context()); err != nil {
				t.Errorf("%s, other renewal before write %d: %v", name, at, err)
			}
			if err := w.served(t); err != nil {
				t.Errorf("%s, other renewal before write %d: %v", name, at, err)
			}
		}
	}
}

func TestManyAtOnceConverge(t *testing.T) {
	w := newWorld(t, manifests()...)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			r := Renewer{
				API: w.Client, Namespace: namespace, Secret: secret, Webhooks: webhooks, Now: func() time.Time { return start },
			}
			if _, err := r.Renew(context.Background()); err != nil {
				t.Errorf("a renewal beside two others: %v", err)
			}
		})
	}
	all.Wait()
	if err := w.served(t); err != nil {
		t.Error(err)
	}
}

func TestRenewRefuses(t *testing.T) {
	denied := errors.New("forbidden: no right")
	byURL := manifests()[1].(*unstructured.Unstructured)
	byURL.Object["webhooks"].([]any)[0].(map[string]any)["clientConfig"] = map[string]any{"url": "https://x"}
	rows := map[string]struct {
		objects []runtime.Object
		before  func(w *world) func(string, kube.Object) error
		want    string
		reason  string
	}{
		"no configuration": {
			nil, nil, "none of them calls a Service", "the manifests are not applied, so the names are not known",
		},
		"called by url": {
			[]runtime.Object{byURL}, nil, "none of them calls a Service", "a webhook behind a URL is served by somebody else",
		},
		"no right": {manifests(), func(*world) func(string, kube.Object) error {
			return func(string, kube.Object) error { return denied }
		}, "no right", "the API server's word comes through"},
		"always overtaken": {manifests(), func(w *world) func(string, kube.Object) error {
			return func(_ string, o kube.Object) error { return w.touch(o) }
		}, "overtaken 5 times", "the tries are bounded"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.objects...)
			if row.before != nil {
				w.before = row.before(w)
			}
			_, err := w.renewer().Renew(t.Context())
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q: %s", err, row.want, row.reason)
			}
			if _, found := w.stored(t); found {
				t.Error("a certificate was stored that nobody trusts")
			}
		})
	}
}

func TestOneConfigurationIsEnough(t *testing.T) {
	w := newWorld(t, manifests()[1])
	result, err := w.renewer().Renew(t.Context())
	if err != nil || result.Written != 2 {
		t.Errorf("an installation without the mutating webhook: %+v, %v", result, err)
	}
}

func TestForeignPartsOfAConfigurationStay(t *testing.T) {
	objects := manifests()
	u := objects[1].(*unstructured.Unstructured)
	foreign := map[string]any{
		"name": "other.example.org", "clientConfig": map[string]any{"url": "https://x", "caBundle": "b3RoZXI="},
	}
	u.Object["webhooks"] = append(u.Object["webhooks"].([]any), foreign)
	w := newWorld(t, objects...)
	if _, err := w.renewer().Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, _, err := w.Get(t.Context(), validating)
	if err != nil {
		t.Fatal(err)
	}
	list := got.Object["webhooks"].([]any)
	if list[0].(map[string]any)["fieldOfTomorrow"] != "kept" {
		t.Error("a field that this build does not know was lost")
	}
	if bundle := list[1].(map[string]any)["clientConfig"].(map[string]any)["caBundle"]; bundle != "b3RoZXI=" {
		t.Errorf("the bundle of a webhook behind a URL was changed to %v", bundle)
	}
}
