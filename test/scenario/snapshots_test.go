package scenario

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// snapshotVerbs ask for snapshots.
var snapshotVerbs = map[string]func(r *run, n int){
	"savepoint-nonce": func(r *run, n int) {
		if r.stateful() { // without a directory for savepoints it is refused
			r.editIfThere(jobField("savepointTriggerNonce", int64(n)))
		}
	},
	"checkpoint-nonce": func(r *run, n int) { r.editIfThere(jobField("checkpointTriggerNonce", int64(n))) },
	"snapshot":         func(r *run, n int) { r.taken.ask(demo, n) },
	"drop-snapshot":    (*run).dropSnapshot,
}

// snapshots watches what becomes of snapshots.
type snapshots struct {
	h        *harness
	of       []string // the resources whose jobs they are of
	made     int
	triggers seen
	// removed are the paths whose files a person deleted.
	removed map[string]bool
	ended   map[string]string // what each that is final was when it became so, by name and UID
}

func newSnapshots(h *harness, of ...string) *snapshots {
	return &snapshots{h: h, of: of, ended: map[string]string{}}
}

func (s *snapshots) all() []*unstructured.Unstructured {
	return s.h.w.Kube.PeekAll(kubesim.FlinkStateSnapshots, namespace, nil)
}

// ask makes a FlinkStateSnapshot of a job.
func (s *snapshots) ask(name string, n int) {
	spec := of(name, map[string]any{"backoffLimit": int64(n % 3)})
	if n%4 == 3 {
		spec["checkpoint"] = map[string]any{}
	} else {
		spec["savepoint"] = map[string]any{"disposeOnDelete": n%2 == 0}
	}
	s.made++
	s.h.take(fmt.Sprintf("mine-%d", s.made), spec)
}

// dropOne deletes one of them, if there is one.
func (s *snapshots) dropOne(n int) {
	if all := s.all(); len(all) > 0 {
		s.drop(all[n%len(all)])
	}
}

// dropSnapshot has the user delete a snapshot. Of a job that has ended, and status does not know it yet, the files may
// be its newest state: no other start than from there is recorded then.
func (r *run) dropSnapshot(n int) {
	all := r.taken.all()
	if len(all) == 0 {
		return
	}
	dropped := r.taken.decode(all[n%len(all)])
	j := r.w.Flink.Job(namespace, demo, "")
	if j != nil && j.State.Ended() && !r.status(demo).JobStatus.State.IsTerminal() && dropped.Status.Path != nil {
		r.excuse("the newest state of a job that had just ended was deleted")
		r.states.removed[*dropped.Status.Path] = true
	}
	r.taken.drop(all[n%len(all)])
}

func (s *snapshots) drop(u *unstructured.Unstructured) {
	s.h.t.Helper()
	if u.GetDeletionTimestamp() != nil {
		return
	}
	if err := s.h.w.Kube.Delete(
		kubesim.FlinkStateSnapshots, namespace, u.GetName(), kubesim.DeleteOptions{},
	); err != nil {
		s.h.t.Fatal(err)
	}
}

func (s *snapshots) decode(u *unstructured.Unstructured) v1beta1.FlinkStateSnapshot {
	s.h.t.Helper()
	snapshot, _, err := v1beta1.DecodeStateSnapshot(u.Object)
	if err != nil {
		s.h.t.Fatalf("a snapshot that cannot be read was stored: %v", err)
	}
	return snapshot
}

// look holds what must be true of snapshots at any time:
//
//	conditions             as for every kind
//	a trigger ID           never comes back after another
//	a final state          is never left, nor its path
//	a completed savepoint  is where its path says, and nobody else's
func (s *snapshots) look() {
	t := s.h.t
	t.Helper()
	paths := map[string]string{}
	for _, u := range s.all() {
		snapshot := s.decode(u)
		status := snapshot.Status
		if len(status.Conditions) > 0 {
			if err := summary.CheckConditions(status.Conditions, snapshot.Generation); err != nil {
				t.Errorf("%s in situation %s: %v", snapshot.Name, status.Situation, err)
			}
			if err := summary.CheckEnds(status.Conditions); err != nil {
				t.Errorf("%s, %s: %v", snapshot.Name, status.State, err)
			}
		}
		if s.triggers.next(snapshot.UID, status.TriggerID) {
			t.Errorf("%s: trigger %s came back after another", snapshot.Name, status.TriggerID)
		}
		path := ""
		if status.Path != nil {
			path = *status.Path
		}
		id, now := snapshot.Name+" "+string(snapshot.UID), string(status.State)+" "+path
		if was := s.ended[id]; was != "" && was != now {
			t.Errorf("%s was %s and is %s", snapshot.Name, was, now)
		}
		switch status.State {
		case v1beta1.SnapshotCompleted, v1beta1.SnapshotFailed, v1beta1.SnapshotAbandoned:
			s.ended[id] = now
		}
		if status.State != v1beta1.SnapshotCompleted || snapshot.Spec.Savepoint == nil ||
			snapshot.DeletionTimestamp != nil {
			continue
		}
		if snapshot.Spec.Savepoint.Exists() {
			continue // it is whose it is
		}
		if _, stored := s.h.w.Storage.Get(path); !stored && !s.removed[path] {
			t.Errorf("%s is complete, and nothing is at %q", snapshot.Name, path)
		}
		if other := paths[path]; other != "" {
			t.Errorf("%s and %s are both at %s", other, snapshot.Name, path)
		}
		paths[path] = snapshot.Name
	}
	for _, name := range s.of {
		s.history(name)
	}
}

// history holds that status records each savepoint once, and under one trigger ID at a time.
func (s *snapshots) history(name string) {
	t := s.h.t
	t.Helper()
	u := s.h.w.Kube.Peek(s.h.kindOf(name), namespace, name)
	info := s.h.status(name).JobStatus.SavepointInfo
	if u == nil || info == nil {
		return
	}
	if info.TriggerID != nil && s.triggers.next(u.GetUID(), *info.TriggerID) {
		t.Errorf("trigger %s came back after another", *info.TriggerID)
	}
	locations := map[string]bool{}
	for _, savepoint := range info.SavepointHistory {
		if locations[savepoint.Location] {
			t.Errorf("%s is in the history twice", savepoint.Location)
		}
		locations[savepoint.Location] = true
	}
}

// atRest holds that nothing is left dangling once the job has come to rest: each snapshot is final, or says why it
// cannot go on, and the savepoint that a nonce asked for is not in flight.
func (s *snapshots) atRest() {
	s.h.t.Helper()
	s.h.until("no snapshot waits", func() bool {
		s.look()
		return !slices.ContainsFunc(s.all(), func(u *unstructured.Unstructured) bool { return waits(s.decode(u).Status) })
	})
	for _, name := range s.of {
		s.h.until("no savepoint of "+name+" is in flight", func() bool {
			status := s.h.status(name)
			info := status.JobStatus.SavepointInfo
			return info == nil || info.TriggerID == nil || status.Situation != "Steady"
		})
	}
}

func waits(status v1beta1.FlinkStateSnapshotStatus) bool {
	switch status.State {
	case v1beta1.SnapshotCompleted, v1beta1.SnapshotFailed, v1beta1.SnapshotAbandoned:
		return false
	}
	return !slices.ContainsFunc(status.Conditions, func(c metav1.Condition) bool {
		return c.Type == summary.Stalled &&
			c.Status == metav1.ConditionTrue
	})
}

// removeAll deletes all: that ends, whatever became of their job.
func (s *snapshots) removeAll() {
	s.h.t.Helper()
	for _, u := range s.all() {
		s.drop(u)
	}
	s.h.until("the snapshots are gone", func() bool { return len(s.all()) == 0 })
}
