package edit

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// Snapshot says what is asked for of a job.
type Snapshot struct {
	// Name is that of the resource; empty makes one of the job's name and the time.
	Name string
	// Checkpoint asks for a checkpoint instead of a savepoint. The rest counts for a savepoint only.
	Checkpoint bool
	// Format is CANONICAL or NATIVE, in any case; empty is Flink's default.
	Format string
	// Path is the directory; empty is the job's.
	Path string
	// Keep is whether its data outlives the resource.
	Keep bool
}

// madeBy marks the snapshots that were asked for here, so that a second run finds the one of the first.
const madeBy, madeHere = "app.kubernetes.io/created-by", "kn-flink"

// Of is the FlinkStateSnapshot that asks for it.
func (s Snapshot) Of(object *unstructured.Unstructured, now time.Time) (*unstructured.Unstructured, error) {
	k, known := kinds.Of(object.GetKind())
	if !known || !k.Counted {
		return nil, fmt.Errorf("%s is a %s: name the FlinkDeployment or FlinkSessionJob that has the job",
			object.GetName(), object.GetKind())
	}
	if !hasJob(object, []string{"spec"}) {
		return nil, fmt.Errorf("%s is a session cluster: name one of its jobs", object.GetName())
	}
	name := s.Name
	if name == "" {
		suffix := now.UTC().Format("-0102-150405")
		name = strings.TrimRight(object.GetName()[:min(len(object.GetName()), 253-len(suffix))], "-.") + suffix
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"jobReference": map[string]any{"kind": object.GetKind(), "name": object.GetName()},
	}}}
	u.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(v1beta1.KindFlinkStateSnapshot))
	u.SetNamespace(object.GetNamespace())
	u.SetName(name)
	u.SetLabels(map[string]string{madeBy: madeHere})
	spec := u.Object["spec"].(map[string]any)
	if s.Checkpoint {
		spec["checkpoint"] = map[string]any{}
		return u, nil
	}
	savepoint := map[string]any{}
	if s.Format != "" {
		savepoint["formatType"] = strings.ToUpper(s.Format)
	}
	if s.Path != "" {
		savepoint["path"] = s.Path
	}
	if s.Keep {
		savepoint["disposeOnDelete"] = false
	}
	spec["savepoint"] = savepoint
	return u, nil
}

// Continues is whether a snapshot that is there is one that was asked for here, of the same job and sort, and has not
// ended.
func Continues(there, wanted *unstructured.Unstructured) bool {
	state, _, _ := unstructured.NestedString(there.Object, "status", "state")
	job, _, _ := unstructured.NestedStringMap(there.Object, "spec", "jobReference")
	of, _, _ := unstructured.NestedStringMap(wanted.Object, "spec", "jobReference")
	_, checkpoint, _ := unstructured.NestedMap(there.Object, "spec", "checkpoint")
	_, asked, _ := unstructured.NestedMap(wanted.Object, "spec", "checkpoint")
	open := map[string]bool{
		"": true, string(v1beta1.SnapshotTriggerPending): true, string(v1beta1.SnapshotInProgress): true,
	}
	return open[state] && there.GetLabels()[madeBy] == madeHere && checkpoint == asked &&
		job["kind"] == of["kind"] && job["name"] == of["name"]
}

// Delete is the end of a FlinkStateSnapshot. Its note, or what it gives up, says what becomes of the data.
func Delete(object *unstructured.Unstructured) Edit {
	path, _, _ := unstructured.NestedString(object.Object, "status", "path")
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	savepoint, is := spec["savepoint"].(map[string]any)
	keeps, set := savepoint["disposeOnDelete"].(bool)
	e := Edit{Says: "its FlinkStateSnapshot is deleted", Goal: "deleted", Deletes: true}
	switch {
	case !is:
		e.Notes = []string{"it is a checkpoint: its data is Flink's, and stays until Flink deletes it"}
	case set && !keeps:
		e.Notes = []string{"its disposeOnDelete is false: the data stays" + at(path)}
	case path == "":
		e.Notes = []string{"it has no data"}
	case spec["jobReference"] == nil:
		e.Notes = []string{"it names no job whose JobManager could delete the data: it stays" + at(path)}
	default:
		e.GivesUp = "its disposeOnDelete is true: the data is deleted, too" + at(path)
	}
	return e
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return ", at " + path
}

// Nonce asks for a savepoint by the spec of the job, where the cluster has no FlinkStateSnapshot.
func Nonce(object *unstructured.Unstructured) Edit {
	path := []string{"spec", "job", "savepointTriggerNonce"}
	before, _, _ := unstructured.NestedInt64(object.Object, path...)
	e := set(object, path, before, before+1, "")
	e.GivesUp = ""
	e.Notes = []string{"the cluster has no FlinkStateSnapshot: the spec of the job asks, and " +
		"status.jobStatus.savepointInfo will say where the savepoint lies"}
	return e
}
