package bounded

// YAML counts what a YAML text becomes at most: a value for each mark that one may stand behind, and for each line.
// Only Bytes and Values are counted. An alias is one value: whoever follows it counts what it leads to.
func YAML(text string, most Limits) (Size, error) {
	s := Size{Bytes: len(text), Values: 1}
	if most.Bytes > 0 && s.Bytes > most.Bytes {
		return s, &TooLarge{"bytes", most.Bytes}
	}
	for i := range len(text) {
		switch text[i] {
		case '\n', ',', '[', '{':
			s.Values++
		case '-', '?', ':':
			if i+1 == len(text) || separates(text[i+1]) || text[i] == ':' && i > 0 && quotes(text[i-1]) {
				s.Values++
			}
		}
		if most.Values > 0 && s.Values > most.Values {
			return s, &TooLarge{"values", most.Values}
		}
	}
	return s, nil
}

// separates reports whether a byte ends the mark before it.
func separates(b byte) bool {
	switch b {
	case ' ', '\t', '\n', '\r', ',', '[', ']', '{', '}':
		return true
	}
	return false
}

// quotes reports whether a key may end with a byte whose colon needs no space.
func quotes(b byte) bool { return b == '"' || b == '\'' || b == ']' || b == '}' }
