package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// titles belong to the groups of the help.
var titles = map[string]string{
	"look": "Look:", "change": "Change:", "installation": "Installation:", "other": "Other:",
}

// command is one row of the table of commands.
type command struct {
	// use is its name and what follows it.
	use     string
	aliases []string
	group   string
	short   string
	example string
	// kinds are those that it makes sense of; empty for a command that names no resource.
	kinds []string
	// rights are the verbs and resources that it needs beside get and list of the four kinds.
	rights []string
	// args says how many there may be.
	args  cobra.PositionalArgs
	flags func(*pflag.FlagSet)
	run   func(ctx context.Context, args []string) error
	// below are commands that stand below it: their names are not taken for those of resources.
	below []command
}

// The kinds that commands make sense of.
var (
	allKinds = kinds.Names()
	// pairKinds have two sides.
	pairKinds = []string{v1beta1.KindFlinkBlueGreenDeployment}
	// jobKinds have a spec of a job, runKinds of these a job or cluster of their own.
	jobKinds = namesOf(func(k kinds.Kind) bool { return k.Pods })
	runKinds = namesOf(func(k kinds.Kind) bool { return k.Counted })
)

func namesOf(wanted func(kinds.Kind) bool) (names []string) {
	for _, k := range kinds.All {
		if wanted(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// commands is the table.
func (p *program) commands() []command {
	return slices.Concat(
		[]command{p.list(), p.describe(), p.why(), p.wait(), p.events(), p.logs(), p.console()},
		[]command{p.top(), p.ui(), p.plan(), p.autoscale(), p.history()},
		p.changes(), []command{p.rollback(), p.restore(), p.savepoint(), p.checkpoint()},
		p.installations(),
		[]command{p.version(), p.options()},
	)
}

// build makes a command of cobra of a row.
func (p *program) build(c command) *cobra.Command {
	made := &cobra.Command{
		Use: c.use, Aliases: c.aliases, GroupID: c.group, Short: c.short, Long: c.long(), Example: c.example, Args: c.args,
	}
	if c.run != nil {
		made.RunE = func(made *cobra.Command, args []string) error { return c.run(made.Context(), args) }
	}
	for _, b := range c.below {
		b.group = ""
		made.AddCommand(p.build(b))
	}
	if c.flags != nil {
		c.flags(made.Flags())
	}
	if strings.Contains(c.use, " NAME") || strings.Contains(c.use, " [NAME]") {
		made.ValidArgsFunction = p.names(c.kinds)
	}
	return made
}

// long is the help of a command: what it does, the kinds, the rights.
func (c command) long() string {
	lines := []string{c.short + "."}
	rights := c.rights
	if len(c.kinds) > 0 {
		lines = append(lines, "Kinds: "+strings.Join(c.kinds, ", ")+".")
		rights = append([]string{"get of the kinds"}, rights...)
	}
	if len(rights) > 0 {
		lines = append(lines, "Rights: "+strings.Join(rights, "; ")+".")
	}
	return strings.Join(lines, "\n")
}

// views binds the flag -o of commands that show a view.
func (p *program) views(flags *pflag.FlagSet) {
	flags.StringVarP(&p.output, "output", "o", "text", "text, json or yaml")
}

// oneOf refuses a value of a flag that is not in a list.
func oneOf(flag, value string, of ...string) error {
	if slices.Contains(of, value) {
		return nil
	}
	return failed("--%s %s: it is one of %s", flag, value, strings.Join(of, ", "))
}

// show prints a view: its text, or itself as JSON or YAML.
func (p *program) show(view any, text string) error {
	if err := oneOf("output", p.output, "text", "json", "yaml"); err != nil {
		return err
	}
	if p.output != "text" {
		return p.print(view)
	}
	_, err := fmt.Fprint(p.Out, text)
	return err
}
