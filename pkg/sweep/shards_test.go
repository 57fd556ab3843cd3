package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// TestSlowJobManagersKeepNobodyWaiting: forty that take ten seconds, first by name, and the others of their page are
// looked at within two or three.
func TestSlowJobManagersKeepNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &Observer{Log: zap.NewNop().Sugar()}
		var mu sync.Mutex
		begun, at := time.Now(), map[string]time.Duration{}
		var items []item
		for i := range 200 {
			name := fmt.Sprintf("demo-%03d", i)
			items = append(items, item{event.Key{Name: name}, func(ctx context.Context) error {
				wait := 20 * time.Millisecond
				if i < 40 {
					wait = 10 * time.Second
				}
				select {
				case <-time.After(wait):
				case <-ctx.Done():
					return ctx.Err()
				}
				mu.Lock()
				defer mu.Unlock()
				at[name] = time.Since(begun)
				return nil
			}, 1, false})
		}
		quick := time.Duration(0)
		if err := o.lookAtEach(t.Context(), items, func() { quick = time.Since(begun) }); err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			name, limit := fmt.Sprintf("demo-%03d", i), 5*time.Second
			if i < 40 {
				limit = 15 * time.Second
			}
			if seen, ok := at[name]; !ok || seen > limit {
				t.Errorf("%s was looked at after %s (%t), want within %s", name, seen, ok, limit)
			}
		}
		if quick == 0 || quick > 5*time.Second {
			t.Errorf("there was room for another page after %s, want as soon as the others were looked at", quick)
		}
	})
}

// TestALookThatFailsIsNoSlowOne: what fails within its time is told once, and not tried again.
func TestALookThatFailsIsNoSlowOne(t *testing.T) {
	o, looks, failure := &Observer{Log: zap.NewNop().Sugar()}, 0, errors.New("unreadable")
	err := o.lookAtEach(t.Context(), []item{{look: func(context.Context) error { looks++; return failure }}}, nil)
	if !errors.Is(err, failure) || looks != 1 {
		t.Errorf("%d looks and %v, want one and its failure", looks, err)
	}
}

// TestATickReachesTheEnd: a page that could not be listed is asked for again, as nothing else says where the next one
// begins. If it cannot be had, the Broker does not send the tick again, and the next one sends all pages.
func TestATickReachesTheEnd(t *testing.T) {
	for name, row := range map[string]struct{ times, first, next int }{
		"once":      {1, 5, 5},
		"no longer": {0, 3, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, 4*pageSize+1)
				f.tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Nth: 3, Status: 500})
				if row.times == 0 {
					for nth := 4; nth <= 6; nth++ {
						f.tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Nth: nth, Status: 500})
					}
				}
				for minute, want := range []int{row.first, row.next} {
					if err := f.Tick(t.Context()); err != nil {
						t.Fatalf("%v, want no error: the Broker would send all pages once more", err)
					}
					if n := len(f.shards(t)); n != want {
						t.Errorf("minute %d: %d shards, want %d", minute, n, want)
					}
					f.kube.Clock.Advance(time.Minute)
				}
			})
		})
	}
}

// TestPagesHaveTheirTurn: so that a resource is looked at at the same time of each interval. A tick that only counts
// waits for nothing.
func TestPagesHaveTheirTurn(t *testing.T) {
	for apart, want := range map[time.Duration][]time.Duration{
		0:                      {0, 0, 0, 0},
		500 * time.Millisecond: {0, 500 * time.Millisecond, time.Second, 1500 * time.Millisecond},
		20 * time.Second:       {0, 20 * time.Second, pacedFor, pacedFor},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, 3*pageSize+1)
			sent := &times{control: f.Control, began: time.Now()}
			f.PagesApart, f.Control = apart, sent
			if err := f.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(sent.at, want) {
				t.Errorf("%s apart: pages were sent after %s, want %s", apart, sent.at, want)
			}
			f.kube.Clock.Advance(3 * time.Second)
			counted := time.Now()
			if err := f.Tick(t.Context()); err != nil || time.Since(counted) > 0 || len(sent.at) != len(want) {
				t.Errorf("a tick that counts: %v after %s, pages %s", err, time.Since(counted), sent.at)
			}
		})
	}
}

// times are when events were published.
type times struct {
	control interface {
		Publish(ctx context.Context, e cloudevents.Event) error
	}
	began time.Time
	at    []time.Duration
}

func (p *times) Publish(ctx context.Context, e cloudevents.Event) error {
	if e.Type() == event.TypeShard {
		p.at = append(p.at, time.Since(p.began))
	}
	return p.control.Publish(ctx, e)
}

// TestAFailedLookSendsNoPageAgain: one of 201 cannot be looked at. The others were, and the Broker must not send them.
func TestAFailedLookSendsNoPageAgain(t *testing.T) {
	f := newFleet(t, pageSize+1)
	if _, err := f.kube.UpdateStatus(
		kubesim.FlinkDeployments, "flink", "demo-0001", map[string]any{"observedGeneration": "not a number"},
	); err != nil {
		t.Fatal(err)
	}
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range f.shards(t) {
		if err := f.Shard(t.Context(), s); err != nil {
			t.Errorf("%v, want no error", err)
		}
	}
	if n := len(f.mail.subjects()); n != pageSize {
		t.Errorf("%d passes were asked for, want all but one of %d", n, pageSize+1)
	}
}

// TestALostShardIsSentByTheNextTick: nobody has to notice that it is lost.
func TestALostShardIsSentByTheNextTick(t *testing.T) {
	f := newFleet(t, pageSize+1)
	for minute := range 3 {
		f.kube.Clock.Advance(time.Minute)
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		if shards := f.shards(t); len(shards) != 2 {
			t.Errorf("minute %d: %d shards, want both pages", minute, len(shards))
		}
	}
}

func TestAPodHasFewPagesInMemory(t *testing.T) {
	o := &Observer{}
	var leave []func()
	for range shardsAtOnce {
		l, err := o.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.enter(late); err == nil {
		t.Error("one more page was taken, want it to wait")
	}
	leave[0]()
	leave[0]() // once is enough
	if _, err := o.enter(t.Context()); err != nil {
		t.Errorf("there is no room after a page has left: %v", err)
	}
	if _, err := o.enter(late); err == nil {
		t.Error("a page that left twice made room for two")
	}
}

// TestSnapshotsAreLookedAtWithTheirJobs: those that are being taken cost no request each.
func TestSnapshotsAreLookedAtWithTheirJobs(t *testing.T) {
	f := newFleet(t, pageSize+1)
	for i := range 20 {
		name := fmt.Sprintf("taking-%02d", i)
		put(t, f.kube, name, v1beta1.SnapshotInProgress, "slow")
		if _, err := f.kube.Update(kubesim.FlinkStateSnapshots, "flink", name, func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{
				v1beta1.LabelSnapshotState: string(v1beta1.SnapshotInProgress), v1beta1.LabelJobReferenceKind: "FlinkDeployment",
				v1beta1.LabelJobReferenceName: fmt.Sprintf("demo-%04d", i),
			})
			job := map[string]any{"kind": "FlinkDeployment", "name": fmt.Sprintf("demo-%04d", i)}
			_ = unstructured.SetNestedMap(u.Object, job, "spec", "jobReference")
		}); err != nil {
			t.Fatal(err)
		}
	}
	f.kube.Clock.Advance(time.Minute)
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	shards := f.shards(t)
	f.tap.Forget()
	for _, s := range shards {
		if err := f.Shard(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	var snapshots []string
	for _, s := range f.mail.subjects() {
		if key, err := event.ParseKey(s); err == nil && key.Kind == v1beta1.KindFlinkStateSnapshot {
			snapshots = append(snapshots, key.Name)
		}
	}
	slices.Sort(snapshots)
	if len(slices.Compact(snapshots)) != 20 {
		t.Errorf("%d snapshots were looked at, want 20: %q", len(snapshots), snapshots)
	}
	if n := f.tap.Count(wire.On("get", "flinkdeployments")); n != 0 {
		t.Errorf("%d FlinkDeployments were read for their snapshots, want none: they are in the page", n)
	}
}
