package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// The code of a job, and whatever its image has in place of a JobManager, decides what these answers are.
const (
	// MaxItems bounds each list of an Itemed answer: jobs, vertices, TaskManagers.
	MaxItems = 10_000
	// maxRefusal bounds the body of what is not a success, in bytes. It is a stack trace as a rule.
	maxRefusal = 1 << 20
	// large is from how many bytes on an answer needs one of largeAtOnce places of the process.
	large       = 512 << 10
	largeAtOnce = 4
)

var (
	// item bounds one item of a list, and rest each of the other members of an answer.
	item = bounded.Limits{Bytes: 256 << 10, Values: 200, Depth: 20}
	rest = bounded.Limits{Values: 50_000, Depth: 20}
)

// places are for the large answers that are being read: many passes at once may each meet one.
var places = make(chan struct{}, largeAtOnce)

// reply reads an answer up to its bound.
type reply struct {
	from io.Reader
	ctx  context.Context
	// left is how much may still come, and read how much has.
	left, read int64
	// placed is whether it has a place.
	placed bool
	// failed is why the answer did not come; what is wrong with it is another error.
	failed error
}

// Read waits for a place where an answer is large.
func (b *reply) Read(into []byte) (int, error) {
	if b.read > large && !b.placed {
		select {
		case places <- struct{}{}:
			b.placed = true
		case <-b.ctx.Done():
			b.failed = b.ctx.Err()
			return 0, b.failed
		}
	}
	n, err := b.from.Read(into)
	b.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	if b.read > b.left {
		return 0, fmt.Errorf("longer than %d bytes", b.left)
	}
	return n, err
}

// leave gives its place to another.
func (b *reply) leave() {
	if b.placed {
		b.placed = false
		<-places
	}
}

// Itemed is an answer with lists that may be long, whose items are read one by one.
type Itemed interface {
	// Items has what takes the items of a list, by its name: that of a member, or with a dot that of a member of a member.
	// It is called without an item when the list begins, and then with a text that has the item in a list of that name.
	Items() map[string]func(text []byte) error
}

// read decodes an answer. It fails with a *bounded.TooLarge for one that has too many values, or items of one list.
func read(answer io.Reader, into any) error {
	in := bounded.NewStream(answer)
	var text []byte
	var err error
	if lists, itemed := into.(Itemed); itemed {
		text, err = members(in, "", lists.Items())
	} else {
		text, _, err = in.Value(nil, rest)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("unexpected end of JSON input")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	more, err := in.Peek()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	case err == nil:
		return fmt.Errorf("invalid character %q after top-level value", more)
	}
	return err
}

// members are the text of an object but for its long lists, which are taken on the way.
func members(in *bounded.Stream, path string, lists map[string]func([]byte) error) (text []byte, err error) {
	text = []byte{'{'}
	err = in.Object(func(name string) error {
		first, err := in.Peek()
		if err != nil {
			return err
		}
		take, long := lists[path+name]
		if long && first == '[' {
			return items(in, path+name, take)
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text = append(append(text, quoted...), ':')
		if first != '{' || !leads(lists, path+name+".") {
			text, _, err = in.Value(text, rest)
			return within(err, name)
		}
		below, err := members(in, path+name+".", lists)
		text = append(text, below...)
		return err
	})
	return append(text, '}'), err
}

// leads reports whether a list lies below a path.
func leads(lists map[string]func([]byte) error, path string) bool {
	for name := range lists {
		if strings.HasPrefix(name, path) {
			return true
		}
	}
	return false
}

// items reads a list, each item in the objects that its path names, so that an error tells where it is.
func items(in *bounded.Stream, path string, take func([]byte) error) error {
	var text []byte
	count := 0
	if err := take(nil); err != nil {
		return err
	}
	begins := `{"` + strings.ReplaceAll(path, ".", `":{"`) + `":[`
	ends := "]" + strings.Repeat("}", strings.Count(path, ".")+1)
	return in.List(func() (err error) {
		if count++; count > MaxItems {
			return &bounded.TooLarge{What: path, Most: MaxItems}
		}
		if text, _, err = in.Value(append(text[:0], begins...), item); err != nil {
			return within(err, path)
		}
		return take(append(text, ends...))
	})
}

// within says where a value is that is too large.
func within(err error, name string) error {
	if over := new(bounded.TooLarge); errors.As(err, &over) {
		return fmt.Errorf("field %s is %w", name, err)
	}
	return err
}
