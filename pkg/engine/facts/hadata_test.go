package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// High-availability data can be used where what runs and the spec keep it in one place.
func TestWhereTheDataIsUsable(t *testing.T) {
	off := func(s *world.Seen) {
		s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"high-availability.type":"NONE"}`)
	}
	type answer struct{ Enabled, Usable, Moves, Elsewhere bool }
	rows := map[string]struct {
		store hadata.Store
		then  func(s *world.Seen)
		want  answer
	}{
		"both keep it in Kubernetes": {
			store: hadata.Store{Mode: flinkconf.HAKubernetes}, then: func(*world.Seen) {},
			want: answer{Enabled: true, Usable: true},
		},
		"the spec keeps none": {
			store: hadata.Store{Mode: flinkconf.HAKubernetes}, then: off,
			want: answer{Enabled: true, Elsewhere: true},
		},
		"what runs keeps none": {
			store: hadata.Store{Mode: flinkconf.HANone}, then: func(*world.Seen) {},
			want: answer{Moves: true},
		},
		"neither keeps any": {store: hadata.Store{Mode: flinkconf.HANone}, then: off, want: answer{}},
		"what runs keeps it out of sight": {
			store: hadata.Store{Mode: flinkconf.HAZooKeeper, Problem: "no address"}, then: func(*world.Seen) {},
			want: answer{Enabled: true, Moves: true},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, place{data: hadata.Data{Store: row.store}}, func(s *world.Seen) {
				keepsData(t, s)
				row.then(s)
			})
			got := answer{
				Enabled: HAEnabled(v), Usable: HAUsable(v), Moves: HAMoves(v, &v.Spec), Elsewhere: HAElsewhere(v),
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("the data is (-want +got):\n%s", diff)
			}
		})
	}
}

// What a start could use of the data is known, absent, or unknown for a reason; a checkpoint that is named is known.
func TestWhatIsKnownOfTheData(t *testing.T) {
	unknown := hadata.Data{
		Store: hadata.Store{Mode: flinkconf.HAKubernetes}, ConfigMaps: plan.Unknown[[]hadata.ConfigMap]("Forbidden"),
	}
	rows := map[string]struct {
		data       hadata.Data
		checkpoint plan.Observed[bool]
	}{
		"it names a checkpoint": {data: names("a", true), checkpoint: plan.Present(true)},
		"it names none":         {data: names("a", false), checkpoint: plan.Present(false)},
		"it cannot be read":     {data: unknown, checkpoint: plan.Unknown[bool]("Forbidden")},
		"there is none of the job": {data: hadata.Data{Store: unknown.Store, JobID: "a",
			ConfigMaps: plan.Present([]hadata.ConfigMap{})}, checkpoint: plan.Absent[bool]()},
		"none is kept": {data: hadata.Data{}, checkpoint: plan.Absent[bool]()},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, place{data: row.data}, func(s *world.Seen) { keepsData(t, s) })
			got := NamesCheckpoint(KnownHAData(v))
			wanted, is := row.checkpoint.Get()
			checkpoint, known := got.Get()
			if checkpoint != wanted || known != is || got.Why() != row.checkpoint.Why() ||
				got.IsAbsent() != row.checkpoint.IsAbsent() {
				t.Errorf("a checkpoint is named: %t, known %t, absent %t, because %q; want %t, %t, %t, %q",
					checkpoint, known, got.IsAbsent(), got.Why(), wanted, is, row.checkpoint.IsAbsent(),
					row.checkpoint.Why())
			}
		})
	}
}

// A Flink on the other side of version 2.0 does not look where the job graphs of what runs lie. A rollback leads back
// from one that never ran.
func TestWhichVersionLeavesGraphs(t *testing.T) {
	data := hadata.Data{Store: hadata.Store{Mode: flinkconf.HAKubernetes}}
	none := hadata.Data{Store: hadata.Store{Mode: flinkconf.HANone}}
	rows := map[string]struct {
		data    hadata.Data
		version v1beta1.FlinkVersion
		purpose v1beta1.IntentPurpose
		want    bool
	}{
		"the same side":           {data: data, version: v1beta1.FlinkV1_19, purpose: v1beta1.PurposeUpgrade},
		"the other side":          {data: data, version: v1beta1.FlinkV2_0, purpose: v1beta1.PurposeUpgrade, want: true},
		"a rollback":              {data: data, version: v1beta1.FlinkV2_0, purpose: v1beta1.PurposeRollback},
		"there is no data at all": {data: none, version: v1beta1.FlinkV2_0, purpose: v1beta1.PurposeUpgrade},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, place{data: row.data}, func(s *world.Seen) {
				s.Resource.Spec.FlinkVersion = v1beta1.FlinkV1_20
				keepsData(t, s)
			})
			target := v.Spec.DeepCopy()
			target.FlinkVersion = row.version
			if got := LeavesGraphs(v, target, row.purpose); got != row.want {
				t.Errorf("it leaves graphs: %t, want %t", got, row.want)
			}
		})
	}
}

// The data of what an open stop takes down is needed by a successor that starts from it.
func TestWhichSuccessorNeedsTheData(t *testing.T) {
	kept := hadata.Data{Store: hadata.Store{Mode: flinkconf.HAKubernetes}}
	rows := map[string]struct {
		data    hadata.Data
		intent  v1beta1.Intent
		session bool
		want    bool
	}{
		"by last state": {
			data:   kept,
			intent: v1beta1.Intent{Stop: v1beta1.StopLastState, Restore: v1beta1.UpgradeModeLastState}, want: true,
		},
		"from a savepoint": {
			data: kept, intent: v1beta1.Intent{Stop: v1beta1.StopSavepoint, Restore: v1beta1.UpgradeModeSavepoint},
		},
		"a session cluster": {data: kept, intent: v1beta1.Intent{Stop: v1beta1.StopStateless}, session: true, want: true},
		"a deletion":        {data: kept, intent: v1beta1.Intent{Purpose: v1beta1.PurposeDelete}, session: true},
		"none is kept": {
			data:   hadata.Data{Store: hadata.Store{Mode: flinkconf.HANone}},
			intent: v1beta1.Intent{Stop: v1beta1.StopLastState, Restore: v1beta1.UpgradeModeLastState},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, place{data: row.data}, func(s *world.Seen) {
				if row.session {
					s.Resource.Spec.Job = nil
				}
				keepsData(t, s)
				s.Resource.Status.Intent = &row.intent
			})
			if got := HANeededNext(v); got != row.want {
				t.Errorf("it is needed: %t, want %t", got, row.want)
			}
		})
	}
}

// Only where the data lies in a ZooKeeper that cannot be read may a start find the job graph of the job before it,
// unless an annotation says that it does not matter.
func TestWhichStartMayFindAJobGraph(t *testing.T) {
	hidden := hadata.Store{Mode: flinkconf.HAZooKeeper, Problem: "no address"}
	rows := map[string]struct {
		store hadata.Store
		then  func(s *world.Seen)
		want  bool
	}{
		"out of sight": {store: hidden, then: func(*world.Seen) {}, want: true},
		"within sight": {store: hadata.Store{Mode: flinkconf.HAKubernetes}, then: func(*world.Seen) {}},
		"it does not matter": {store: hidden, then: func(s *world.Seen) {
			s.Resource.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
		}},
		"a session cluster": {store: hidden, then: func(s *world.Seen) { s.Resource.Spec.Job = nil }},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, place{}, func(s *world.Seen) {
				s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"high-availability.type":"zookeeper",
					"high-availability.storageDir":"file:///h"}`)
				row.then(s)
				text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
				if err != nil {
					t.Fatal(err)
				}
				s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
			})
			at := place{data: hadata.Data{Store: row.store}}
			if row.store.Mode == flinkconf.HAZooKeeper {
				at.data.Store.Nodes = hadata.StoreOf(v.Compose(&v.Spec)).Nodes
			}
			v.Host = at
			if got := FindsJobGraph(v, &v.Spec); got != row.want {
				t.Errorf("it may find one: %t, want %t", got, row.want)
			}
		})
	}
}
