package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := generate(*root); err != nil {
		fmt.Fprintln(os.Stderr, "acceptance:", err)
		os.Exit(1)
	}
}

// generate writes the page of the tree below root.
func generate(root string) error {
	text, err := os.ReadFile(filepath.Join(root, "hack", "acceptance", "rows.txt"))
	if err != nil {
		return err
	}
	sections, err := parseRows(string(text))
	if err != nil {
		return fmt.Errorf("rows.txt: %w", err)
	}
	claims, err := claimsBelow(root)
	if err != nil {
		return err
	}
	page, err := render(sections, claims)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "acceptance.md"), []byte(page), 0o644)
}
