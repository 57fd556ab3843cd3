package deployment_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// leaves are the values of a status by their path.
func leaves(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var content any
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				walk(path+"."+name, child)
			}
		case nil:
		default:
			all[path] = v
		}
	}
	walk("", content)
	return all
}

// moved are the fields that a pass may change when it takes a running job over.
var moved = []string{".conditions", ".clusterInfo.", ".lifecycleState"}

// TestARunningJobIsTakenOver: no restart, no field lost, and the status may be handed back.
func TestARunningJobIsTakenOver(t *testing.T) {
	plain := func(t *testing.T) string { return enginetest.LegacyRecord(t, enginetest.Stateful, nil, true) }
	bare := func(t *testing.T) string {
		text := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(plain(t)), &text); err != nil {
			t.Fatal(err)
		}
		return string(text["spec"])
	}
	ready := func(*enginetest.Deployment) {}
	rows := map[string]struct {
		spec      string
		status    func(t *testing.T) enginetest.LegacyStatus
		cluster   func(w *enginetest.Deployment)
		gone      bool
		situation plan.Situation
		lifecycle v1beta1.LifecycleState
		may       []string // fields that move beside the usual ones
		reason    string
	}{
		"stable": {
			enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus { return enginetest.Deployed(plain(t)) },
			ready, false, plan.Steady,
			v1beta1.LifecycleStable, nil, "A.1, loop 3",
		},
		"a session cluster": {enginetest.Session, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Session, nil, true)).
				With(map[string]any{"jobStatus": nil, "taskManager": nil})

		}, func(w *enginetest.Deployment) { w.Snapshot.Flink.Jobs = plan.Present([]world.Job{}) }, false,
			plan.Steady, v1beta1.LifecycleStable,
			nil, "it has no job"},
		"just started": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{"jobManagerDeploymentStatus": "DEPLOYING",
				"jobStatus.state": "RECONCILING", "jobStatus.startTime": nil,
				"reconciliationStatus.lastStableSpec": nil, "clusterInfo": nil, "lifecycleState": "DEPLOYED"})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable,
			[]string{".jobManagerDeploymentStatus", ".jobStatus.state", ".jobStatus.updateTime"}, "A.1, loop 1"},
		"not available yet": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{
				"jobManagerDeploymentStatus": "DEPLOYING", "jobStatus.state": "RECONCILING",
				"reconciliationStatus.lastStableSpec": nil, "lifecycleState": "DEPLOYED",
			})
		}, func(w *enginetest.Deployment) {
			w.Snapshot.Flink = world.Flink{}
			jm, _ := w.Snapshot.JobManager.Get()
			jm.Status.AvailableReplicas = 0
		}, false, plan.Waiting, v1beta1.LifecycleDeployed, nil, "A.1, loop 1"},
		"port open, not ready": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{
				"jobManagerDeploymentStatus": "DEPLOYED_NOT_READY", "jobStatus.state": "RECONCILING",
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable,
			[]string{".jobManagerDeploymentStatus", ".jobStatus.state", ".jobStatus.updateTime"}, "A.1, loop 2"},
		"recorded in the form of 1.15": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			old := strings.Replace(bare(t), "{", `{"apiVersion":"v1beta1",`, 1)
			return enginetest.Deployed(old)
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "api 1.15, row 11"},
		"recorded with metadata": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(strings.Replace(
				plain(t), `"firstDeployment":true`, `"metadata":{"generation":1},"firstDeployment":true`, 1,
			))
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "api 1.9: an old metadata object is dropped"},
		"of an operator that stored less": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{"observedGeneration": nil, "taskManager": nil,
				"lifecycleState": nil, "conditions": nil, "clusterInfo": nil,
				"jobStatus.checkpointInfo": nil, "jobStatus.savepointInfo": nil, "jobStatus.startTime": nil,
				"jobStatus.updateTime": nil, "jobStatus.jobName": nil})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "fields that later versions added"},
		"without a job ID": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).
				With(map[string]any{"jobStatus.jobId": nil, "jobStatus.state": "RECONCILING"})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, []string{".jobStatus.state", ".jobStatus.updateTime"},
			"its only job is the job"},
		"without a state": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).
				With(map[string]any{"reconciliationStatus.state": nil, "lifecycleState": "UPGRADING"})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "empty means UPGRADING, and what runs is the spec"},
		"UPGRADING, and deployed": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(
				t, enginetest.Stateful, enginetest.As(enginetest.Stopped, enginetest.Saved), false,
			)).With(map[string]any{"reconciliationStatus.state": "UPGRADING", "jobManagerDeploymentStatus": "MISSING",
				"jobStatus.state": "FINISHED", "jobStatus.upgradeSavepointPath": "file:///s/1", "lifecycleState": "UPGRADING",
				"reconciliationStatus.lastStableSpec": enginetest.LegacyRecord(t, enginetest.Stateful, nil, true)})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable,
			[]string{".reconciliationStatus.", ".jobManagerDeploymentStatus", ".jobStatus.state", ".jobStatus.updateTime"},
			"A.2: the crash after the create"},
		"UPGRADING, and nothing to do": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Stateful,
				enginetest.As(enginetest.Runs, enginetest.Saved), false)).
				With(map[string]any{
					"reconciliationStatus.state": "UPGRADING", "lifecycleState": "UPGRADING",
				})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, []string{".reconciliationStatus.state"},
			"a cancellation that did not come through, and the change was taken back"},
		"with an error": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{
				"error": `{"type":"org.apache.flink.kubernetes.operator.exception.ReconciliationException","message":"x",` +
					`"additionalMetadata":{},"throwableList":[]}`,
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, []string{".error"}, "it is proved gone"},
		"rolled back": {enginetest.RollingBack, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(
				t, enginetest.RollingBack, enginetest.As(enginetest.Runs, enginetest.LastState), false,
			)).With(map[string]any{"reconciliationStatus.state": "ROLLED_BACK", "lifecycleState": "ROLLED_BACK",
				"reconciliationStatus.lastStableSpec": enginetest.LegacyRecord(
					t, enginetest.RollingBack, func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.19" }, true,
				)})
		}, ready, false, plan.Steady, v1beta1.LifecycleRolledBack, nil, "A.6: the failed spec is not tried again"},
		"with savepoints in its status": {enginetest.Recording, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(
				enginetest.LegacyRecord(t, enginetest.Recording, nil, true),
			).With(map[string]any{"jobStatus.upgradeSavepointPath": "file:///s/1",
				"jobStatus.savepointInfo": map[string]any{"lastPeriodicSavepointTimestamp": 1700000000000,
					"lastSavepoint": map[string]any{
						"timeStamp": enginetest.Start.UnixMilli() - 4000, "location": "file:///s/2", "triggerType": "MANUAL",
						"formatType": "NATIVE", "triggerNonce": 3,
					},
					"savepointHistory": []any{
						map[string]any{
							"timeStamp": enginetest.Start.UnixMilli() - 5000, "location": "file:///s/1", "triggerType": "UPGRADE",
							"formatType": "CANONICAL",
						},
						map[string]any{
							"timeStamp": enginetest.Start.UnixMilli() - 4000, "location": "file:///s/2", "triggerType": "UNKNOWN",
							"formatType": "UNKNOWN",
						},
					}},
				"jobStatus.checkpointInfo": map[string]any{
					"lastPeriodicCheckpointTimestamp": 7,
					"lastCheckpoint": map[string]any{
						"timeStamp": 9, "triggerType": "PERIODIC", "formatType": "FULL",
					},
				}})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "nothing of the record is lost"},
		"with empty trigger fields": {enginetest.Recording, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Recording, nil, true)).With(map[string]any{
				"jobStatus.savepointInfo": map[string]any{
					"lastPeriodicSavepointTimestamp": 0, "triggerId": "", "triggerTimestamp": 0,
				},
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "an empty ID is no request"},
		"finished, its JobManager kept": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{
				"jobStatus.state": "FINISHED", "jobStatus.updateTime": fmt.Sprint(enginetest.Start.UnixMilli() - 1000),
			})
		}, func(w *enginetest.Deployment) { w.FlinkSays(v1beta1.FlinkJobFinished) }, false, plan.Ended,
			v1beta1.LifecycleStable, nil,
			"3.14"},
		"finished, its JobManager gone": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{
				"jobStatus.state": "FINISHED", "jobManagerDeploymentStatus": "MISSING",
			})
		}, nil, true, plan.Ended, v1beta1.LifecycleStable, nil, "the end of a job outlives its cluster"},
		"failed": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{
				"jobStatus.state": "FAILED", "jobStatus.updateTime": fmt.Sprint(enginetest.Start.UnixMilli() - 1000),
				"lifecycleState": "FAILED", "error": "x",
			})
		}, func(w *enginetest.Deployment) { w.FlinkSays(v1beta1.FlinkJobFailed) }, false, plan.Ended,
			v1beta1.LifecycleFailed, nil, "3.14"},
		"suspended with a savepoint, and kept": {
			enginetest.KeptSuspended(enginetest.HighlyAvailable),
			func(t *testing.T) enginetest.LegacyStatus {
				return suspendedStatus(
					enginetest.LegacyRecord(
						t,
						enginetest.KeptSuspended(enginetest.HighlyAvailable),
						enginetest.As(enginetest.Stopped, enginetest.Saved),
						false,
					),
				).With(map[string]any{
					"jobManagerDeploymentStatus": "READY", "jobStatus.upgradeSavepointPath": "file:///s/1",
				})
			},
			func(w *enginetest.Deployment) { suspendSpec(w); w.FlinkSays(v1beta1.FlinkJobFinished) },
			false,
			plan.Suspended,
			v1beta1.LifecycleSuspended,
			nil,
			"A.5",
		},
		"suspended with its last state": {enginetest.HighlyAvailable, func(t *testing.T) enginetest.LegacyStatus {
			return suspendedStatus(
				enginetest.LegacyRecord(
					t,
					enginetest.HighlyAvailable,
					enginetest.As(enginetest.Stopped, enginetest.LastState),
					false,
				),
			)
		}, func(w *enginetest.Deployment) {
			suspendSpec(w)
			w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob)
		}, true, plan.Suspended,
			v1beta1.LifecycleSuspended, nil, "A.5"},
		"suspended without state": {enginetest.Application, func(t *testing.T) enginetest.LegacyStatus {
			return suspendedStatus(
				enginetest.LegacyRecord(t, enginetest.Application, enginetest.As(enginetest.Stopped, enginetest.Empty), false),
			)
		}, func(w *enginetest.Deployment) { suspendSpec(w) }, true, plan.Suspended, v1beta1.LifecycleSuspended, nil, "A.5"},
	}
	for _, state := range []v1beta1.FlinkJobState{v1beta1.FlinkJobInitializing, v1beta1.FlinkJobCreated,
		v1beta1.FlinkJobFailing, v1beta1.FlinkJobRestarting,
		v1beta1.FlinkJobSuspended, v1beta1.FlinkJobReconciling} {
		row := rows["stable"]
		row.status = func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(plain(t)).With(map[string]any{"jobStatus.state": string(state)})
		}
		row.cluster = func(w *enginetest.Deployment) { w.FlinkSays(state) }
		row.situation, row.lifecycle, row.reason = plan.Waiting, v1beta1.LifecycleDeployed, "Flink itself goes on"
		rows["the job is "+string(state)] = row
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			status := row.status(t)
			generation := int64(1)
			if row.gone {
				generation = 0
			}
			w := enginetest.TakeOver(t, row.spec, status, generation)
			if !row.gone {
				w.FlinkSays(v1beta1.FlinkJobRunning)
			}
			if row.cluster != nil {
				row.cluster(w)
			}
			before := leaves(t, w.Status())
			for range 3 {
				p := w.Run()
				for _, a := range p.Effects() {
					if a.Disruptive() || strings.HasPrefix(a.String(), "prepare") {
						t.Errorf("%s: %s", row.reason, a)
					}
				}
			}
			if p := w.Round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it must come to rest, got %s with status %+v", p, p.Status)
			}
			if got := w.Status(); got.Situation != string(row.situation) || got.LifecycleState != row.lifecycle {
				t.Errorf(
					"%s %s, want %s %s: %s; %+v", got.Situation, got.LifecycleState, row.situation, row.lifecycle, row.reason,
					got.Conditions,
				)
			}
			after := leaves(t, w.Status())
			may := append(slices.Clone(moved), row.may...)
			for _, path := range slices.Sorted(maps.Keys(before)) {
				if slices.ContainsFunc(may, func(m string) bool { return strings.HasPrefix(path, m) }) {
					continue
				}
				if !reflect.DeepEqual(after[path], before[path]) {
					t.Errorf("%s was %v and is %v", path, before[path], after[path])
				}
			}
			if health := before[".clusterInfo.ClusterHealthInfo"]; health != nil &&
				after[".clusterInfo.ClusterHealthInfo"] != health {
				t.Error("what the health check remembers is lost")
			}
			enginetest.JavaReads(t, w.Snapshot.Resource)
		})
	}
}

// suspendedStatus is the status of a suspended job without a JobManager.
func suspendedStatus(last string) enginetest.LegacyStatus {
	return enginetest.Deployed(last).
		With(map[string]any{"jobManagerDeploymentStatus": "MISSING", "jobStatus.state": "FINISHED",
			"lifecycleState":       "SUSPENDED",
			"jobStatus.updateTime": fmt.Sprint(enginetest.Start.UnixMilli() - 1000),
			"taskManager":          map[string]any{"labelSelector": "", "replicas": 0}, "clusterInfo": nil})
}

// suspendSpec is the spec that such a job has.
func suspendSpec(w *enginetest.Deployment) { w.Snapshot.Resource.Spec.Job.State = enginetest.Stopped }

func TestASavepointInFlightIsTakenOver(t *testing.T) {
	for name, spec := range map[string]string{
		"as asked for": enginetest.Recording, "before FlinkStateSnapshots were switched on": enginetest.Stateful,
	} {
		t.Run(name, func(t *testing.T) {
			last := enginetest.LegacyRecord(
				t, spec, func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.Job.SavepointTriggerNonce = &n }, true,
			)
			w := enginetest.TakeOver(t, spec, enginetest.Deployed(last).With(map[string]any{
				"jobStatus.savepointInfo.triggerId":        "0123456789abcdef0123456789abcdef",
				"jobStatus.savepointInfo.triggerTimestamp": enginetest.Start.UnixMilli() - 30000,
				"jobStatus.savepointInfo.triggerType":      "MANUAL", "jobStatus.savepointInfo.formatType": "NATIVE",
			}), 1).FlinkSays(v1beta1.FlinkJobRunning)
			two := int64(2)
			w.Snapshot.Resource.Spec.Job.SavepointTriggerNonce = &two
			w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
			w.Answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/9"})
			w.Run()
			info := w.Status().JobStatus.SavepointInfo
			if info.LastSavepoint == nil || info.LastSavepoint.Location != "file:///s/9" ||
				info.LastSavepoint.FormatType != v1beta1.SavepointFormatNative ||
				info.LastSavepoint.TimeStamp != enginetest.Start.UnixMilli()-30000 || len(info.SavepointHistory) != 1 ||
				info.TriggerID != nil {
				t.Errorf("record %+v", info)
			}
			if n, _ := w.Handled(); n != 2 {
				t.Errorf("nonce %d is handled, want 2", n)
			}
			if p := w.Round(); enginetest.Touches(p) {
				t.Errorf("one nonce is one savepoint, got %s", p)
			}
			enginetest.JavaReads(t, w.Snapshot.Resource)
		})
	}
}

// TestAnOperationIsTakenOver: what was on its way goes on from where it stood, with the state that the Java operator
// meant.
func TestAnOperationIsTakenOver(t *testing.T) {
	upgraded := func(spec, image string) string { return strings.Replace(spec, "flink:1.20", image, 1) }
	old := func(t *testing.T, spec string) string { return enginetest.LegacyRecord(t, spec, nil, true) }
	between := func(t *testing.T, spec string, mode v1beta1.UpgradeMode, fields map[string]any) enginetest.LegacyStatus {
		s := enginetest.Deployed(enginetest.LegacyRecord(
			t, spec, enginetest.As(enginetest.Stopped, mode), false,
		)).With(map[string]any{"reconciliationStatus.state": "UPGRADING",
			"reconciliationStatus.lastStableSpec": old(t, spec),
			"jobStatus.state":                     "FINISHED", "jobManagerDeploymentStatus": "MISSING",
			"lifecycleState": "UPGRADING", "observedGeneration": 2,
			"taskManager": map[string]any{"labelSelector": "", "replicas": 0}})
		return s.With(fields)
	}
	withInitial := func(spec string) string {
		return strings.Replace(spec, `"parallelism":2`, `"parallelism":2,"initialSavepointPath":"file:///s/mine"`, 1)
	}
	rows := map[string]struct {
		spec    string
		status  func(t *testing.T) enginetest.LegacyStatus
		running int64 // generation of the Deployment that is there; 0 for none
		cluster func(w *enginetest.Deployment)
		from    string // what the next start is from: "<kind> <path>"; empty when none is to be made
		keeps   bool   // the start keeps the job's ID
		image   string
		ends    v1beta1.LifecycleState
		reason  string
	}{
		"nothing deployed": {enginetest.Stateful, func(*testing.T) enginetest.LegacyStatus {
			return enginetest.LegacyStatus{"jobStatus": map[string]any{
				"checkpointInfo": map[string]any{"lastPeriodicCheckpointTimestamp": 0},
			}, "jobManagerDeploymentStatus": "MISSING",
				"lifecycleState":       "CREATED",
				"reconciliationStatus": map[string]any{"reconciliationTimestamp": 0, "state": "UPGRADING"},
				"taskManager":          map[string]any{"labelSelector": "", "replicas": 0}}
		}, 0, nil, "Empty ", false, "", v1beta1.LifecycleStable, "A.1, W1"},
		"before the first deployment": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return between(
				t,
				enginetest.Stateful,
				enginetest.Empty,
				map[string]any{
					"reconciliationStatus.lastReconciledSpec": enginetest.LegacyRecord(
						t,
						enginetest.Stateful,
						enginetest.As(enginetest.Stopped, enginetest.Empty),
						true,
					),
					"reconciliationStatus.lastStableSpec": nil,
					"observedGeneration":                  1,
					"jobStatus.state":                     nil,
					"jobStatus.startTime":                 nil,
				},
			)
		}, 0, nil, "Empty ", false, "", v1beta1.LifecycleStable, "A.1, W2 and W3"},
		"before the first deployment, from a savepoint": {
			withInitial(enginetest.Application),
			func(t *testing.T) enginetest.LegacyStatus {
				return between(t, withInitial(enginetest.Application), enginetest.Saved,
					map[string]any{"reconciliationStatus.lastReconciledSpec": enginetest.LegacyRecord(
						t, withInitial(enginetest.Application), enginetest.As(enginetest.Stopped, enginetest.Saved), true,
					),
						"reconciliationStatus.lastStableSpec": nil, "observedGeneration": 1, "jobStatus.state": nil,
						"jobStatus.upgradeSavepointPath": "file:///s/mine"})
			},
			0,
			nil,
			"Savepoint file:///s/mine",
			false,
			"",
			v1beta1.LifecycleStable,
			"A.1, W2: a stateless job, too, is brought with its state",
		},
		"stopped with a savepoint, not deleted yet": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return between(
				t, enginetest.Stateful, enginetest.Saved,
				map[string]any{"jobManagerDeploymentStatus": "READY", "jobStatus.upgradeSavepointPath": "file:///s/1"},
			)
		}, 1, func(w *enginetest.Deployment) { w.FlinkSays(v1beta1.FlinkJobFinished) }, "Savepoint file:///s/1", false, "",
			v1beta1.LifecycleStable, "A.2, loop n"},
		"stopped with a savepoint, deleted": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return between(
				t,
				enginetest.Stateful,
				enginetest.Saved,
				map[string]any{"jobStatus.upgradeSavepointPath": "file:///s/1"},
			)
		}, 0, nil, "Savepoint file:///s/1", false, "", v1beta1.LifecycleStable, "A.2, loop n+1"},
		"stopped with a savepoint, recorded as older operators did": {
			enginetest.Stateful,
			func(t *testing.T) enginetest.LegacyStatus {
				return between(
					t, enginetest.Stateful, enginetest.Saved,
					map[string]any{
						"jobStatus.savepointInfo.lastSavepoint": map[string]any{
							"timeStamp": 5, "location": "file:///s/old", "triggerType": "UPGRADE",
						},
					},
				)
			},
			0,
			nil,
			"Savepoint file:///s/old",
			false,
			"",
			v1beta1.LifecycleStable,
			"3.7: the legacy location",
		},
		"stopped with a savepoint, nothing written": {upgraded(enginetest.Stateful, "flink:1.20.5"),
			func(t *testing.T) enginetest.LegacyStatus { return enginetest.Deployed(old(t, enginetest.Stateful)) },
			1, func(w *enginetest.Deployment) {
				w.Snapshot.Resource.Generation = 2
				w.FlinkSays(v1beta1.FlinkJobFinished)
				w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///s/1"})
			}, "Savepoint file:///s/1", false, "flink:1.20.5", v1beta1.LifecycleStable, "A.2: the crash after the savepoint"},
		"changed again meanwhile": {
			upgraded(enginetest.Stateful, "flink:1.20.6"),
			func(t *testing.T) enginetest.LegacyStatus {
				return between(
					t,
					upgraded(enginetest.Stateful, "flink:1.20.5"),
					enginetest.Saved,
					map[string]any{"jobStatus.upgradeSavepointPath": "file:///s/1"},
				)
			},
			0,
			func(w *enginetest.Deployment) { w.Snapshot.Resource.Generation = 3 },
			"Savepoint file:///s/1",
			false,
			"flink:1.20.6",
			v1beta1.LifecycleStable,
			"A.2: the newest spec, from the same savepoint",
		},
		"taken down for its last state": {enginetest.HighlyAvailable,
			func(t *testing.T) enginetest.LegacyStatus {
				return between(t, enginetest.HighlyAvailable, enginetest.LastState, nil)
			},
			0, func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder, true, "",
			v1beta1.LifecycleStable, "A.3"},
		"taken down for its last state, marker written": {
			enginetest.HighlyAvailable,
			func(t *testing.T) enginetest.LegacyStatus {
				return between(
					t,
					enginetest.HighlyAvailable,
					enginetest.LastState,
					map[string]any{"jobStatus.upgradeSavepointPath": v1beta1.LastStatePlaceholder},
				)
			},
			0,
			func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder,
			true,
			"",
			v1beta1.LifecycleStable,
			"A.3, loop n+1",
		},
		"its last state is gone": {enginetest.HighlyAvailable, func(t *testing.T) enginetest.LegacyStatus {
			return between(
				t, enginetest.HighlyAvailable, enginetest.LastState,
				map[string]any{"error": "HA metadata is not available to restore from last state."},
			)
		}, 0, nil, "", false, "", v1beta1.LifecycleUpgrading, "A.3: RestoreFailed"},
		"stateless": {
			enginetest.Application, func(t *testing.T) enginetest.LegacyStatus {
				return between(t, enginetest.Application, enginetest.Empty, nil)
			}, 0, nil, "Empty ",
			false, "", v1beta1.LifecycleStable, "3.3",
		},
		"being cancelled for a change": {
			upgraded(enginetest.Stateful, "flink:1.20.5"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Stateful,
					enginetest.As(enginetest.Runs, enginetest.Saved), false)).
					With(map[string]any{
						"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELLING", "lifecycleState": "UPGRADING",
					})
			},
			1,
			func(w *enginetest.Deployment) {
				w.Snapshot.Resource.Generation = 2
				w.FlinkSays(v1beta1.FlinkJobCancelling)
				if p := w.Run(); enginetest.Touches(p) {
					w.T.Errorf("a cancellation on its way is waited for, got %s", p)
				}
				w.FlinkSays(v1beta1.FlinkJobCanceled)
				w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/7"})
			},
			"Savepoint file:///c/7",
			false,
			"flink:1.20.5",
			v1beta1.LifecycleStable,
			"3.3: an asynchronous cancel; A.4",
		},
		"cancelled for a change": {
			upgraded(enginetest.Stateful, "flink:1.20.5"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(
					t, enginetest.Stateful, enginetest.As(enginetest.Stopped, enginetest.Saved), false,
				)).With(map[string]any{"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELED",
					"lifecycleState":                 "UPGRADING",
					"jobStatus.upgradeSavepointPath": "file:///c/7"})
			},
			1,
			func(w *enginetest.Deployment) {
				w.Snapshot.Resource.Generation = 2
				w.FlinkSays(v1beta1.FlinkJobCanceled)
			},
			"Savepoint file:///c/7",
			false,
			"flink:1.20.5",
			v1beta1.LifecycleStable,
			"2.3: a cancellation that was seen to end",
		},
		"being cancelled for a suspension": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Stateful,
				enginetest.As(enginetest.Runs, enginetest.Saved), false)).
				With(map[string]any{
					"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELLING", "lifecycleState": "UPGRADING",
				})
		}, 1, func(w *enginetest.Deployment) {
			suspendSpec(w)
			w.Snapshot.Resource.Generation = 2
			w.FlinkSays(v1beta1.FlinkJobCanceled)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/7"})
		}, "", false, "", v1beta1.LifecycleSuspended, "B6"},
		"cancelled for a suspension": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(
				t, enginetest.Stateful, enginetest.As(enginetest.Stopped, enginetest.Saved), false,
			)).With(map[string]any{"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELED",
				"lifecycleState":                 "UPGRADING",
				"jobStatus.upgradeSavepointPath": "file:///c/7"})
		}, 1, func(w *enginetest.Deployment) {
			suspendSpec(w)
			w.Snapshot.Resource.Generation = 2
			w.FlinkSays(v1beta1.FlinkJobCanceled)
		}, "",
			false, "", v1beta1.LifecycleSuspended, "B6: it never became SUSPENDED"},
		"rolling back, taken down": {
			upgraded(enginetest.RollingBack, "flink:bad"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(
					t, upgraded(enginetest.RollingBack, "flink:bad"), enginetest.As(enginetest.Runs, enginetest.LastState), false,
				)).With(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
					"reconciliationStatus.lastStableSpec": old(t, enginetest.RollingBack), "jobStatus.state": "FINISHED",
					"jobManagerDeploymentStatus": "MISSING", "lifecycleState": "ROLLING_BACK"})
			},
			0,
			func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder,
			true,
			"flink:1.20",
			v1beta1.LifecycleRolledBack,
			"A.6",
		},
		"rolling back, not taken down": {
			upgraded(enginetest.RollingBack, "flink:bad"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(
					t, upgraded(enginetest.RollingBack, "flink:bad"), enginetest.As(enginetest.Runs, enginetest.LastState), false,
				)).With(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
					"reconciliationStatus.lastStableSpec": old(t, enginetest.RollingBack), "jobStatus.state": "RECONCILING",
					"lifecycleState": "ROLLING_BACK"})
			},
			1,
			func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder,
			true,
			"flink:1.20",
			v1beta1.LifecycleRolledBack,
			"B10: the crash in between",
		},
		"rolling back, and nothing to go back with": {
			upgraded(enginetest.RollingBack, "flink:bad"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(
					t, upgraded(enginetest.RollingBack, "flink:bad"), enginetest.As(enginetest.Runs, enginetest.LastState), false,
				)).With(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
					"reconciliationStatus.lastStableSpec": old(t, enginetest.RollingBack), "jobStatus.state": "RECONCILING",
					"lifecycleState": "ROLLING_BACK"})
			},
			1,
			func(w *enginetest.Deployment) { w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{}) },
			"",
			false,
			"flink:bad",
			v1beta1.LifecycleRollingBack,
			"what is there is not taken down for nothing",
		},
		"rolling back, and a new spec": {
			upgraded(enginetest.RollingBack, "flink:good"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(
					t, upgraded(enginetest.RollingBack, "flink:bad"), enginetest.As(enginetest.Runs, enginetest.LastState), false,
				)).With(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
					"reconciliationStatus.lastStableSpec": old(t, enginetest.RollingBack), "jobStatus.state": "FINISHED",
					"jobManagerDeploymentStatus": "MISSING", "lifecycleState": "ROLLING_BACK"})
			},
			0,
			func(w *enginetest.Deployment) {
				w.Snapshot.Resource.Generation = 2
				w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob)
			},
			"LastState " + v1beta1.LastStatePlaceholder,
			true,
			"flink:good",
			v1beta1.LifecycleStable,
			"3.13: a spec that changes meanwhile",
		},
		"rolling back without state": {
			upgraded(enginetest.Application, "flink:bad"),
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(enginetest.LegacyRecord(
					t, upgraded(enginetest.Application, "flink:bad"), enginetest.As(enginetest.Runs, enginetest.Empty), false,
				)).With(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
					"reconciliationStatus.lastStableSpec": old(t, enginetest.Application), "jobStatus.state": "FINISHED",
					"jobManagerDeploymentStatus": "MISSING", "lifecycleState": "ROLLING_BACK"})
			},
			0,
			nil,
			"Empty ",
			false,
			"flink:1.20",
			v1beta1.LifecycleRolledBack,
			"3.13: STATELESS if the failed one was",
		},
		"resumed from a savepoint": {enginetest.Stateful, func(t *testing.T) enginetest.LegacyStatus {
			return suspendedStatus(
				enginetest.LegacyRecord(t, enginetest.Stateful, enginetest.As(enginetest.Stopped, enginetest.Saved), false),
			).With(map[string]any{
				"jobStatus.upgradeSavepointPath": "file:///s/1",
			})

		}, 0, func(w *enginetest.Deployment) { w.Snapshot.Resource.Generation = 2 }, "Savepoint file:///s/1", false,
			"", v1beta1.LifecycleStable,
			"A.5"},
		"resumed from its last state": {enginetest.HighlyAvailable, func(t *testing.T) enginetest.LegacyStatus {
			return suspendedStatus(
				enginetest.LegacyRecord(
					t,
					enginetest.HighlyAvailable,
					enginetest.As(enginetest.Stopped, enginetest.LastState),
					false,
				),
			)
		},
			0, func(w *enginetest.Deployment) {
				w.Snapshot.Resource.Generation = 2
				w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob)
			},
			"LastState " + v1beta1.LastStatePlaceholder, true, "", v1beta1.LifecycleStable, "A.5"},
		"a session cluster being upgraded": {enginetest.Session, func(t *testing.T) enginetest.LegacyStatus {
			return enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Session, nil, false)).
				With(map[string]any{"jobStatus": nil,
					"reconciliationStatus.state": "UPGRADING", "jobManagerDeploymentStatus": "MISSING",
					"reconciliationStatus.lastStableSpec": nil, "lifecycleState": "UPGRADING"})
		}, 0, nil, "Empty ", false, "", v1beta1.LifecycleStable, "3.11"},
		"its JobManager lost": {enginetest.HighlyAvailable,
			func(t *testing.T) enginetest.LegacyStatus {
				return enginetest.Deployed(old(t, enginetest.HighlyAvailable))
			},
			0, func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.HaMaps(enginetest.TakenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder, true, "",
			v1beta1.LifecycleStable, "A.7"},
		"its JobManager lost, without high availability": {enginetest.Stateful,
			func(t *testing.T) enginetest.LegacyStatus { return enginetest.Deployed(old(t, enginetest.Stateful)) },
			0, nil, "", false, "", v1beta1.LifecycleFailed, "A.7, and nothing that names its state"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.TakeOver(t, row.spec, row.status(t), row.running)
			if row.cluster != nil {
				row.cluster(w)
			}
			from, job := w.Follow()
			if from != row.from ||
				(from != "" && w.Snapshot.Resource.Spec.Job != nil && (job == enginetest.TakenOverJob) != row.keeps) {
				t.Errorf(
					"the next start is from %q under job %s, want %q: %s; rounds %q, %+v", from, job, row.from, row.reason, w.Log,
					w.Status().Conditions,
				)
			}
			if row.from != "" {
				w.ServeJob(v1beta1.FlinkJobRunning)
				w.Run()
			}
			if got := w.Status(); got.LifecycleState != row.ends {
				t.Errorf(
					"it ends %s in %s, want %s: %s; rounds %q", got.LifecycleState, got.Situation, row.ends, row.reason, w.Log,
				)
			}
			if row.from == "" && strings.Contains(strings.Join(w.Log, " "), "delete cluster") && row.image != "" {
				t.Errorf("what runs was taken down for nothing: %s; rounds %q", row.reason, w.Log)
			}
			if row.image != "" && row.from != "" && w.Snapshot.JobManager.IsPresent() && w.RunningImage() != row.image {
				t.Errorf("image %s runs, want %s", w.RunningImage(), row.image)
			}
			w.Run()
			if p := w.Round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it must come to rest, got %s", p)
			}
			if row.ends != v1beta1.LifecycleUpgrading && row.ends != v1beta1.LifecycleRollingBack {
				enginetest.JavaReads(t, w.Snapshot.Resource)
			}
		})
	}
}
