package settings

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

// mount is a directory that is replaced as the kubelet replaces a mounted ConfigMap: as a whole, by one link.
type mount struct {
	t    *testing.T
	dir  string
	turn int
}

func newMount(t *testing.T) *mount {
	t.Helper()
	return &mount{t: t, dir: t.TempDir()}
}

func (m *mount) write(config string) {
	m.t.Helper()
	m.turn++
	data := fmt.Sprintf("..data-%d", m.turn)
	if err := os.Mkdir(filepath.Join(m.dir, data), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.dir, data, "config.yaml"), []byte(config), 0o600); err != nil {
		m.t.Fatal(err)
	}
	next := filepath.Join(m.dir, "..next")
	if err := os.Symlink(data, next); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(m.dir, dataLink)); err != nil {
		m.t.Fatal(err)
	}
	file := filepath.Join(m.dir, "config.yaml")
	if _, err := os.Lstat(file); err != nil {
		if err := os.Symlink(filepath.Join(dataLink, "config.yaml"), file); err != nil {
			m.t.Fatal(err)
		}
	}
}

// pod is a function that never sleeps, with its mounted settings.
type pod struct {
	*Source
	t                  *testing.T
	settings, accepted *mount
	clock              time.Time
	labelled           []string
	asked              int
	down               bool
}

// newPod starts one; accepted is empty where nothing was accepted yet.
func newPod(t *testing.T, config, accepted string) *pod {
	t.Helper()
	p := &pod{t: t, settings: newMount(t), accepted: newMount(t), clock: time.Unix(1_800_000_000, 0)}
	p.settings.write(config)
	if accepted != "" {
		p.accepted.write(accepted)
	}
	t.Setenv("FLINK_CONF_DIR", p.settings.dir)
	t.Setenv("FLINK_CONF_ACCEPTED_DIR", p.accepted.dir)
	t.Setenv("CONFIG_LOGGING_DIR", t.TempDir())
	var err error
	p.Source, err = Open(func(context.Context, string) ([]string, error) {
		p.asked++
		if p.down {
			return nil, errors.New("the API server is away")
		}
		return slices.Clone(p.labelled), nil
	}, func() time.Time { return p.clock })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pod) current() Now {
	p.t.Helper()
	now, err := p.Current(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return now
}

func interval(now Now) string { return now.Settings.Operator.ReconcileInterval().String() }

const (
	every  = "kubernetes.operator.reconcile.interval: "
	follow = "kubernetes.operator.dynamic.namespaces.enabled: true\n"
	only   = "kubernetes.operator.watched.namespaces: "
	by     = "kubernetes.operator.watched.namespace-selector: "
)

func TestAChangeCountsFromTheNextEvent(t *testing.T) {
	p := newPod(t, every+"30 s", "")
	before := p.current()
	p.settings.write(every + "20 s")
	after := p.current()
	if interval(before) != "30s" || interval(after) != "20s" || before.Version == after.Version {
		t.Errorf("%s, then %s: a pod that never sleeps goes on with the old settings", interval(before), interval(after))
	}
	if again := p.current(); again.Version != after.Version {
		t.Error("nothing changed, and the settings are others")
	}
	p.settings.write(every + "20 s") // the kubelet writes again what is the same
	if again := p.current(); again.Version != after.Version {
		t.Error("the same text counts as another")
	}
}

func TestWhatCannotBeReadDoesNotCount(t *testing.T) {
	for name, broken := range map[string]string{
		"no YAML":              every + "20 s\n\t- nothing",
		"a value that is none": every + "soon",
		"a selector":           "kubernetes.operator.label.selector: a in b",
		"allowed hosts":        "kubernetes.operator.user.artifacts.allowed-hosts: 10.0.0.0/99",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t, every+"30 s", "")
			p.settings.write(broken)
			now := p.current()
			if interval(now) != "30s" || now.Problem == "" {
				t.Errorf("interval %s, problem %q; want the last good settings, and why", interval(now), now.Problem)
			}
			p.settings.write(every + "20 s")
			if now := p.current(); interval(now) != "20s" || now.Problem != "" {
				t.Errorf("repaired: interval %s, problem %q", interval(now), now.Problem)
			}
		})
	}
}

func TestAPodThatStartsWhileTheSettingsAreBroken(t *testing.T) {
	p := newPod(t, every+"soon", every+"30 s")
	if now := p.current(); interval(now) != "30s" || now.Problem == "" {
		t.Errorf("interval %s, problem %q; want what was accepted last", interval(now), now.Problem)
	}
	if p := newPod(t, every+"soon", ""); interval(p.current()) != "0s" || len(p.First().Notes) != 1 {
		t.Errorf("without accepted ones the default counts and it is noted: %q", p.First().Notes)
	}
	t.Setenv("FLINK_CONF_ACCEPTED_DIR", t.TempDir())
	dir := newMount(t)
	dir.write("{")
	t.Setenv("FLINK_CONF_DIR", dir.dir)
	if _, err := Open(nil, time.Now); err == nil {
		t.Error("there is nothing to begin with, and nobody says so")
	}
}

func TestHowOftenIsLooked(t *testing.T) {
	p := newPod(t, "kubernetes.operator.dynamic.config.check.interval: 1 min\n"+every+"30 s", "")
	p.settings.write(every + "20 s")
	p.clock = p.clock.Add(59 * time.Second)
	if now := p.current(); interval(now) != "30s" {
		t.Errorf("interval %s within the check interval", interval(now))
	}
	p.clock = p.clock.Add(2 * time.Second)
	if now := p.current(); interval(now) != "20s" {
		t.Errorf("interval %s after the check interval", interval(now))
	}
	p = newPod(t, "kubernetes.operator.dynamic.config.enabled: false\n"+every+"30 s", "")
	p.settings.write(every + "20 s")
	if now := p.current(); interval(now) != "30s" {
		t.Errorf("interval %s although nothing is to be followed", interval(now))
	}
}

func TestNamespacesAreFollowedWhereThatIsAskedFor(t *testing.T) {
	p := newPod(t, only+"a", "")
	p.settings.write(only + "b\n" + every + "20 s")
	now := p.current()
	if !now.Settings.Watches("a") || now.Settings.Watches("b") || interval(now) != "20s" {
		t.Errorf("watched %q: the reference keeps the list of its start, and follows the rest", now.Settings.Namespaces)
	}
	p = newPod(t, follow+only+"a", "")
	p.settings.write(follow + only + "b")
	if now := p.current(); now.Settings.Watches("a") || !now.Settings.Watches("b") {
		t.Errorf("watched %q, want b alone", now.Settings.Namespaces)
	}
}

func TestNamespacesByTheirLabels(t *testing.T) {
	p := newPod(t, follow+by+"flink=yes", "")
	now := p.current()
	if now.Settings.Watches("x") {
		t.Error("no namespace has the label, and one is watched")
	}
	p.labelled = []string{"y", "x"}
	p.clock = p.clock.Add(namespacesFor - time.Second)
	if p.current().Settings.Watches("x") || p.asked != 1 {
		t.Errorf("asked %d times within half a minute", p.asked)
	}
	p.clock = p.clock.Add(2 * time.Second)
	next := p.current()
	if !next.Settings.Watches("x") || !slices.Equal(next.Settings.Namespaces, []string{"x", "y"}) ||
		next.Version == now.Version {
		t.Errorf("watched %q, version %d", next.Settings.Namespaces, next.Version)
	}
	p.down = true
	p.clock = p.clock.Add(time.Minute)
	if !p.current().Settings.Watches("x") {
		t.Error("they cannot be found now: the last ones count")
	}
	p.settings.write(follow + only + "named\n" + by + "flink=other")
	if _, err := p.Current(t.Context()); err == nil {
		t.Error("these have never been found: nobody knows what is watched")
	}
	p.down = false
	if got := p.current().Settings.Namespaces; !slices.Equal(got, []string{"named", "x", "y"}) {
		t.Errorf("watched %q, want the named ones, too", got)
	}
	t.Setenv("WATCH_NAMESPACE_SELECTOR", " tenant=yes ")
	if s, err := Load(); err != nil || s.NamespaceSelector != "tenant=yes" || s.Watches("x") {
		t.Errorf("%q %v: the environment wins", s.NamespaceSelector, err)
	}
	t.Setenv("WATCH_NAMESPACE_SELECTOR", "a in b")
	if _, err := Load(); err == nil || !strings.Contains(err.Error(), "WATCH_NAMESPACE_SELECTOR is no label selector") {
		t.Errorf("%v: everything would be watched", err)
	}
	t.Setenv("WATCH_NAMESPACES", "alone")
	if s, err := Load(); err != nil || !slices.Equal(s.Namespaces, []string{"alone"}) || s.NamespaceSelector != "" {
		t.Errorf("%q %q: the environment wins", s.Namespaces, s.NamespaceSelector)
	}
}

func TestResourcesByTheirLabels(t *testing.T) {
	s := newPod(t, "kubernetes.operator.label.selector: environment in (test, stage),!frozen", "").First()
	for _, row := range []struct {
		labels map[string]string
		want   bool
	}{
		{map[string]string{"environment": "test"}, true},
		{map[string]string{"environment": "test", "frozen": ""}, false},
		{map[string]string{"environment": "production"}, false},
		{nil, false},
	} {
		if s.Selects(row.labels) != row.want {
			t.Errorf("labels %v: want %v", row.labels, row.want)
		}
	}
	if got := s.SelectingLabels(); !slices.Equal(got, []string{"environment", "frozen"}) {
		t.Errorf("it looks at the labels %q", got)
	}
	if !(Settings{}).Selects(nil) {
		t.Error("without a selector all are selected")
	}
}

func TestARequestKeepsItsSettings(t *testing.T) {
	p := newPod(t, every+"30 s", "")
	begun, going := make(chan struct{}), make(chan struct{})
	var told []string
	h := &Handler{
		Source: p.Source, Log: zap.NewNop().Sugar(),
		Make: func(s Settings) (http.Handler, error) {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/slow" {
					close(begun)
					<-going
				}
				fmt.Fprint(w, s.Operator.ReconcileInterval())
			}), nil
		},
		Tell: func(_ context.Context, now Now) { told = append(told, interval(now)) },
	}
	ask := func(path string) string {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, nil))
		return answer.Body.String()
	}
	slow := make(chan string)
	go func() { slow <- ask("/slow") }()
	<-begun
	p.settings.write(every + "20 s")
	if got := ask("/"); got != "20s" {
		t.Errorf("the next request has %s", got)
	}
	close(going)
	if got := <-slow; got != "30s" {
		t.Errorf("the request that had begun ended with %s", got)
	}
	if strings.Join(told, " ") != "30s 20s" {
		t.Errorf("told %q", told)
	}
	p.down = true
	p.settings.write(follow + by + "a=b")
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", nil))
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("answer %d while nobody knows what is watched; the event must come again", answer.Code)
	}
}

func TestSettingsThatNoFunctionCanBeMadeOf(t *testing.T) {
	p := newPod(t, every+"30 s", "")
	h := &Handler{
		Source: p.Source, Log: zap.NewNop().Sugar(),
		Make: func(s Settings) (http.Handler, error) {
			if s.Operator.ReconcileInterval() == 20*time.Second {
				return nil, errors.New("no")
			}
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "made") }), nil
		},
	}
	for _, config := range []string{every + "30 s", every + "20 s"} {
		p.settings.write(config)
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", nil))
		if answer.Body.String() != "made" {
			t.Errorf("%s: %d %s, want the last function", config, answer.Code, answer.Body)
		}
	}
}

func TestWhatChanged(t *testing.T) {
	files := func(config string, more ...string) map[string]string {
		all := map[string]string{"config.yaml": config}
		for _, name := range more {
			all[name] = name
		}
		return all
	}
	rows := map[string]struct {
		before, after map[string]string
		want          string
	}{
		"nothing":  {files("a: 1"), files("a: 1 # the same"), ""},
		"set":      {files(""), files("a: 1"), "a: 1"},
		"changed":  {files("a: 1"), files("a: 2"), "a: 1 -> 2"},
		"not set":  {files("a: 1\nb: 1"), files("b: 1"), "a: 1 -> not set"},
		"a secret": {files("s3.secret-key: abcdefgh"), files("s3.secret-key: ijklmnop"), "s3.secret-key changed"},
		"a secret elsewhere": {
			files("s3.secret-key: abcdefgh\nx: 1"), files("s3.secret-key: abcdefgh\nx: -Dy=abcdefgh"), "x: 1 -> -Dy=",
		},
		"a log file": {files("a: 1"), files("a: 1", "log4j-console.properties"), "log4j-console.properties changed"},
		"namespaces": {
			files(only + "a"), files(only + "b"), "the watched namespaces count from the next start of each function",
		},
		"long": {files(""), files("a: " + strings.Repeat("x", 100)), "a: " + strings.Repeat("x", 60) + "…"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(Difference(row.before, row.after), "; ")
			if !strings.Contains(got, row.want) || (row.want == "") != (got == "") {
				t.Errorf("told %q, want %q", got, row.want)
			}
			if strings.Contains(got, "abcdefgh") || strings.Contains(got, "ijklmnop") {
				t.Errorf("told a secret: %s", got)
			}
		})
	}
}
