package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test runs the tests of the mutant that the files in mutated are, and returns what gremlins expects of go test.
func test(work, mutated string, timeout time.Duration) (int, error) {
	data, err := os.ReadFile(filepath.Join(work, "table.json"))
	if errors.Is(err, os.ErrNotExist) {
		return compile, nil
	}
	if err != nil {
		return compile, err
	}
	var t table
	if err := json.Unmarshal(data, &t); err != nil {
		return compile, err
	}
	c, found, err := difference(filepath.Join(work, originals), mutated)
	if err != nil || !found {
		return compile, errors.Join(err, errors.New("no token differs"))
	}
	number := t.Numbers[c.String()]
	switch number {
	case 0:
		return compile, fmt.Errorf("%v has no number", c)
	case unviable:
		return 2, nil
	}
	code, err := t.run(number, timeout)
	return code, errors.Join(err, tell(work, c, code))
}

// tell appends what became of a mutant to the file `results`: gremlins tells at its end only how many were killed.
func tell(work string, c change, code int) error {
	file, err := os.OpenFile(filepath.Join(work, "results"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, map[int]string{0: "lived", 1: "killed"}[code], c)
	return errors.Join(err, file.Close())
}

// run runs the quick tests of all suites, then the slow ones, until one fails.
func (t table) run(number int, timeout time.Duration) (int, error) {
	for _, late := range []bool{false, true} {
		for _, s := range t.Suites {
			tests := s.chosen(number, late)
			if len(tests) == 0 {
				continue
			}
			limit := patience
			for _, name := range tests {
				limit += 10 * s.Tests[name]
			}
			ctx, cancel := context.WithTimeout(context.Background(), min(limit, timeout))
			cmd := exec.CommandContext(ctx, s.Binary, "-test.failfast", "-test.run", "^("+strings.Join(tests, "|")+")$")
			cmd.Dir = s.Folder
			cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(number), "GOGC=1000", "GOMEMLIMIT=2GiB")
			err := cmd.Run()
			over := ctx.Err() != nil
			cancel()
			if over {
				return 2, errors.New("ran out of time")
			}
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				return 1, nil
			} else if err != nil {
				return compile, err
			}
		}
	}
	return 0, nil
}

// patience is how long tests may take beside ten times what they took without a mutant. One that takes longer is not
// viable: gremlins' own time-out is that of all tests.
const patience = 20 * time.Second

// chosen are the tests of a suite that may notice a mutant, the quick or the slow ones.
func (s suite) chosen(number int, late bool) []string {
	var tests []string
	for name := range s.Tests {
		comes := s.Reach == nil || slices.Contains(s.Reach[number], name)
		if comes && slices.Contains(s.Slow, name) == late {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}

// difference finds the one token that differs between the files of two folders, at its place in the first.
func difference(folder, mutated string) (change, bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return change{}, false, err
	}
	for _, path := range files {
		name := filepath.Base(path)
		a, err := os.ReadFile(path)
		if err != nil {
			return change{}, false, err
		}
		b, err := os.ReadFile(filepath.Join(mutated, name))
		if err != nil {
			return change{}, false, err
		}
		if bytes.Equal(a, b) {
			continue
		}
		if c, found := firstDifference(name, a, b); found {
			return c, true, nil
		}
	}
	return change{}, false, nil
}

// firstDifference passes over parentheses: the printer adds those that the other operator needs.
func firstDifference(name string, a, b []byte) (change, bool) {
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(a))
	var left, right scanner.Scanner
	left.Init(file, a, nil, 0)
	right.Init(fset.AddFile(name, -1, len(b)), b, nil, 0)
	for {
		pos, was := scan(&left)
		_, is := scan(&right)
		if was != is {
			p := fset.Position(pos)
			return change{name, p.Line, p.Column, is.String()}, true
		}
		if was == token.EOF {
			return change{}, false
		}
	}
}

func scan(s *scanner.Scanner) (token.Pos, token.Token) {
	for {
		pos, is, _ := s.Scan()
		if is != token.LPAREN && is != token.RPAREN {
			return pos, is
		}
	}
}
