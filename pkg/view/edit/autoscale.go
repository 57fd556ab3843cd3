package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// scalingEnabled is the option by which the autoscaler only watches a job.
const scalingEnabled = "job.autoscaler.scaling.enabled"

// Autoscale has the autoscaler scale the job, or only watch it. Nothing restarts.
func Autoscale(object *unstructured.Unstructured, scales bool) (Edit, error) {
	at, err := ofJob(object)
	if err != nil {
		return Edit{}, err
	}
	path := append(slices.Clone(at), "flinkConfiguration")
	configuration, _, _ := unstructured.NestedMap(object.Object, path...)
	before := strconv.FormatBool(true)
	written, value := find(configuration, scalingEnabled)
	if written == nil {
		written = []string{scalingEnabled}
	} else {
		before = fmt.Sprint(value)
	}
	e := set(object, append(path, written...), before, strconv.FormatBool(scales), "")
	e.GivesUp = ""
	if !autoscaled(object) {
		e.Notes = append(e.Notes, "the autoscaler is off for it: job.autoscaler.enabled")
	}
	return e, nil
}

// AutoscalerReset has the autoscaler forget what it has learned of the job, and what it has set.
func AutoscalerReset(object *unstructured.Unstructured) (Edit, error) {
	at, err := ofJob(object)
	if err != nil {
		return Edit{}, err
	}
	path := append(slices.Clone(at), "job", "autoscalerResetNonce")
	before, _, _ := unstructured.NestedInt64(object.Object, path...)
	e := set(object, path, before, before+1, "")
	e.Notes = append(e.Notes, "the job runs with the parallelism of its spec again: kn flink plan says what that does")
	return e, nil
}

// ofJob is the path of the spec of a resource that has a job.
func ofJob(object *unstructured.Unstructured) ([]string, error) {
	at, err := specOf(object)
	if err == nil && !hasJob(object, at) {
		err = fmt.Errorf("%s is a session cluster and has no job: name one of its session jobs", object.GetName())
	}
	return at, err
}

// find is where an option is written, flat, nested or mixed, and its value; nil where it is not.
func find(configuration map[string]any, name string) ([]string, any) {
	if value, has := configuration[name]; has {
		return []string{name}, value
	}
	for at := strings.IndexByte(name, '.'); at > 0; {
		if below, is := configuration[name[:at]].(map[string]any); is {
			if path, value := find(below, name[at+1:]); path != nil {
				return append([]string{name[:at]}, path...), value
			}
		}
		next := strings.IndexByte(name[at+1:], '.')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return nil, nil
}
