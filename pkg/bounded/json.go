package bounded

// JSON counts what a JSON text becomes. The error is a *TooLarge, and the size is then how far it came.
func JSON[Text ~string | ~[]byte](text Text, most Limits) (Size, error) {
	if most.Bytes > 0 && len(text) > most.Bytes {
		return Size{Bytes: len(text)}, &TooLarge{"bytes", most.Bytes}
	}
	c := counter{most: most}
	feed(&c, text)
	return c.Size, c.err
}

// feed counts the next bytes of a text, up to the first ceiling or the end of its value, and answers how many it has
// taken.
func feed[Text ~string | ~[]byte](c *counter, text Text) (taken int) {
	i := 0
	for ; i < len(text) && c.err == nil && !c.closed; i++ {
		if !c.quoted {
			c.take(text[i])
			continue
		}
		from := i
		for ; i < len(text); i++ { // most of a text is in strings
			if b := text[i]; c.escaped {
				c.escaped = false
			} else if b == '\\' {
				c.escaped = true
			} else if b == '"' {
				break
			}
		}
		c.inString(i - from)
		if i < len(text) && c.err == nil {
			c.endString()
		}
	}
	taken = min(i, len(text))
	c.Bytes += taken
	return taken
}

// place is an object or a list that is open, and how long the flat name of what stands in it is.
type place struct {
	object bool
	// path is the length of the name of the object or list itself; with the member's, that of a value in it.
	path, member int
	// named is whether the name of the next value has been read.
	named bool
	// begun is whether something stands in it.
	begun bool
}

// counter takes a JSON text byte by byte. The zero value is ready for the start of a text.
type counter struct {
	Size
	most Limits
	err  error
	// open are the objects and lists around what comes next.
	open []place
	// closed is that an object, a list or a string has come to its end that nothing is around.
	closed bool
	// quoted, escaped and word tell in what the last byte was: a string, after a backslash of it, a number or a literal.
	quoted, escaped, word bool
	// length is that of the string so far.
	length int
	// name is whether the string is the name of a member.
	name bool
}

// take counts one byte.
func (c *counter) take(b byte) {
	switch b {
	case ' ', '\t', '\n', '\r':
		c.endWord()
	case '"':
		c.endWord()
		c.quoted, c.length = true, 0
		in := c.in()
		c.name = in != nil && in.object && !in.named
		if !c.name {
			c.value(false)
		}
	case '{', '[':
		c.endWord()
		c.value(true)
		c.enter(b == '{')
	case '}', ']':
		c.endWord()
		c.leave()
	case ',':
		c.endWord()
		if in := c.in(); in != nil {
			in.named = false
		}
	case ':':
		c.endWord()
		if in := c.in(); in != nil {
			in.named = true
		}
	default:
		if !c.word {
			c.word = true
			c.value(false)
		}
		c.Flat++
		return
	}
	if c.err == nil {
		c.err = c.most.over(&c.Size)
	}
}

// inString counts bytes of a string.
func (c *counter) inString(n int) {
	if c.length += n; !c.name {
		c.Flat += n
		c.err = c.most.over(&c.Size)
	}
}

// endString counts the quote after a string.
func (c *counter) endString() {
	c.quoted = false
	in := c.in()
	if c.closed = in == nil; c.name && in != nil {
		in.member = c.length
	}
}

func (c *counter) in() *place {
	if len(c.open) == 0 {
		return nil
	}
	return &c.open[len(c.open)-1]
}

func (c *counter) endWord() { c.word = false }

// path is the length of the flat name of the value that comes next.
func (c *counter) path() int {
	in := c.in()
	switch {
	case in == nil:
		return 0
	case !in.object || in.path == 0:
		return in.path + in.member
	}
	return in.path + 1 + in.member
}

// value counts one value. An object is no leaf; the items of a list are texts of one leaf.
func (c *counter) value(composite bool) {
	c.Values++
	in := c.in()
	inList := in != nil && !in.object
	if in != nil {
		in.begun = true
	}
	if inList {
		c.Flat++ // what joins it to the others
		return
	}
	if !composite {
		c.leaf()
	}
}

// leaf counts a flat key.
func (c *counter) leaf() {
	c.Keys++
	c.Flat += c.path()
}

// enter opens an object or a list.
func (c *counter) enter(object bool) {
	deepest := c.most.Depth
	if deepest == 0 {
		deepest = maxDepth
	}
	in := c.in()
	path := c.path()
	if object {
		c.Objects++
	}
	if !object && (in == nil || in.object) {
		c.leaf()
	}
	c.open = append(c.open, place{object: object, path: path})
	if c.Depth = max(c.Depth, len(c.open)); len(c.open) > deepest {
		c.err = &TooLarge{"levels of nesting", deepest}
	}
}

// leave closes the innermost object or list.
func (c *counter) leave() {
	if len(c.open) > 0 {
		c.open = c.open[:len(c.open)-1]
		c.closed = len(c.open) == 0
	}
}
