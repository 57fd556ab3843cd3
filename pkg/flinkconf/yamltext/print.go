package yamltext

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3" // the encoder that takes a style for each scalar
)

// Plain is printed without quotes, so that it reads as a number or boolean. The caller makes sure that it is one.
type Plain string

// Print prints a tree of map[string]any, []any, []string, string and Plain; json.Number, other numbers, booleans and
// nil are plain, too. Mappings are sorted. Strings stand in double quotes, names of a mapping where YAML of any version
// could read something else. No line is folded. Bytes that are not UTF-8 become U+FFFD, as in JSON.
func Print(tree any) (string, error) {
	var out strings.Builder
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	err := encoder.Encode(node(tree))
	return out.String(), err
}

func node(value any) *yaml.Node {
	made := &yaml.Node{}
	switch v := value.(type) {
	case map[string]any:
		made.Kind = yaml.MappingNode
		for _, name := range slices.Sorted(maps.Keys(v)) {
			made.Content = append(made.Content, text(name, styleOf(name)), node(v[name]))
		}
	case []any:
		made.Kind = yaml.SequenceNode
		for _, item := range v {
			made.Content = append(made.Content, node(item))
		}
	case []string:
		made.Kind = yaml.SequenceNode
		for _, item := range v {
			made.Content = append(made.Content, node(item))
		}
	case string:
		return text(v, yaml.DoubleQuotedStyle)
	case nil: // an empty node is null
	default:
		made.Kind, made.Value = yaml.ScalarNode, fmt.Sprint(v)
	}
	return made
}

func text(value string, style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: style, Value: strings.ToValidUTF8(value, "\ufffd")}
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$./-]*$`)
	oldBool   = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off)$`) // of YAML 1.1
)

// styleOf is how a name is quoted. The encoder quotes true and null by itself.
func styleOf(name string) yaml.Style {
	if plainName.MatchString(name) && !oldBool.MatchString(name) {
		return 0
	}
	return yaml.DoubleQuotedStyle
}
