package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// advice is what a reader does about a reason.
type advice struct {
	// Look is a command, or the name of one of the sheet.
	Look string `yaml:"look"`
	// Do is a text, or the name of a fix of the sheet.
	Do string `yaml:"do"`
	// Means is a meaning instead of the comment of the constant. Empty: that comment.
	Means string `yaml:"means"`
}

// sheet is advice.yaml.
type sheet struct {
	Commands   map[string]string `yaml:"commands"`
	Fixes      map[string]string `yaml:"fixes"`
	Reasons    map[string]advice `yaml:"reasons"`
	Kubernetes map[string]advice `yaml:"kubernetes"`
}

// advices reads the sheet.
func advices(path string) (sheet, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return sheet{}, err
	}
	var s sheet
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&s); err != nil {
		return sheet{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// entry writes what the page has about a reason, notes it, and returns what is missing.
func (s sheet) entry(out *strings.Builder, w word, a advice, entries told) []string {
	command, fix := a.Look, a.Do
	if named, is := s.Commands[a.Look]; is {
		command = named
	}
	if named, is := s.Fixes[a.Do]; is {
		fix = strings.TrimSpace(named)
	}
	if !strings.Contains(command, " ") || !strings.Contains(fix, " ") {
		return []string{w.name + " has no command, or no fix"}
	}
	entries[w.name] = entry{plain(sentence(w.meaning)), command, plain(fix), a.Do == "wait" || a.Do == "ok"}
	fmt.Fprintf(out, "\n### %s\n\n%s\n\n- Evidence: `%s`\n- Do: %s\n", w.name, sentence(w.meaning), command, fix)
	return nil
}

// sentence is a meaning that begins with a capital and ends with a full stop.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
