package drawing

import (
	"strings"
	"testing"
)

const drawn = `Decide is an example. First match wins:

	 #  what       else                  then
	 1  it rains   -                     umbrella
	10  it snows   and it lies for more  coat
	               than a day
	11  otherwise                        see wind

Wind is another table:

	 #  wind   then
	W1  a lot  hat
	W2  none
`

func read(t *testing.T, text string) (Drawing, error) {
	t.Helper()
	d := Drawing{rows: map[string]Row{}, of: map[string]string{}}
	return d, d.add("Decide", text)
}

func TestARowGoesOnInTheNextLine(t *testing.T) {
	d, err := read(t, drawn)
	if err != nil {
		t.Fatal(err)
	}
	if row := d.rows["10"]; len(d.rows) != 5 || row["else"] != "and it lies for more than a day" || row["#"] != "10" {
		t.Errorf("%v", d.rows)
	}
}

func TestATableThatCannotBeRead(t *testing.T) {
	rows := map[string]struct{ text, want string }{
		"no table":           {"only words", "draws no table"},
		"twice":              {"\t#  then\n\t1  a\n\t1  b\n", "drawn twice"},
		"one column":         {"\tkubectl get\n\tkubectl patch\n", "one column"},
		"no name":            {"\t#  then\n\t   a\n", "has no name"},
		"between two":        {"\t#  what  then\n\t1  rain    a\n", "under no column"},
		"over the next cell": {"\t#  what  then\n\t1  rain falls\n\t   a     b\n", ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, row.text)
			if (err == nil) != (row.want == "") || (err != nil && !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

func TestShown(t *testing.T) {
	d, err := read(t, drawn)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]struct {
		ways []string
		want string
	}{
		"all":       {[]string{"1", "10", "11/W1", "11/W2"}, ""},
		"one less":  {[]string{"1", "11/W1", "11/W2"}, "row 10 of Decide is shown by no case"},
		"one more":  {[]string{"1", "10", "11/W1", "11/W2", "12"}, `"12" is not drawn`},
		"part of a": {[]string{"1", "10", "11/W3", "11/W1", "W2"}, `"W3" is not drawn`},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			err := d.Shown("Decide", row.ways...)
			if (err == nil) != (row.want == "") || (err != nil && !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
	if err := d.Shown("Other", "1"); err != nil {
		t.Errorf("rows of another declaration are missed: %v", err)
	}
}

func TestHolds(t *testing.T) {
	d, err := read(t, drawn)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]struct {
		way, answer string
		holds       bool
	}{
		"as drawn":         {"1", "umbrella", true},
		"another":          {"1", "coat", false},
		"the end of a way": {"11/W1", "hat", true},
		"not its begin":    {"1/W1", "umbrella", false},
		"back to the row":  {"10/11", "coat", true},
		"refers only":      {"11", "see wind", false},
		"nothing drawn":    {"W2", "", true},
		"no such row":      {"2", "umbrella", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if err := d.Holds(row.way, Row{"then": row.answer}); (err == nil) != row.holds {
				t.Errorf("%v, want that it holds: %t", err, row.holds)
			}
		})
	}
}

// Example draws a table that a test below reads from this file.
//
//	#  what  then
//	1  rain  umbrella
type Example struct{}

func TestRead(t *testing.T) {
	if err := Read(t, "drawing_test.go", "Example").Holds("1", Row{"then": "umbrella"}); err != nil {
		t.Error(err)
	}
}
