package bounded

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// mark is the only member of what stands in place of a part of a resource that is too large: no definition has a field
// of that name, so it comes from nowhere else.
const mark = "kn-flink too large"

// Marked says why a decoded part of a resource is not there; empty for every other.
func Marked(part any) string {
	object, _ := part.(map[string]any)
	why, _ := object[mark].(string)
	return why
}

// Resource appends a resource to dst, in less memory than its text may ask for.
//
//	part                                     stays
//	metadata.managedFields: fieldsV1         never: who wrote, and when, is all that is asked of them
//	any other field of metadata, too large   no, and the spec does not either
//	spec, status, too large                  a mark, see Marked
//	everything else                          yes
//
// The error is that the text is no JSON, or has no end.
func (s *Stream) Resource(dst []byte) ([]byte, Size, error) {
	r := resource{Stream: s, out: dst}
	err := r.whole(r.member)
	return r.out, r.size, err
}

// Answer copies an answer of the API server to w: a resource, or a list of them, each as Resource has it. It fails with
// a *TooLarge for one that has more bytes than most, or takes more memory than cost, in bytes, once it is decoded.
// Before a resource is copied room is asked with what all until then take, in bytes; its error ends the answer.
func (s *Stream) Answer(w io.Writer, most, cost int, room func(cost int) error) error {
	r := resource{Stream: s}
	flush := func() error {
		if r.size.Bytes > most {
			return &TooLarge{"bytes in a list", most}
		}
		if r.size.Cost() > cost {
			return &TooLarge{"bytes of memory for a list", cost}
		}
		if err := room(r.size.Cost()); err != nil {
			return err
		}
		_, err := w.Write(r.out)
		r.out = r.out[:0]
		return err
	}
	err := r.whole(func(name string) error {
		switch name {
		case "items":
		case "metadata", "spec", "status":
			return r.member(name)
		default: // such as the rows of a table
			return r.value(Limits{Bytes: most, Values: cost / valueCost})
		}
		return r.list(func() error {
			if err := r.whole(r.member); err != nil {
				return err
			}
			return flush()
		})
	})
	if err != nil {
		return err
	}
	return flush()
}

// resource is one that is on its way through.
type resource struct {
	*Stream
	out  []byte
	size Size
	// problem is what was left out of its metadata.
	problem string
}

// whole copies an object, and takes the spec from one whose metadata is too large.
func (r *resource) whole(member func(name string) error) error {
	r.problem = ""
	err := r.object(member)
	if r.problem != "" {
		r.out = append(r.out[:len(r.out)-1], `,"spec":`...) // the last of two counts
		r.out = append(append(r.out, marked(r.problem)...), '}')
	}
	return err
}

func (r *resource) member(name string) error {
	switch name {
	case "metadata":
		return r.object(r.metadata)
	case "spec":
		return r.part(name, Spec)
	}
	return r.part(name, Status)
}

func (r *resource) metadata(name string) error {
	if name == "managedFields" {
		return r.list(func() error {
			return r.object(func(name string) error {
				if name != "fieldsV1" {
					return r.part(name, Metadata)
				}
				r.out = append(r.out, "{}"...)
				return r.Skip()
			})
		})
	}
	whole := len(r.out)
	if err := r.value(Metadata); !isTooLarge(err) {
		return err
	} else {
		r.problem = "metadata." + name + " is " + err.Error()
	}
	r.out = append(r.out[:whole], "null"...)
	return nil
}

// part copies a value, or the mark in its place.
func (r *resource) part(name string, most Limits) error {
	err := r.value(most)
	if isTooLarge(err) {
		r.out, err = append(r.out, marked(name+" is "+err.Error())...), nil
	}
	return err
}

func (r *resource) value(most Limits) error {
	out, size, err := r.Value(r.out, most)
	if r.out = out; err == nil {
		r.size.Bytes, r.size.Values, r.size.Objects = r.size.Bytes+size.Bytes, r.size.Values+size.Values,
			r.size.Objects+size.Objects
	}
	return err
}

// object and list copy one, whose members member copies.
func (r *resource) object(member func(name string) error) error {
	r.out = append(r.out, '{')
	begun := false
	err := r.Object(func(name string) error {
		if begun {
			r.out = append(r.out, ',')
		}
		begun = true
		text, err := json.Marshal(name)
		if err != nil {
			return err
		}
		r.out = append(append(r.out, text...), ':')
		return member(name)
	})
	r.out = append(r.out, '}')
	return err
}

func (r *resource) list(item func() error) error {
	r.out = append(r.out, '[')
	begun := false
	err := r.List(func() error {
		if begun {
			r.out = append(r.out, ',')
		}
		begun = true
		return item()
	})
	r.out = append(r.out, ']')
	return err
}

func marked(why string) string { return `{` + strconv.Quote(mark) + `:` + strconv.Quote(why) + `}` }

func isTooLarge(err error) bool {
	var over *TooLarge
	return errors.As(err, &over)
}
