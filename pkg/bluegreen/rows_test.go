package bluegreen_test

import (
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.1 the first side is created": func(t *testing.T) {
			w := newWorld(t)
			w.pass()
			w.sees("TRANSITIONING_TO_BLUE", "RECONCILING", "blue not ready")
		},
		"T11.3 it starts from the path of the spec": func(t *testing.T) {
			w := newWorld(t, stateful, job("initialSavepointPath", "s3://s/0"))
			w.rests()
			w.started("blue from s3://s/0")
		},
		"T11.4 it serves": func(t *testing.T) {
			w := newWorld(t)
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if s := w.bg.Status; s.AbortTimestamp != "1970-01-01T00:00:00Z" ||
				s.DeploymentReadyTimestamp != "1970-01-01T00:00:00Z" || s.Error != "" {
				t.Errorf("abort %q, ready %q, error %q", s.AbortTimestamp, s.DeploymentReadyTimestamp, s.Error)
			}
		},
		"T11.5 a quiet one writes nothing": func(t *testing.T) {
			w := active(t)
			for range 10 {
				w.now = w.now.Add(time.Hour)
				w.pass()
			}
			if len(w.effects) > 0 {
				t.Errorf("effects %v", w.effects)
			}
		},
		"T11.6 it is created suspended, and starts later": func(t *testing.T) {
			w := newWorld(t, suspended)
			w.rests()
			w.sees("INITIALIZING_BLUE", "SUSPENDED", "")
			w.edit(running)
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.7 it never becomes ready": func(t *testing.T) {
			w := newWorld(t)
			w.broken["demo-blue"] = true
			w.until("given up", func() bool { return w.bg.Status.FailedAttempt != nil })
			w.rests()
			w.sees("INITIALIZING_BLUE", "FAILING", "blue suspended")
			want := "Aborting deployment 'demo-blue', rolling B/G deployment back to INITIALIZING_BLUE"
			if w.bg.Status.Error != want {
				t.Errorf("error %q, want %q", w.bg.Status.Error, want)
			}
		},
		"T11.8 the same spec is not tried again, another one is": func(t *testing.T) {
			w := failedFirst(t)
			w.now = w.now.Add(time.Hour)
			w.rests()
			w.sees("INITIALIZING_BLUE", "FAILING", "blue suspended")
			w.broken["demo-blue"] = false
			w.edit(image("1.21"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if w.bg.Status.Error != "" {
				t.Errorf("error %q", w.bg.Status.Error)
			}
		},
		"T11.9 it failed, was suspended, and starts with another spec": func(t *testing.T) {
			w := failedFirst(t)
			w.edit(suspended)
			w.rests()
			w.broken["demo-blue"] = false
			w.edit(running, image("1.21"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.10 admission refuses it": func(t *testing.T) {
			w := newWorld(t)
			tries := w.refusesCreation("admission webhook denied the request: spec.image")
			w.rests()
			w.sees("INITIALIZING_BLUE", "FAILING", "")
			if c := w.condition("SpecAccepted"); c.Status != "False" || c.Reason != "SideRefused" {
				t.Errorf("SpecAccepted %s %s: %s", c.Status, c.Reason, c.Message)
			}
			for range 100 {
				w.tick()
			}
			if *tries != 1 {
				t.Errorf("the same spec was tried %d times", *tries)
			}
			w.refuses = nil
			w.edit(image("1.21"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.11 a FlinkDeployment of its name is there": func(t *testing.T) {
			w := newWorld(t)
			w.stranger("demo-blue")
			w.tick()
			w.stalls("SideOfAnother", "demo-blue")
			if len(w.starts) > 0 || w.sides["demo-blue"].UID != "stranger" {
				t.Errorf("started %v, the side is %s", w.starts, w.sides["demo-blue"].UID)
			}
		},
	} {
		t.Run(name, row)
	}
}

// failedFirst is a world whose first side never became ready.
func failedFirst(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.broken["demo-blue"] = true
	w.until("given up", func() bool { return w.bg.Status.FailedAttempt != nil })
	w.rests()
	return w
}

func TestTransition(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.13 a stateless one": func(t *testing.T) {
			w := active(t)
			w.slow["demo-green"] = true
			w.edit(flink("taskmanager.numberOfTaskSlots", "2"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green not ready")
			w.started("green from nothing")
			if want := w.now.Add(10 * time.Minute).Format(time.RFC3339); w.bg.Status.AbortTimestamp != want {
				t.Errorf("abortTimestamp %s, want %s", w.bg.Status.AbortTimestamp, want)
			}
		},
		"T11.14 a stateless one starts from the path of the spec": func(t *testing.T) {
			w := active(t)
			w.edit(image("1.21"), job("initialSavepointPath", "s3://s/0"))
			w.rests()
			w.started("green from s3://s/0")
			if !w.says("TransitionStarted", "s3://s/0") {
				t.Errorf("events %q", w.events)
			}
		},
		"T11.15 a stateful one takes a savepoint": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			before := w.bg.Status.LastReconciledSpec
			w.edit(image("1.21"))
			w.tick()
			w.sees("SAVEPOINTING_BLUE", "RECONCILING", "blue")
			if s := w.bg.Status; len(s.SavepointTriggerID) != 32 || s.LastReconciledSpec != before {
				t.Errorf("trigger ID %q, recorded anew %t", s.SavepointTriggerID, s.LastReconciledSpec != before)
			}
		},
		"T11.17 the old side stays for the deletion delay": func(t *testing.T) {
			w := active(t, stateful, delay("5 min"))
			w.edit(image("1.21"))
			w.until("green is ready", func() bool { return w.bg.Status.DeploymentReadyTimestamp > "2000" })
			ready := w.now
			w.until("blue goes", func() bool { return w.side("blue") == nil || w.side("blue").DeletionTimestamp != nil })
			if took := w.now.Sub(ready); took < 5*time.Minute || took > 5*time.Minute+10*time.Second {
				t.Errorf("blue was deleted after %s, want 5 min", took)
			}
			w.started("green from s3://s/sp-1")
		},
		"T11.18 without a delay the old side goes soon": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			if s := w.bg.Status; s.AbortTimestamp != "1970-01-01T00:00:00Z" || s.SavepointTriggerID != "" ||
				s.DeploymentReadyTimestamp != "1970-01-01T00:00:00Z" {
				t.Errorf("abort %q, trigger %q, ready %q", s.AbortTimestamp, s.SavepointTriggerID, s.DeploymentReadyTimestamp)
			}
		},
		"T11.19 and back": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			w.rests()
			w.edit(image("1.22"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started("green from s3://s/sp-1", "blue from s3://s/sp-2")
		},
		"T11.20 T11.102 the next change waits until the old side is gone": func(t *testing.T) {
			w := active(t, stateful)
			w.stuck["demo-blue"] = true
			w.edit(image("1.21"))
			w.state("ACTIVE_GREEN")
			w.edit(image("1.22"))
			for range 90 {
				w.tick()
			}
			w.sees("ACTIVE_GREEN", "RUNNING", "blue going, green")
			w.stuck["demo-blue"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.21 the delay is edited while it runs": func(t *testing.T) {
			w := active(t, delay("10 min"))
			w.edit(image("1.21"))
			w.until("green is ready", func() bool { return w.bg.Status.DeploymentReadyTimestamp > "2000" })
			at := w.now
			w.edit(delay("1 s"))
			w.state("ACTIVE_GREEN")
			if took := w.now.Sub(at); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
		},
		"T11.22 only the configuration changes": func(t *testing.T) {
			w := active(t)
			w.edit(delay("7 min"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started()
		},
		"T11.23 the transition follows the savepoint within 5 s": func(t *testing.T) {
			w := active(t, stateful, option("reconciliation.reschedule-interval", "15 s"))
			at := w.now
			w.edit(image("1.21"))
			w.state("TRANSITIONING_TO_GREEN")
			if took := w.now.Sub(at); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		},
		"T11.24 T11.97 the delay starts anew when the new side was not ready": func(t *testing.T) {
			w := active(t, delay("4 min"))
			w.edit(image("1.21"))
			w.until("green is ready", func() bool { return w.bg.Status.DeploymentReadyTimestamp > "2000" })
			for range 60 {
				w.tick()
			}
			w.side("green").Status.LifecycleState = "DEPLOYED"
			w.broken["demo-green"] = true
			w.tick()
			w.broken["demo-green"] = false
			w.until("green is ready again", func() bool { return w.bg.Status.DeploymentReadyTimestamp > "2000" })
			again := w.now
			w.state("ACTIVE_GREEN")
			if took := w.now.Sub(again); took < 4*time.Minute {
				t.Errorf("blue was deleted %s after green was ready again", took)
			}
		},
		"T11.25 T11.36 the template changes while the delay runs": func(t *testing.T) {
			w := active(t, stateful, delay("4 min"))
			w.edit(image("1.21"))
			w.until("green is ready", func() bool { return w.bg.Status.DeploymentReadyTimestamp > "2000" })
			uid := w.side("green").UID
			w.edit(image("1.22"))
			w.tick()
			again := w.now
			w.state("ACTIVE_GREEN")
			if took := w.now.Sub(again); took < 4*time.Minute || w.side("green").UID != uid ||
				w.side("green").Spec.Image != "flink:1.22" {
				t.Errorf("after %s, same side %t, image %s", took, w.side("green").UID == uid, w.side("green").Spec.Image)
			}
			w.started("green from s3://s/sp-1")
		},
		"T11.26 T11.113 a status of an older generation is not ready": func(t *testing.T) {
			w := active(t)
			w.edit(image("1.21"))
			w.slow["demo-green"] = true
			w.until("created", func() bool { return w.side("green") != nil })
			w.runs(w.side("green"))
			w.side("green").Generation++
			for range 30 {
				w.tick()
			}
			w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green not ready")
		},
		"T11.27 the sides carry the labels of the resource": func(t *testing.T) {
			w := newWorld(t)
			w.bg.Labels = map[string]string{"team": "a"}
			w.rests()
			w.edit(image("1.21"))
			w.rests()
			if labels := w.side("green").Labels; labels["team"] != "a" || labels["flink/blue-green-deployment-type"] != "GREEN" {
				t.Errorf("labels %v", labels)
			}
		},
		"T11.28 a label of the resource changes": func(t *testing.T) {
			w := active(t)
			w.bg.Labels = map[string]string{"team": "b"}
			w.rests()
			if w.side("blue").Labels["team"] != "b" {
				t.Errorf("labels %v", w.side("blue").Labels)
			}
			w.started()
		},
	} {
		t.Run(name, row)
	}
}

func TestDiffByState(t *testing.T) {
	ignored := flink("kubernetes.operator.periodic.savepoint.interval", "1 h")
	for name, row := range map[string]func(t *testing.T){
		"T11.30 T11.31 an ignored key is changed in place": func(t *testing.T) {
			w := active(t, stateful)
			uid := w.side("blue").UID
			w.side("blue").Finalizers = []string{"f"}
			w.side("blue").Annotations["mine"] = "kept"
			w.edit(ignored)
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if d := w.side("blue"); d.UID != uid || len(d.Finalizers) != 1 || d.Annotations["mine"] != "kept" {
				t.Errorf("UID %s, finalizers %v, annotations %v", d.UID, d.Finalizers, d.Annotations)
			}
			if text := w.side("blue").Spec.FlinkConfiguration; text == nil {
				t.Error("it has no configuration")
			}
			w.started()
		},
		"T11.32 it does not come back in time": func(t *testing.T) {
			w := active(t, grace("1 min"))
			w.edit(ignored)
			w.side("blue").Status.LifecycleState = "DEPLOYED"
			w.side("blue").Status.LifecycleState = "STABLE"
			w.tick()
			w.broken["demo-blue"], w.side("blue").Status.LifecycleState = true, "DEPLOYED"
			w.state("ACTIVE_BLUE")
			w.sees("ACTIVE_BLUE", "FAILING", "blue not ready")
			w.broken["demo-blue"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.33 with a suspended side left over": func(t *testing.T) {
			w := failedTransition(t)
			w.edit(image("1.20"), ignored)
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue, green suspended")
		},
		"T11.34 a savepoint redeploy": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(job("savepointRedeployNonce", 1), job("initialSavepointPath", "s3://s/mine"))
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started("green from s3://s/mine")
			if len(w.savepoints) > 0 {
				t.Errorf("%d savepoints were taken", len(w.savepoints))
			}
		},
		"T11.35 a redeploy nonce without a path": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(job("savepointRedeployNonce", 1))
			w.rests()
			w.started()
			if c := w.condition("SpecAccepted"); c.Status != "False" {
				t.Errorf("SpecAccepted %s: %s", c.Status, c.Message)
			}
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.38 the change is taken back while the new side comes up": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			at := w.now
			w.edit(image("1.20"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if took := w.now.Sub(at); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		},
		"T11.39 the change is taken back while the savepoint is taken": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			w.edit(image("1.20"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if id := w.bg.Status.SavepointTriggerID; id != "" {
				t.Errorf("the trigger ID %s is left", id)
			}
			w.savepointState = ""
			w.edit(image("1.21"))
			w.rests()
			w.started("green from s3://s/sp-2")
		},
		"T11.40 the change is changed while the savepoint is taken": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			w.edit(image("1.22"))
			w.tick()
			w.completeSavepoints()
			w.rests()
			w.started("green from s3://s/sp-1")
			if image := w.side("green").Spec.Image; image != "flink:1.22" || len(w.savepoints) != 1 {
				t.Errorf("image %s, %d savepoints", image, len(w.savepoints))
			}
		},
		"T11.41 it becomes stateless while the savepoint is taken": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			w.edit(job("upgradeMode", "stateless"))
			w.rests()
			w.started("green from nothing")
		},
		"T11.42 a redeploy comes while the savepoint is taken": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			w.edit(job("savepointRedeployNonce", 1), job("initialSavepointPath", "s3://s/mine"))
			w.rests()
			w.started("green from s3://s/mine")
		},
	} {
		t.Run(name, row)
	}
}
