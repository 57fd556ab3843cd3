package flink

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed home
var scripts embed.FS

// launchers are the official image's launch scripts.
var launchers = []string{
	"kubernetes-jobmanager", "kubernetes-taskmanager", "standalone-job", "jobmanager", "taskmanager",
}

// layout is the number of the layout of a home, for when this file changes and nothing else does.
const layout = "1"

// key tells homes apart that were made from other scripts or jobs.
func (c Cache) key() (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, layout)
	sources := []fs.FS{scripts}
	if c.Jobs != "" {
		sources = append(sources, os.DirFS(c.Jobs))
	}
	for _, source := range sources {
		err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(source, path)
			fmt.Fprintln(sum, path, len(content))
			_, _ = sum.Write(content)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read the sources of a Flink home: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// assemble makes a home.
func (c Cache) assemble(ctx context.Context, java Java, distribution, version, home string) error {
	for _, dir := range []string{"bin", "conf", "log", "artifacts", "examples/streaming"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"lib", "opt", "plugins", "bin/bash-java-utils.jar"} {
		if err := os.Symlink(filepath.Join(distribution, name), filepath.Join(home, name)); err != nil {
			return err
		}
	}
	files := map[string]string{
		"docker-entrypoint.sh":          "docker-entrypoint.sh",
		"conf/config.yaml":              "config.yaml",
		"conf/log4j-console.properties": "log4j-console.properties",
	}
	for _, name := range launchers {
		files["bin/"+name+".sh"] = "launch.sh"
	}
	for target, source := range files {
		content, err := scripts.ReadFile("home/" + source)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(source, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(home, target), content, mode); err != nil {
			return err
		}
	}
	jar := filepath.Join(distribution, "lib", "flink-dist-"+version+".jar")
	if err := patch(jar, filepath.Join(home, "patch.jar")); err != nil {
		return fmt.Errorf("patch %s: %w", jar, err)
	}
	return c.compile(ctx, java, filepath.Join(distribution, "lib", "*"), filepath.Join(home, "examples", "streaming"))
}

// The one path that Flink has in its code and in no option: where a JobManager finds its TaskManagers' pod template
// (Constants.POD_TEMPLATE_DIR_IN_POD, used by KubernetesUtils). Relative, it is below the working directory.
const (
	patched      = "org/apache/flink/kubernetes/utils/KubernetesUtils.class"
	templatePath = "/opt/flink/pod-template"
)

func patch(jar, target string) error {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return err
	}
	defer archive.Close()
	file, err := archive.Open(patched)
	if err != nil {
		return err
	}
	defer file.Close()
	class, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	if class, err = replaceConstant(class, templatePath, filepath.Base(templatePath)); err != nil {
		return fmt.Errorf("%s: %w", patched, err)
	}
	return writeJar(target, "", map[string][]byte{patched: class})
}

// compile makes a jar of each class with a main method. All have all classes.
func (c Cache) compile(ctx context.Context, java Java, classPath, target string) error {
	if c.Jobs == "" {
		return nil
	}
	var sources, mains []string
	err := filepath.WalkDir(c.Jobs, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".java") {
			return err
		}
		sources = append(sources, path)
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("public static void main(")) {
			name, _ := filepath.Rel(c.Jobs, path) // it is below
			mains = append(mains, strings.ReplaceAll(strings.TrimSuffix(name, ".java"), "/", "."))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read the example jobs: %w", err)
	}
	classes, err := os.MkdirTemp("", "kn-flink-classes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(classes)
	c.Progress.tell("compile the example jobs", 0, 0)
	arguments := append([]string{"--release", "11", "-nowarn", "-cp", classPath, "-d", classes}, sources...)
	out, err := exec.CommandContext(ctx, filepath.Join(java.Home, "bin", "javac"), arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile the example jobs: %w\n%s", err, out)
	}
	content, err := read(classes)
	if err != nil {
		return err
	}
	var errs []error
	for _, main := range mains {
		errs = append(errs, writeJar(filepath.Join(target, main[strings.LastIndex(main, ".")+1:]+".jar"), main, content))
	}
	return errors.Join(errs...)
}

func read(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	return files, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path) // it is below
		files[name], err = os.ReadFile(path)
		return err
	})
}

// writeJar writes the files in order of their names, with a manifest first.
func writeJar(path, main string, files map[string][]byte) error {
	var jar bytes.Buffer
	w := zip.NewWriter(&jar)
	manifest := "Manifest-Version: 1.0\n"
	if main != "" {
		manifest += "Main-Class: " + main + "\n"
	}
	add := func(name string, content []byte) error {
		entry, err := w.Create(name)
		if err == nil {
			_, err = entry.Write(content)
		}
		return err
	}
	err := add("META-INF/MANIFEST.MF", []byte(manifest))
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		err = errors.Join(err, add(name, files[name]))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return os.WriteFile(path, jar.Bytes(), 0o644)
}
