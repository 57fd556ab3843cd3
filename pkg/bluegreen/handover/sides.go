package handover

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Options of Flink that the operator has no other word for.
const (
	minimalSlots       = "slotmanager.number-of-slots.min"
	taskManagerTimeout = "resourcemanager.taskmanager-timeout"
	refreshInterval    = "web.refresh-interval"
)

// freshAnswers is how old answers about a job may be, in milliseconds: with Flink's default, 3 s, a job seems to start
// that runs already.
const freshAnswers = "250"

// Parts are what an application becomes, to be a side that can be made warm.
type Parts struct {
	// Cluster is a session cluster that has the slots of the job before the job comes.
	Cluster v1beta1.FlinkDeploymentSpec
	// Job is the job, which is not to run yet.
	Job v1beta1.FlinkSessionJobSpec
}

// Split makes the parts of the application that a template describes; name is that of both. settings are the defaults
// of the installation for the template's version. An error says which field a session cluster has no counterpart for.
//
//	template                            cluster                             job
//	job                                 -                                   the same, suspended, without a path
//	job.jarURI local:, file: or a path  -                                   pipeline.classpaths; needs entryClass
//	job.jarURI http:, https:, or empty  -                                   the same
//	job.jarURI, another scheme          error                               error
//	flinkConfiguration                  the same                            -: it has that of its cluster
//	web.refresh-interval is not set     250 ms                              -
//	native, from Flink 1.19             slotmanager.number-of-slots.min     -
//	native, before                      resourcemanager.taskmanager-timeout -
//	standalone                          taskManager.replicas                -
//	all else                            the same                            -
//
// What the template sets of the options wins, but for fewer slots than the job needs.
func Split(name string, template *v1beta1.FlinkDeploymentSpec, settings flinkconf.Config) (Parts, error) {
	if template.Job == nil {
		return Parts{}, fmt.Errorf("job is missing: a handover moves a job")
	}
	own, err := flinkconf.Own(template.FlinkConfiguration)
	if err != nil {
		return Parts{}, fmt.Errorf("flinkConfiguration: %w", err)
	}
	parts := Parts{
		Cluster: *template.DeepCopy(),
		Job:     v1beta1.FlinkSessionJobSpec{DeploymentName: name, Job: template.Job.DeepCopy()},
	}
	parts.Cluster.Job = nil
	parts.Job.Job.State, parts.Job.Job.InitialSavepointPath = v1beta1.JobStateSuspended, ""
	if err := onClassPath(&parts.Job, own); err != nil {
		return Parts{}, err
	}
	return parts, room(&parts.Cluster, template, own, settings)
}

// onClassPath has a jar of the image on the class path of the job, where an empty jar is run in its place.
func onClassPath(job *v1beta1.FlinkSessionJobSpec, own flinkconf.Config) error {
	uri, err := url.Parse(job.Job.JarURI)
	if err != nil {
		return fmt.Errorf("job.jarURI cannot be read: %w", err)
	}
	switch uri.Scheme {
	case "http", "https":
		return nil
	case "local", "file", "":
	default:
		return fmt.Errorf("job.jarURI has scheme %q: only local can be handed over", uri.Scheme)
	}
	switch {
	case job.Job.EntryClass == "":
		return fmt.Errorf("job.entryClass is missing: the manifest of a jar on the class path is not read")
	case job.Job.JarURI == "":
		return nil
	}
	paths, err := own.List(key.PipelineClasspaths)
	if err != nil {
		return err
	}
	file := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(uri.Path, "/")}
	job.Job.JarURI = ""
	job.FlinkConfiguration, err = printed(flinkconf.Config{
		key.PipelineClasspaths.Key: syntax.JoinList(append([]string{file.String()}, paths...)),
	})
	return err
}

func printed(c flinkconf.Config) (v1beta1.FlinkConfiguration, error) {
	text, err := json.Marshal(map[string]string(c))
	return text, err
}

// room has the cluster come up with the slots of the job.
func room(
	cluster *v1beta1.FlinkDeploymentSpec, template *v1beta1.FlinkDeploymentSpec, own, settings flinkconf.Config,
) error {
	slots, err := settings.Merge(own).Int(key.TaskSlots)
	switch {
	case err != nil:
		return err
	case slots < 1:
		return fmt.Errorf("option %q is %d: set at least 1", key.TaskSlots.Key, slots)
	}
	managers := (max(1, int(template.Job.Parallelism)) + slots - 1) / slots
	if tm := template.TaskManager; tm != nil && tm.Replicas != nil {
		managers = int(*tm.Replicas)
	}
	more := maps.Clone(own)
	if own[refreshInterval] == "" {
		more[refreshInterval] = freshAnswers
	}
	switch {
	case template.DesiredMode() == v1beta1.ModeStandalone:
		if cluster.TaskManager == nil {
			cluster.TaskManager = &v1beta1.TaskManagerSpec{}
		}
		replicas := int32(managers)
		cluster.TaskManager.Replicas = &replicas
	case template.FlinkVersion.AtLeast(v1beta1.FlinkV1_19):
		if set, err := strconv.Atoi(own[minimalSlots]); err != nil || set < managers*slots {
			more[minimalSlots] = strconv.Itoa(managers * slots)
		}
	case own[taskManagerTimeout] == "":
		more[taskManagerTimeout] = "15 min"
	}
	cluster.FlinkConfiguration, err = printed(more)
	return err
}
