//go:build docs

package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/kn-flink/kn-flink/test/docs"
)

// elsewhere are resources of others that the platform does not have: of the Knative Operator, of Prometheus, of Job
// controllers and of Serving's own.
var elsewhere = []string{"knativeserving", "knativeeventing", "prometheusrule", "domainmappings", "revision"}

// programs are what a page may name besides kubectl.
var programs = []string{
	"kubectl", "make", "helm", "kn", "kind", "cosign", "crane", "aws", "flink", "prometheus", "openssl", "./prune.sh",
	"sed", "awk", "sudo", "grep", "cat", "cd", "cp", "find", "sort", "tail", "head", "cut", "xargs", "sha256sum", "date",
	"wait", "exit", "echo", "export", "test", "true",
}

// TestCommandsHaveTheirFlags: each command of a page is a program that a page may name, and each kubectl has a verb,
// flags and resources that there are.
func TestCommandsHaveTheirFlags(t *testing.T) {
	pages, err := docs.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, &docs.Page{Path: "docs/commands.md"})
	defer s.end(t)
	k := &kubectl{session: s, flags: map[string]map[string]bool{}, known: s.resources(t)}
	found := 0
	for _, p := range pages {
		for _, item := range p.Items {
			if item.Fence == nil || item.Fence.Lang != "sh" {
				continue
			}
			body := plain(item.Fence.Body)
			file, err := syntax.NewParser().Parse(strings.NewReader(body), "")
			if err != nil {
				t.Errorf("%s:%d: %v", p.Path, item.Line, err)
				continue
			}
			syntax.Walk(file, func(node syntax.Node) bool {
				call, is := node.(*syntax.CallExpr)
				if !is || len(call.Args) == 0 {
					return true
				}
				words := make([]string, 0, len(call.Args))
				for _, arg := range call.Args {
					words = append(words, body[arg.Pos().Offset():arg.End().Offset()])
				}
				if !slices.Contains(programs, words[0]) {
					t.Errorf("%s:%d: %s is no program that test/live/docs knows", p.Path, item.Line, words[0])
				}
				if words[0] == "kubectl" {
					found++
					for _, wrong := range k.wrong(t, words[1:]) {
						t.Errorf("%s:%d: kubectl %s", p.Path, item.Line, wrong)
					}
				}
				return true
			})
		}
	}
	if found < 100 {
		t.Errorf("only %d kubectl commands were found", found)
	}
}

// kubectl knows the flags of its verbs and the resources of the API server.
type kubectl struct {
	session *session
	flags   map[string]map[string]bool
	known   map[string]bool
}

// resources are all names of the resources of the API server.
func (s *session) resources(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{"all": true, "flink": true}
	for _, line := range strings.Split(s.must(t, "kubectl api-resources --no-headers"), "\n") {
		words := strings.Fields(line)
		if len(words) < 4 {
			continue
		}
		kind, group := words[len(words)-1], strings.Split(words[len(words)-3], "/")
		known[words[0]], known[strings.ToLower(kind)] = true, true
		if len(group) == 2 {
			known[words[0]+"."+group[0]] = true
		}
		if len(words) == 5 {
			for _, short := range strings.Split(words[1], ",") {
				known[short] = true
			}
		}
	}
	for _, name := range elsewhere {
		known[name] = true
	}
	return known
}

var flag = regexp.MustCompile(`(?m)(?:^|[\s,])(-{1,2}[A-Za-z][\w-]*)`)

// of are the flags of a verb, with those of every verb.
func (k *kubectl) of(t *testing.T, verb string) map[string]bool {
	t.Helper()
	if k.flags[verb] == nil {
		k.flags[verb] = map[string]bool{}
		for _, match := range flag.FindAllStringSubmatch(k.session.must(t, "kubectl "+verb+" --help; kubectl options"), -1) {
			k.flags[verb][match[1]] = true
		}
	}
	return k.flags[verb]
}

// about are the verbs whose first argument is a resource.
var about = []string{"get", "describe", "delete", "patch", "wait", "annotate", "label", "scale", "edit"}

// parted are the verbs whose first argument is a verb of its own.
var parted = []string{"auth", "config", "create", "top"}

// wrong is what kubectl would not know of a command.
func (k *kubectl) wrong(t *testing.T, words []string) (found []string) {
	t.Helper()
	verb, first := "", ""
	for i := 0; i < len(words); i++ {
		name, _, valued := strings.Cut(words[i], "=")
		switch {
		case strings.HasPrefix(words[i], "-"):
			// -n and its like are followed by their value
			if !valued && slices.Contains([]string{"-n", "-o", "-l", "-f", "-c", "-k", "-p", "--type", "--namespace"}, name) {
				i++
			}
		case verb == "":
			verb = words[i]
		case first == "":
			first = words[i]
		}
	}
	if slices.Contains(parted, verb) && regexp.MustCompile(`^[a-z-]+$`).MatchString(first) {
		verb += " " + first
	}
	if verb == "create secret" {
		verb += " generic"
	}
	flags := k.of(t, verb)
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		if word == "--" {
			break
		}
		long, short := strings.HasPrefix(word, "--"), regexp.MustCompile(`^-[A-Za-z]$`).MatchString(word)
		if (long || short) && !flags[name] {
			found = append(found, verb+" has no flag "+name)
		}
	}
	if slices.Contains(about, verb) && first != "" && !strings.ContainsAny(first, "$\"'") {
		for _, resource := range strings.Split(first, ",") {
			resource, _, _ = strings.Cut(resource, "/")
			if !k.known[resource] {
				found = append(found, verb+": there is no resource "+resource)
			}
		}
	}
	return found
}
