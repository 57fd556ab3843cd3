package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// TriggerSavepoint asks Flink for a savepoint and does not wait for it. The trigger ID is stored in a status before:
// with it a second request starts nothing.
type TriggerSavepoint struct {
	quiet
	// Endpoint is where the JobManager answers.
	Endpoint Endpoint
	// JobID is the job's ID in Flink's form.
	JobID string
	// TriggerID is the stored one, 32 hexadecimal digits.
	TriggerID string
	// Directory is where the savepoint goes.
	Directory string
	// Format is CANONICAL or NATIVE; another leaves the choice to Flink.
	Format v1beta1.SavepointFormatType
}

// TriggerCheckpoint asks Flink for a checkpoint, as TriggerSavepoint does. Flink 1.17 and later.
type TriggerCheckpoint struct {
	quiet
	// Endpoint is where the JobManager answers.
	Endpoint Endpoint
	// JobID is the job's ID in Flink's form.
	JobID string
	// TriggerID is the stored one, 32 hexadecimal digits.
	TriggerID string
	// Format is FULL or INCREMENTAL; another leaves the choice to Flink.
	Format v1beta1.CheckpointFormatType
}

// DisposeSavepoint asks Flink to delete a savepoint's files and does not wait for it. Disposing of what is gone does no
// harm.
type DisposeSavepoint struct {
	disruptive
	// Endpoint is where a JobManager answers that reaches the files.
	Endpoint Endpoint
	// Path is the savepoint.
	Path string
}

// CreateSnapshot makes a FlinkStateSnapshot. One of its name that was made for the same job is taken for it.
type CreateSnapshot struct {
	refusable
	// Object is what to make; its annotation says for which job.
	Object *v1beta1.FlinkStateSnapshot
}

// DeleteSnapshot deletes a FlinkStateSnapshot, whose own pass disposes of its data.
type DeleteSnapshot struct {
	refusable
	// Namespace and Name are the object's.
	Namespace, Name string
	// UID is its precondition.
	UID types.UID
}

// SetLabels gives the round's resource labels and leaves its others alone.
type SetLabels struct {
	quiet
	// Labels are the ones to set.
	Labels map[string]string
	// UID is the resource's, the precondition.
	UID types.UID
}

func (a TriggerSavepoint) String() string {
	return fmt.Sprintf("trigger savepoint %s of job %s", a.TriggerID, a.JobID)
}
func (a TriggerCheckpoint) String() string {
	return fmt.Sprintf("trigger checkpoint %s of job %s", a.TriggerID, a.JobID)
}
func (a DisposeSavepoint) String() string { return "dispose of savepoint " + redact.Text(a.Path) }
func (a CreateSnapshot) String() string   { return "create snapshot " + a.Object.Name }
func (a DeleteSnapshot) String() string   { return fmt.Sprintf("delete snapshot %s (%s)", a.Name, a.UID) }
func (a SetLabels) String() string        { return fmt.Sprintf("set %d labels", len(a.Labels)) }
