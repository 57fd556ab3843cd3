package bounded

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Stream reads a JSON text from its start to its end, a value at a time: what is not asked for, or is larger than its
// ceiling, is read and never kept. Its methods fail with the error of what it reads, with io.ErrUnexpectedEOF for a
// text that ends too early, and with one that says what is wrong with it.
type Stream struct {
	in *bufio.Reader
	// Read is how many bytes were taken.
	Read int
}

// NewStream reads from r.
func NewStream(r io.Reader) *Stream { return &Stream{in: bufio.NewReaderSize(r, 32<<10)} }

// Peek is the byte that the next value begins with, or that stands between values.
func (s *Stream) Peek() (byte, error) {
	for {
		b, err := s.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case b != ' ' && b != '\t' && b != '\n' && b != '\r':
			return b, s.in.UnreadByte()
		}
		s.Read++
	}
}

// next takes the byte that Peek shows.
func (s *Stream) next() (byte, error) {
	b, err := s.Peek()
	if err == nil {
		_, err = s.in.Discard(1)
		s.Read++
	}
	return b, err
}

// Value appends the next value to dst. Beyond a ceiling it is read to its end all the same: the error is then a
// *TooLarge, and dst as it was.
func (s *Stream) Value(dst []byte, most Limits) ([]byte, Size, error) {
	first, err := s.Peek()
	if err != nil {
		return dst, Size{}, err
	}
	c, whole := counter{most: most}, len(dst)
	word := first != '{' && first != '[' && first != '"'
	var over error
	for !c.closed {
		chunk, err := s.chunk()
		if err != nil {
			return dst[:whole], c.Size, cmp.Or(over, err)
		}
		taken := 0
		if word {
			taken, c.closed = wordEnd(chunk)
		} else {
			taken = feed(&c, chunk)
		}
		if over == nil {
			dst = append(dst, chunk[:taken]...)
		}
		if c.err == nil && most.Bytes > 0 && c.Bytes > most.Bytes {
			c.err = &TooLarge{"bytes", most.Bytes}
		}
		if c.err != nil && over == nil {
			over, dst, c.most = c.err, dst[:whole], Limits{}
		}
		if len(c.open) > maxDepth { // nothing reads that
			return dst, c.Size, over
		}
		c.err = nil
		_, _ = s.in.Discard(taken) // it is in the buffer
		s.Read += taken
	}
	if word {
		c.Values, c.Bytes = 1, len(dst)-whole
		if c.Bytes == 0 {
			return dst, c.Size, fmt.Errorf("%c is there instead of a value", first)
		}
	}
	return dst, c.Size, over
}

// chunk is what lies ready, at least a byte.
func (s *Stream) chunk() ([]byte, error) {
	if _, err := s.in.Peek(1); errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	chunk, _ := s.in.Peek(s.in.Buffered())
	return chunk, nil
}

// wordEnd is where a number or a literal ends.
func wordEnd(chunk []byte) (taken int, closed bool) {
	for i, b := range chunk {
		switch b {
		case ' ', '\t', '\n', '\r', ',', ':', '{', '}', '[', ']', '"':
			return i, true
		}
	}
	return len(chunk), false
}

// nameLimits bound the name of a member.
var nameLimits = Limits{Bytes: 64 << 10}

// Object reads an object: member is called for each name, and takes its value.
func (s *Stream) Object(member func(name string) error) error {
	return s.members('{', '}', func() error {
		text, _, err := s.Value(nil, nameLimits)
		if err != nil {
			return err
		}
		var name string
		if err := json.Unmarshal(text, &name); err != nil {
			return fmt.Errorf("the name of a member: %w", err)
		}
		if b, err := s.next(); err != nil || b != ':' {
			return wrong(b, ':', err)
		}
		return member(name)
	})
}

// List reads a list: item is called for each item, and takes it. Null is an empty one.
func (s *Stream) List(item func() error) error {
	if first, err := s.Peek(); err == nil && first == 'n' {
		_, _, err := s.Value(nil, nameLimits)
		return err
	}
	return s.members('[', ']', item)
}

// Skip takes a value and keeps nothing of it.
func (s *Stream) Skip() error {
	_, _, err := s.Value(nil, Limits{Bytes: 1})
	var over *TooLarge
	if errors.As(err, &over) && over.What == "bytes" {
		return nil
	}
	return err
}

func (s *Stream) members(begin, end byte, member func() error) error {
	if b, err := s.next(); err != nil || b != begin {
		return wrong(b, begin, err)
	}
	if b, err := s.Peek(); err != nil || b == end {
		_, _ = s.next()
		return err
	}
	for {
		if err := member(); err != nil {
			return err
		}
		switch b, err := s.next(); {
		case err != nil || b != ',' && b != end:
			return wrong(b, end, err)
		case b == end:
			return nil
		}
	}
}

func wrong(is, wanted byte, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%c is there instead of %c", is, wanted)
}
