package flinkconf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Flatten turns spec.flinkConfiguration, with nested, dotted or mixed keys, into flat keys and texts.
//
//	written        | becomes
//	---------------+-------------------------------------------------------------
//	object         | its entries, names joined with a dot; {} is no entry
//	list           | the texts of its items joined with ';'; [] is no entry
//	null           | the text null
//	number, boolean| its text; a number with a fraction or exponent as Java prints it
//	a key twice    | the last one in the order of the document
func Flatten(raw v1beta1.FlinkConfiguration) (Config, error) {
	flat := Config{}
	if raw.IsZero() {
		return flat, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	first, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("flinkConfiguration is not JSON: %w", err)
	}
	if first != json.Delim('{') {
		return nil, fmt.Errorf("flinkConfiguration is %v: write an object of keys and values", first)
	}
	if err := flattenObject(dec, "", flat); err != nil {
		return nil, fmt.Errorf("flinkConfiguration: %w", err)
	}
	return flat, nil
}

// flattenObject reads entries up to the closing brace.
func flattenObject(dec *json.Decoder, parent string, flat Config) error {
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		path := fmt.Sprint(name)
		if parent != "" {
			path = parent + "." + path
		}
		if err := flattenValue(dec, path, flat); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func flattenValue(dec *json.Decoder, path string, flat Config) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return flattenObject(dec, path, flat)
	case json.Delim('['):
		items, err := listTexts(dec)
		if err != nil {
			return err
		}
		if len(items) > 0 {
			flat[path] = strings.Join(items, ";")
		}
		return nil
	}
	flat[path] = scalarText(token)
	return nil
}

// listTexts reads the items of a list up to the closing bracket. Lists and objects inside have no text of their own.
func listTexts(dec *json.Decoder) ([]string, error) {
	var items []string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if _, nested := token.(json.Delim); !nested {
			items = append(items, scalarText(token))
			continue
		}
		if err := skipNested(dec); err != nil {
			return nil, err
		}
		items = append(items, "")
	}
	_, err := dec.Token()
	return items, err
}

// skipNested reads to the end of an object or list whose opening was just read.
func skipNested(dec *json.Decoder) error {
	for depth := 1; depth > 0; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

// scalarText is what Jackson's asText gives for a JSON scalar.
func scalarText(token json.Token) string {
	switch value := token.(type) {
	case nil:
		return "null"
	case json.Number:
		return numberText(string(value))
	default:
		return fmt.Sprint(value)
	}
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
