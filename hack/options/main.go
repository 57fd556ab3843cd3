package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "options:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	all, err := pages(root)
	if err != nil {
		return err
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages are what this command writes, by path.
func pages(root string) (map[string]string, error) {
	options, err := configuration(root)
	if err != nil {
		return nil, err
	}
	kinds, err := reference(root)
	return map[string]string{
		"docs/reference/configuration.md": options, "docs/reference/kinds.md": kinds,
		"pkg/view/option/table.go": offline(options),
	}, err
}

// texts is what the page says about status, values and arguments, before the jars.
var texts = backquoted(`
## What status.error shows

| option | effect |
|---|---|
| ^kubernetes.operator.exception.field.max.length^ | characters of each text |
| ^kubernetes.operator.exception.throwable.list.max.count^ | causes below the first |
| ^kubernetes.operator.exception.stacktrace.enabled^, ^….max.length^ | the stack trace of a job's failure, cut |
| ^kubernetes.operator.exception.label.mapper^ | ^pattern:label^ pairs: an error with the pattern gets the label |

Secrets are hidden in all of it: [What is hidden](../trust/security.md#what-is-hidden).

` + values + `## Arguments of a job

Before Flink 2 the arguments of an application reach Flink as one line of ^flink-conf.yaml^. An argument with a line
break or a ^#^ cannot stand there, quoted or not: it is refused, and the message says which. Encode it, pass it as an
environment variable or a file of the pod template, or use Flink 2.

## High availability of Flink before 1.17

Flink 1.15 and 1.16 read ^high-availability^ and ignore ^high-availability.type^; 1.15 knows Kubernetes only by its
factory class. Write either option, with ^kubernetes^ or any other value: the cluster gets what its version reads. If a
resource has both, ^high-availability.type^ wins.

`)

const headOfUnread = `
## Options without effect

Setting one of these is reported: for a resource by the event ^OptionWithoutEffect^, once for each generation; for the
installation by a warning in the log of function ^reconcile^. There is no event if the value changes nothing.

| option | instead | no event for |
|---|---|---|
`

// rest is what stands below the tables of options.
func rest() string {
	unread := slices.SortedFunc(slices.Values(key.NoEffect()), func(a, b key.Unread) int {
		return cmp.Compare(a.Option.Key, b.Option.Key)
	})
	var out strings.Builder
	out.WriteString(texts + backquoted(jars+headOfUnread))
	for _, u := range unread {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", names(u.Option), u.Why, code(u.Same))
	}
	families := key.NoEffectPrefixes()
	for _, prefix := range slices.Sorted(maps.Keys(families)) {
		fmt.Fprintf(&out, "| `%s…` | %s |  |\n", prefix, families[prefix])
	}
	out.WriteString(backquoted(headOfInstallation))
	for _, u := range key.InstallationOnly() {
		fmt.Fprintf(&out, "- %s\n", names(u.Option))
	}
	for _, prefix := range slices.Sorted(maps.Keys(key.InstallationPrefixes())) {
		fmt.Fprintf(&out, "- `%s…`\n", prefix)
	}
	return out.String()
}

const headOfInstallation = `
## Options of the installation alone

These are read from ConfigMap ^flink-operator-config^ alone. In a resource they are left out, and that is reported in
the same way.

`

// names are the key of an option and its older spellings.
func names(o conf.Option) string {
	all := []string{code(o.Key)}
	for _, older := range o.Fallbacks {
		all = append(all, code(older))
	}
	return strings.Join(all, ", ")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
