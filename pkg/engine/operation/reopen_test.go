package operation

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// keeper is a host that keeps high-availability data.
type keeper struct {
	*guesttest.Guest
	data hadata.Data
}

func (k keeper) HA() hadata.Data { return k.data }

// What is seen of the job before an open start is noted once, and only where the start may be decided anew.
func TestWhatIsNotedOfTheJobBefore(t *testing.T) {
	rows := map[string]struct {
		intent v1beta1.Intent
		ran    bool
		silent string
		news   bool
		reopen bool
	}{
		"it ran":                        {intent: v1beta1.Intent{Reopens: true}, ran: true, news: true, reopen: true},
		"it ran, as was known":          {intent: v1beta1.Intent{Reopens: true, Began: true}, ran: true, reopen: true},
		"its node does not answer":      {intent: v1beta1.Intent{Reopens: true}, silent: "node-1", news: true, reopen: true},
		"nothing was seen":              {intent: v1beta1.Intent{Reopens: true}},
		"the start is not decided anew": {ran: true, silent: "node-1"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Intent = &row.intent })
			v.Intent().Generation = v.Generation
			if got := NoteRun(v, row.ran, row.silent); got != row.news {
				t.Errorf("it is news: %t, want %t", got, row.news)
			}
			if got := Reopened(v); got != row.reopen {
				t.Errorf("the start is decided anew: %t, want %t", got, row.reopen)
			}
		})
	}
}

// A start whose job before it may have run waits until the high-availability data is known, and begins as it was where
// that names no checkpoint.
func TestWhatAReopenedStartReads(t *testing.T) {
	store := hadata.Store{Mode: flinkconf.HAKubernetes}
	rows := map[string]struct {
		data      hadata.Data
		situation plan.Situation
		decided   bool
		reopens   bool
	}{
		"it cannot be read": {
			data:      hadata.Data{Store: store, ConfigMaps: plan.Unknown[[]hadata.ConfigMap]("Forbidden")},
			situation: plan.Unobservable, decided: true, reopens: true,
		},
		"it names no checkpoint": {data: hadata.Data{Store: store, ConfigMaps: plan.Present([]hadata.ConfigMap{})}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.Intent = &v1beta1.Intent{Reopens: true, Began: true, Generation: 1}
			})
			v.Host = keeper{&guesttest.Guest{Look: v}, row.data}
			r, decided := Reopen(v, v.Spec)
			if decided != row.decided || r.Situation != row.situation {
				t.Errorf("decided %t as %q, want %t as %q", decided, r.Situation, row.decided, row.situation)
			}
			if v.Intent().Reopens != row.reopens {
				t.Errorf("it may be decided anew: %t, want %t", v.Intent().Reopens, row.reopens)
			}
		})
	}
}
