package runtime

import (
	"slices"
	"strings"
)

// mapping says that a path in a container, and all below it, is a path of this machine.
type mapping struct {
	inside  string
	outside string
}

// view is what a container's paths mean. The longest mapping that fits wins; a path that none fits is the machine's
// own.
type view []mapping

// newView sorts the mappings so that the first one that fits is the longest. Of two for one path the later wins.
func newView(mappings ...mapping) view {
	last := map[string]string{}
	for _, m := range mappings {
		last[m.inside] = m.outside
	}
	v := view{}
	for inside, outside := range last {
		v = append(v, mapping{inside, outside})
	}
	slices.SortFunc(v, func(a, b mapping) int {
		if d := len(b.inside) - len(a.inside); d != 0 {
			return d
		}
		return strings.Compare(a.inside, b.inside)
	})
	return v
}

// path is where a path in the container is on this machine.
func (v view) path(inside string) string {
	for _, m := range v {
		if rest, ok := strings.CutPrefix(inside, m.inside); ok && (rest == "" || rest[0] == '/') {
			return m.outside + rest
		}
	}
	return inside
}

// rewrite replaces every container path in a text by where it is. A path counts where it stands alone or after a URL's
// scheme, so that /opt/flink is found in "file:///opt/flink/x" and in "-Dlog=/opt/flink", but not in "/data/opt/flink"
// or "/opt/flink-old". What was replaced is not looked at again.
func (v view) rewrite(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if m, ok := v.at(text, i); ok {
			out.WriteString(m.outside)
			i += len(m.inside)
			continue
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String()
}

func (v view) rewriteAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = v.rewrite(text)
	}
	return out
}

// at finds the mapping whose path stands at text[i:].
func (v view) at(text string, i int) (mapping, bool) {
	if text[i] != '/' || !starts(text[:i]) {
		return mapping{}, false
	}
	for _, m := range v {
		if rest, ok := strings.CutPrefix(text[i:], m.inside); ok && ends(rest) {
			return m, true
		}
	}
	return mapping{}, false
}

// starts says whether an absolute path can begin after this text: after a URL's scheme, a shell's ${NAME:-, and
// anything else that cannot be part of a path.
func starts(before string) bool {
	if before == "" || strings.HasSuffix(before, "://") || strings.HasSuffix(before, ":-") {
		return true
	}
	last := before[len(before)-1]
	return last != '/' && !inName(last)
}

// ends says whether a path's last name can end before this text.
func ends(after string) bool { return after == "" || !inName(after[0]) }

func inName(c byte) bool {
	return c == '.' || c == '_' || c == '-' || c == '~' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c &&
		c <= 'Z'
}
