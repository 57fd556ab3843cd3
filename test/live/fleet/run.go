package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/loopback"
	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/pkg/clock"
)

// Options say what a run is like. Dir, Checkout and Progress are needed.
type Options struct {
	// Dir is where the platform lives; it is empty, or is not there.
	Dir string
	// Checkout is the root of the module.
	Checkout string
	// N is how many resources there are beside the finished snapshots.
	N int
	// For is how long each part is measured.
	For time.Duration
	// Edits is how many edits are made one after the other.
	Edits int
	// Faults are the names of those that happen, in turn: see Faults.
	Faults []string
	// Settings are more lines for the operator's settings.
	Settings string
	// Progress is told what goes on.
	Progress func(what string)
}

// Result is what a run found.
type Result struct {
	N      int
	Counts Counts
	// Stocked is how long it took to write the resources, Settled until the clock had its steady pace; 0: it never had.
	Stocked, Settled time.Duration
	// Settling counts the requests of the functions until then, by agent, verb and resource.
	Settling map[string]int
	// Edit is the median from a patch to a new JobManager Deployment beside the fleet.
	Edit time.Duration
	// Parts are the healthy one, and one for each fault.
	Parts []Part
}

// Part is what was measured in a time.
type Part struct {
	// Fault is its name; empty: none.
	Fault string
	// Took is how long it was.
	Took time.Duration
	// Longest is the longest time in which a resource was not looked at; Over is for how many it was longer than is
	// tolerated.
	Longest Gap
	Over    int
	// Usage is that of each function.
	Usage map[string]Usage
	// API are the requests of the functions; By counts them by agent, verb and resource.
	API Requests
	By  map[string]int
	// Flink is how many requests the JobManagers got.
	Flink int
	// Note says what happened.
	Note string
}

// isSteady reports whether a schedule is one that the clock was given, and not that of a transition. A new installation
// has none until its first tick, which comes within a minute.
func isSteady(schedule string) bool { return schedule != "" && schedule != clock.Transition.Schedule() }

// run is one that goes on.
type run struct {
	options  Options
	shapes   map[string]*shape
	looks    *looks
	flink    *jobManagers
	requests *requests
	usage    *usage
	platform *platform.Platform
	kubelet  *kubelet
	dynamic  dynamic.Interface
	result   Result
	// patches counts the edits.
	patches atomic.Int64
}

// Run starts a fleet, measures it, and ends it.
func Run(ctx context.Context, o Options) (Result, error) {
	r := newRun(o)
	err := r.with(ctx, r.measure)
	return r.result, err
}

func newRun(o Options) *run {
	return &run{options: o, looks: &looks{}, requests: &requests{}, result: Result{N: o.N, Counts: CountsOf(o.N)}}
}

// with starts the fleet, does something with it, and ends it.
func (r *run) with(ctx context.Context, do func(context.Context) error) (err error) {
	if r.shapes, err = readShapes(filepath.Join(r.options.Checkout, shapesOfProduct)); err != nil {
		return err
	}
	if err := os.MkdirAll(r.options.Dir, 0o755); err != nil {
		return err
	}
	at, err := loopback.Reserve("") // the model server's own: the platform has another
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.Close()) }()
	if r.flink, err = startJobManagers(at.Server(), r.looks); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.flink.stop()) }()
	if err := r.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.platform.Stop()) }()
	if r.kubelet, err = startKubelet(ctx, r.platform.Config(), r.flink); err != nil {
		return err
	}
	defer r.kubelet.stop()
	r.usage = watchUsage(r.options.Dir)
	defer r.usage.stop()
	return do(ctx)
}

// wasteful is the GCPercent of the control plane: what it spends on garbage, the functions that are measured lack.
const wasteful = 500

func (r *run) start(ctx context.Context) (err error) {
	step, told := "", time.Time{}
	r.platform, err = platform.Start(ctx, platform.Options{
		Dir: r.options.Dir, Checkout: r.options.Checkout, Settings: r.options.Settings,
		Hosts: r.flink.host, Filter: r.requests.filter, Stock: r.stock, GCPercent: wasteful,
		Progress: func(what string, _, _ int64) {
			if what != step && time.Since(told) > time.Second {
				step, told = what, time.Now()
				r.options.Progress(what)
			}
		},
	})
	if err == nil {
		r.dynamic, err = dynamic.NewForConfig(r.platform.Config())
	}
	return err
}

// stock writes the fleet and says how far it is.
func (r *run) stock(ctx context.Context, config *rest.Config) error {
	begun, s := time.Now(), &stocker{shapes: r.shapes, flink: r.flink, looks: r.looks}
	told, all := time.NewTicker(2*time.Second), r.result.Counts.Objects()
	defer told.Stop()
	done := make(chan error, 1)
	go func() { done <- s.stock(ctx, config, r.result.Counts) }()
	for {
		select {
		case err := <-done:
			r.result.Stocked = time.Since(begun)
			r.options.Progress(fmt.Sprintf("%d objects written in %s", all, r.result.Stocked.Round(time.Second)))
			return err
		case <-told.C:
			r.options.Progress(fmt.Sprintf("write %d of %d objects", s.done.Load(), all))
		}
	}
}

// settleFor is how long a run waits for the steady pace.
const settleFor = 150 * time.Second

// measure takes the figures, part by part.
func (r *run) measure(ctx context.Context) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.options.Progress("wait until what the last fast ticks have begun is done")
	if err := r.wait(ctx, min(time.Minute, r.options.For/2)); err != nil {
		return err
	}
	_, r.result.Settling = r.requests.take()
	if err := r.part(ctx, "", nil); err != nil {
		return err
	}
	if err := r.edits(ctx); err != nil {
		return err
	}
	for _, name := range r.options.Faults {
		f, known := faults[name]
		if !known {
			return fmt.Errorf("no fault is named %q", name)
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
		if err := r.part(ctx, name, f.do); err != nil {
			return err
		}
	}
	return nil
}

// settle waits for the steady pace. A fleet that never gets it is measured as it is.
func (r *run) settle(ctx context.Context) error {
	begun := time.Now()
	r.options.Progress("wait until the clock has its steady pace")
	for time.Since(begun) < settleFor {
		schedule, err := r.schedule(ctx)
		if err != nil {
			return err
		}
		if isSteady(schedule) {
			r.options.Progress("the clock ticks at its steady pace: " + schedule)
			if r.result.Settled == 0 {
				r.result.Settled = time.Since(begun)
			}
			return nil
		}
		if err := r.wait(ctx, time.Second); err != nil {
			return err
		}
	}
	r.options.Progress("the clock has no steady pace; it goes on without")
	return nil
}

func (r *run) schedule(ctx context.Context) (string, error) {
	clock, err := r.dynamic.Resource(schema.GroupVersionResource{
		Group: "sources.knative.dev", Version: "v1", Resource: "pingsources",
	}).Namespace("flink-system").Get(ctx, "flink-clock", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	schedule, _, err := unstructured.NestedString(clock.Object, "spec", "schedule")
	return schedule, err
}

// wait waits, and ends with the platform.
func (r *run) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case err := <-r.platform.Failed():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tolerated is how long a resource may be without a look, and faulty how long while something goes wrong.
const (
	tolerated = 75 * time.Second
	faulty    = 135 * time.Second
)

// part measures for a while, in which a fault happens.
func (r *run) part(ctx context.Context, fault string, do func(context.Context, *run) (string, error)) error {
	r.usage.take()
	r.requests.take()
	r.looks.asked()
	begun := time.Now()
	p := Part{Fault: fault}
	happened := make(chan error, 1)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		var err error
		if do != nil {
			p.Note, err = do(inner, r)
		}
		happened <- err
	}()
	every := 10 * time.Second
	for time.Since(begun) < r.options.For {
		if err := r.wait(ctx, min(every, r.options.For-time.Since(begun))); err != nil {
			return err
		}
		r.options.Progress(fmt.Sprintf(
			"measure %s: %s of %s", firstOf(fault, "healthy"), time.Since(begun).Round(time.Second), r.options.For,
		))
	}
	ended := time.Now()
	p.Took = ended.Sub(begun)
	p.Usage, p.Flink = r.usage.take(), r.looks.asked()
	p.API, p.By = r.requests.take()
	if gaps := r.looks.gaps(begun, ended); len(gaps) > 0 {
		p.Longest = gaps[0]
		most := tolerated
		if fault != "" {
			most = faulty
		}
		for _, g := range gaps {
			if g.For > most {
				p.Over++
			}
		}
	}
	cancel()
	err := <-happened
	r.undo()
	r.result.Parts = append(r.result.Parts, p)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil
	}
	return err
}
