package preflight

import (
	"errors"
	"strings"
	"testing"
)

func TestWhatIsMissingIsSaid(t *testing.T) {
	good := Machine{OS: "linux", Dir: "/cache", Free: 10 << 30, Wanted: 5 << 30, Memory: 8 << 30, Kubectl: true}
	for name, row := range map[string]struct {
		change          func(*Machine)
		missing, advice []string
	}{
		"nothing":        {func(*Machine) {}, nil, nil},
		"another system": {func(m *Machine) { m.OS, m.Java = "darwin", errors.New("no") }, []string{"this is darwin"}, nil},
		"no Java":        {func(m *Machine) { m.Java = errors.New("install a JDK") }, []string{"Java: install a JDK"}, nil},
		"a full disk": {
			func(m *Machine) { m.Free = 1 << 20 }, []string{"1 MB are free in /cache and 5120 MB are needed"}, nil,
		},
		"both":           {func(m *Machine) { m.Java, m.Free = errors.New("x"), 0 }, []string{"Java", "disk"}, nil},
		"little memory":  {func(m *Machine) { m.Memory = 1 << 30 }, nil, []string{"memory: 1024 MB are available"}},
		"unknown memory": {func(m *Machine) { m.Memory = 0 }, nil, nil},
		"no kubectl":     {func(m *Machine) { m.Kubectl = false }, nil, []string{"kubectl is not installed"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := good
			row.change(&m)
			contain(t, m.Missing(), row.missing)
			contain(t, m.Advice(), row.advice)
		})
	}
}

func contain(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

func TestThisMachineIsLookedAt(t *testing.T) {
	t.Setenv("JAVA_HOME", t.TempDir())
	m := Inspect(t.TempDir()+"/not/there/yet", 1)
	if m.OS != "linux" || m.Free <= 0 || m.Memory <= 0 {
		t.Errorf("%+v", m)
	}
	if m.Java == nil || !strings.Contains(m.Java.Error(), "set JAVA_HOME to a JDK") {
		t.Errorf("an empty JAVA_HOME: %v", m.Java)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	if m = Inspect("/", 1); m.Kubectl || m.Java == nil {
		t.Errorf("nothing is in PATH, and it finds %+v", m)
	}
}
