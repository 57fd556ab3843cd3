package bluegreen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// failedTransition is a world whose new side never became ready.
func failedTransition(t *testing.T, changes ...func(map[string]any)) *world {
	t.Helper()
	w := active(t, append([]func(map[string]any){stateful}, changes...)...)
	w.broken["demo-green"] = true
	w.edit(image("1.21"))
	w.until("given up", func() bool { return w.bg.Status.FailedAttempt != nil })
	w.rests()
	w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
	w.broken["demo-green"] = false
	return w
}

func TestSavepointFailures(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.43 there is no savepoint directory": func(t *testing.T) {
			w := active(t, stateful, flink("execution.checkpointing.savepoint-dir", "s3://s"))
			w.edit(job("upgradeMode", "last-state"), image("1.21"), set(map[string]any{"execution.checkpointing.dir": "s3://c"},
				"template", "spec", "flinkConfiguration"))
			w.rests()
			w.started()
			if c := w.condition("SpecAccepted"); c.Status != "False" ||
				!strings.Contains(c.Message, "execution.checkpointing.savepoint-dir") {
				t.Errorf("SpecAccepted %s: %s", c.Status, c.Message)
			}
		},
		"T11.44 Flink refuses the savepoint": func(t *testing.T) {
			w := active(t, stateful)
			n := 0
			w.refuses = func(a plan.Action) error {
				if _, triggers := a.(plan.TriggerSavepoint); !triggers || n == 3 {
					return nil
				}
				n++
				return fail.Invalidf(a.String(), "Refused", "the checkpoint directory is read-only")
			}
			at := w.now
			w.edit(image("1.21"))
			w.tick()
			w.sees("ACTIVE_BLUE", "FAILING", "blue")
			if e := w.bg.Status.Error; !strings.HasPrefix(e, "Could not trigger Savepoint. Details: ") ||
				!strings.Contains(e, "read-only") {
				t.Errorf("error %q", e)
			}
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			if took := w.now.Sub(at); took < 70*time.Second {
				t.Errorf("three refusals took %s, want growing pauses of 10, 20 and 40 s", took)
			}
		},
		"T11.45 the savepoint fails": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "Failed"
			before := w.bg.Status.LastReconciledSpec
			w.edit(image("1.21"))
			w.until("FAILING", func() bool { return w.bg.Status.JobStatus.State == "FAILING" })
			w.sees("ACTIVE_BLUE", "FAILING", "blue")
			if e := w.bg.Status.Error; !strings.HasPrefix(e, "Could not start Transition. Details: ") ||
				!strings.Contains(e, "disk full") || w.bg.Status.LastReconciledSpec != before {
				t.Errorf("error %q, recorded %t", e, w.bg.Status.LastReconciledSpec != before)
			}
			w.savepointState = ""
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.46 Flink does not answer for a while": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			id := w.bg.Status.SavepointTriggerID
			w.unreachable = true
			for range 10 {
				w.tick()
			}
			w.sees("SAVEPOINTING_BLUE", "RECONCILING", "blue")
			w.unreachable = false
			w.completeSavepoints()
			w.rests()
			if _, known := w.savepoints[id]; !known || len(w.savepoints) != 1 {
				t.Errorf("%d savepoints, ID kept %t", len(w.savepoints), known)
			}
		},
		"T11.47 the JobManager is replaced while the savepoint is taken": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			w.savepointState = ""
			clear(w.savepoints)
			w.side("blue").Status.JobStatus.StartTime = "7"
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			if len(w.savepoints) != 1 || w.told("TransitionFailed") > 0 {
				t.Errorf("%d savepoints, events %q", len(w.savepoints), w.events)
			}
		},
		"T11.48 the savepoint never ends": func(t *testing.T) {
			w := active(t, stateful, grace("2 min"))
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.until("FAILING", func() bool { return w.bg.Status.JobStatus.State == "FAILING" })
			w.sees("ACTIVE_BLUE", "FAILING", "blue")
			if !strings.Contains(w.bg.Status.Error, "2m0s") {
				t.Errorf("error %q", w.bg.Status.Error)
			}
			w.savepointState = ""
			w.rests()
			w.started("green from s3://s/sp-2")
		},
		"T11.49 the savepoint is there, and the job is another run": func(t *testing.T) {
			w := active(t, stateful)
			w.savepointState = "InProgress"
			w.edit(image("1.21"))
			w.tick()
			w.completeSavepoints()
			w.savepointState = ""
			w.side("blue").Status.JobStatus.StartTime = "9"
			w.rests()
			w.started("green from s3://s/sp-2")
		},
		"T11.50 admission refuses the new side": func(t *testing.T) {
			w := active(t, stateful)
			w.refusesCreation("admission webhook denied the request")
			before := w.bg.Status.LastReconciledSpec
			w.edit(image("1.21"))
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue")
			if e := w.bg.Status.Error; !strings.HasPrefix(e, "Could not start Transition. ") ||
				w.bg.Status.LastReconciledSpec != before {
				t.Errorf("error %q", e)
			}
			w.refuses = nil
			w.edit(image("1.22"))
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.51 T11.56 the next attempt starts from a new savepoint": func(t *testing.T) {
			w := failedTransition(t)
			old := w.side("green").UID
			w.edit(image("1.22"))
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started("green from s3://s/sp-1", "green from s3://s/sp-2")
			if w.side("green").UID == old {
				t.Error("the failed side was taken up again")
			}
		},
	} {
		t.Run(name, row)
	}
}

func TestNotReadyAndAbort(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.52 the side that serves is not ready": func(t *testing.T) {
			w := active(t)
			w.broken["demo-blue"], w.side("blue").Status.LifecycleState = true, "DEPLOYED"
			w.edit(image("1.21"))
			for range 20 {
				w.tick()
			}
			w.sees("ACTIVE_BLUE", "FAILING", "blue not ready")
			want := "Transition to GREEN not possible, current Flink Deployment 'demo-blue' is not READY. FAILING 'demo'"
			if w.bg.Status.Error != want {
				t.Errorf("error %q, want %q", w.bg.Status.Error, want)
			}
			w.broken["demo-blue"] = false
			w.state("ACTIVE_GREEN")
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.52 the job of the side that serves has failed for good": func(t *testing.T) {
			w := active(t, stateful)
			w.slow["demo-blue"] = true
			d := w.side("blue")
			d.Status.LifecycleState, d.Status.JobStatus.State = "FAILED", "FAILED"
			w.tick()
			w.edit(image("1.21"))
			w.tick()
			w.slow["demo-blue"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if got := w.side("blue").Spec.Image; got != "flink:1.21" {
				t.Errorf("blue has image %s, want the changed one", got)
			}
			w.started()
		},
		"T11.52 a redeploy asks nothing of a side that is not ready": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-blue"], w.side("blue").Status.LifecycleState = true, "DEPLOYED"
			w.edit(job("savepointRedeployNonce", 1), job("initialSavepointPath", "s3://s/mine"))
			w.tick()
			w.broken["demo-blue"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if got := w.side("blue").Spec.Job.InitialSavepointPath; got != "s3://s/mine" {
				t.Errorf("blue starts from %q, want the path of the spec", got)
			}
		},
		"T11.64 a redeploy of a suspended side starts from the new path": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21")) // green has the path of its savepoint
			w.rests()
			w.edit(suspended)
			w.rests()
			w.edit(running, job("savepointRedeployNonce", 1), job("initialSavepointPath", "s3://s/mine"))
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			if got := w.side("green").Spec.Job.InitialSavepointPath; got != "s3://s/mine" {
				t.Errorf("green starts from %q, want the path of the spec", got)
			}
		},
		"T11.53 the new side is not ready in time": func(t *testing.T) {
			w := failedTransition(t)
			want := "Aborting deployment 'demo-green', rolling B/G deployment back to ACTIVE_BLUE"
			if w.bg.Status.Error != want {
				t.Errorf("error %q, want %q", w.bg.Status.Error, want)
			}
			if s := w.bg.Status; s.AbortTimestamp != "1970-01-01T00:00:00Z" || s.SavepointTriggerID != "" {
				t.Errorf("abort %q, trigger %q", s.AbortTimestamp, s.SavepointTriggerID)
			}
			if w.told("TransitionAborted") == 0 {
				t.Errorf("events %q", w.events)
			}
		},
		"T11.54 the same spec is not tried again": func(t *testing.T) {
			w := failedTransition(t)
			w.bg.Generation++
			for range 100 {
				w.now = w.now.Add(time.Minute)
				w.tick()
			}
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
			w.stalls("TransitionAborted", "restartNonce")
		},
		"T11.55 the old spec is applied again": func(t *testing.T) {
			w := failedTransition(t)
			w.edit(image("1.20"))
			w.rests()
			w.tick()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if w.bg.Status.Error != "" {
				t.Errorf("error %q", w.bg.Status.Error)
			}
		},
		"T11.57 a restart nonce counts as a change": func(t *testing.T) {
			w := failedTransition(t)
			w.edit(set(7, "template", "spec", "restartNonce"))
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.58 T11.98 T11.100 the new side fails once the old one goes": func(t *testing.T) {
			w := active(t, stateful)
			w.stuck["demo-blue"] = true
			w.edit(image("1.21"))
			w.state("ACTIVE_GREEN")
			w.broken["demo-green"], w.side("green").Status.LifecycleState = true, "DEPLOYED"
			for range 40 {
				w.now = w.now.Add(2 * time.Minute)
				w.tick()
			}
			w.sees("ACTIVE_GREEN", "RUNNING", "blue going, green not ready")
			w.stalls("SideTerminating", "demo-blue") // T11.103
		},
		"T11.59 it becomes ready before the abort is stored": func(t *testing.T) {
			w := active(t, grace("1 min"))
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.now = w.now.Add(2 * time.Minute)
			w.broken["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.60 a side that was rolled back is not ready": func(t *testing.T) {
			w := active(t, grace("1 min"))
			w.edit(image("1.21"))
			w.slow["demo-green"] = true
			w.until("created", func() bool { return w.side("green") != nil })
			w.runs(w.side("green"))
			w.side("green").Status.LifecycleState = "ROLLED_BACK"
			w.until("aborting", func() bool { return w.side("green").Spec.Job.State == "suspended" })
			w.slow["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
		},
		"T11.61 the grace period is edited while it runs": func(t *testing.T) {
			w := active(t)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			before := w.bg.Status.AbortTimestamp
			w.edit(grace("20 min"))
			w.tick()
			if w.bg.Status.AbortTimestamp != before {
				t.Errorf("abortTimestamp moved from %s to %s", before, w.bg.Status.AbortTimestamp)
			}
		},
		"T11.80 the new side is suspended by hand": func(t *testing.T) {
			w := active(t, grace("1 min"))
			w.edit(image("1.21"))
			w.slow["demo-green"] = true
			w.until("created", func() bool { return w.side("green") != nil })
			w.side("green").Spec.Job.State = "suspended"
			w.side("green").Generation++
			w.slow["demo-green"] = false
			w.until("given up", func() bool { return w.bg.Status.FailedAttempt != nil })
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
		},
		"T11.117 nobody could look for ten minutes": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			for range 30 {
				w.tick()
			}
			w.now = w.now.Add(20 * time.Minute)
			w.tick()
			w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green not ready")
			w.broken["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
	} {
		t.Run(name, row)
	}
}

func TestSuspendAndResume(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.62 T11.63 suspended with a change, resumed with another": func(t *testing.T) {
			w := active(t, stateful)
			uid := w.side("blue").UID
			w.edit(suspended, job("parallelism", 5))
			w.tick()
			w.rests()
			w.sees("ACTIVE_BLUE", "SUSPENDED", "blue suspended")
			w.edit(running, job("parallelism", 6))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			if d := w.side("blue"); d.UID != uid || d.Spec.Job.Parallelism != 6 {
				t.Errorf("UID %s, parallelism %d", d.UID, d.Spec.Job.Parallelism)
			}
			w.started()
		},
		"T11.64 changed while suspended": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(suspended)
			w.rests()
			w.edit(image("1.21"))
			w.rests()
			w.sees("ACTIVE_BLUE", "SUSPENDED", "blue suspended")
			if w.side("blue").Spec.Image != "flink:1.21" {
				t.Errorf("image %s", w.side("blue").Spec.Image)
			}
		},
		"T11.65 T11.67 a resumption takes three times the grace period": func(t *testing.T) {
			w := active(t, stateful, grace("1 min"))
			w.edit(suspended)
			w.rests()
			w.broken["demo-blue"] = true
			w.edit(running)
			for range 100 {
				w.tick()
			}
			w.sees("ACTIVE_BLUE", "FAILING", "blue not ready")
			w.broken["demo-blue"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started()
		},
		"T11.66 T11.70 a suspension takes three times the grace period": func(t *testing.T) {
			w := active(t, stateful, grace("1 min"))
			w.slow["demo-blue"] = true
			w.edit(suspended)
			for range 100 {
				w.tick()
			}
			w.slow["demo-blue"] = false
			w.rests()
			w.sees("ACTIVE_BLUE", "SUSPENDED", "blue suspended")
			if w.bg.Status.Error != "" {
				t.Errorf("error %q", w.bg.Status.Error)
			}
		},
		"T11.68 suspended while the new side comes up": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.edit(suspended)
			w.tick()
			w.broken["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "SUSPENDED", "green suspended")
		},
		"T11.69 suspended while the new side never comes up": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.edit(suspended)
			w.rests()
			w.until("SUSPENDED", func() bool { return w.bg.Status.JobStatus.State == "SUSPENDED" })
			w.sees("ACTIVE_BLUE", "SUSPENDED", "blue suspended, green suspended")
		},
		"T11.71 T11.72 it is deleted": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			now := w.bg.CreationTimestamp
			now.Time = w.now
			w.bg.DeletionTimestamp = &now
			before := len(w.effects)
			w.pass()
			if len(w.effects) != before {
				t.Errorf("effects %v", w.effects[before:])
			}
		},
	} {
		t.Run(name, row)
	}
}

func TestIngress(t *testing.T) {
	ingress := set(map[string]any{
		"template": "{{name}}.example.com", "annotations": map[string]any{"a": "b"},
	}, "ingress")
	for name, row := range map[string]func(t *testing.T){
		"T11.73 it leads to the side that serves": func(t *testing.T) {
			w := active(t, ingress)
			if w.ingress == nil {
				t.Fatal("there is no Ingress")
			}
			backend := w.ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
			owner := w.ingress.OwnerReferences[0]
			if backend.Name != "demo-blue-rest" || backend.Port.Number != 8081 || w.ingress.Annotations["a"] != "b" ||
				w.ingress.Labels["component"] != "ingress" || owner.UID != "bg-uid" || !*owner.Controller {
				t.Errorf("backend %v, labels %v, annotations %v, owner %v", backend, w.ingress.Labels, w.ingress.Annotations, owner)
			}
			if c := w.condition("IngressReady"); c.Status != "True" {
				t.Errorf("IngressReady %s %s", c.Status, c.Message)
			}
		},
		"T11.74 it moves before the old side goes": func(t *testing.T) {
			w := active(t, ingress)
			w.edit(image("1.21"))
			w.rests()
			moved, deleted := w.effect1("apply ingress demo"), w.effect1("delete FlinkDeployment demo-blue")
			if moved < 0 || deleted < moved {
				t.Errorf("moved at %d, deleted at %d: %v", moved, deleted, w.effects)
			}
			if got := w.ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name; got != "demo-green-rest" {
				t.Errorf("it leads to %s", got)
			}
		},
		"T11.75 it is added, changed and removed alone": func(t *testing.T) {
			w := active(t)
			w.edit(ingress)
			w.rests()
			w.edit(set("x.example.com", "ingress", "template"))
			w.rests()
			if host := w.ingress.Spec.Rules[0].Host; host != "x.example.com" {
				t.Errorf("host %s", host)
			}
			w.edit(set(nil, "ingress"))
			w.rests()
			if w.ingress != nil {
				t.Error("it is still there")
			}
			w.started()
		},
		"T11.76 it is not managed": func(t *testing.T) {
			w := newWorld(t, ingress)
			w.operator = map[string]string{"kubernetes.operator.ingress.manage": "false"}
			w.rests()
			if w.ingress != nil {
				t.Error("there is one")
			}
		},
		"T11.77 somebody deletes it": func(t *testing.T) {
			w := active(t, ingress)
			w.ingress = nil
			w.tick()
			if w.ingress == nil {
				t.Error("it is not there again")
			}
		},
		"T11.78 the sides have hosts of their own": func(t *testing.T) {
			w := active(t, set("{{name}}.example.com", "template", "spec", "ingress", "template"))
			if got := w.side("blue").Spec.Ingress.Template; got != "blue-{{name}}.example.com" {
				t.Errorf("template %s", got)
			}
		},
		"it cannot be made, and the transition ends all the same": func(t *testing.T) {
			w := active(t, ingress)
			w.refuses = func(a plan.Action) error {
				if _, is := a.(plan.ApplyIngress); is {
					return fail.Invalidf(a.String(), "Invalid", "an admission webhook refuses it")
				}
				return nil
			}
			w.edit(image("1.21"))
			w.until("ACTIVE_GREEN", func() bool {
				return w.bg.Status.BlueGreenState == "ACTIVE_GREEN" && w.bg.Status.Transition == nil
			})
			if c := w.condition("IngressReady"); c.Status != "False" || c.Reason != "IngressFailed" {
				t.Errorf("IngressReady %s %s", c.Status, c.Reason)
			}
		},
	} {
		t.Run(name, row)
	}
}

// effect1 is where an effect begins with a text first; -1 for nowhere.
func (w *world) effect1(text string) int {
	for i, e := range w.effects {
		if strings.HasPrefix(e, text) {
			return i
		}
	}
	return -1
}

func TestUsersAndSides(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.79 a side was edited by hand": func(t *testing.T) {
			w := active(t)
			w.side("blue").Spec.Image = "mine:1"
			w.side("blue").Generation++
			w.edit(job("parallelism", 3))
			w.rests()
			if got := w.side("green").Spec.Image; got != "flink:1.20" {
				t.Errorf("image %s", got)
			}
		},
		"T11.81 the label of a colour was removed": func(t *testing.T) {
			w := active(t)
			delete(w.side("blue").Labels, "flink/blue-green-deployment-type")
			w.rests()
			if got := w.side("blue").Labels["flink/blue-green-deployment-type"]; got != "BLUE" {
				t.Errorf("label %q", got)
			}
			w.started()
		},
		"T11.83 a stateless side that serves is deleted by hand": func(t *testing.T) {
			w := active(t)
			delete(w.sides, "demo-blue")
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started("blue from nothing")
		},
		"T11.84 T11.85 a stateful one is, and comes back from a path": func(t *testing.T) {
			w := active(t, stateful)
			w.delete(w.side("blue"))
			w.until("blue is gone", func() bool { return w.side("blue") == nil })
			for range 20 {
				w.tick()
			}
			w.started()
			w.stalls("SideMissing", "savepointRedeployNonce", "initialSavepointPath")
			if c := w.condition("StateSafe"); c.Status != "False" {
				t.Errorf("StateSafe %s", c.Status)
			}
			w.edit(job("savepointRedeployNonce", 1), job("initialSavepointPath", "s3://s/mine"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started("blue from s3://s/mine")
		},
		"T11.86 the new side is deleted by hand": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.delete(w.side("green"))
			w.tick()
			w.broken["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started("green from s3://s/sp-1", "green from s3://s/sp-1")
		},
		"T11.87 the side that serves is deleted in a transition": func(t *testing.T) {
			w := active(t, stateful, grace("1 min"))
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.delete(w.side("blue"))
			for range 60 {
				w.tick()
			}
			if w.side("green").Spec.Job.State == "suspended" {
				t.Error("the only side was suspended")
			}
			w.stalls("SideNotReady", "demo-green")
			w.broken["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.101 the old side is created again by a user": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			w.until("retiring", func() bool { return w.effect1("delete FlinkDeployment demo-blue") >= 0 })
			delete(w.sides, "demo-blue")
			w.stranger("demo-blue")
			for range 20 {
				w.tick()
			}
			if w.side("blue") == nil || w.side("blue").UID != "stranger" || w.side("blue").DeletionTimestamp != nil {
				t.Error("the FlinkDeployment of the user was deleted")
			}
			if got := string(w.bg.Status.BlueGreenState); got != "ACTIVE_GREEN" {
				t.Errorf("blueGreenState %s", got)
			}
		},
		"T11.115 the status is a copy of another resource's": func(t *testing.T) {
			w := active(t, stateful)
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.bg.UID = "another"
			before := len(w.effects)
			w.pass()
			w.stalls("ForeignIntent")
			for _, e := range w.effects[before:] {
				if e != "status" {
					t.Errorf("effect %s", e)
				}
			}
		},
	} {
		t.Run(name, row)
	}
}
