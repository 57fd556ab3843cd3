package main

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// texts are values that a file may spoil: comments, separators, quotes, white space, YAML of all kinds.
var texts = []string{
	"plain", "left#right", "left #right", "left # right", "#", "# all", "a: b", "a : b", "a:b", ":", ": ",
	"a:", " lead", "trail ", "  both  ", "\ttab", "tab\t", "in\tside", "one\ntwo", "one\n\ntwo", "end\n",
	"\nbegin", "one\r\ntwo", "one\rtwo", "", " ", "\n", `"quoted"`, `'single'`, `"open`, `'open`, `it's`,
	`a "b" c`, `'a' 'b'`, `"a#b"`, `'a#b'`, `\`, `a\nb`, `a\#b`, "null", "~", "true", "no", "yes", "0x1F",
	"010", "1e3", "1_000", "1.0", "-", "--", "---", "...", "- a", "[a, b]", "[a", "{a: b}", "{a", "a;b",
	"a,b", "*", "*a", "&a", "!a", "!!str a", "|", "> a", "%a", "@a", "`a`", "?", "? a", "=", "<<", "é",
	"日本", "\u0001", "\u0085", "\u00a0", "\u2028", "\ufeff", "😀", "2026-11-29", "12:30:45", "$a", "${a}",
	"%(a)s", "-Xmx1g -Dx='a b' -Dy=\"c\"", "-Da=#b", "https://u:p@h/x?y=1&z=2#f", "s3://b/k#1",
	"k:v,'a,b:c':d", "a=b", "a\u00a0#b", "*/5 * * * *", "0 0 * * * ?", "p#ss", "p ss", "p\"ss", "p'ss",
	"p\\ss", "p:ss", "p: ss", "AbC+/=", "user:{{x}}",
}

// keys are keys of the same kinds, with the value v.
var keys = []string{
	"k", "a.b", "a b", "a#b", "a: b", "a:b", " a", "a ", "a\tb", "a\nb", "'a'", `"a"`, "é", "$a", "-a",
	"*a", "&a", "?a", "[a]", "{a}", "a\\b", "true", "1", "1.2", "null", "~", "a=b", "a,b", "@a", "%a",
}

func vectors() []Vector {
	var all []Vector
	for _, text := range texts {
		all = append(all, Vector{"my.key", text, map[v1beta1.FlinkVersion]string{}})
	}
	for _, key := range keys {
		all = append(all, Vector{key, "v", map[v1beta1.FlinkVersion]string{}})
	}
	return all
}
