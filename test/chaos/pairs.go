package chaos

// Pairs are rows of one value, by its number, for each factor, such that every two values of two factors meet in some
// row. Counts says how many values each factor has. Each row is the one, of all that go on from the first pair that
// has not met, that adds the most pairs, chosen factor by factor; so there are few, and always the same.
func Pairs(counts []int) [][]int {
	type pair struct{ f, v, g, w int }
	open := map[pair]bool{}
	var inOrder []pair
	for g := range counts {
		for f := range g {
			for v := range counts[f] {
				for w := range counts[g] {
					open[pair{f, v, g, w}] = true
					inOrder = append(inOrder, pair{f, v, g, w})
				}
			}
		}
	}
	of := func(f, v, g, w int) pair {
		if f > g {
			f, v, g, w = g, w, f, v
		}
		return pair{f, v, g, w}
	}
	var rows [][]int
	for _, first := range inOrder {
		if !open[first] {
			continue
		}
		row := make([]int, len(counts))
		for i := range row {
			row[i] = -1
		}
		row[first.f], row[first.g] = first.v, first.w
		for f := range row {
			if row[f] >= 0 {
				continue
			}
			most, start := -1, len(rows)%counts[f] // so that a value that adds nothing is not always the same one
			for k := range counts[f] {
				v, adds := (start+k)%counts[f], 0
				for g, w := range row {
					if w >= 0 && g != f && open[of(f, v, g, w)] {
						adds++
					}
				}
				if adds > most {
					most, row[f] = adds, v
				}
			}
		}
		for g, w := range row {
			for f, v := range row[:g] {
				delete(open, pair{f, v, g, w})
			}
		}
		rows = append(rows, row)
	}
	return rows
}
