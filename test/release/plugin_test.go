package release

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// entry is a file of an archive.
type entry struct {
	mode int64
	link string
	text []byte
}

func read(t *testing.T, path string) map[string]entry {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]entry{}
	for in := tar.NewReader(unpacked); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = entry{header.Mode, header.Linkname, text}
	}
}

// manifests is a folder as make release makes it.
func manifests(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, pattern := range map[string]string{
		"crds": "crds/*", "kn-flink": "knative/[0-7]*", "kn-flink-webhook": "knative/8*", "tenant": "tenant/*",
		"overlay-kafka": "knative/*",
	} {
		files, err := filepath.Glob("../../config/" + pattern + ".yaml")
		if err != nil || len(files) == 0 {
			t.Fatalf("no manifests %s: %v", pattern, err)
		}
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
			all.WriteString("\n---\n")
		}
		if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// The archives of one platform, the manifest for krew, and what the plugin of a release can do.
func TestThePluginOfARelease(t *testing.T) {
	out, platform := t.TempDir(), runtime.GOOS+"/"+runtime.GOARCH
	command := exec.CommandContext(t.Context(), "../../hack/plugin.sh", "v9.8.7", manifests(t), out)
	command.Env = append(os.Environ(), "PLUGIN_PLATFORMS="+platform)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	suffix := "_v9.8.7_" + strings.ReplaceAll(platform, "/", "_") + ".tar.gz"
	all := read(t, filepath.Join(out, "kn-flink"+suffix))
	if len(all) != 4 || all["kubectl-flink"].link != "kn-flink" || all["kubectl_complete-flink"].mode&0o111 == 0 ||
		len(all["LICENSE"].text) == 0 {
		t.Errorf("the archive has %d files", len(all))
	}
	if size := len(all["kn-flink"].text); size > 32<<20 {
		t.Errorf("kn-flink has %d bytes, the limit is 32 MB", size)
	}
	krews := read(t, filepath.Join(out, "kubectl-flink"+suffix))
	if len(krews) != 2 || krews["kubectl-flink"].link != "" || len(krews["kubectl-flink"].text) == 0 {
		t.Errorf("the archive for krew has %d files, or a link, which krew does not unpack", len(krews))
	}
	plugin := filepath.Join(out, "kubectl-flink")
	if err := os.WriteFile(plugin, krews["kubectl-flink"].text, 0o755); err != nil {
		t.Fatal(err)
	}
	holdsKrew(t, out, suffix)
	for arguments, want := range map[string]string{
		"version --client":                           "v9.8.7",
		"install --export":                           "name: flink-admit.kourier-system.svc",
		"install --export --crds-only":               "name: flinkdeployments.flink.apache.org",
		"install --export --overlay=kafka":           "kind: ApiServerSource",
		"install --export --registry=mirror.example": "kind: Broker",
		"install --export --gateway-namespace=edge":  "name: flink-admit.edge.svc",
		"install --help":                             "kubectl flink install",
	} {
		text, err := exec.CommandContext(t.Context(), plugin, strings.Fields(arguments)...).CombinedOutput()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q in %.300s", arguments, err, want, text)
		}
	}
	holdsStart(t, plugin)
}

// holdsKrew holds the manifest for krew to the archive.
func holdsKrew(t *testing.T, out, suffix string) {
	t.Helper()
	var krew struct {
		Spec struct {
			Version   string
			Platforms []struct {
				URI, SHA256, Bin string
				Selector         struct{ MatchLabels map[string]string }
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "flink.krew.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &krew)
	}
	if err != nil || len(krew.Spec.Platforms) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	archive, err := os.ReadFile(filepath.Join(out, "kubectl-flink"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	p := krew.Spec.Platforms[0]
	if p.SHA256 != fmt.Sprintf("%x", sha256.Sum256(archive)) || !strings.HasSuffix(p.URI, "/kubectl-flink"+suffix) ||
		p.Bin != "kubectl-flink" || p.Selector.MatchLabels["os"] != runtime.GOOS || krew.Spec.Version != "v9.8.7" {
		t.Errorf("the manifest for krew is %+v", krew)
	}
}

// holdsStart holds the start of the plugin to 30 ms of processor time: what else the machine does costs it none.
func holdsStart(t *testing.T, plugin string) {
	t.Helper()
	best := time.Hour
	for range 5 {
		command := exec.CommandContext(t.Context(), plugin, "version", "--client")
		if err := command.Run(); err != nil {
			t.Fatal(err)
		}
		best = min(best, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	}
	if best > 30*time.Millisecond {
		t.Errorf("version takes %v of processor time", best)
	}
	t.Logf("version takes %v of processor time", best)
}
