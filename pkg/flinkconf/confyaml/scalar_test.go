package confyaml

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScalarStyles reads the rows of the table above scalar.
func TestScalarStyles(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, reason string }{
		"plain":             {"file:///a", "file:///a", "a colon without a blank is nothing special"},
		"plain list":        {"a;b,c", "a;b,c", "nor are Flink's own delimiters"},
		"plain dash":        {"-Dx=y", "-Dx=y", "a dash counts only before a blank"},
		"plain unit":        {"5 min", "5 min", "text after a number makes it text"},
		"plain underscore":  {"1_000", "1_000", "YAML 1.2 has no such numbers"},
		"plain word":        {"yes", "yes", "nor such booleans"},
		"plain date":        {"2020-01-01", "2020-01-01", "nor dates in the core schema"},
		"plain quote":       {"it's", "it's", "a quote counts only at the start"},
		"plain unicode":     {"日本", "日本", "letters are letters"},
		"empty":             {"", "''", "nothing would read as null"},
		"number":            {"6124", "'6124'", "the value is a text"},
		"leading zero":      {"010", "'010'", "which would read as ten"},
		"float":             {"1.0", "'1.0'", "would lose its fraction"},
		"exponent":          {"1e3", "'1e3'", "a job ID of digits and one e reads as a number"},
		"hexadecimal":       {"0x1F", "'0x1F'", "would read as 31"},
		"octal":             {"0o7", "'0o7'", "would read as seven"},
		"infinity":          {"-.inf", "'-.inf'", "YAML's word"},
		"not a number":      {".nan", "'.nan'", "YAML's word"},
		"boolean":           {"true", "'true'", "the value is a text"},
		"null":              {"~", "'~'", "would be nothing"},
		"blank before":      {" a", "' a'", "blanks at the ends vanish outside quotes"},
		"blank after":       {"a ", "'a '", "blanks at the ends vanish outside quotes"},
		"mapping":           {"a: b", "'a: b'", "would be an entry"},
		"colon at the end":  {"a:", "'a:'", "would be a key"},
		"comment":           {"a #b", "'a #b'", "the rest would be a comment"},
		"comment at once":   {"#a", "'#a'", "all of it would be a comment"},
		"list sign":         {"- a", "'- a'", "would be a list"},
		"flow list":         {"[a]", "'[a]'", "would be a list"},
		"flow mapping":      {"{a: b}", "'{a: b}'", "would be a mapping"},
		"alias":             {"*a", "'*a'", "would be an alias"},
		"tag":               {"!a", "'!a'", "would be a tag"},
		"block":             {"|", "'|'", "would start a block"},
		"reserved":          {"@a", "'@a'", "may not start a text"},
		"quoted":            {"'a'", "'''a'''", "the quotes are part of the text, doubled"},
		"double quoted":     {`"a"`, `'"a"'`, "the other quotes are not doubled"},
		"document":          {"--- a", "'--- a'", "would start a document"},
		"end of document":   {"...", "'...'", "would end it"},
		"tab":               {"a\tb", `"a\tb"`, "only a double quoted text can hold it for sure"},
		"control":           {"a\x01", `"a\x01"`, "has no other form"},
		"carriage return":   {"a\rb", `"a\rb"`, "would become a line feed"},
		"older break":       {"a\u2028b", `"a\Lb"`, "some readers make a line feed of it"},
		"byte order mark":   {"\ufeffa", `"\ufeffa"`, "some readers drop it"},
		"hard blank":        {"\u00a0a", "\u00a0a", "is a letter outside quotes"},
		"hard blank quoted": {"\u00a0\t", `"\_\t"`, "and has an escape inside"},
		"lines":             {"a\nb", "|-\n    a\n    b", "a block without a line break at its end"},
		"line":              {"a\n", "|\n    a", "one line break at the end"},
		"empty lines":       {"a\n\n", "|+\n    a\n", "more of them are kept"},
		"indented lines":    {"  a\nb", "|2-\n      a\n    b", "the header says where the text begins"},
		"empty first line":  {"\na", "|2-\n\n    a", "also when it begins with an empty line"},
		"blank before end":  {"a \nb", `"a \nb"`, "a block would hide the blank"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, scalar(tc.text, 2)); diff != "" {
				t.Errorf("%q: %s (-want +got):\n%s", tc.text, tc.reason, diff)
			}
		})
	}
}

func TestKeyStyles(t *testing.T) {
	for text, want := range map[string]string{
		"size": "size", "1": "'1'", "true": "'true'", "": "''", "a b": "a b", "a: b": "'a: b'", "a\nb": `"a\nb"`,
		"a\tb": `"a\tb"`,
	} {
		if got := keyText(text); got != want {
			t.Errorf("keyText(%q) = %s, want %s: a key stands on the line of its value, and is a text", text, got, want)
		}
	}
}
