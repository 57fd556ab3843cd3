package sweep

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// mailbox keeps whole events.
type mailbox struct {
	mu     sync.Mutex
	events []cloudevents.Event
}

// Publish takes an event.
func (m *mailbox) Publish(_ context.Context, e cloudevents.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, e)
	return nil
}

// take returns the events of a type and forgets all.
func (m *mailbox) take(eventType string) []cloudevents.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []cloudevents.Event
	for _, e := range m.events {
		if e.Type() == eventType {
			found = append(found, e)
		}
	}
	m.events = nil
	return found
}

// subjects are those of the passes that were asked for since the last take.
func (m *mailbox) subjects() []string {
	var subjects []string
	for _, e := range m.take(event.TypePassRequested) {
		subjects = append(subjects, e.Subject())
	}
	return subjects
}

// fleetOf is an observer over a model API server with so many resources that no pass has seen, and a clock that is
// asleep.
type fleetOf struct {
	*Observer
	kube *kubesim.Server
	tap  *wire.Tap
	mail *mailbox
}

func newFleet(t testing.TB, resources int) *fleetOf {
	t.Helper()
	f := &fleetOf{tap: wire.New(), mail: &mailbox{}}
	f.kube = kubesim.New(t, kubesim.NewClock(), f.tap)
	client := kube.New(f.kube.Dynamic("observe"))
	f.Observer = &Observer{
		Gather:  &gather.Gatherer{Kube: client, Operator: flinkconf.NewOperator(nil), Brief: true, Now: f.kube.Clock.Now},
		Clock:   clock.New(client, "flink-system", "flink-clock", f.kube.Clock.Now),
		Kube:    client,
		Control: f.mail, Watches: func(string) bool { return true }, Log: zap.NewNop().Sugar(),
	}
	ping := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "sources.knative.dev/v1", "kind": "PingSource",
		"metadata": map[string]any{"namespace": "flink-system", "name": "flink-clock"},
		"spec":     map[string]any{"schedule": clock.Asleep.Schedule()},
	}}
	if _, err := f.kube.Create(kubesim.PingSources, ping); err != nil {
		t.Fatal(err)
	}
	for i := range resources {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
			"metadata": map[string]any{"namespace": "flink", "name": fmt.Sprintf("demo-%04d", i)},
			"spec":     map[string]any{"flinkVersion": "v1_20"},
		}}
		if _, err := f.kube.Create(kubesim.FlinkDeployments, u); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// steady gives a resource the status of a job that runs and does not move.
func (f *fleetOf) steady(t testing.TB, i int) {
	t.Helper()
	status := map[string]any{"pace": "slow", "situation": "Steady", "jobManagerDeploymentStatus": "READY"}
	if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", fmt.Sprintf("demo-%04d", i), status); err != nil {
		t.Fatal(err)
	}
}

// Tick is a tick of the clock at this moment.
func (f *fleetOf) Tick(ctx context.Context) error {
	f.turns.ticked(f.kube.Clock.Now(), f.kube.Clock.Now())
	return f.Observer.Tick(ctx, f.kube.Clock.Now())
}

func (f *fleetOf) pace() clock.Pace {
	schedule, _, _ := unstructured.NestedString(
		f.kube.Get(kubesim.PingSources, "flink-system", "flink-clock").Object, "spec", "schedule",
	)
	return clock.Of(schedule)
}

func (f *fleetOf) lists() int {
	return f.tap.Count(func(r wire.Request) bool { return r.Verb == "list" && r.Resource == "flinkdeployments" })
}

// pageSize is how many FlinkDeployments are looked at by one shard.
var pageSize = func() int { k, _ := kindOf(v1beta1.KindFlinkDeployment); return int(k.Sweep.Page) }()

// shards are the pages that were sent since the last take.
func (f *fleetOf) shards(t testing.TB) (all []event.Shard) {
	t.Helper()
	for _, e := range f.mail.take(event.TypeShard) {
		var s event.Shard
		if err := e.DataAs(&s); err != nil {
			t.Fatal(err)
		}
		if !s.Finished {
			all = append(all, s)
		}
	}
	return all
}

func TestASweepSpreadsItsPages(t *testing.T) {
	f := newFleet(t, 2*pageSize+3)
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.pace() != clock.Transition {
		t.Errorf("pace %s, want transition: passes are due", f.pace())
	}
	shards := f.shards(t)
	if len(shards) != 3 {
		t.Fatalf("%d shards, want one for each page", len(shards))
	}
	asked := map[string]int{}
	for _, s := range shards {
		if err := f.Shard(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range f.mail.take(event.TypePassRequested) {
		asked[e.Subject()]++
	}
	if len(asked) != 2*pageSize+3 {
		t.Errorf("the shards asked for %d passes, want %d", len(asked), 2*pageSize+3)
	}
	if n := f.tap.Count(wire.On("get", "deployments")); n != 0 {
		t.Errorf("%d Deployments were read one by one, want lists", n)
	}
}

func TestALateShardIsTransient(t *testing.T) {
	f := newFleet(t, pageSize+1)
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := f.shards(t)[1]
	f.kube.ExpireLists()
	if err := f.Shard(t.Context(), late); err == nil || len(f.mail.take(event.TypePassRequested)) != 0 {
		t.Errorf("got %v, want an error: the page is gone, and the next sweep looks at it", err)
	}
}

// deadlines keeps how much time what is published has.
type deadlines struct{ left []time.Duration }

func (d *deadlines) Publish(ctx context.Context, _ cloudevents.Event) error {
	at, _ := ctx.Deadline()
	d.left = append(d.left, time.Until(at))
	return nil
}

// TestATickHasTheTimeForALargeFleet: one that the Broker sends again may come to a pod that does not know which pages
// were sent, and each would be looked at twice.
func TestATickHasTheTimeForALargeFleet(t *testing.T) {
	f, sent := newFleet(t, pageSize+1), &deadlines{}
	f.Control = sent
	ping := cloudevents.NewEvent()
	ping.SetID("1")
	ping.SetType(event.TypePing)
	ping.SetSource("/clock")
	if err := handle(f.Observer)(t.Context(), ping); err != nil {
		t.Fatal(err)
	}
	if len(sent.left) < 2 || sent.left[0] < 50*time.Second || sent.left[0] > shardFor {
		t.Errorf("pages were sent with %v left", sent.left)
	}
}

// TestAPageOfAnOldSweepIsDropped: where nothing is fast enough, pages that come again and again keep the others
// waiting.
func TestAPageOfAnOldSweepIsDropped(t *testing.T) {
	for name, row := range map[string]struct {
		after time.Duration
		looks int
	}{
		"in time":               {shardFor - time.Second, pageSize + 1},
		"after the next sweeps": {shardFor, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, pageSize+1)
			if err := f.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			pages := f.mail.take(event.TypeShard)
			f.kube.Clock.Advance(row.after)
			for _, e := range pages {
				if err := handle(f.Observer)(t.Context(), e); err != nil {
					t.Errorf("%s: %v, want no error: the Broker would send it again", e.ID(), err)
				}
			}
			if n := len(f.mail.take(event.TypePassRequested)); n != row.looks {
				t.Errorf("%d passes were asked for, want %d", n, row.looks)
			}
		})
	}
}

func TestTheFastTickLooksAtFastResourcesOnly(t *testing.T) {
	f := newFleet(t, 3)
	seen := 0
	setPace := func(name string, pace v1beta1.Pace) {
		seen++
		status := map[string]any{"pace": string(pace), "situation": "Waiting", "error": fmt.Sprint(seen)}
		if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", name, status); err != nil {
			t.Fatal(err)
		}
	}
	setPace("demo-0001", v1beta1.PaceFast)
	setPace("demo-0002", v1beta1.PaceSlow)
	if err := f.Tick(t.Context()); err != nil { // the clock is asleep: a full sweep, which wakes it
		t.Fatal(err)
	}
	if n := len(f.mail.take(event.TypePassRequested)); n != 3 {
		t.Errorf("the sweep asked for %d passes, want 3", n)
	}
	for _, second := range []int{4, 8, 60} {
		f.kube.Clock.Advance(kubesim.Epoch.Add(time.Duration(second) * time.Second).Sub(f.kube.Clock.Now()))
		if second == 8 {
			setPace("demo-0001", v1beta1.PaceFast) // another version of it
		}
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		asked := f.mail.take(event.TypePassRequested)
		want := 1
		if second == 60 {
			want = 3
		}
		if len(asked) != want || (want == 1 && !strings.HasSuffix(asked[0].Subject(), "demo-0001")) {
			t.Errorf("after %d s: %d passes, want %d", second, len(asked), want)
		}
	}
}

// TestTheClockFollowsTheEndOfATransition: nobody waits for the turn of the minute, and nobody sweeps every two seconds.
func TestTheClockFollowsTheEndOfATransition(t *testing.T) {
	f := newFleet(t, 1)
	set := func(pace v1beta1.Pace) {
		status := map[string]any{"pace": string(pace), "situation": "Waiting", "jobManagerDeploymentStatus": "READY"}
		if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo-0000", status); err != nil {
			t.Fatal(err)
		}
	}
	tick := func() {
		f.kube.Clock.Advance(2 * time.Second)
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	set(v1beta1.PaceFast)
	f.kube.Clock.Advance(f.kube.Clock.Now().Truncate(time.Minute).Add(61 * time.Second).Sub(f.kube.Clock.Now()))
	// at second 1 of a minute, so the stamp ends at second 1 of the next
	if err := f.Clock.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	tick()
	for range 25 {
		tick()
	}
	if f.pace() != clock.Transition {
		t.Fatalf("pace %s while a resource is fast", f.pace())
	}
	set(v1beta1.PaceSlow)
	for range 3 {
		tick()
	}
	if f.pace() != clock.Transition {
		t.Fatalf("pace %s, want transition: the stamp is younger than a minute", f.pace())
	}
	before := f.lists()
	for range 6 {
		tick()
	}
	if f.pace() != clock.Steady {
		t.Errorf("pace %s 12 s after the stamp ran out, want steady", f.pace())
	}
	if n := f.lists() - before; n > 8 {
		t.Errorf("%d lists in six ticks: a sweep out of turn comes at most each %s", n, calmAfter)
	}
}

func TestASweepThatFailsInPart(t *testing.T) {
	rows := map[string]struct {
		fault  wire.Fault
		asks   int
		pace   clock.Pace
		reason string
	}{
		"the list": {
			wire.Fault{Match: wire.On("list", "flinkdeployments"), Status: 500}, 0, clock.Steady,
			"what was not seen may run: it is looked for each minute",
		},
		"the list of another kind": {
			wire.Fault{Match: wire.On("list", "flinkstatesnapshots"), Status: 500}, 2, clock.Transition,
			"what was seen counts",
		},
		"the clock itself": {
			wire.Fault{Match: wire.On("get", "pingsources"), Status: 500}, 0, clock.Asleep, "what cannot be read is not set",
		},
		"a write between": {
			wire.Fault{Match: wire.On("patch", "pingsources"), Status: 409}, 2, clock.Asleep,
			"somebody woke it since: the next sweep fixes it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 2)
			f.tap.Inject(row.fault)
			if err := f.Tick(t.Context()); err == nil {
				t.Error("want an error, so that the tick comes again")
			}
			if n := len(f.mail.take(event.TypePassRequested)); n != row.asks {
				t.Errorf("%d passes asked for, want %d", n, row.asks)
			}
			if f.pace() != row.pace {
				t.Errorf("pace %s, want %s: %s", f.pace(), row.pace, row.reason)
			}
		})
	}
}

func TestOneThatCannotBeReadKeepsNobodyFromIt(t *testing.T) {
	f := newFleet(t, 3)
	if _, err := f.kube.UpdateStatus(
		kubesim.FlinkDeployments, "flink", "demo-0001", map[string]any{"observedGeneration": "not a number"},
	); err != nil {
		t.Fatal(err)
	}
	err := f.Tick(t.Context())
	if n := len(f.mail.take(event.TypePassRequested)); n != 2 || err == nil {
		t.Errorf("%d passes asked for and %v, want the two others and an error", n, err)
	}
	if f.lists() != 1 {
		t.Errorf("%d lists, want one", f.lists())
	}
}
