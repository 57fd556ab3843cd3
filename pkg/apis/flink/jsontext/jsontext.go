package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Print prints a value as compact JSON with the fewest escapes. It fails on what
// encoding/json cannot print: invalid raw text, NaN, channels.
func Print(value any) (string, error) {
	text := bytes.Buffer{}
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	printed := bytes.TrimRight(text.Bytes(), "\n")
	if isPlain(printed) {
		return string(printed), nil
	}
	return respellStrings(printed)
}

// respellStrings rewrites every string of a compact JSON text with the fewest
// escapes.
func respellStrings(text []byte) (string, error) {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			out = append(out, text[i])
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return "", fmt.Errorf("JSON text ends inside a string")
		}
		if quoted := text[i : end+1]; isPlain(quoted) {
			out = append(out, quoted...)
		} else {
			var s string
			if err := json.Unmarshal(quoted, &s); err != nil {
				return "", err
			}
			out = appendJSONString(out, s)
		}
		i = end
	}
	return string(out), nil
}

// isPlain tells that every string in a JSON text is spelled as it is printed.
func isPlain(text []byte) bool { return bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) }

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}

func appendJSONString(out []byte, s string) []byte {
	out = append(out, '"')
	for _, r := range s {
		short, isShort := shortEscapes[r]
		switch {
		case isShort:
			out = append(out, short...)
		case r < ' ':
			out = fmt.Appendf(out, `\u%04X`, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

// Double prints as Java's Double.toString does: 1.0, 0.25, 1.0E7, 1.0E-4.
type Double float64

// MarshalJSON prints the number; NaN and infinities have no JSON.
func (d Double) MarshalJSON() ([]byte, error) {
	f := float64(d)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%v is not a JSON number", f)
	}
	size := math.Abs(f)
	if size == 0 || (size >= 1e-3 && size < 1e7) {
		return []byte(withFraction(strconv.FormatFloat(f, 'f', -1, 64))), nil
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	power, err := strconv.Atoi(exponent)
	if err != nil {
		return nil, err
	}
	return []byte(withFraction(digits) + "E" + strconv.Itoa(power)), nil
}

func withFraction(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	return digits + ".0"
}
