package platform

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tail is how many lines of a log are shown.
const tail = 15

// Logs is the directory of the parts' logs; those of pods are in Node().Logs().
func (p *Platform) Logs() string { return filepath.Join(p.options.Dir, "log") }

// lastLines are the ends of the parts' logs, as an error to join to the failure of one.
func (p *Platform) lastLines() error {
	files, err := filepath.Glob(filepath.Join(p.Logs(), "*.log"))
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil || len(content) == 0 {
			continue
		}
		lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
		fmt.Fprintf(&text, "the end of %s:\n  %s\n", file, strings.Join(lines[max(0, len(lines)-tail):], "\n  "))
	}
	if text.Len() == 0 {
		return nil
	}
	return errors.New(strings.TrimRight(text.String(), "\n"))
}
