package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

//go:embed helpers.go.txt
var helpers string

// table is what `prepare` leaves for `test`.
type table struct {
	Numbers map[string]int // by change
	Suites  []suite
}

// suite are the tests of one package, compiled.
type suite struct {
	Binary, Folder string
	Tests          map[string]time.Duration // how long each took without a mutant
	Slow           []string                 // those that are run after the quick ones of all suites
	// Reach are, by mutant, the tests that come to it: no other can notice it. Nil is not looked at: all are run.
	Reach map[int][]string
	took  time.Duration
}

func (c change) String() string { return fmt.Sprintf("%s:%d:%d %s", c.file, c.line, c.column, c.token) }

// prepare compiles the tests that hold the package in folder, with its mutants in it. Of those that are not cheap it
// records which mutants each comes to.
func prepare(work, folder, also string, cheap time.Duration) error {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedExportFile
	list, err := packages.Load(&packages.Config{Mode: mode}, "./"+folder)
	if err != nil {
		return err
	}
	if len(list) != 1 || len(list[0].Errors) > 0 {
		return fmt.Errorf("%s: cannot be read: %v", folder, list[0].Errors)
	}
	if err := os.MkdirAll(filepath.Join(work, originals), 0o755); err != nil {
		return err
	}
	overlay := filepath.Join(work, "overlay.json")
	numbers, err := compiled(list[0], work, overlay)
	if err != nil {
		return err
	}
	result := table{Numbers: map[string]int{}}
	for c, n := range numbers {
		result.Numbers[c.String()] = n
	}
	for i, name := range append([]string{"./" + folder}, strings.Fields(also)...) {
		s, err := newSuite(filepath.Join(work, strconv.Itoa(i)+".test"), name, overlay, cheap)
		if err != nil {
			return err
		}
		if s != nil {
			result.Suites = append(result.Suites, *s)
		}
	}
	if len(result.Suites) == 0 {
		return errors.New(folder + ": no test holds it")
	}
	slices.SortStableFunc(result.Suites, func(a, b suite) int { return int(a.took - b.took) })
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	fmt.Printf("%d mutants are compiled in\n", len(numbers))
	return os.WriteFile(filepath.Join(work, "table.json"), data, 0o644)
}

var badLine = regexp.MustCompile(`(?m)^(?:\S*/)?([^/\s:]+\.go):(\d+):\d+: `)

// compiled writes the overlay with the mutants of a package. A line that does not compile with them is left as it is.
func compiled(p *packages.Package, work, overlay string) (map[change]int, error) {
	bad := map[string]bool{}
	for {
		numbers, err := overlaid(p, work, overlay, bad)
		if err != nil {
			return nil, err
		}
		out, err := exec.Command("go", "build", "-overlay", overlay, "-gcflags=-e", p.PkgPath).CombinedOutput()
		if err == nil {
			return numbers, nil
		}
		before := len(bad)
		for _, m := range badLine.FindAllStringSubmatch(string(out), -1) {
			bad[m[1]+":"+m[2]] = true
		}
		if len(bad) == before {
			return nil, fmt.Errorf("%s does not compile with its mutants: %w\n%s", p.PkgPath, err, out)
		}
	}
}

func overlaid(p *packages.Package, work, overlay string, bad map[string]bool) (map[change]int, error) {
	found, next := map[change]int{}, 0
	replace := map[string]string{}
	for i, file := range p.Syntax {
		path := p.GoFiles[i]
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(path)
		s := &switches{fset: p.Fset, info: p.TypesInfo, name: name, next: &next, found: found, skip: func(line int) bool {
			return bad[name+":"+strconv.Itoa(line)]
		}}
		replace[path] = filepath.Join(work, name)
		if err := os.WriteFile(filepath.Join(work, originals, name), text, 0o644); err != nil {
			return nil, err
		}
		if err := os.WriteFile(replace[path], []byte(s.number(file, string(text))), 0o644); err != nil {
			return nil, err
		}
	}
	added := filepath.Join(work, "helpers.go")
	replace[filepath.Join(filepath.Dir(p.GoFiles[0]), "zz_mutants.go")] = added
	if err := os.WriteFile(added, []byte(
		fmt.Sprintf("package %s\n%s\nconst mutantsOfAll = %d\n", p.Name, helpers, next),
	), 0o644); err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return found, os.WriteFile(overlay, data, 0o644)
}

// originals is the folder of the package as it was prepared.
const originals = "originals"

// slow is from how long on a test waits for the quick ones.
const slow = 300 * time.Millisecond

var passed = regexp.MustCompile(`(?m)^--- PASS: (\S+) \(([0-9.]+)s\)`)

// newSuite compiles the tests of a package and runs them once without a mutant; nil if it has none.
func newSuite(binary, name, overlay string, cheap time.Duration) (*suite, error) {
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", name).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", name, err)
	}
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, name).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("tests of %s: %w\n%s", name, err, out)
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, nil
	}
	s := &suite{Binary: binary, Folder: strings.TrimSpace(string(folder)), Tests: map[string]time.Duration{}}
	begin := time.Now()
	cmd := exec.Command(binary, "-test.v")
	cmd.Dir = s.Folder
	out, err = cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("tests of %s without a mutant: %w\n%s", name, err, out)
	}
	s.took = time.Since(begin)
	for _, m := range passed.FindAllStringSubmatch(string(out), -1) {
		took, err := time.ParseDuration(m[2] + "s")
		if err != nil {
			return nil, err
		}
		if s.Tests[m[1]] = took; took >= slow {
			s.Slow = append(s.Slow, m[1])
		}
	}
	if s.took < cheap {
		return s, nil
	}
	return s, s.reached()
}

// reached runs each test by itself and records which mutants it comes to.
func (s *suite) reached() error {
	s.Reach = map[int][]string{}
	for name := range s.Tests {
		cmd := exec.Command(s.Binary, "-test.run", "^"+name+"$")
		cmd.Dir = s.Folder
		seen := s.Binary + ".seen"
		cmd.Env = append(os.Environ(), "MUTANTS_SEEN="+seen)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s alone: %w\n%s", name, err, out)
		}
		text, err := os.ReadFile(seen)
		if err != nil {
			return err
		}
		for _, word := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(word)
			if err != nil {
				return err
			}
			s.Reach[n] = append(s.Reach[n], name)
		}
	}
	return nil
}
