package restore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Facts is everything that the choice depends on.
type Facts struct {
	// Kind of the resource, for the commands in messages.
	Kind v1beta1.JobKind
	// Namespace and Name of the resource, for the same.
	Namespace, Name string
	// Purpose of the start.
	Purpose v1beta1.IntentPurpose
	// Mode is how the state was kept when the job was stopped; for a recovery, how it would be.
	Mode v1beta1.UpgradeMode
	// RedeployNonce is spec.job.savepointRedeployNonce of the spec to start, for the command in messages; 0 when unset.
	RedeployNonce int64
	// InitialSavepointPath is spec.job.initialSavepointPath of the spec to start.
	InitialSavepointPath string
	// Recorded is status.jobStatus.upgradeSavepointPath: what the job was given, or ended with: a path,
	// v1beta1.LastStatePlaceholder, or empty.
	Recorded string
	// LegacySavepoint is status.jobStatus.savepointInfo.lastSavepoint.location; empty means none.
	LegacySavepoint string
	// Completed is true when the job is known to have completed a checkpoint.
	Completed bool
	// NewestKnown is where the newest one that is known lies; empty when that is not known.
	NewestKnown string
	// NoState is true when the job is known to have ended without any checkpoint or savepoint, or never ran.
	NoState bool
	// HighAvailability is the data that a last-state start needs; Checkpoint tells whether it names a completed
	// checkpoint.
	HighAvailability plan.Observed[bool]
}

// Choice is the answer.
type Choice struct {
	// Verdict says whether the job may start.
	Verdict plan.Verdict
	// From is the state that it starts from; only with Go.
	From v1beta1.StartPoint
	// Reason says why; only without Go.
	Reason plan.Reason
	// Message is one line; only without Go.
	Message string
}

// Choose picks the state that a job starts from. First match wins; "HA" is its high-availability data.
//
//	 #  purpose           mode        known                                 the job starts  reason
//	 1  Deploy, Redeploy  any         initialSavepointPath                  from it         InitialSavepointPath
//	 2  Deploy            any         none                                  empty           FirstStart
//	 3  Redeploy          any         none                                  refuse          NoInitialSavepoint
//	 4  other             stateless   -                                     empty           Stateless
//	 5  other             last-state  HA unknown                            wait            HighAvailabilityUnknown
//	 6  other             last-state  no HA                                 refuse          RestoreFailed
//	 7  other             last-state  HA names a checkpoint                 under its ID    HighAvailabilityData
//	 8  other             last-state  HA names none, one was completed      refuse          RestoreFailed
//	 9  other             last-state  HA names none, recorded marker        refuse          RestoreFailed
//	10  other             last-state  HA names none, recorded path          from it         NotRestoredYet
//	11  other             last-state  HA names none, nothing recorded       under its ID    NoCheckpointYet
//	12  other             savepoint   recorded path                         from it         RecordedPath
//	13  other             savepoint   recorded marker                       refuse          LastStateUnknown
//	14  other             savepoint   no recorded path, an older savepoint  from it         LastSavepoint
//	15  other             savepoint   the job is known to have none         empty           NoStateYet
//	16  other             savepoint   none                                  refuse          StateUnknown
//	17  other             unknown     -                                     refuse          UnknownUpgradeMode
//
// "under its ID" starts the job with its high-availability data. In 7 a marker lets Flink fail without it; in 11 there
// is nothing to lose yet. 8 and 9 had a checkpoint: it is lost, not absent. 10 was given the path and has not read it
// yet. 13 was not stopped in this way.
func Choose(f Facts) Choice {
	switch f.Purpose {
	case v1beta1.PurposeDeploy, v1beta1.PurposeRedeploy:
		return first(f)
	}
	switch f.Mode {
	case v1beta1.UpgradeModeStateless, "":
		return start(v1beta1.StartEmpty, "", "Stateless")
	case v1beta1.UpgradeModeLastState:
		return lastState(f)
	case v1beta1.UpgradeModeSavepoint:
		return savepoint(f)
	}
	return f.refuse(plan.ReasonUnknownUpgradeMode, fmt.Sprintf("the recorded upgrade mode %q is unknown", f.Mode))
}

func first(f Facts) Choice {
	switch {
	case f.InitialSavepointPath != "":
		return start(v1beta1.StartSavepoint, f.InitialSavepointPath, "InitialSavepointPath")
	case f.Purpose == v1beta1.PurposeRedeploy:
		return f.refuse(plan.ReasonNoInitialSavepoint, "a savepoint redeploy needs spec.job.initialSavepointPath")
	}
	return start(v1beta1.StartEmpty, "", "FirstStart")
}

func lastState(f Facts) Choice {
	checkpoint, there := f.HighAvailability.Get()
	switch {
	case f.HighAvailability.IsUnknown():
		return Choice{Verdict: plan.Wait, Reason: plan.ReasonHighAvailabilityUnknown,
			Message: "the high-availability data cannot " +
				"be read: " + f.HighAvailability.Why()}
	case !there, !checkpoint && (f.Completed || f.Recorded == v1beta1.LastStatePlaceholder):
		return f.refuse(
			plan.ReasonRestoreFailed,
			"HA metadata is not available to restore from last state. It is possible that the job has finished or "+
				"terminally failed, or the configmaps have been deleted. Manual restore required.",
		)
	case checkpoint:
		return start(v1beta1.StartLastState, v1beta1.LastStatePlaceholder, "HighAvailabilityData")
	case f.Recorded != "":
		return start(v1beta1.StartSavepoint, f.Recorded, "NotRestoredYet")
	}
	return start(v1beta1.StartLastState, "", "NoCheckpointYet")
}

func savepoint(f Facts) Choice {
	switch {
	case f.Recorded == v1beta1.LastStatePlaceholder:
		return f.refuse(
			plan.ReasonLastStateUnknown, "the last checkpoint of the job is not known. Manual restore required.",
		)
	case f.Recorded != "":
		return start(v1beta1.StartSavepoint, f.Recorded, "RecordedPath")
	case f.LegacySavepoint != "":
		return start(v1beta1.StartSavepoint, f.LegacySavepoint, "LastSavepoint")
	case f.NoState:
		return start(v1beta1.StartEmpty, "", "NoStateYet")
	}
	return f.refuse(
		plan.ReasonStateUnknown, "no savepoint or checkpoint of the job is recorded. Manual restore required.",
	)
}

func start(kind v1beta1.StartKind, path, reason string) Choice {
	return Choice{Verdict: plan.Go, From: v1beta1.StartPoint{Kind: kind, Path: path, Reason: reason}}
}

func (f Facts) refuse(reason plan.Reason, message string) Choice {
	if f.NewestKnown != "" {
		message += " The newest checkpoint that is known is " + f.NewestKnown + "."
	}
	return Choice{
		Verdict: plan.Refuse, Reason: reason, Message: message + " " + Remedy(f.Kind, f.Namespace, f.Name, f.RedeployNonce),
	}
}

// Remedy is the sentence that ends every message about a state that is not known: what a person can do. redeployNonce
// is spec.job.savepointRedeployNonce as it is now, 0 when unset.
func Remedy(kind v1beta1.JobKind, namespace, name string, redeployNonce int64) string {
	return fmt.Sprintf("To start from a state of your choice: kubectl patch %s %s -n %s --type=merge -p "+
		"'{\"spec\":{\"job\":{\"initialSavepointPath\":\"<path>\",\"savepointRedeployNonce\":%s}}}'",
		strings.ToLower(string(kind)), name, namespace, strconv.FormatInt(redeployNonce+1, 10))
}
