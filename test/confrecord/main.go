package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/test/maven"
)

// reader is a Java program that loads configuration directories as a JobManager does, and prints their entries.
//
//go:embed ReadConf.java
var reader []byte

// releases are those whose loaders are asked.
var releases = map[v1beta1.FlinkVersion]string{
	"v1_15": "1.15.4", "v1_16": "1.16.3", "v1_17": "1.17.2", "v1_18": "1.18.1", "v1_19": "1.19.3", "v1_20": "1.20.5",
	"v2_0": "2.0.2", "v2_1": "2.1.3", "v2_2": "2.2.1", "v2_3": "2.3.0",
}

// Vector is one entry and what the loaders make of it.
type Vector struct {
	// Key and Text are the entry.
	Key, Text string
	// Read is what each release line has under the key; one that has nothing there is not listed.
	Read map[v1beta1.FlinkVersion]string
}

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := record(context.Background(), *root); err != nil {
		fmt.Fprintln(os.Stderr, "confrecord:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, root string) error {
	all := vectors()
	for version, release := range releases {
		if err := ask(ctx, version, release, all); err != nil {
			return fmt.Errorf("Flink %s: %w", release, err)
		}
	}
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, v := range all {
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		out.Write(line)
		if i < len(all)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return os.WriteFile(filepath.Join(root, "pkg", "flinkconf", "testdata", "loaded.json"), out.Bytes(), 0o644)
}

// ask has one release load a directory for each vector.
func ask(ctx context.Context, version v1beta1.FlinkVersion, release string, all []Vector) error {
	jars, err := maven.Jars(ctx, "flink-core-"+release, []byte(project(release)))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "confrecord")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, v := range all {
		name, text, err := flinkconf.Files(flinkconf.Config{v.Key: v.Text}, version)
		if err != nil {
			return err
		}
		at := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	program := filepath.Join(dir, "ReadConf.java")
	if err := os.WriteFile(program, reader, 0o644); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "java", "-cp", jars+"/*", program, dir, strconv.Itoa(len(all)))
	command.Stderr = os.Stderr
	said, err := command.Output()
	if err != nil {
		return err
	}
	return take(string(said), version, all)
}

// take reads the lines "<vector> <key> <value>", key and value in base64.
func take(said string, version v1beta1.FlinkVersion, all []Vector) error {
	for line := range strings.Lines(said) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(parts) != 3 {
			return fmt.Errorf("the loader printed %q", line)
		}
		i, err := strconv.Atoi(parts[0])
		if err != nil {
			return err
		}
		key, err := base64.StdEncoding.DecodeString(parts[1])
		if err != nil {
			return err
		}
		value, err := base64.StdEncoding.DecodeString(parts[2])
		if err != nil {
			return err
		}
		if string(key) == all[i].Key {
			all[i].Read[version] = string(value)
		}
	}
	return nil
}

func project(release string) string {
	dependency := func(group, artifact, version string) string {
		return "<dependency><groupId>" + group + "</groupId><artifactId>" + artifact + "</artifactId>" +
			"<version>" + version + "</version></dependency>\n"
	}
	return "<project><modelVersion>4.0.0</modelVersion>" +
		"<groupId>a</groupId><artifactId>a</artifactId><version>1</version>\n<dependencies>\n" +
		dependency("org.apache.flink", "flink-core", release) +
		dependency("org.slf4j", "slf4j-nop", "1.7.36") + "</dependencies></project>\n"
}
