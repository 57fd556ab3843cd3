package view

// Changed compares what is said of each by its key. What appears is said, what stays the same is not, and of what goes
// the end is said.
func Changed[T any](before, after []T, key, sentence func(T) string) []string {
	old := map[string]string{}
	for _, b := range before {
		old[key(b)] = sentence(b)
	}
	var lines []string
	for _, a := range after {
		if now := sentence(a); old[key(a)] != now {
			lines = append(lines, now)
		}
		delete(old, key(a))
	}
	for _, b := range before {
		if _, gone := old[key(b)]; gone {
			lines = append(lines, key(b)+" is gone")
		}
	}
	return lines
}

// Key names the row.
func (r Row) Key() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// Sentence is the row in one line with its name.
func (r Row) Sentence() string { return r.Key() + ": " + r.Line() }
