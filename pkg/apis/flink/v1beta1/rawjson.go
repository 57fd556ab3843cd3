package v1beta1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// FlinkConfiguration is spec.flinkConfiguration as the user wrote it: JSON text
// of one object with flat dotted keys, nested objects, or both, in the order
// written. Package flinkconf flattens and interprets it. nil means absent.
type FlinkConfiguration json.RawMessage

// MarshalJSON returns the text; an absent configuration is an empty object.
func (c FlinkConfiguration) MarshalJSON() ([]byte, error) {
	if len(bytes.TrimSpace(c)) == 0 {
		return []byte("{}"), nil
	}
	return c, nil
}

// UnmarshalJSON keeps a copy of the text; null means absent. Whether the text
// is an object is for the reader of the configuration to judge. It fails for one
// that would take too much memory flat: nobody has to flatten it to refuse it.
func (c *FlinkConfiguration) UnmarshalJSON(text []byte) error {
	if c == nil {
		return errors.New("flinkConfiguration: decode into a nil pointer")
	}
	*c = nil
	if err := FlinkConfiguration(text).Bounded(); err != nil {
		return err
	}
	if !isJSONNull(text) {
		*c = append(*c, text...)
	}
	return nil
}

// Bounded fails with a *bounded.TooLarge for a configuration that has too many
// keys, or too long ones, once it is flat.
func (c FlinkConfiguration) Bounded() error {
	if _, err := bounded.JSON(c, bounded.FlinkConfiguration); err != nil {
		return fmt.Errorf("flinkConfiguration is %w: see docs/reference/limits.md", err)
	}
	return nil
}

// IsZero tells that the configuration holds no entry: absent, null or {}.
func (c FlinkConfiguration) IsZero() bool { return isEmptyObject(c) }

// String returns the JSON text, {} when absent. It may hold secrets: not for
// logs.
func (c FlinkConfiguration) String() string {
	text, _ := c.MarshalJSON() // never fails
	return string(text)
}

// TemplateMetadata is spec.template.metadata of a FlinkBlueGreenDeployment as
// written. It is stored and never used. nil means absent.
type TemplateMetadata json.RawMessage

// MarshalJSON returns the text, null when absent.
func (m TemplateMetadata) MarshalJSON() ([]byte, error) {
	return json.RawMessage(m).MarshalJSON()
}

// UnmarshalJSON keeps a copy of the text; null means absent.
func (m *TemplateMetadata) UnmarshalJSON(text []byte) error {
	if m == nil {
		return errors.New("template.metadata: decode into a nil pointer")
	}
	*m = nil
	if !isJSONNull(text) {
		*m = append(*m, text...)
	}
	return nil
}

// IsZero tells that nothing is written there.
func (m TemplateMetadata) IsZero() bool { return isEmptyObject(m) }

func isJSONNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }

func isEmptyObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" {
		return true
	}
	return text[0] == '{' && len(bytes.TrimSpace(text[1:])) == 1
}
