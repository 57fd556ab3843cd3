package plan

// Verdict says whether something may be done now.
type Verdict string

// The verdicts. The zero value is none of them and counts as Wait.
const (
	// Go: do it.
	Go Verdict = "Go"
	// Wait: not now; the next look decides again.
	Wait Verdict = "Wait"
	// Refuse: not without a person.
	Refuse Verdict = "Refuse"
)
