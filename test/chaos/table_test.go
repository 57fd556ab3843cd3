package chaos

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The page that real Flink wrote has the rows of the matrix, and no job in it lost state in silence.
func TestTheTableIsTheMatrix(t *testing.T) {
	page, err := os.ReadFile("../../docs/internals/retention.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if _, isRow := strings.CutPrefix(line, "| "); isRow && len(cells) == len(Factors)+3 {
			rows = append(rows, cells[1:])
		}
	}
	matrix := Matrix()
	if len(rows) != len(matrix) {
		t.Fatalf("%d rows, and the matrix has %d: make matrix-retention", len(rows), len(matrix))
	}
	for i, row := range matrix {
		values, back, said := rows[i][:len(Factors)], rows[i][len(Factors)], rows[i][len(Factors)+1]
		if !slices.Equal(values, row.Values) {
			t.Errorf("row %d is %s, and the matrix has %s: make matrix-retention", i+1, values, row.Values)
		}
		kept := back != "nothing" && !strings.Contains(back, "less")
		if !kept && row.Values[2] != "stateless" && !strings.Contains(said, "StateSafe=False") {
			t.Errorf("row %d came back with %s, and status said %s", i+1, back, said)
		}
	}
}
