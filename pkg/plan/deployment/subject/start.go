package subject

// AllPrepared reports whether every wanted companion was seen with the operation of the open intent.
func (v *Subject) AllPrepared(wanted []Companion) bool {
	seen, ok := v.Seen.Companions.Get()
	if !ok {
		return false
	}
	have := map[Companion]bool{}
	for _, c := range seen {
		have[c] = true
	}
	for _, c := range wanted {
		if !have[c] {
			return false
		}
	}
	return true
}
