package flink

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// classWith is a class file with a string constant, a long (which counts twice) and a reference.
func classWith(text string) []byte {
	class := []byte{0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 55, 0, 5, 5, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0, byte(len(text))}
	class = append(class, text...)
	return append(class, 8, 0, 3, 'r', 'e', 's', 't')
}

func TestAConstantIsReplaced(t *testing.T) {
	got, err := replaceConstant(classWith("/opt/flink/pod-template"), "/opt/flink/pod-template", "pod-template")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, classWith("pod-template")) {
		t.Errorf("%q", got)
	}
}

func TestAClassThatIsNotAsExpectedIsRefused(t *testing.T) {
	for name, row := range map[string]struct {
		class []byte
		want  string
	}{
		"not there":    {classWith("other"), "is there 0 times"},
		"no class":     {[]byte("PK\x03\x04 and more"), "no class file"},
		"cut":          {classWith("/opt")[:14], "ends in its constants"},
		"new constant": {[]byte{0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 55, 0, 2, 99, 0, 0}, "unknown constant 99"},
	} {
		if _, err := replaceConstant(row.class, "/opt", "x"); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

// release1 is an archive as the index has them, of a Flink that consists of one class.
func release1(t *testing.T) []byte {
	t.Helper()
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	entry, err := z.Create(patched)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(classWith(templatePath)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	files := tar.NewWriter(compressed)
	for name, content := range map[string]string{
		"lib/flink-dist-1.20.5.jar": jar.String(), "bin/bash-java-utils.jar": "u", "opt/o.jar": "o", "plugins/p/p.jar": "p",
		"licenses/L": "l",
	} {
		header := &tar.Header{
			Name: "apache_flink_libraries-1.20.5/deps/" + name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg,
		}
		if err := files.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// serve is a package index with one release, whose checksum it says is that of sum.
func serve(t *testing.T, content, sum []byte) *atomic.Int32 {
	t.Helper()
	var downloads atomic.Int32
	hash := sha256.Sum256(sum)
	mux := http.NewServeMux()
	mux.HandleFunc("/simple/"+project+"/", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"files": []any{
			map[string]any{
				"filename": "apache_flink_libraries-1.20.5-py2.py3-none-any.whl", "url": "nowhere",
				"hashes": map[string]string{"sha256": "0"},
			},
			map[string]any{"filename": "apache_flink_libraries-1.20.5.tar.gz", "url": "../../files/f", "size": len(content),
				"hashes": map[string]string{"sha256": hex.EncodeToString(hash[:])}},
		}})
	})
	mux.HandleFunc("/files/f", func(w http.ResponseWriter, _ *http.Request) {
		downloads.Add(1)
		_, _ = w.Write(content)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Setenv("PIP_INDEX_URL", server.URL+"/simple")
	return &downloads
}

func TestAHomeIsMadeOnce(t *testing.T) {
	archive := release1(t)
	downloads := serve(t, archive, archive)
	var last int64
	cache := Cache{Dir: t.TempDir(), Progress: func(_ string, done, total int64) {
		if total > 0 {
			last = total - done
		}
	}}
	var both sync.WaitGroup
	homes := make([]string, 2)
	for i := range homes {
		both.Go(func() {
			home, err := cache.Home(t.Context(), "1.20.5")
			if err != nil {
				t.Error(err)
			}
			homes[i] = home
		})
	}
	both.Wait()
	if downloads.Load() != 1 || homes[0] != homes[1] {
		t.Fatalf("%d downloads, homes %v", downloads.Load(), homes)
	}
	if last != 0 || !cache.Has("1.20.5") || cache.Has("1.20.4") {
		t.Errorf("%d bytes were not told of; has 1.20.5: %v", last, cache.Has("1.20.5"))
	}
	for _, path := range []string{
		"lib/flink-dist-1.20.5.jar", "bin/bash-java-utils.jar", "bin/kubernetes-jobmanager.sh", "bin/taskmanager.sh",
		"docker-entrypoint.sh", "conf/config.yaml", "plugins/p/p.jar", "patch.jar",
	} {
		if _, err := os.Stat(filepath.Join(homes[0], path)); err != nil {
			t.Error(err)
		}
	}
	jar, err := zip.OpenReader(filepath.Join(homes[0], "patch.jar"))
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	if len(jar.File) != 2 || jar.File[1].Name != patched {
		t.Errorf("the patch has %d files", len(jar.File))
	}
}

func TestAWrongChecksumIsThrownAway(t *testing.T) {
	archive := release1(t)
	serve(t, archive, []byte("another"))
	cache := Cache{Dir: t.TempDir()}
	if _, err := cache.Home(t.Context(), "1.20.5"); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("%v", err)
	}
	if cache.Has("1.20.5") {
		t.Error("it is in the cache")
	}
}

func TestADownloadThatBreaksIsThrownAway(t *testing.T) {
	archive := release1(t)
	serve(t, archive[:len(archive)/2], archive)
	cache := Cache{Dir: t.TempDir()}
	if _, err := cache.Home(t.Context(), "1.20.5"); err == nil || cache.Has("1.20.5") {
		t.Errorf("%v", err)
	}
}

func TestAReleaseThatTheIndexLacksIsAnError(t *testing.T) {
	archive := release1(t)
	serve(t, archive, archive)
	_, err := Cache{Dir: t.TempDir()}.Home(t.Context(), "1.20.4")
	if err == nil || !strings.Contains(err.Error(), "the package index has no Flink 1.20.4") {
		t.Errorf("%v", err)
	}
}

func TestOtherJobsMakeAnotherHome(t *testing.T) {
	jobs := t.TempDir()
	key := func() string {
		k, err := Cache{Jobs: jobs}.key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	before := key()
	if err := os.WriteFile(filepath.Join(jobs, "Job.java"), []byte("class Job {}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if key() == before {
		t.Error("the key is the same")
	}
}
