package tell

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The history has an object for each start that was let run. What it is to have of the newest one stands in
// status.revision, by writes that are made anyway; the objects are written after all else of a round, so no start waits
// for them:
//
//	round                            status                   objects
//	releases the start               the start, not kept      the end of the one before, then the new one
//	any after it, until it is kept   -                        are listed: the same, if the new one is not there;
//	                                                          else kept, and those beyond the limit go
//	the job rests: suspended, ended  its end, not kept        its end
//	any after it, until it is kept   -                        the same
//
// A pass that ends anywhere leaves a status that is not kept; the next one finds what is missing by its name.

// AsksRevisions reports whether to list the revisions of the job: it is not known yet that they are complete.
func AsksRevisions(v *world.Look) bool {
	m, d := v.Want.Revision, v.Want.Deployed
	return hasHistory(v) && (m == nil || m.OperationID != d.OperationID || !m.Kept)
}

// hasHistory reports whether there is a start to be kept.
func hasHistory(v *world.Look) bool {
	d := v.Want.Deployed
	return d != nil && d.OperationID != "" && !v.IsSession() && v.Resource().DeletionTimestamp == nil && !v.IsCopy &&
		v.Options.RevisionHistoryLimit() > 0
}

// remember brings status.revision up to what the round leaves.
func remember(v *world.Look) {
	if !hasHistory(v) {
		if v.Options.RevisionHistoryLimit() == 0 {
			v.Want.Revision = nil
		}
		return
	}
	m := v.Want.Revision
	if m == nil || m.OperationID != v.Want.Deployed.OperationID {
		begins(v, m)
		return
	}
	if m.StableSince == nil && runsWell(v) {
		now := v.Now()
		m.StableSince = &now
	}
	if m.Ended = endOf(v, m); comesToRest(v) {
		m.Kept = false
	}
	if all, seen := v.Seen.Revisions.Get(); seen && !m.Kept && holds(all, v, m) {
		m.Kept, m.Before = true, nil
	}
}

// runsWell reports whether the job runs well by this look, also one that was rolled back to.
func runsWell(v *world.Look) bool {
	status := v.Want
	return facts.IsStable(v) || status.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack &&
		status.JobManagerDeploymentStatus == v1beta1.JobManagerReady && v.Job != nil && v.Job.Runs()
}

// begins remembers the start that is released in the place of the one before.
func begins(v *world.Look, before *v1beta1.RevisionStatus) {
	next := &v1beta1.RevisionStatus{OperationID: v.Want.Deployed.OperationID, Number: 1, Started: v.Now()}
	if at := v.Want.ReconciliationStatus.ReconciliationTimestamp; v.Want.Intent == nil && at > 0 { // of a version before
		next.Started = metav1.NewTime(time.UnixMilli(at).Truncate(time.Second))
	}
	v.Want.Revision = next
	if before == nil {
		return
	}
	next.Number = before.Number + 1
	if e := before.Ended; before.Kept && e != nil && e.By == string(v1beta1.PurposeSuspend) {
		return // it is there, and so is its end
	}
	ended := endOf(v, before)
	if ended == nil {
		ended = &v1beta1.RevisionEnd{At: v.Now()}
	}
	next.Before = &v1beta1.RevisionBefore{
		OperationID: before.OperationID, StableSince: before.StableSince, Ended: *ended,
	}
}

// rests reports whether no start follows by itself.
func rests(v *world.Look) bool { return v.Want.Intent == nil }

// comesToRest reports whether the newest start has ended, no other follows, and status does not say both yet.
func comesToRest(v *world.Look) bool {
	m, status := v.Want.Revision, v.Resource().Status
	stored, open := status.Revision, status.Intent != nil && status.Intent.Step != v1beta1.StepReleased
	known := stored != nil && stored.OperationID == m.OperationID && stored.Ended != nil && !open
	return m.Ended != nil && rests(v) && !known
}

// rested reports whether an end was one after which the job rested.
func rested(e *v1beta1.RevisionEnd) bool {
	return e.By == string(v1beta1.PurposeSuspend) || v1beta1.FlinkJobState(e.By).IsTerminal()
}

// endOf is how the remembered start ended, as far as the round knows it; nil: it did not. First match wins:
//
//	an operation is open                   the job             by
//	a start, or a stop that has its state  had ended before    what ended it
//	a start, or a stop that has its state  -                   the purpose
//	a stop                                 -                   as before
//	none                                   is suspended        Suspend
//	none                                   has ended           its state
//	none                                   -                   nil
func endOf(v *world.Look, m *v1beta1.RevisionStatus) *v1beta1.RevisionEnd {
	intent, end := v.Want.Intent, v1beta1.RevisionEnd{At: v.Now()}
	if m.Ended != nil {
		end.At = m.Ended.At
	}
	switch {
	case intent != nil && m.OperationID != intent.OperationID && (intent.Step != v1beta1.StepStopping || intent.Ended):
		if m.Ended != nil && rested(m.Ended) {
			end = *m.Ended
			return leaves(v, end, intent)
		}
		if intent.EndedAt != nil {
			end.At = *intent.EndedAt
		}
		end.By, end.Why = string(intent.Purpose), whyEnded(v, m, intent)
		return leaves(v, end, intent)
	case intent != nil:
		return m.Ended
	case v.Last != nil && !v.LastRunning():
		end.By = string(v1beta1.PurposeSuspend)
		end.Left = stateLeft(v, pathLeft(v), v.Want.JobStatus.StateTaken)
	case v.Want.JobStatus.State.IsTerminal():
		end.By, end.Left = string(v.Want.JobStatus.State), stateLeft(v, pathLeft(v), v.Want.JobStatus.StateTaken)
	default:
		return nil
	}
	return &end
}

// pathLeft is the state that status names for the next start; empty where it is not known yet, or there is none.
func pathLeft(v *world.Look) string {
	if v.Want.JobStatus.LastStateUnread {
		return ""
	}
	return v.Want.JobStatus.UpgradeSavepointPath
}

// whyEnded says why a start was rolled back. What was said first stays: later the cause may not be seen any more.
func whyEnded(v *world.Look, m *v1beta1.RevisionStatus, intent *v1beta1.Intent) string {
	switch asked := v.Resource().Annotations[v1beta1.AnnotationRollback]; {
	case intent.Purpose != v1beta1.PurposeRollback:
		return ""
	case m.Ended != nil && m.Ended.Why != "":
		return m.Ended.Why
	case asked != "" && asked == fmt.Sprint(v.Deployed):
		return "a user asked for it"
	}
	if why := v.Host.PodFailure(); why != nil {
		return v.Shown(fmt.Sprintf("%s: %s", why.Reason, why.Message))
	}
	return fmt.Sprintf("it was not stable within %v", v.Options.ReadinessTimeout())
}

// leaves adds the state that the next start begins from, where that is what the job left.
func leaves(v *world.Look, end v1beta1.RevisionEnd, intent *v1beta1.Intent) *v1beta1.RevisionEnd {
	from := intent.From
	if from == nil || intent.Purpose == v1beta1.PurposeRedeploy || from.Kind == v1beta1.StartEmpty {
		return &end // a user chose it
	}
	if from.Kind == v1beta1.StartLastState {
		end.Left = stateLeft(v, v1beta1.LastStatePlaceholder, from.Taken)
	} else {
		end.Left = stateLeft(v, from.Path, from.Taken)
	}
	return &end
}

// stateLeft is a state as the history has it; nil: none is known. Of high-availability data it has the newest
// checkpoint that was seen.
func stateLeft(v *world.Look, path string, taken *metav1.Time) *v1beta1.StateLeft {
	switch path {
	case "":
		return nil
	case v1beta1.LastStatePlaceholder:
		left := &v1beta1.StateLeft{Kind: v1beta1.StartLastState, Taken: taken}
		if c := v.Want.JobStatus.Checkpoint; c != nil && c.Path != "" {
			left.Path, left.Taken = v.Hide(c.Path), c.Taken
		}
		return left
	}
	return &v1beta1.StateLeft{Kind: v1beta1.StartSavepoint, Path: v.Hide(path), Taken: taken}
}

// holds reports whether the history has all that status remembers.
func holds(all []history.Revision, v *world.Look, m *v1beta1.RevisionStatus) bool {
	r, there := find(all, history.NameOf(v.Resource().Name, m.OperationID))
	return there && (m.Ended == nil || !rested(m.Ended) || r.Ended != nil && r.Ended.By == m.Ended.By)
}

func find(all []history.Revision, name string) (history.Revision, bool) {
	for _, r := range all {
		if r.Name == name {
			return r, true
		}
	}
	return history.Revision{}, false
}

// historyOf is what the round writes to the history; nil: nothing. Nothing is written on a guess: a history that was
// not listed is written where this very round began or ended something.
func historyOf(v *world.Look, again bool) *plan.History {
	m, stored := v.Want.Revision, v.Resource().Status.Revision
	if m == nil || again || !hasHistory(v) {
		return nil
	}
	if m.Kept {
		if stored != nil && stored.OperationID == m.OperationID && stored.Kept {
			return nil
		}
		return excess(v)
	}
	all, listed := v.Seen.Revisions.Get()
	began := stored == nil || stored.OperationID != m.OperationID
	if !listed && !began && !comesToRest(v) {
		return nil
	}
	h, name := &plan.History{}, v.Resource().Name
	if b := m.Before; b != nil { // before the new one: where that is there, so is this
		h.Ended = append(h.Ended, plan.RevisionNote{
			Name: history.NameOf(name, b.OperationID), Annotations: history.Annotations(b.StableSince, &b.Ended),
		})
	}
	if _, there := find(all, history.NameOf(name, m.OperationID)); there || (!listed && !began) {
		if m.Ended != nil && rests(v) {
			h.Ended = append(h.Ended, plan.RevisionNote{
				Name: history.NameOf(name, m.OperationID), Annotations: history.Annotations(m.StableSince, m.Ended),
			})
		}
		return h
	}
	h.Keep, h.OwnSpec = revision(v, m)
	return h
}

// revision is the newest start as the history keeps it; own is true where its spec is the resource's.
func revision(v *world.Look, m *v1beta1.RevisionStatus) (r *history.Revision, own bool) {
	r = &history.Revision{
		Name: history.NameOf(v.Resource().Name, m.OperationID), Number: m.Number, Operation: m.OperationID,
		Generation: v.Deployed, Started: m.Started,
	}
	if rests(v) {
		r.Stable, r.Ended = m.StableSince, m.Ended
	}
	if from := v.Want.JobStatus.StartedFrom; from != nil {
		r.From = *from
	}
	rolledBack := v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack
	if !rolledBack && v.Problem == "" && v.Deployed == v.Resource().Generation {
		return r, true
	}
	spec := v.Running().DeepCopy()
	if spec.Job != nil && v.Resource().Spec.Job != nil { // the recorded one says how the start got its state
		spec.Job.UpgradeMode = v.Resource().Spec.Job.UpgradeMode
	}
	text, err := json.Marshal(spec)
	if err == nil {
		err = utiljson.Unmarshal(text, &r.Spec)
	}
	if err != nil {
		v.Note("the spec of the newest start cannot be printed: " + err.Error())
	}
	return r, false
}

// excess are the revisions that go.
func excess(v *world.Look) *plan.History {
	all, _ := v.Seen.Revisions.Get()
	h := &plan.History{}
	for _, r := range history.Excess(all, v.Options.RevisionHistoryLimit()) {
		h.Drop = append(h.Drop, plan.OwnedObject{Kind: "ControllerRevision", Name: r.Name, UID: r.UID})
	}
	if len(h.Drop) == 0 {
		return nil
	}
	return h
}
