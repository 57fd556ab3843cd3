package flinkconf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Flatten turns spec.flinkConfiguration, with nested, dotted or mixed keys, into flat keys and texts.
//
//	written        | becomes
//	---------------+-------------------------------------------------------------
//	object         | its entries, names joined with a dot; {} is no entry
//	list           | the texts of its items joined with ';'; [] is no entry
//	null           | the text null; Nulls tells
//	number, boolean| its text; a number with a fraction or exponent as Java prints it
//	a key twice    | the last one in the order of the document
//
// One that is too large (v1beta1.FlinkConfiguration.Bounded) is an error before it is flattened.
func Flatten(raw v1beta1.FlinkConfiguration) (Config, error) {
	if raw.IsZero() {
		return Config{}, nil
	}
	if err := raw.Bounded(); err != nil {
		return nil, err
	}
	text := string(raw)
	s := scan{Scan: jsontext.NewScan(text)}
	if s.Next() != '{' {
		return nil, notAnObject(raw)
	}
	flat := make(Config, strings.Count(text, `":`))
	if !s.object("", flat) {
		return nil, fmt.Errorf("flinkConfiguration: %w", notJSON(raw))
	}
	return flat, nil
}

// Own is what a resource's own configuration has a say in: Flatten without the keys that an administrator decides on
// (key.InstallationKey). Every composition takes a resource's configuration from here.
func Own(raw v1beta1.FlinkConfiguration) (Config, error) {
	flat, err := Flatten(raw)
	maps.DeleteFunc(flat, func(name, _ string) bool { return key.InstallationKey(name) })
	return flat, err
}

func notAnObject(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	first, err := dec.Token()
	if err != nil {
		return fmt.Errorf("flinkConfiguration is not JSON: %w", err)
	}
	return fmt.Errorf("flinkConfiguration is %v: write an object of keys and values", first)
}

// notJSON says what is wrong with a text that cannot be scanned.
func notJSON(raw []byte) error {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return errors.New("it cannot be read")
}

// scan reads a configuration.
type scan struct {
	*jsontext.Scan
	// nulls takes the keys of null values; nil takes none.
	nulls *[]string
}

// object flattens the entries up to the closing brace, below parent.
func (s scan) object(parent string, flat Config) bool {
	return s.Members('}', func() bool {
		name, ok := s.Name()
		if !ok {
			return false
		}
		if parent != "" {
			name = parent + "." + name
		}
		return s.entry(name, flat)
	})
}

// entry flattens one value.
func (s scan) entry(path string, flat Config) bool {
	switch s.Peek() {
	case '{':
		s.Next()
		return s.object(path, flat)
	case '[':
		s.Next()
		items, ok := s.list()
		if ok && len(items) > 0 {
			flat[path] = strings.Join(items, ";")
		}
		return ok
	}
	if s.nulls != nil && s.Peek() == 'n' {
		*s.nulls = append(*s.nulls, path)
	}
	text, ok := s.scalar()
	flat[path] = text
	return ok
}

// Nulls are the keys whose value is null, in the order of the document; none where the configuration cannot be read.
func Nulls(raw v1beta1.FlinkConfiguration) []string {
	var keys []string
	s := scan{jsontext.NewScan(string(raw)), &keys}
	if raw.IsZero() || s.Next() != '{' || !s.object("", Config{}) {
		return nil
	}
	return keys
}

// list are the texts of the items up to the closing bracket. Lists and objects inside have no text of their own.
func (s scan) list() (items []string, ok bool) {
	ok = s.Members(']', func() bool {
		var text string
		var ok bool
		if first := s.Peek(); first == '{' || first == '[' {
			ok = s.Skip()
		} else {
			text, ok = s.scalar()
		}
		items = append(items, text)
		return ok
	})
	return items, ok
}

// scalar is what Jackson's asText gives for a JSON scalar.
func (s scan) scalar() (string, bool) {
	if s.Peek() == '"' {
		return s.Text()
	}
	word, ok := s.Word()
	if ok && word != "null" && word != "true" && word != "false" {
		word = numberText(word)
	}
	return word, ok
}

func numberText(text string) string {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // JSON numbers parse; one out of range is infinity in Java too
		return syntax.FormatFloat(f)
	}
	if text == "-0" {
		return "0"
	}
	return text
}
