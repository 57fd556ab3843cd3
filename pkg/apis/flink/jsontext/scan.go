package jsontext

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Scan reads a JSON text once, from its start to its end, without a value for each token. Its methods answer false
// where the text is no JSON; nothing is to be read then any more.
type Scan struct {
	text  string
	at    int
	depth int
}

// deepest is how deep objects and lists may stand in each other, as in encoding/json.
const deepest = 10000

// NewScan begins at the start of a text.
func NewScan(text string) *Scan { return &Scan{text: text} }

// Peek is the byte that the next value begins with, or that stands between values; zero at the end of the text.
func (s *Scan) Peek() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// Ends reports whether only white space is left.
func (s *Scan) Ends() bool {
	s.Peek()
	return s.at >= len(s.text)
}

// Next takes the byte that Peek shows.
func (s *Scan) Next() byte {
	c := s.Peek()
	s.at++
	return c
}

// Members reads what stands between commas, up to the byte that closes it. Its opening was read.
func (s *Scan) Members(end byte, member func() bool) bool {
	if s.Peek() == end {
		s.at++
		return true
	}
	s.depth++
	defer func() { s.depth-- }()
	for s.depth <= deepest && member() {
		switch s.Next() {
		case ',':
		case end:
			return true
		default:
			return false
		}
	}
	return false
}

// Name reads the name of an entry and the colon after it.
func (s *Scan) Name() (string, bool) {
	if s.Peek() != '"' {
		return "", false
	}
	name, ok := s.quoted()
	return name, ok && s.Next() == ':'
}

// Text reads a string.
func (s *Scan) Text() (string, bool) {
	if s.Peek() != '"' {
		return "", false
	}
	return s.quoted()
}

// Word reads null, true, false or a number as written.
func (s *Scan) Word() (string, bool) {
	s.Peek()
	from := s.at
	for s.at < len(s.text) && !strings.ContainsRune(" \t\n\r,:[]{}\"", rune(s.text[s.at])) {
		s.at++
	}
	word := s.text[from:s.at]
	return word, word == "null" || word == "true" || word == "false" || (word != "" && json.Valid([]byte(word)))
}

// quoted reads a string, whose opening quote is next. Most are the text between the quotes.
func (s *Scan) quoted() (string, bool) {
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

// Skip reads over a value.
func (s *Scan) Skip() (ok bool) {
	switch s.Peek() {
	case '{':
		s.at++
		return s.Members('}', func() bool {
			_, ok := s.Name()
			return ok && s.Skip()
		})
	case '[':
		s.at++
		return s.Members(']', s.Skip)
	case '"':
		_, ok = s.quoted()
	default:
		_, ok = s.Word()
	}
	return ok
}
