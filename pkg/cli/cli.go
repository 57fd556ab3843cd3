package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kn-flink/kn-flink/pkg/view"
)

// The exit codes.
const (
	// CodeNo: the answer is no, such as of a wait that ended otherwise.
	CodeNo = 1
	// CodeError: usage, not found, forbidden, no connection, refused by admission.
	CodeError = 2
	// CodeRefused: the change is invalid or would be refused; nothing was changed.
	CodeRefused = 3
	// CodeTime: the time is over; it continues in the cluster.
	CodeTime = 124
	// CodeInterrupted: the user ended it; it continues in the cluster.
	CodeInterrupted = 130
)

// Exit is the error of each command.
type Exit struct {
	// Code is the exit code, never 0.
	Code int
	// Err says why; nil where what was printed says it.
	Err error
}

func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *Exit) Unwrap() error { return e.Err }

// failed is an error with a text.
func failed(format string, args ...any) error {
	return &Exit{CodeError, fmt.Errorf(format, args...)}
}

// ExitOf is what a process ends with for the error of a command; nil for none. An error of the command line itself is
// one of usage.
func ExitOf(ctx context.Context, err error) *Exit {
	var is *Exit
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &Exit{CodeInterrupted, errors.New("interrupted; what was begun continues in the cluster")}
	case errors.As(err, &is):
		return is
	}
	return &Exit{CodeError, err}
}

// Options are what the commands have from whoever runs them.
type Options struct {
	// In is read for answers to questions.
	In io.Reader
	// Out gets what was asked for.
	Out io.Writer
	// Err gets notes and progress.
	Err io.Writer
	// Terminal is whether Out is one and In can be asked: lines are redrawn and questions are asked there only.
	Terminal bool
	// Config is the way to the API server and the namespace; nil has both from the flags and the kubeconfig.
	Config func() (*rest.Config, string, error)
	// Release has the manifests of the plugin's version, see package release; nil is a build from source.
	Release fs.FS
	// Version is the plugin's.
	Version string
	// Program is how the process was called, the first argument; empty is kn flink.
	Program string
	// Now is the time in the user's location; nil is the clock of the machine.
	Now func() time.Time
	// Pace is how often a resource is looked at while it is waited for; 0 is each second.
	Pace time.Duration
	// NoColor is whether the user wants no colours on a terminal.
	NoColor bool
	// ASCII is whether the user's locale has no other characters.
	ASCII bool
}

// program is one run.
type program struct {
	Options

	overrides  clientcmd.ConfigOverrides
	kubeconfig string
	system     string
	output     string
	color      string
	noHeaders  bool
	verbose    bool
}

// New is the root command.
func New(o Options) *cobra.Command {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Pace = cmp.Or(o.Pace, time.Second)
	p := &program{Options: o}
	root := &cobra.Command{
		Use: "kn-flink", Short: "See Flink jobs, ask why, and change them", SilenceUsage: true, SilenceErrors: true,
		Long: "See the Flink jobs of a Kubernetes cluster, ask why they are as they are, and change them.\n\n" +
			"NAME is the name of a FlinkDeployment or FlinkSessionJob, or KIND/NAME: flinkdep/orders, sessionjob/etl,\n" +
			"flinksnp/nightly, flinkbgdep/shop.\n\n" +
			"Exit codes: 0 done; 1 the answer is no; 2 an error; 3 the change is refused, and nothing was changed;\n" +
			"124 the time is over; 130 interrupted. Through kn, every one but 0 is 1.",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: calledAs(o.Program)},
	}
	root.SetIn(o.In)
	root.SetOut(o.Out)
	root.SetErr(o.Err)
	p.bind(root)
	for _, c := range p.commands() {
		if !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: titles[c.group]})
		}
		root.AddCommand(p.build(c))
	}
	completion(root)
	root.SetHelpCommandGroupID("other")
	return root
}

// calledAs is the name for texts of usage.
func calledAs(program string) string {
	if strings.HasPrefix(filepath.Base(program), "kubectl-") {
		return "kubectl flink"
	}
	return "kn flink"
}

// bind gives the root command the flags of all commands: those of kubectl, and those of kn that it hands on.
func (p *program) bind(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&p.kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.ShortName = "n"
	clientcmd.BindOverrideFlags(&p.overrides, flags, names)
	flags.StringVar(&p.system, "system-namespace", "flink-system", "namespace of the installation")
	flags.BoolVarP(&p.verbose, "verbose", "v", false, "print all of it: long lines, requests of changes, missing roles")
	flags.StringVar(&p.color, "color", "auto", "auto, always or never")
	flags.String("config", "", "") // kn hands these on; they mean nothing here
	flags.Bool("log-http", false, "")
	for _, of := range []string{"config", "log-http"} {
		_ = flags.MarkHidden(of) // it is there
	}
}

// colored is whether lines have colours.
func (p *program) colored() (bool, error) {
	if err := oneOf("color", p.color, "auto", "always", "never"); err != nil {
		return false, err
	}
	return p.color == "always" || p.color == "auto" && p.Terminal && !p.NoColor, nil
}

// note writes a line that is not what was asked for.
func (p *program) note(format string, args ...any) {
	fmt.Fprintln(p.Err, view.PrintableLines(fmt.Sprintf(format, args...)))
}
