package syntax

import (
	"fmt"
	"strings"
	"unicode"
)

// ListSyntax says in one line what SplitList accepts, for error messages.
const ListSyntax = "items separated by ';', an item in single or double quotes when it contains ';' or a quote"

// MapSyntax says in one line what SplitMap accepts, for error messages.
const MapSyntax = "pairs key:value separated by ',', a part in single or double quotes when it contains ',', ':' or " +
	"a quote"

// SplitList cuts a Flink list at ';'. Unquoted items are trimmed; blank items vanish, except an empty one between two
// delimiters that follow each other; in a quoted item the quote is doubled.
func SplitList(text string) ([]string, error) {
	return split(text, ';')
}

// JoinList prints a Flink list. It reads back with SplitList, but for empty items at the ends and blanks around items.
func JoinList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(item, ";")
	}
	return strings.Join(quoted, ";")
}

// JoinListExactly prints a list that reads back with SplitList item by item, empty ones and blanks included. Flink
// reads it too, but prints lists like JoinList.
func JoinListExactly(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(item, ";")
		if item == "" || item != javaTrim(item) || unicode.IsSpace([]rune(item)[0]) {
			quoted[i] = "'" + strings.ReplaceAll(item, "'", "''") + "'"
		}
	}
	return strings.Join(quoted, ";")
}

// SplitMap cuts a Flink map "k:v,k2:v2" into its pairs, in the order of the text. A pair without exactly one ':'
// outside quotes and a repeated key are errors.
func SplitMap(text string) ([][2]string, error) {
	items, err := split(text, ',')
	if err != nil {
		return nil, err
	}
	pairs, seen := make([][2]string, 0, len(items)), map[string]bool{}
	for _, item := range items {
		parts, err := split(item, ':')
		if err != nil {
			return nil, err
		}
		if len(parts) != 2 {
			return nil, fmt.Errorf("%q is not one pair key:value: expected %s", item, MapSyntax)
		}
		if seen[parts[0]] {
			return nil, fmt.Errorf("key %q appears twice: keep one of them", parts[0])
		}
		seen[parts[0]] = true
		pairs = append(pairs, [2]string{parts[0], parts[1]})
	}
	return pairs, nil
}

// JoinMap prints pairs as a Flink map, in the order given.
func JoinMap(pairs [][2]string) string {
	items := make([]string, len(pairs))
	for i, p := range pairs {
		items[i] = quote(quote(p[0], ":")+":"+quote(p[1], ":"), ",")
	}
	return strings.Join(items, ",")
}

// quote puts single quotes around a text that contains the delimiter or a quote.
func quote(text, delimiter string) string {
	if !strings.Contains(text, delimiter) && !strings.ContainsAny(text, `"'`) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// split cuts text at delimiter, as Flink's StructuredOptionsSplitter does:
//
//	first character of an item | the item
//	---------------------------+---------------------------------------------------------------
//	' or "                     | up to the closing quote, a doubled quote is one; then a delimiter or the end must follow
//	white space                | skipped
//	the delimiter              | ends the item; two in a row make one empty item
//	anything else              | up to the next delimiter, trimmed; quotes inside are plain text
func split(text string, delimiter rune) ([]string, error) {
	items := []string{}
	rest := text
	afterDelimiter, afterQuote := false, false
	for rest != "" {
		first := []rune(rest)[0]
		switch {
		case first == delimiter:
			if afterDelimiter {
				items = append(items, "")
			}
			rest = rest[len(string(first)):]
			afterDelimiter, afterQuote = true, false
			continue
		case unicode.IsSpace(first) && first != '\'' && first != '"':
			rest = rest[len(string(first)):]
			continue
		case afterQuote:
			return nil, fmt.Errorf(
				"text follows a closing quote in %q: put the delimiter %q or nothing there", text, delimiter,
			)
		case first == '\'' || first == '"':
			item, tail, err := unquote(rest)
			if err != nil {
				return nil, err
			}
			items, rest = append(items, item), tail
			afterQuote = true
		default:
			item, tail := rest, ""
			if i := strings.IndexRune(rest, delimiter); i >= 0 {
				item, tail = rest[:i], rest[i:]
			}
			items, rest = append(items, javaTrim(item)), tail
		}
		afterDelimiter = false
	}
	return items, nil
}

// unquote reads the quoted item that text starts with, and returns what follows it.
func unquote(text string) (item, rest string, err error) {
	mark := text[0]
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != mark {
			out.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == mark {
			out.WriteByte(mark)
			i++
			continue
		}
		return out.String(), text[i+1:], nil
	}
	return "", "", fmt.Errorf("the quote that opens in %q is not closed: add %q", text, mark)
}
