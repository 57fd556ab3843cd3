package flinkconf

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// scan reads a JSON text once, from its start to its end. Its methods answer false where the text is no JSON; nothing
// is to be read then any more. The zero byte is the end of the text.
type scan struct {
	text string
	at   int
}

// peek is the byte that the next value begins with.
func (s *scan) peek() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// next takes the byte that peek shows.
func (s *scan) next() byte {
	c := s.peek()
	s.at++
	return c
}

// members reads what stands between commas, up to the byte that closes it. Its opening was read.
func (s *scan) members(end byte, member func() bool) bool {
	if s.peek() == end {
		s.at++
		return true
	}
	for member() {
		switch s.next() {
		case ',':
		case end:
			return true
		default:
			return false
		}
	}
	return false
}

// name reads the name of an entry and the colon after it.
func (s *scan) name() (string, bool) {
	if s.peek() != '"' {
		return "", false
	}
	name, ok := s.quoted()
	return name, ok && s.next() == ':'
}

// scalar is what Jackson's asText gives for a JSON scalar.
func (s *scan) scalar() (string, bool) {
	if s.peek() == '"' {
		return s.quoted()
	}
	from := s.at
	for s.at < len(s.text) && !strings.ContainsRune(" \t\n\r,:[]{}\"", rune(s.text[s.at])) {
		s.at++
	}
	switch word := s.text[from:s.at]; {
	case word == "null", word == "true", word == "false":
		return word, true
	case word != "" && json.Valid([]byte(word)):
		return numberText(word), true
	}
	return "", false
}

// quoted reads a string, whose opening quote is next. Most are the text between the quotes.
func (s *scan) quoted() (string, bool) {
	from, plain := s.at, true
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			if inner := s.text[from+1 : s.at-1]; plain && utf8.ValidString(inner) {
				return inner, true
			}
			var value string
			err := json.Unmarshal([]byte(s.text[from:s.at]), &value)
			return value, err == nil
		case c == '\\':
			plain = false
			s.at++
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// skip reads over an object or a list.
func (s *scan) skip() bool {
	switch s.peek() {
	case '{':
		s.at++
		return s.members('}', func() bool {
			_, ok := s.name()
			return ok && s.skip()
		})
	case '[':
		s.at++
		return s.members(']', s.skip)
	}
	_, ok := s.scalar()
	return ok
}
