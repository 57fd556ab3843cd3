package validation

import (
	"net/url"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// handover judges a blue/green deployment whose changes move the job to a warm cluster.
//
//	field                                     | finding
//	job.upgradeMode                           | stateless: there is nothing to move
//	flinkVersion                              | below 1.17: a session job gets no options of its own
//	job.jarURI                                | not in the image: it would be downloaded while no job runs
//	job.entryClass                            | missing: the manifest of a jar on the class path is not read
//	flinkConfiguration[high-availability]     | off: a JobManager that dies would lose the job
//	flinkConfiguration[web.submit.enable]     | false: the job is started by REST
//	flinkConfiguration[scheduler-mode]        | reactive: Flink refuses it in a session cluster
//	configuration[…bluegreen.gate.…]          | set: a gate judges a new side while both run
func (r *report) handover(in BlueGreenInput) {
	given := flinkconf.Config(in.Spec.Configuration)
	spec := in.Spec.Template.Spec
	asked, _ := given.Bool(key.BlueGreenHandover)
	if !asked || spec.Job == nil {
		return
	}
	if spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless {
		r.add("job.upgradeMode", "A handover moves the state of the job, and upgrade mode stateless keeps none",
			"set it to savepoint or last-state, or leave "+key.BlueGreenHandover.Key+" out")
	}
	if spec.FlinkVersion.Known() && !spec.FlinkVersion.AtLeast(v1beta1.FlinkV1_17) {
		r.add("flinkVersion", "A handover needs Flink 1.17 or newer", "older versions take no options with a job: "+
			"leave "+key.BlueGreenHandover.Key+" out until Flink is upgraded")
	}
	r.handoverJar(spec.Job)
	own, err := flinkconf.Own(spec.FlinkConfiguration)
	if err != nil {
		return // told already
	}
	effective := in.Operator.Default(in.Namespace, spec.FlinkVersion).Merge(own)
	if !flinkconf.HighAvailabilityOf(effective).Active() {
		r.addConf(key.HighAvailability.Key, "A handover needs high availability",
			"without it a JobManager that dies loses the job: set it to kubernetes, and high-availability.storageDir")
	}
	if on, err := effective.Bool(key.WebSubmitEnable); err == nil && !on {
		r.addConf(key.WebSubmitEnable.Key, "A handover starts the job by REST", "take the option out")
	}
	if strings.EqualFold(effective.Get(key.SchedulerMode), "reactive") {
		r.addConf(key.SchedulerMode.Key, "A handover runs the job in a session cluster, which cannot be reactive",
			"take the option out, or leave "+key.BlueGreenHandover.Key+" out")
	}
	for _, name := range given.Keys() {
		if strings.HasPrefix(name, key.BlueGreenPrefix+"gate.") {
			r.addAt("spec.configuration["+quote(name)+"]", "Gates and a handover cannot be used together",
				"a gate judges a new side while both run, and in a handover never two run: take out either")
		}
	}
}

// handoverJar checks that the jar is there when the job is to start: no download may come between.
func (r *report) handoverJar(job *v1beta1.JobSpec) {
	uri, err := url.Parse(job.JarURI)
	switch {
	case err != nil: // told already
	case uri.Scheme != "" && uri.Scheme != "local" && uri.Scheme != "file":
		r.add("job.jarURI", "A handover takes a jar that is in the image only",
			"one from elsewhere would be downloaded while no job runs: put it into the image, as "+
				"local:///opt/flink/usrlib/<name>.jar")
	case job.EntryClass == "":
		r.add("job.entryClass", "A handover needs the name of the class with main",
			"the jar stands on the class path of a session cluster, and the manifest of such a jar is not read")
	}
}
