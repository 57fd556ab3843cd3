package render

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// The first argument of the image's entry script says which process to run.
const (
	runSession     = "jobmanager"
	runApplication = "standalone-job"
	runTaskManager = "taskmanager"
)

// podIP is what Kubernetes replaces by the pod's address, because the container has the variable.
const podIP = "$(" + envPodIP + ")"

// setStandaloneCommand replaces the command, and the arguments of an application (the Java operator's
// CmdStandaloneJobManagerDecorator).
//
//	cluster     | arguments
//	session     | the template's, jobmanager, address
//	application | standalone-job, class, unclaimed state, state, address, end, those of the job
//
//	part            | arguments                          | when
//	class           | --job-classname <class>            | $internal.application.main is set
//	unclaimed state | --allowNonRestoredState            | state that no operator claims is left out
//	state           | --fromSavepoint <path>             | execution.savepoint.path is set
//	address         | -D jobmanager.rpc.address=<pod IP> | high availability
//	                | <pod IP>                           | high availability, session cluster of Flink 1.15
//	end             | --                                 | Flink would take the job's first argument for its own
//
// With high availability the JobManager that leads is found by its own address, and not by the Service. Flink 2.0 no
// longer knows --host, and the script of Flink 1.15 takes the first two arguments of a session cluster for host and
// port. The arguments of the job stand as they are, so that Kubernetes replaces a $(NAME) in them.
func (b *builder) setStandaloneCommand(p *pod) {
	p.main.Command = []string{b.text(key.EntryPath)}
	if b.in.Spec.IsSession() {
		p.main.Args = append(append(p.main.Args, runSession), b.ownAddress()...)
		return
	}
	p.main.Args = []string{runApplication}
	if class := b.text(key.ApplicationMain); class != "" {
		p.main.Args = append(p.main.Args, "--job-classname", class)
	}
	if flinkconf.IgnoresUnclaimedState(b.conf, b.in.Spec.FlinkVersion) {
		p.main.Args = append(p.main.Args, "--allowNonRestoredState")
	}
	if path := b.text(key.SavepointPath); path != "" {
		p.main.Args = append(p.main.Args, "--fromSavepoint", path)
	}
	p.main.Args = append(p.main.Args, b.ownAddress()...)
	args := b.in.Spec.Job.Args
	if len(args) > 0 && isFlinks(args[0]) {
		p.main.Args = append(p.main.Args, "--")
	}
	p.main.Args = append(p.main.Args, args...)
}

// applicationOptions are the long names of the options of Flink's standalone application, of all versions
// (StandaloneApplicationClusterConfigurationParserFactory, ClusterEntrypoint). A unique beginning is enough for Flink.
var applicationOptions = []string{
	"allowNonRestoredState", "claimMode", "configDir", "executionMode", "fromSavepoint", "host", "jars", "job-classname",
	"job-id", "restoreMode", "webui-port",
}

// isFlinks reports whether Flink would take the first argument of a job for an option of its own. It reads options
// until it finds what is none; the "--" before that is not given to the job.
//
//	the argument                                    it is
//	without a dash at the beginning                 the job's
//	one dash                                        maybe Flink's: -n, -sPATH, -Dkey=value
//	two, and the beginning of an option's name      Flink's, with or without =value
//	two, and anything else                          the job's
func isFlinks(argument string) bool {
	name, long := strings.CutPrefix(argument, "--")
	if !long {
		return strings.HasPrefix(argument, "-")
	}
	name, _, _ = strings.Cut(name, "=")
	return slices.ContainsFunc(applicationOptions, func(option string) bool { return strings.HasPrefix(option, name) })
}

// ownAddress makes a JobManager give its pod's address, of several of which only one leads.
func (b *builder) ownAddress() []string {
	switch {
	case !b.highlyAvailable():
		return nil
	case b.in.Spec.IsSession() && flinkconf.BehaviourOf(b.in.Spec.FlinkVersion).BareSessionHost:
		return []string{podIP}
	default:
		return []string{"-D", key.JobManagerAddress.Key + "=" + podIP}
	}
}

// setTaskManagerCommand replaces the command line (the Java operator's CmdStandaloneTaskManagerDecorator).
func (b *builder) setTaskManagerCommand(p *pod) {
	p.main.Command, p.main.Args = []string{b.text(key.EntryPath)}, []string{runTaskManager}
}
