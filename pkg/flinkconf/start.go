package flinkconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// applyStart sets what belongs to one start, and returns the job ID of an application.
func applyStart(c Config, in DeployInput) (jobID string, err error) {
	if in.Generation != 0 {
		if err := annotateGeneration(c, in.Generation); err != nil {
			return "", err
		}
	}
	c.Set(key.JobManagerOwnerReference, ownerReference(in.Name, in.UID))
	if in.Spec.IsSession() {
		dropStatePath(c)
		return "", nil
	}
	applySavepoint(c, in.Start)
	if err := applyJobResultStore(c, in.Name, in.Start.JobResultStoreDir); err != nil {
		return "", err
	}
	return applyJobID(c, in.Start.JobID)
}

// annotateGeneration adds the generation to the JobManager's annotations, and sorts them.
func annotateGeneration(c Config, generation int64) error {
	annotations, err := c.Map(key.JobManagerAnnotations)
	if err != nil {
		return err
	}
	pairs := [][2]string{{GenerationAnnotation, strconv.FormatInt(generation, 10)}}
	for name, value := range annotations {
		if name != GenerationAnnotation {
			pairs = append(pairs, [2]string{name, value})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	c.Set(key.JobManagerAnnotations, syntax.JoinMap(pairs))
	return nil
}

// ownerReference makes the FlinkDeployment the owner of the JobManager Deployment.
func ownerReference(name, uid string) string {
	owner := syntax.JoinMap([][2]string{
		{"uid", uid}, {"name", name}, {"controller", "false"}, {"blockOwnerDeletion", "true"},
		{"apiVersion", v1beta1.GroupVersion.String()}, {"kind", "FlinkDeployment"},
	})
	return syntax.JoinList([]string{owner})
}

// applySavepoint sets the state to start from. Flink 1.20 and later prefer execution.state-recovery.path, so a path
// that the user left there goes away: it would beat the one chosen here, and make a stateless start stateful.
//
//	start      | execution.savepoint.path
//	-----------+---------------------------------
//	last state | KUBERNETES_OPERATOR_LAST_STATE
//	savepoint  | its path
//	neither    | removed
func applySavepoint(c Config, start Start) {
	c.UnsetAll(key.RecoveryPath)
	switch {
	case start.LastState:
		c.Set(key.SavepointPath, LastStateMarker)
	case start.SavepointPath != "":
		c.Set(key.SavepointPath, start.SavepointPath)
	default:
		c.UnsetAll(key.SavepointPath)
	}
}

// dropStatePath removes the state to start from: each job of a session cluster has its own.
func dropStatePath(c Config) {
	c.UnsetAll(key.SavepointPath)
	c.UnsetAll(key.RecoveryPath)
}

// applyJobResultStore gives each start a job result store of its own below the HA storage.
func applyJobResultStore(c Config, name, dir string) error {
	storage, ok := c.Lookup(key.HAStorageDir)
	if !ok {
		return nil
	}
	if dir == "" {
		return fmt.Errorf(
			"high availability of %q needs a job result store directory: give Start.JobResultStoreDir, new for every start",
			name,
		)
	}
	c.SetDefault(key.JobResultStoreDeleteOnCommit, "false")
	c.Set(key.JobResultStorePath, storage+"/job-result-store/"+name+"/"+dir)
	return nil
}

// applyJobID fixes the job's ID. Without one Flink would make one up, and refuse to start without high availability.
func applyJobID(c Config, id string) (string, error) {
	if fixed, ok := c.Lookup(key.FixedJobID); ok {
		return fixed, nil
	}
	if id == "" {
		return "", fmt.Errorf("an application needs a job ID: give Start.JobID")
	}
	c.Set(key.FixedJobID, id)
	return id, nil
}
