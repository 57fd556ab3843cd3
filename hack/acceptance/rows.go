package main

import (
	"fmt"
	"regexp"
	"strings"
)

// section is a table of the page.
type section struct {
	title string
	rows  []row
}

// row is one thing that the operator does.
type row struct {
	// name is what tests claim, as T3.12 or R4.
	name string
	// words say what is asserted.
	words string
	// excuse says why no test claims it: "does not apply: ..." or "later: ..."; empty when one must.
	excuse string
}

var rowLine = regexp.MustCompile(`^([TR]\d+(?:\.\d+)?)\s+(?:\[((?:does not apply|later): [^\]]+)\]\s+)?(\S.*)$`)

// parseRows reads the rows.
//
//	# a title
//	T1.1  what is asserted
//	T1.2  [does not apply: why] what is not asserted
//
// Empty lines count for nothing.
func parseRows(text string) ([]section, error) {
	var sections []section
	seen := map[string]bool{}
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "# "); ok {
			sections = append(sections, section{title: title})
			continue
		}
		if line == "" {
			continue
		}
		parts := rowLine.FindStringSubmatch(line)
		switch {
		case parts == nil:
			return nil, fmt.Errorf("line %d: %q is neither a title nor a row", number+1, line)
		case len(sections) == 0:
			return nil, fmt.Errorf("line %d: row %s stands before any title", number+1, parts[1])
		case seen[parts[1]]:
			return nil, fmt.Errorf("line %d: row %s is there twice", number+1, parts[1])
		}
		seen[parts[1]] = true
		last := &sections[len(sections)-1]
		last.rows = append(last.rows, row{name: parts[1], excuse: parts[2], words: parts[3]})
	}
	return sections, nil
}
