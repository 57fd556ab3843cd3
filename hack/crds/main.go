package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	types := flag.String("types", "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1", "package with the Go types")
	out := flag.String("out", "config/crds", "folder for the YAML files")
	flag.Parse()
	if err := run(*types, *out); err != nil {
		fmt.Fprintln(os.Stderr, "crds:", err)
		os.Exit(1)
	}
}

func run(types, out string) error {
	files, err := Generate(types)
	if err != nil {
		return err
	}
	return write(files, out)
}

func write(files map[string][]byte, out string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
