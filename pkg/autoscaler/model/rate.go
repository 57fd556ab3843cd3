package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Rate is a number that may be NaN, which means not known, or infinite. In JSON they are null and "Infinity".
type Rate float64

// MarshalJSON prints the number, or what stands for one that JSON does not have.
func (r Rate) MarshalJSON() ([]byte, error) {
	switch {
	case r != r:
		return []byte("null"), nil
	case !IsFinite(float64(r)):
		return []byte(strconv.Quote(r.String())), nil
	}
	return strconv.AppendFloat(nil, float64(r), 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON prints.
func (r *Rate) UnmarshalJSON(content []byte) error {
	text := strings.Trim(string(content), `"`)
	if text == "null" {
		*r = Rate(NaN)
		return nil
	}
	value, err := syntax.ParseFloat(text)
	if err != nil {
		return fmt.Errorf("a rate: %w", err)
	}
	*r = Rate(value)
	return nil
}

// String is the number with two decimals, as reports print it.
func (r Rate) String() string { return Fixed(float64(r)) }
