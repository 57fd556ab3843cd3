package validation

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/memory"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// whole refuses a spec that no cluster can be made of, or whose cluster cannot start. Admission asks it: what runs is
// not judged by it.
//
//	finding                                            | told when
//	high availability without a storage directory      | always
//	reactive mode where Flink does not have it         | always
//	local: or file: URI of a jar with a host           | always
//	two ports of one process are the same              | it can be composed
//	Flink 2: keys that begin another key, all of them  | it can be composed
//	memory that the parts do not fit into              | it can be composed
//	Flink 1: values that flink-conf.yaml cannot hold   | it can be composed; a warning where only white space is lost
//	the objects of the cluster cannot be made          | nothing else is wrong
func (s *settings) whole(in DeploymentInput) {
	s.storageDirectory()
	s.reactive(&in.Spec)
	s.report.localJar(in.Spec.Job)
	composed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator: in.Operator, Namespace: in.Namespace, Name: in.Name, UID: "judged", Spec: &in.Spec,
		Start: flinkconf.Start{
			JobID: strings.Repeat("0", 32), JobResultStoreDir: "judged", SavepointPath: startPath(in.Spec.Job),
		},
	})
	if err == nil {
		s.ports(composed.Cluster)
		s.clashes(composed.Cluster, in.Spec.FlinkVersion)
		s.memoryParts(composed.Effective)
		s.unfit(composed.Cluster, in.Spec.FlinkVersion)
	}
	if len(s.report.findings) > 0 {
		return
	}
	if err == nil {
		_, err = render.MakeCluster(render.Input{
			Namespace: in.Namespace, Name: in.Name, UID: "judged", Spec: in.Spec, Config: composed,
		})
	}
	if err != nil {
		s.unmakeable(err)
	}
}

func startPath(job *v1beta1.JobSpec) string {
	if job == nil {
		return ""
	}
	return job.InitialSavepointPath
}

// unfit refuses values that Flink would get a part of. A value is not shown: it may be a secret.
func (s *settings) unfit(c conf.Config, version v1beta1.FlinkVersion) {
	fields := map[string]string{key.PipelineJars.Key: "job.jarURI", key.SavepointPath.Key: "job.initialSavepointPath"}
	for _, entry := range flinkconf.UnfitEntries(c, version) {
		name := cut(entry.Key, maxQuoted)
		path := s.report.conf(entry.Key)
		if _, own := s.effective[entry.Key]; !own && fields[entry.Key] != "" {
			path = s.report.at(fields[entry.Key])
		}
		message := name + " cannot be passed on to Flink " + version.Dotted() + " as it is: " + entry.Why
		switch {
		case entry.Loses:
			s.report.addAt(path, message, "encode it or use Flink 2, and correct it "+s.where(entry.Key))
		case s.effective[entry.Key] != "":
			s.report.warnAt(path, message, "write it in one line and without white space around it, or use Flink 2")
		}
	}
}

func (s *settings) unmakeable(err error) {
	bad := (*render.SpecError)(nil)
	switch {
	case !errors.As(err, &bad):
		s.report.addAt(s.report.base, "The cluster cannot be made: "+err.Error(), "correct it")
	case strings.HasPrefix(bad.Where, "spec"):
		s.report.addAt(s.report.base+strings.TrimPrefix(bad.Where, "spec"), "The cluster cannot be made: "+err.Error(),
			"correct it")
	default:
		s.report.addConf(bad.Where, "The cluster cannot be made: "+err.Error(), "correct it "+s.where(bad.Where))
	}
}

// storageDirectory refuses high availability that has no place for its data: Flink does not start.
func (s *settings) storageDirectory() {
	mode := flinkconf.HighAvailabilityOf(s.effective)
	if (mode != flinkconf.HAKubernetes && mode != flinkconf.HAZooKeeper) || !s.blank(key.HAStorageDir) {
		return
	}
	s.report.addConf(key.HAStorageDir.Key, "High availability needs "+key.HAStorageDir.Key,
		"set it to a path that all Flink pods share, or remove "+s.effective.UsedKey(key.HighAvailability))
}

// reactive refuses reactive mode where Flink does not have it: everywhere but in standalone applications.
func (s *settings) reactive(spec *v1beta1.FlinkDeploymentSpec) {
	mode, err := s.effective.Enum(key.SchedulerMode)
	if err != nil || mode == "" || (spec.DesiredMode() == v1beta1.ModeStandalone && spec.Job != nil) {
		return
	}
	s.report.addConf(key.SchedulerMode.Key, "Reactive mode is for applications in mode standalone only",
		"set "+s.report.at("mode")+" to standalone, or remove the option and use "+key.Scheduler.Key+": Adaptive")
}

// localJar refuses a URI of the image whose first folder stands where a host does.
func (r *report) localJar(job *v1beta1.JobSpec) {
	if job == nil {
		return
	}
	u, err := url.Parse(job.JarURI)
	if err != nil || (u.Scheme != "local" && u.Scheme != "file") || u.Host == "" {
		return
	}
	r.add("job.jarURI", "jarURI "+quote(job.JarURI)+" names the host "+quote(u.Host)+", and a path of the image has none",
		"write three slashes: "+u.Scheme+":///"+u.Host+u.Path)
}

// ports refuses two ports of one process that are the same: neither the process nor the Service could have them.
func (s *settings) ports(c conf.Config) {
	jobManager := []conf.Option{key.RestBindPort, key.JobManagerPort, key.BlobPort}
	if flinkconf.HighAvailabilityOf(c).Active() {
		jobManager[1] = key.HAJobManagerPort
	}
	reporters := []conf.Option{}
	for _, name := range c.Keys() {
		if strings.HasPrefix(name, "metrics.reporter.") && strings.HasSuffix(name, ".port") {
			reporters = append(reporters, conf.Option{Key: name})
		}
	}
	for _, process := range [][]conf.Option{jobManager, {key.TaskManagerPort}} {
		taken := map[string]string{}
		for _, o := range slices.Concat(process, reporters) {
			port := strings.TrimSpace(c.Get(o))
			other, is := taken[port]
			if !is || port == "0" {
				taken[port] = o.Key
				continue
			}
			used := o.Key
			if _, theirs := s.effective[used]; !theirs {
				used = other
			}
			s.report.addConf(used, "Port "+cut(port, maxQuoted)+" is set for "+other+" and for "+o.Key,
				"give each of them a port of its own")
		}
	}
}

// renamed are keys of before Flink 2 that begin others, and the newer ones, beside those of the option tables.
var renamed = map[string]string{"restart-strategy": "restart-strategy.type"}

// clashes refuses keys that begin another key where Flink reads nested YAML. All are told at once, as they are written.
func (s *settings) clashes(c conf.Config, version v1beta1.FlinkVersion) {
	if !flinkconf.BehaviourOf(version).StandardYAML {
		return
	}
	below := map[string]string{}
	for _, name := range c.Keys() {
		for at := strings.IndexByte(name, '.'); at >= 0; {
			if _, leaf := c[name[:at]]; leaf && below[name[:at]] == "" {
				below[name[:at]] = name
			}
			next := strings.IndexByte(name[at+1:], '.')
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		advice := "remove one of them"
		if newer := newerSpelling(name); newer != "" {
			advice = "write " + newer + " instead of " + name
		}
		s.report.addConf(name, "Flink 2 reads nested YAML, where "+name+" cannot stand beside "+below[name],
			advice+" "+s.where(name))
	}
}

func newerSpelling(name string) string {
	for _, o := range key.Spelled(name) {
		if o.Key != name {
			return o.Key
		}
	}
	return renamed[name]
}

// memoryParts refuses sizes that Flink cannot share out among the parts of a process.
func (s *settings) memoryParts(composed conf.Config) {
	if _, err := memory.JobManagerProcess(composed); err != nil && !s.told["JobManager"] {
		s.report.add("jobManager.resource.memory", "JobManager memory cannot work: "+err.Error(),
			"give it more memory, or change Flink's own memory options")
	}
	if _, err := memory.TaskManagerProcess(composed); err != nil && !s.told["TaskManager"] {
		s.report.add("taskManager.resource.memory", "TaskManager memory cannot work: "+err.Error(),
			"give it more memory, or change Flink's own memory options")
	}
}
