package announce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// The two ConfigMaps; config/knative mounts both.
const (
	// Settings is what people edit.
	Settings = "flink-operator-config"
	// Accepted is the copy of what was accepted last.
	Accepted = "flink-operator-config-accepted"
)

// Reasons of the Events.
const (
	// Changed tells what is different from before.
	Changed = "SettingsChanged"
	// Rejected tells why the last good settings count.
	Rejected = "SettingsRejected"
)

const (
	// budget bounds what one event of a function waits for this.
	budget = 3 * time.Second
	// again is when something that failed is tried again.
	again = 30 * time.Second
	// maxMessage is less than an Event takes.
	maxMessage = 1000
)

// API is what an Announcer needs of the API server. kube.Client has it.
type API interface {
	Get(ctx context.Context, o kube.Object) (u *unstructured.Unstructured, found bool, err error)
	Create(ctx context.Context, o kube.Object, object any) (*unstructured.Unstructured, error)
	MergePatch(ctx context.Context, o kube.Object, patch map[string]any) (*unstructured.Unstructured, error)
}

// Announcer tells. Safe for concurrent use; what one request tells, no other waits for.
type Announcer struct {
	// API reads and writes.
	API API
	// Namespace is that of the ConfigMaps.
	Namespace string
	// Component is the function's name in Events.
	Component string
	// Now is the clock.
	Now func() time.Time
	// Log gets what cannot be told.
	Log *zap.SugaredLogger

	mu     sync.Mutex
	told   string    // a digest of what was told, or was found to be told, last
	failed time.Time // the last failure
}

// Tell tells what is new. It never fails: what cannot be told now is tried again with a later event.
//
//	settings    the copy           then
//	broken      any                Event SettingsRejected, once for each problem
//	good        is missing         the copy is made: the installation is new
//	good        is the same        nothing, and no request if the mounted copy says so
//	good        is another one     it is replaced, and Event SettingsChanged says what changed
func (a *Announcer) Tell(ctx context.Context, now settings.Now) {
	if now.Problem == "" && maps.Equal(now.Accepted, now.Settings.Files) {
		return
	}
	if !a.mu.TryLock() {
		return
	}
	defer a.mu.Unlock()
	digest := digestOf(now)
	if digest == a.told || a.Now().Sub(a.failed) < again {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), budget)
	defer cancel()
	tell := a.accept
	if now.Problem != "" {
		tell = a.reject
	}
	if err := tell(ctx, now); err != nil {
		a.failed = a.Now()
		a.Log.Warnw("what is new in the settings could not be told", telemetry.Error, fail.Message(err))
		return
	}
	a.told = digest
}

func (a *Announcer) reject(ctx context.Context, now settings.Now) error {
	return a.event(ctx, corev1.EventTypeWarning, Rejected,
		"the settings cannot be read, so the last good ones count: "+redact.Text(now.Problem))
}

// accept replaces the copy. Whoever does so tells what changed.
func (a *Announcer) accept(ctx context.Context, now settings.Now) error {
	object := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: Accepted}
	u, found, err := a.API.Get(ctx, object)
	if err != nil {
		return err
	}
	if !found {
		_, err = a.API.Create(ctx, object, &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: object.Namespace, Name: object.Name,
				Labels: map[string]string{"app.kubernetes.io/part-of": "kn-flink", "app.kubernetes.io/component": "settings"},
			},
			Data: now.Settings.Files,
		})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	before, _, err := unstructured.NestedStringMap(u.Object, "data")
	if err != nil || maps.Equal(before, now.Settings.Files) {
		return err
	}
	data := map[string]any{}
	for name := range before {
		data[name] = nil
	}
	for name, text := range now.Settings.Files {
		data[name] = text
	}
	_, err = a.API.MergePatch(ctx, object, map[string]any{
		"metadata": map[string]any{"resourceVersion": u.GetResourceVersion()}, "data": data,
	})
	if apierrors.IsConflict(err) {
		return nil // another pod tells
	}
	if err != nil {
		return err
	}
	changes := settings.Difference(before, now.Settings.Files)
	a.Log.Infow("the settings changed", "changes", changes)
	if len(changes) == 0 { // another order, or a comment
		return nil
	}
	return a.event(ctx, corev1.EventTypeNormal, Changed, strings.Join(changes, "; "))
}

// event makes an Event of the ConfigMap. Equal ones have one name, and are told once while it is there.
func (a *Announcer) event(ctx context.Context, kind, reason, message string) error {
	about := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: Settings}
	u, found, err := a.API.Get(ctx, about)
	if err != nil {
		return err
	}
	reference := corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: a.Namespace, Name: Settings}
	version := ""
	if found {
		reference.UID, version = u.GetUID(), u.GetResourceVersion()
	}
	message = within(message)
	sum := sha256.Sum256([]byte(reason + message + version))
	name := fmt.Sprintf("%s.%s", Settings, hex.EncodeToString(sum[:8]))
	now := metav1.NewTime(a.Now().Truncate(time.Second))
	_, err = a.API.Create(ctx, kube.Object{Resource: kube.Events, Namespace: a.Namespace, Name: name}, &corev1.Event{
		TypeMeta:       metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta:     metav1.ObjectMeta{Namespace: a.Namespace, Name: name},
		InvolvedObject: reference, Type: kind, Reason: reason, Message: message,
		Source: corev1.EventSource{Component: a.Component}, ReportingController: "kn-flink",
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// within shortens a message to what an Event takes.
func within(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	message = message[:maxMessage]
	for !utf8.ValidString(message) {
		message = message[:len(message)-1]
	}
	return message + "…"
}

// digestOf tells one news from another.
func digestOf(now settings.Now) string {
	return fmt.Sprintf("%d %s", now.Version, now.Problem)
}
