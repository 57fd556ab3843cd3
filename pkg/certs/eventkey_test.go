package certs

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

func TestTheKeyOfTheEventsIsMadeAndRotated(t *testing.T) {
	w := newWorld(t, manifests()...)
	renew := func() map[string][]byte {
		t.Helper()
		r := w.renewer()
		r.EventKey = "flink-event-key"
		if _, err := r.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		object := kube.Object{Resource: kube.Secrets, Namespace: namespace, Name: r.EventKey}
		u, found, err := w.Get(t.Context(), object)
		if err != nil || !found {
			t.Fatalf("found %v, %v", found, err)
		}
		var s corev1.Secret
		if err := kube.Typed(u, &s); err != nil {
			t.Fatal(err)
		}
		return s.Data
	}
	first := renew()
	if len(first[tokenKey]) != 2*tokenBytes || len(first[tokenBeforeKey]) > 0 {
		t.Errorf("%d characters and one before of %d, want %d and none", len(first[tokenKey]), len(first[tokenBeforeKey]),
			2*tokenBytes)
	}
	w.now = w.now.Add(tokenLife - time.Minute)
	if again := renew(); string(again[tokenKey]) != string(first[tokenKey]) {
		t.Error("the key changed before its time")
	}
	w.now = w.now.Add(time.Minute)
	second := renew()
	if string(second[tokenKey]) == string(first[tokenKey]) || string(second[tokenBeforeKey]) != string(first[tokenKey]) {
		t.Error("want another key, and the one before beside it")
	}
	w.now = w.now.Add(24 * time.Hour)
	if third := renew(); string(third[tokenKey]) != string(second[tokenKey]) || len(third[tokenBeforeKey]) > 0 {
		t.Error("a day later want the same key, and none before it")
	}
	w.writes = 0
	if renew(); w.writes != 0 {
		t.Errorf("%d writes with nothing to do", w.writes)
	}
}
