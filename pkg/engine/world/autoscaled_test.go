package world_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// What the autoscaler keeps is a read of its own: it is left out where nothing can follow from it.
func TestWhenTheStoreOfTheAutoscalerIsRead(t *testing.T) {
	rows := map[string]struct {
		then        func(s *world.Seen)
		read, keeps bool // keeps: it is laid over the spec, by what was recorded
	}{
		"it is on": {
			func(s *world.Seen) { guesttest.Optioned(t, s, guesttest.TurnedOn, guesttest.TurnedOn) },
			true,
			false,
		},
		"it is on, and set something": {func(s *world.Seen) {
			guesttest.Optioned(t, s, guesttest.TurnedOn, guesttest.TurnedOn+","+guesttest.Resized)
		}, true, true},
		"it had set something": {
			func(s *world.Seen) { guesttest.Optioned(t, s, "", guesttest.Resized) },
			true,
			true,
		},
		"it is off, and set nothing": {func(s *world.Seen) { guesttest.Optioned(t, s, "", "") }, false, false},
		"it is on for the first time": {
			func(s *world.Seen) { guesttest.Optioned(t, s, guesttest.TurnedOn, ""); guesttest.NeverDeployed(s) },
			false,
			false,
		},
		"nobody can read the spec": {func(s *world.Seen) {
			guesttest.Optioned(t, s, "", guesttest.Resized)
			s.SpecProblem = "no object"
		}, false, false},
		"nobody can read what was done": {
			func(s *world.Seen) { guesttest.Optioned(t, s, guesttest.TurnedOn, guesttest.Resized); unreadable(s) },
			false,
			false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, row.then)
			if read := world.KeepsAutoscaled(v); read != row.read || v.KeepsAutoscaled != row.keeps {
				t.Errorf("read %t, kept %t; want %t, %t", read, v.KeepsAutoscaled, row.read, row.keeps)
			}
		})
	}
}

// unreadable records a spec that cannot be read any more.
func unreadable(s *world.Seen) { s.Resource.Status.ReconciliationStatus.LastReconciledSpec += "}" }
