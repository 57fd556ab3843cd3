package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
)

// Options say what a run is like. All are needed but for those that say otherwise.
type Options struct {
	// Dir is where the platform lives; it is empty, or is not there.
	Dir string
	// Checkout is the root of the module.
	Checkout string
	// Steps are how much comes in, one after the other.
	Steps []Step
	// Replace are more texts of the example to replace, in pairs; nil: none.
	Replace []string
	// Progress is told what goes on.
	Progress func(what string)
}

// Step is a load for a while.
type Step struct {
	// Rate is how many records come in each second.
	Rate int
	// Until ends the step, given what was seen last; nil: For does.
	Until func(Point) bool
	// For is how long it is at the most. With Until, not to end before is a failure.
	For time.Duration
	// Do happens some seconds after the load has changed; nil: nothing.
	Do func(ctx context.Context, r *Running) error
}

// Point is what was seen at a time.
type Point struct {
	// At is the time since the job ran first.
	At time.Duration
	// Rate is how many records come in each second.
	Rate int
	// Work is the parallelism of the vertex that works; 0 while the job does not run.
	Work int
	// Waiting is how many records wait, in thousands rounded; -1 is not known.
	Waiting int
	// Started is when the JobManager took the job on: it stays when the job is rescaled in place.
	Started time.Time
}

// Running is a run that goes on.
type Running struct {
	// Platform is the one that it is on.
	Platform *platform.Platform
	flink    *flinkrest.Client
	jobs     dynamic.ResourceInterface
	options  Options
	rate     int
	begun    time.Time
	points   []Point
}

// name is that of the example's FlinkDeployment.
const name = "autoscaling"

// settings are those of the installation: its clock is as fast as it can be, so that short windows fill.
const settings = "kubernetes.operator.reconcile.interval: 5 s\n"

// Run starts a platform, the example's job on it, and the steps. Its points are what was seen, second by second.
func Run(ctx context.Context, o Options) (points []Point, err error) {
	r := &Running{options: o}
	r.Platform, err = platform.Start(ctx, platform.Options{
		Dir: o.Dir, Checkout: o.Checkout, Jobs: filepath.Join(o.Checkout, "test/cluster/flink/jobs"), Settings: settings,
		Progress: func(what string, _, _ int64) { o.Progress(what) },
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Platform.Stop()) }()
	if err := r.apply(ctx); err != nil {
		return nil, err
	}
	for _, step := range o.Steps {
		if err := r.step(ctx, step); err != nil {
			return r.points, err
		}
	}
	return r.points, nil
}

// file is where the rate is: the job's processes read it themselves.
func (r *Running) file() string { return filepath.Join(r.options.Dir, "load", "rate") }

func (r *Running) apply(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(r.options.Checkout, "examples", "autoscaling.yaml"))
	if err != nil {
		return err
	}
	// a kubelet takes a minute to bring a change of a ConfigMap into its volume
	replace := append([]string{"configMap: {name: autoscaling-load}", "hostPath: {path: " + filepath.Dir(r.file()) + "}"},
		r.options.Replace...)
	made := filepath.Join(r.options.Dir, "load", "autoscaling.yaml")
	if err := os.MkdirAll(filepath.Dir(made), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(made, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o644); err != nil {
		return err
	}
	if err := r.load(r.options.Steps[0].Rate); err != nil {
		return err
	}
	relative, err := filepath.Rel(r.options.Checkout, made)
	if err != nil {
		return err
	}
	if err := r.Platform.Apply(ctx, relative); err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(r.Platform.Config())
	if err != nil {
		return err
	}
	r.jobs = objects.Resource(schema.GroupVersionResource{
		Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments",
	}).Namespace("default")
	r.flink, err = flinkrest.New(flinkrest.Options{
		BaseURL:   "http://" + name + "-rest.default.svc:8081",
		Transport: &http.Transport{DialContext: r.Platform.Node().DialContext},
	})
	return err
}

func (r *Running) load(rate int) error {
	r.rate = rate
	return os.WriteFile(r.file(), []byte(strconv.Itoa(rate)), 0o644)
}

// step changes the load and looks each second until it is over.
func (r *Running) step(ctx context.Context, s Step) error {
	if err := r.load(s.Rate); err != nil {
		return err
	}
	begun, done := time.Now(), s.Do == nil
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-r.Platform.Failed():
			return err
		case <-tick.C:
		}
		p := r.look(ctx)
		if !done && time.Since(begun) > 5*time.Second {
			done = true
			if err := s.Do(ctx, r); err != nil {
				return err
			}
		}
		over := time.Since(begun) > s.For
		switch {
		case s.Until != nil && s.Until(p):
			return nil
		case over && s.Until != nil:
			return fmt.Errorf("%d records a second for %s: the job works with %d subtasks; %s", s.Rate, s.For, p.Work, r.why(ctx))
		case over:
			return nil
		}
	}
}

// look adds a point, once the job runs.
func (r *Running) look(ctx context.Context) Point {
	p := Point{Rate: r.rate, Waiting: -1}
	if jobs, err := r.flink.Jobs(ctx); err == nil && len(jobs) == 1 {
		r.seen(ctx, jobs[0].ID, &p)
	}
	if r.begun.IsZero() && p.Work > 0 {
		r.begun = time.Now()
	}
	if !r.begun.IsZero() {
		p.At = time.Since(r.begun).Round(time.Second)
		r.points = append(r.points, p)
		r.options.Progress(p.String())
	}
	return p
}

func (r *Running) seen(ctx context.Context, id string, p *Point) {
	job, err := r.flink.Job(ctx, id)
	if err != nil || job.State != flinkrest.Running {
		return
	}
	p.Started = job.StartTime.Time()
	for _, v := range job.Vertices {
		if v.Tasks["RUNNING"] != v.Parallelism {
			return
		}
		if strings.Contains(v.Name, "Source") {
			values, err := r.flink.VertexMetrics(ctx, id, v.ID, []string{"Source__load.pendingRecords"})
			if waiting, there := values["Source__load.pendingRecords"]; err == nil && there {
				p.Waiting = int(waiting.Sum)
			}
			continue
		}
		p.Work = v.Parallelism
	}
}

// why is what the resource says of its autoscaler.
func (r *Running) why(ctx context.Context) string {
	u, err := r.jobs.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(u.Object["status"])
}

// String is the point on one line.
func (p Point) String() string {
	waiting := "?"
	if p.Waiting >= 0 {
		waiting = strconv.Itoa(p.Waiting)
	}
	return fmt.Sprintf("%4.0f s  %4d records/s  %d subtasks  %s wait", p.At.Seconds(), p.Rate, p.Work, waiting)
}

// KillFunctions ends all processes of the functions at once, as a crash of their nodes would.
func (r *Running) KillFunctions(context.Context) error {
	for _, pid := range processes.Of(r.options.Dir) {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !strings.Contains(string(environ), "K_SERVICE=") {
			continue // it has ended, or is no function
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}
