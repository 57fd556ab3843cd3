package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const tree = `package x

// TestOne is one.
// T1.1: and a half
func TestOne(t *testing.T) {
	rows := map[string]int{
		// T1.2, T1.3
		"a row": 1,
		"another": 2, // T1.4
		"third": func() int {
			// R4: in the middle
			return 3
		}(),
	}
	_ = rows // prose about T1.9 is no claim
	// T1.5
}

// table is run by TestTable.
var table = map[string]int{
	// T1.6
	"here": 1,
}

// helper runs nothing
// T1.7
func helper() {}
`

func TestClaims(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x_test.go", tree, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range claimsOf(fset, file, "x_test.go") {
		got[c.row] = c.test
	}
	want := map[string]string{
		"T1.1": "TestOne", "T1.2": "TestOne/a_row", "T1.3": "TestOne/a_row", "T1.4": "TestOne/another",
		"R4": "TestOne/third", "T1.5": "TestOne",
		"T1.6": "TestTable/here", "T1.7": "",
	}
	for row, test := range want {
		if found, ok := got[row]; !ok || found != test {
			t.Errorf("row %s is claimed by %q, want %q", row, found, test)
		}
	}
	if len(got) != len(want) {
		t.Errorf("claims %v", got)
	}
}

func TestWhatDoesNotFitIsNamed(t *testing.T) {
	sections, err := parseRows("# life\nT1.1 starts\nT1.2 [later: session jobs] waits\n")
	if err != nil {
		t.Fatal(err)
	}
	fits := claim{"T1.1", "a_test.go", "TestA", 3}
	rows := map[string]struct {
		claims []claim
		want   string
	}{
		"all fits":            {[]claim{fits}, ""},
		"nobody claims a row": {nil, "row T1.1 (starts) is claimed by no test"},
		"no such row": {
			[]claim{fits, {"T9.9", "a_test.go", "TestA", 4}}, "a_test.go:4 claims T9.9, which rows.txt does not have",
		},
		"an excused row": {[]claim{fits, {"T1.2", "a_test.go", "TestA", 4}}, "take the excuse out"},
		"no test":        {[]claim{{"T1.1", "a_test.go", "", 4}}, "outside of any test"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			page, err := render(sections, row.claims)
			if row.want == "" {
				if err != nil || !strings.Contains(page, "| T1.1 | starts | `a_test.go` TestA | test |") ||
					!strings.Contains(page, "| T1.2 | waits |  | later: session jobs |") {
					t.Errorf("%v\n%s", err, page)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}

func TestRowsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"T1.1 a":                    "before any title",
		"# life\nT1.1":              "neither a title nor a row",
		"# life\nT1.1 a\nT1.1 b":    "there twice",
		"# life\nT1.1 [maybe: x] a": "",
	} {
		_, err := parseRows(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}
