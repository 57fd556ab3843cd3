package render

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// target is the value of execution.target and the first argument of the start script in native mode.
func (b *builder) target() string {
	if b.in.Spec.IsSession() {
		return flinkconf.TargetSession
	}
	return flinkconf.TargetApplication
}

// setNativeCommand replaces the command line. The script derives class, JVM flags and memory inside the container, so
// none of them is here, and the blank after the target is there even without arguments.
func (b *builder) setNativeCommand(p *pod) {
	p.main.Command = []string{b.text(key.EntryPath)}
	p.main.Args = []string{
		"bash", "-c", "kubernetes-jobmanager.sh " + b.target() + " " + b.text(key.JobManagerEntrypointArgs),
	}
}

// pythonClasses are the entry classes of a Python job, which needs no jar (Flink: PackagedProgramUtils.isPython).
var (
	pythonClasses = []string{
		"org.apache.flink.client.python.PythonDriver", "org.apache.flink.client.python.PythonGatewayServer",
	}
	pythonArguments = []string{"-py", "-pym", "--python", "--pyModule"}
)

// checkJar refuses what a JobManager would refuse when it starts.
//
//	cluster, job          | jars in pipeline.jars
//	session               | not looked at
//	application, Python   | not looked at
//	application, 1.x      | exactly one
//	application, 2.x      | at most one
func (b *builder) checkJar() {
	if b.in.Spec.IsSession() || b.isPython() {
		return
	}
	jars := b.list(key.PipelineJars)
	if len(jars) == 1 || len(jars) == 0 && b.in.Spec.FlinkVersion.AtLeast(v1beta1.FlinkV2_0) {
		return
	}
	where := "spec.job.jarURI"
	if len(jars) > 1 {
		where = key.PipelineJars.Key
	}
	b.fail(
		&SpecError{
			Where: where, Value: b.text(key.PipelineJars),
			Problem: "an application cluster of this Flink version needs exactly one jar",
		},
	)
}

func (b *builder) isPython() bool {
	if slices.Contains(pythonClasses, b.text(key.ApplicationMain)) {
		return true
	}
	return slices.ContainsFunc(b.in.Spec.Job.Args, func(argument string) bool {
		return slices.Contains(pythonArguments, argument)
	})
}

// checkLocalUpload refuses the one step of Flink's client that would need the user's jar on the operator's disk.
func (b *builder) checkLocalUpload() {
	if b.flag(key.LocalUploadEnabled) {
		b.fail(&SpecError{
			Where: key.LocalUploadEnabled.Key, Value: b.text(key.LocalUploadEnabled),
			Problem: "uploads files of the operator's, and this operator reads none: put the jar into the image or give " +
				"its address",
		})
	}
}
