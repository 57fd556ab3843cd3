package announce

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// installation is a model API server with the settings that people edit.
type installation struct {
	t       *testing.T
	kube    *kubesim.Server
	tap     *wire.Tap
	version int
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	i := &installation{t: t, tap: wire.New()}
	i.kube = kubesim.New(t, kubesim.NewClock(), i.tap)
	i.create(Settings)
	return i
}

func (i *installation) create(name string) {
	i.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "flink-system", "name": name},
	}}
	if _, err := i.kube.Create(kubesim.ConfigMaps, u); err != nil {
		i.t.Fatal(err)
	}
}

// pod is an announcer in a pod of its own.
func (i *installation) pod() *Announcer {
	return &Announcer{
		API: kube.New(i.kube.Dynamic("reconcile")), Namespace: "flink-system", Component: "reconcile",
		Now: i.kube.Clock.Now, Log: zap.NewNop().Sugar(),
	}
}

// now are settings with this configuration; mounted is the copy as the pod sees it.
func (i *installation) now(config, mounted string) settings.Now {
	i.version++
	now := settings.Now{Version: i.version, Settings: settings.Settings{Files: map[string]string{"config.yaml": config}}}
	if mounted != "" {
		now.Accepted = map[string]string{"config.yaml": mounted}
	}
	return now
}

func (i *installation) events() []string {
	var told []string
	for _, e := range i.kube.List(kubesim.Events, "flink-system", nil) {
		kind, _, _ := unstructured.NestedString(e.Object, "involvedObject", "name")
		reason, _, _ := unstructured.NestedString(e.Object, "reason")
		message, _, _ := unstructured.NestedString(e.Object, "message")
		told = append(told, kind+" "+reason+" "+message)
	}
	return told
}

func TestAChangeIsToldOnce(t *testing.T) {
	i := newInstallation(t)
	first, second := i.pod(), i.pod()
	first.Tell(t.Context(), i.now("a: 1", ""))
	if len(i.events()) != 0 || i.kube.Get(kubesim.ConfigMaps, "flink-system", Accepted) == nil {
		t.Fatalf("a new installation told %q, want the copy made and nothing told", i.events())
	}
	changed := i.now("a: 2\npassword: hunter2", "a: 1")
	first.Tell(t.Context(), changed)
	first.Tell(t.Context(), changed)
	second.Tell(t.Context(), changed)
	told := i.events()
	if len(told) != 1 || told[0] != Settings+" SettingsChanged a: 1 -> 2; password changed" {
		t.Errorf("told %q", told)
	}
	copied, _, _ := unstructured.NestedString(
		i.kube.Get(kubesim.ConfigMaps, "flink-system", Accepted).Object, "data", "config.yaml",
	)
	if copied != "a: 2\npassword: hunter2" {
		t.Errorf("the copy has %q", copied)
	}
	i.tap.Forget()
	i.pod().Tell(t.Context(), i.now("a: 2\npassword: hunter2", "a: 2\npassword: hunter2"))
	if n := len(i.tap.Requests()); n != 0 {
		t.Errorf("%d requests although the mounted copy says that all is told", n)
	}
}

func TestWhatIsBrokenIsToldOnce(t *testing.T) {
	i := newInstallation(t)
	i.pod().Tell(t.Context(), i.now("a: 1", ""))
	broken := i.now("a: 1", "a: 1")
	broken.Problem = `could not read "x" of https://user:hunter2@host/`
	for range 2 {
		i.pod().Tell(t.Context(), broken)
	}
	told := i.events()
	if len(told) != 1 || !strings.Contains(told[0], "SettingsRejected") || strings.Contains(told[0], "hunter2") ||
		!strings.Contains(told[0], "last good") {
		t.Errorf("told %q", told)
	}
}

func TestALongMessageIsShortened(t *testing.T) {
	i := newInstallation(t)
	i.pod().Tell(t.Context(), i.now("a: 1", ""))
	var config strings.Builder
	for n := range 100 {
		config.WriteString("kä" + strings.Repeat("ö", n+1) + ": 1\n")
	}
	i.pod().Tell(t.Context(), i.now(config.String(), "a: 1"))
	if told := i.events(); len(told) != 1 || len(told[0]) > 1100 {
		t.Errorf("told %d events", len(told))
	}
}

func TestWhatCannotBeToldIsTriedAgain(t *testing.T) {
	i := newInstallation(t)
	i.pod().Tell(t.Context(), i.now("a: 1", ""))
	pod, changed := i.pod(), i.now("a: 2", "a: 1")
	i.tap.Inject(wire.Fault{Match: wire.On("get", "configmaps"), Status: 500, Nth: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the event is answered; what is told does not depend on it
	pod.Tell(ctx, changed)
	pod.Tell(ctx, changed)
	if told := i.events(); len(told) != 0 {
		t.Fatalf("told %q at once", told)
	}
	i.kube.Clock.Advance(again)
	pod.Tell(ctx, changed)
	if told := i.events(); len(told) != 1 {
		t.Errorf("told %q, want the change", told)
	}
}
