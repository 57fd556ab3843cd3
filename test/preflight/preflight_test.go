package preflight

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goTool stands for go: what it builds prints its arguments, and fails where FAILS says so.
const goTool = `#!/bin/bash
while [ "$1" != -o ]; do shift; done
mkdir -p "$(dirname "$2")"
printf '#!/bin/bash\necho "$@"\nexit ${FAILS:-0}\n' >"$2"
chmod +x "$2"
`

// The variables of make deploy become flags of kn flink doctor, whose exit code is that of the script.
func TestTheChecksAreThoseOfDoctor(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{
		"hack/preflight.sh", "hack/lib.sh", "hack/versions.sh", "config/overlays/single-namespace/kustomization.yaml",
	} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, file), string(text))
	}
	bin := t.TempDir()
	write(t, filepath.Join(bin, "go"), goTool)
	for name, row := range map[string]struct {
		env  []string
		want string
		fail bool
	}{
		"plain": {nil, "doctor --pre --system-namespace=flink-system --overlay= --scope= --gateway-namespace=", false},
		"a second installation of tenants": {
			[]string{"SYSTEM=flink-b", "OVERLAY=tenants"},
			"--system-namespace=flink-b --overlay=tenants --scope=flink.apache.org/watched=flink-b", false,
		},
		"tenants": {[]string{"OVERLAY=tenants"}, "--scope=flink.apache.org/watched=true", false},
		"one namespace": {
			[]string{"OVERLAY=single-namespace"}, "--scope=kubernetes.io/metadata.name=flink-jobs", false,
		},
		"no webhook": {[]string{"WEBHOOK=no"}, "--no-webhook", false},
		"a gateway":  {[]string{"GATEWAY_NAMESPACE=edge"}, "--gateway-namespace=edge", false},
		"go on":      {[]string{"GO_ON=1"}, "--go-on", false},
		"a failure":  {[]string{"FAILS=1"}, "doctor --pre", true},
	} {
		command := exec.CommandContext(t.Context(), filepath.Join(root, "hack/preflight.sh"))
		command.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OVERLAY=", "WEBHOOK=", "GO_ON="),
			row.env...)
		out, err := command.CombinedOutput()
		if !strings.Contains(string(out), row.want) || (err != nil) != row.fail {
			t.Errorf("%s: %v, want %q: %s", name, err, row.want, out)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
