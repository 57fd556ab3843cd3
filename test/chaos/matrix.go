package chaos

// Row is one row of the retention matrix: a value of each factor, in the order of Factors, and the script that
// carries it out.
type Row struct {
	// Values are in the words of Factors.
	Values []string
	// Script ends with the job at rest after the edit.
	Script []Command
}

// Factor is what the rows differ in.
type Factor struct {
	// Title is its column's.
	Title string
	// Values are its words.
	Values []string
	before [][]Command // of each value, before the first start
	after  [][]Command // of each value of an edit, at its turn
}

// Factors of the retention matrix.
var Factors = []Factor{
	{"edit", []string{"upgrade", "suspend, resume", "flinkVersion, no savepoint directory",
		"restart.failed", "cancelled with REST", "rollback"},
		[][]Command{{}, {}, {{"switch", 7}}, {{"switch", 2}}, {}, {{"switch", 1}}},
		[][]Command{
			{{"parallelism", 2}},
			{{"suspend", 0}, {"steady", 0}, {"resume", 0}},
			{}, // from the version before that of the row
			{{"fail-job", 0}},
			{{"cancel", 0}},
			{{"break-image", 0}, {"wait", 520}}, // the readiness timeout, and two looks of the steady pace
		}},
	{"retention", []string{"RETAIN", "DELETE", "NONE"},
		[][]Command{{{"retention", 0}}, {{"retention", 1}}, {{"retention", 2}}}, nil},
	{"upgradeMode", []string{"savepoint", "last-state", "stateless"},
		[][]Command{{{"upgrade-mode", 0}}, {{"upgrade-mode", 1}}, {{"upgrade-mode", 2}}}, nil},
	{"restart strategy", []string{"none", "fixed-delay", "exponential-delay"},
		[][]Command{{{"restart-strategy", 0}}, {{"restart-strategy", 1}}, {{"restart-strategy", 2}}}, nil},
	{"high availability", []string{"off", "kubernetes"},
		[][]Command{{{"high-availability", 2}}, {{"high-availability", 0}}}, nil},
	{"job", []string{"healthy", "failing"}, [][]Command{{}, {}}, nil},
	{"Flink", []string{"1.20", "2.2"}, [][]Command{{{"version", 0}}, {{"version", 1}}}, nil},
	{"retention in code", []string{"unset", "RETAIN", "DELETE", "NONE"},
		[][]Command{{{"retention-in-code", 3}}, {{"retention-in-code", 0}}, {{"retention-in-code", 1}},
			{{"retention-in-code", 2}}}, nil},
	{"scheduler", []string{"default", "adaptive"}, [][]Command{{{"adaptive", 0}}, {{"adaptive", 1}}}, nil},
	{"last-state.job-cancel.enabled", []string{"off", "on"}, [][]Command{{}, {{"switch", 3}}}, nil},
}

// asked are rows beyond the pairs, by the numbers of their values: where state was lost in silence once, with each
// retention that does not outlive a cancellation, and with each Flink.
var asked = [][]int{
	{0, 1, 1, 1, 0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 0, 0, 1, 0, 0, 0}, // DELETE
	{0, 2, 1, 1, 0, 0, 0, 0, 0, 0}, {0, 2, 1, 1, 0, 0, 1, 0, 0, 0}, // NONE
	{0, 0, 1, 1, 0, 0, 0, 2, 0, 0}, {0, 0, 1, 1, 0, 0, 1, 3, 0, 0}, // the same, in code
	{0, 1, 1, 0, 1, 0, 0, 0, 0, 0}, {0, 1, 1, 0, 1, 0, 1, 0, 0, 0}, // high availability, no restarts
}

// Matrix has every pair of values, each pair with every edit, and the rows that are asked for.
func Matrix() []Row {
	counts := make([]int, len(Factors))
	for i, f := range Factors {
		counts[i] = len(f.Values)
	}
	var rows []Row
	for _, values := range append(Pairs(counts), asked...) {
		row := Row{}
		for i, v := range values {
			row.Values = append(row.Values, Factors[i].Values[v])
		}
		// Options before the upgrade mode, which one of them may forbid.
		for i := len(Factors) - 1; i >= 0; i-- {
			row.Script = append(row.Script, Factors[i].before[values[i]]...)
		}
		version := values[6]
		if row.Values[0] == Factors[0].Values[2] {
			before := [...]int{2, 0}[version] // 1.19 with the image of 1.20; 1.20
			row.Script = append(row.Script, Command{"version", before})
		}
		row.Script = append(row.Script, Command{"apply", 0}, Command{"steady", 0})
		failing := row.Values[5] == "failing"
		if failing {
			row.Script = append(row.Script, Command{"failing", 0}, Command{"wait", 10})
		}
		row.Script = append(row.Script, Factors[0].after[values[0]]...)
		if row.Values[0] == Factors[0].Values[2] {
			row.Script = append(row.Script, Command{"version", version})
		}
		if failing {
			row.Script = append(row.Script, Command{"wait", 20}, Command{"fixed", 0})
		}
		rows = append(rows, row)
	}
	return rows
}
