package sweep

import (
	"context"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/coalesce"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// second is a moment: so many seconds after the beginning of an interval.
func second(seconds float64) time.Time {
	return kubesim.Epoch.Add(time.Duration(seconds * float64(time.Second)))
}

func TestWhoseTurnItIs(t *testing.T) {
	const steady, transition = clock.Steady, clock.Transition
	type known struct {
		ticks, heard []float64
		ended        bool
	}
	rows := map[string]struct {
		pace  clock.Pace
		known known
		tick  float64
		want  turn
	}{
		"steady, nothing known":                  {steady, known{}, 0.1, looksAtAll},
		"steady, in the middle of an interval":   {steady, known{}, 31, looksAtAll},
		"steady, the next one":                   {steady, known{ticks: []float64{0.1}, ended: true}, 60.1, looksAtAll},
		"steady, the same once more":             {steady, known{ticks: []float64{0.1}, ended: true}, 0.1, rests},
		"steady, the same after a failure":       {steady, known{ticks: []float64{0.1}}, 0.1, counts},
		"steady, another pod sweeps":             {steady, known{heard: []float64{0.1}}, 0.2, counts},
		"steady, another pod died in its sweep":  {steady, known{heard: []float64{0.1}}, 0.1, looksAtAll},
		"steady, the same, of a page of its own": {steady, known{[]float64{0.1}, []float64{0.1}, true}, 0.1, rests},
		"steady, a clock that is behind":         {steady, known{ticks: []float64{0.1}, ended: true}, 59.9, looksAtAll},
		"asleep":                                 {clock.Asleep, known{}, 0.1, looksAtAll},
		"transition, the first":                  {transition, known{}, 60.1, looksAtAll},
		"transition, the first, once more":       {transition, known{ticks: []float64{60.1}}, 60.1, looksAtFast},
		"transition, a pod died in its sweep":    {transition, known{heard: []float64{60.1}}, 60.1, looksAtAll},
		"transition, the second":                 {transition, known{ticks: []float64{60.1}}, 62.1, looksAtFast},
		"transition, the second, of a new pod":   {transition, known{}, 62.1, looksAtFast},
		"transition, late, of a new pod":         {transition, known{ticks: []float64{62.1}}, 118, looksAtFast},
		"transition, another pod sweeps": {
			transition, known{ticks: []float64{58}, heard: []float64{60.1}}, 90, looksAtFast,
		},
		"transition, the first is on its way":    {transition, known{ticks: []float64{58}}, 62.1, looksAtFast},
		"transition, the first was lost":         {transition, known{ticks: []float64{58}}, 82, looksAtAll},
		"transition, nobody swept the last time": {transition, known{heard: []float64{0.1}}, 82, looksAtAll},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			pod := &turns{}
			for _, tick := range row.known.ticks {
				pod.ticked(second(tick), second(tick))
				if pod.take(second(tick), row.pace, time.Minute) == looksAtAll {
					pod.end(second(tick), false, row.known.ended)
				}
			}
			for _, sweep := range row.known.heard {
				pod.heard(second(sweep))
			}
			pod.ticked(second(row.tick), second(row.tick))
			if got := pod.take(second(row.tick), row.pace, time.Minute); got != row.want {
				t.Errorf("turn %d, want %d", got, row.want)
			}
		})
	}
}

// TestATickThatSweepsWaitsForNoOther: the first tick of an interval came while another one ran. It has its own time.
func TestATickThatSweepsWaitsForNoOther(t *testing.T) {
	f, group := newFleet(t, pageSize+1), &coalesce.Group{}
	if err := f.Clock.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.kube.Clock.Advance(time.Minute)
	if err := group.Do(t.Context(), "tick", true, func(ctx context.Context, _ bool) error {
		return tick(ctx, f.Observer, group, second(60))
	}); err != nil {
		t.Fatal(err)
	}
	if n := len(f.shards(t)); n != 2 {
		t.Errorf("%d shards were sent while another tick ran, want both pages", n)
	}
}

// TestACountIsNoSweep: it sets the clock late in an interval, and the first tick of the next one sweeps.
func TestACountIsNoSweep(t *testing.T) {
	f := newRestingFleet(t)
	f.kube.Clock.Advance(time.Minute + 58*time.Second)
	f.turns.heard(second(60))
	for _, want := range []int{0, 2} {
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(f.shards(t)); n != want {
			t.Errorf("%d pages, want %d", n, want)
		}
		f.kube.Clock.Advance(2 * time.Second)
	}
}

// TestOneThatCannotBeReadCausesNoSweepAtEachTick: a fleet of one page, at the transition pace.
func TestOneThatCannotBeReadCausesNoSweepAtEachTick(t *testing.T) {
	f := newFleet(t, 2)
	if err := f.Clock.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.kube.UpdateStatus(
		kubesim.FlinkDeployments, "flink", "demo-0001", map[string]any{"observedGeneration": "not a number"},
	); err != nil {
		t.Fatal(err)
	}
	if err := f.Tick(t.Context()); err == nil {
		t.Error("want an error")
	}
	f.mail.take(event.TypePassRequested)
	f.kube.Clock.Advance(time.Second)
	if err := f.Tick(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(f.mail.take(event.TypePassRequested)); n != 0 {
		t.Errorf("%d passes were asked for by the next tick, want none: nothing is fast", n)
	}
}

// TestATimeThatNoClockCanHaveHad: a node whose clock is an hour ahead blocks nobody for an hour.
func TestATimeThatNoClockCanHaveHad(t *testing.T) {
	now := second(0)
	for told, want := range map[time.Time]time.Time{
		{}: now, second(-1): second(-1), second(2): second(2), now.Add(time.Hour): now,
	} {
		if got := credible(told, now); !got.Equal(want) {
			t.Errorf("%s counts as %s, want %s", told, got, want)
		}
	}
}

// TestASweepThatDidNothingComesAgain: nothing could be listed, so the tick that the Broker sends again sweeps.
func TestASweepThatDidNothingComesAgain(t *testing.T) {
	f := newFleet(t, pageSize+1)
	f.tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Nth: 1, Status: 500})
	if err := f.Tick(t.Context()); err == nil {
		t.Fatal("want an error, so that the tick comes again")
	}
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(f.shards(t)); n != 2 {
		t.Errorf("%d shards, want both pages", n)
	}
}

// TestOnePodSweepsForAll: five pods get the ticks of two minutes in turn, at the transition pace, and the pages of each
// sweep. A minute has one sweep.
func TestOnePodSweepsForAll(t *testing.T) {
	const pods, seconds = 5, 120
	f := newFleet(t, pods*pageSize)
	if err := f.Clock.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	var handles []event.Handle
	for range pods {
		handles = append(handles, handle(&Observer{
			Gather: f.Gather, Clock: f.Clock, Kube: f.Kube, Control: f.mail, Watches: f.Watches, Log: f.Log,
		}))
	}
	sent := 0
	for passed := 0; passed < seconds; passed += 2 {
		now := second(float64(60 + passed))
		f.kube.Clock.Advance(now.Sub(f.kube.Clock.Now()))
		ping := cloudevents.NewEvent()
		ping.SetID(now.String())
		ping.SetType(event.TypePing)
		ping.SetSource("/clock")
		ping.SetTime(now)
		if err := handles[passed/2%pods](t.Context(), ping); err != nil {
			t.Fatal(err)
		}
		for i, page := range f.mail.take(event.TypeShard) {
			sent++
			if err := handles[i%pods](t.Context(), page); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sent != 2*pods {
		t.Errorf("%d pages were sent in two minutes, want %d in each", sent, pods)
	}
}

// TestTheClockIsSetWithoutALook: the end of a transition is counted, and the pages of a large fleet wait for the sweep.
func TestTheClockIsSetWithoutALook(t *testing.T) {
	f := newRestingFleet(t)
	f.kube.Clock.Advance(90 * time.Second)
	f.turns.heard(f.kube.Clock.Now().Truncate(time.Minute))
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.pace() != clock.Steady {
		t.Errorf("pace %s, want steady", f.pace())
	}
	if n := len(f.shards(t)); n != 0 {
		t.Errorf("%d pages were sent, want none", n)
	}
}

// newRestingFleet is two pages of resources at rest, and a clock that is still awake.
func newRestingFleet(t *testing.T) *fleetOf {
	t.Helper()
	f := newFleet(t, pageSize+1)
	for i := range pageSize + 1 {
		f.steady(t, i)
	}
	if err := f.Clock.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// Anybody who reaches the Broker can post ticks. Knative sends them two seconds apart at least, and again a second
// after one that failed.
func TestATickSoonAfterAnotherIsDropped(t *testing.T) {
	pod := &turns{}
	for _, row := range []struct {
		after float64
		works bool
	}{{0, true}, {0, false}, {0.5, false}, {0.99, false}, {1, true}, {1.5, false}, {3, true}, {2.9, true}} {
		if works := pod.ticked(second(0), second(row.after)); works != row.works {
			t.Errorf("a tick that comes %v s after the first has work: %v, want %v", row.after, works, row.works)
		}
	}
}
