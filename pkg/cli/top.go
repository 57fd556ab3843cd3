package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// atOnce is how many jobs are asked at the same time.
const atOnce = 8

func (p *program) top() command {
	vertices := false
	return command{
		use: "top [NAME]", group: "look", kinds: runKinds, args: cobra.MaximumNArgs(1),
		short:   "Load, backpressure and checkpoints of jobs, as Flink says now",
		example: "  kn flink top\n  kn flink top orders --vertices",
		rights:  []string{"list of the kinds and of pods", "get of configmaps in the system namespace", liveRights},
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.BoolVar(&vertices, "vertices", false, "a line for each vertex of NAME")
			f.BoolVar(&p.noHeaders, "no-headers", false, "leave the first line out")
		},
		run: func(ctx context.Context, args []string) error {
			if vertices && len(args) == 0 {
				return failed("--vertices is about one job: give NAME")
			}
			c, all, err := p.jobsOf(ctx, args)
			if err != nil {
				return err
			}
			look, err := p.lookout(ctx, c)
			if err != nil {
				return err
			}
			defer look.close()
			loads := look.loads(ctx, all)
			shown := view.LoadsOf(loads, slices.Concat(c.Unreadable(), look.way.Missing()))
			text := shown.Text(p.Now(), p.noHeaders)
			if vertices && loads[0].Why == "" {
				text = loads[0].VerticesText(p.noHeaders)
			}
			return p.show(shown, text)
		},
	}
}

// jobsOf are the resource that is named, or all that have a job.
func (p *program) jobsOf(ctx context.Context, args []string) (*cluster, []*unstructured.Unstructured, error) {
	if len(args) > 0 {
		c, object, err := p.named(ctx, args[0], runKinds)
		return c, []*unstructured.Unstructured{object}, err
	}
	c, err := p.connect()
	if err != nil {
		return nil, nil, err
	}
	var all []*unstructured.Unstructured
	for _, name := range runKinds {
		kind, _ := kinds.Of(name)
		all = append(all, c.Optional(ctx, kube.Query{Resource: kind.Resource, Namespace: c.namespace}, hasJob)...)
	}
	return c, all, nil
}

func hasJob(u *unstructured.Unstructured) bool {
	_, has, _ := unstructured.NestedMap(u.Object, "spec", "job")
	return has
}

// loads asks Flink about each, some at the same time.
func (l *lookout) loads(ctx context.Context, all []*unstructured.Unstructured) []view.Load {
	loads := make([]view.Load, len(all))
	places := make(chan struct{}, atOnce)
	var asked sync.WaitGroup
	for i, object := range all {
		asked.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			loads[i] = view.Load{Row: view.RowOf(object)}
			if err := l.load(ctx, object, &loads[i]); err != nil {
				loads[i].Why = err.Error()
			}
		})
	}
	asked.Wait()
	return loads
}

// shares are metrics in milliseconds of a second, rates in records of a second.
const (
	metricBusy     = "busyTimeMsPerSecond"
	metricPressure = "backPressuredTimeMsPerSecond"
	metricIn       = "numRecordsInPerSecond"
	metricOut      = "numRecordsOutPerSecond"
)

// load asks the JobManager of a job for its figures.
func (l *lookout) load(ctx context.Context, object *unstructured.Unstructured, into *view.Load) error {
	client, err := l.flink(ctx, object)
	if err != nil {
		return err
	}
	id, _, _ := unstructured.NestedString(object.Object, "status", "jobStatus", "jobId")
	if id == "" {
		return fmt.Errorf("no job was started yet")
	}
	job, err := client.Job(ctx, id)
	if err != nil {
		return err
	}
	into.Row.Job = string(job.State)
	if managers, err := client.TaskManagers(ctx); err == nil {
		n := len(managers)
		into.TaskManagers = &n
	}
	if s, err := client.CheckpointStatistics(ctx, id); err == nil && s.Latest.Completed != nil {
		at := s.Latest.Completed.TriggerTime.Time()
		into.Checkpoint, into.Took, into.StateSize = &at, s.Latest.Completed.Duration, s.Latest.Completed.StateSize
	}
	for _, v := range job.Vertices {
		one := view.VertexLoad{ID: v.ID, Name: v.Name, Parallelism: v.Parallelism}
		m, err := client.VertexMetrics(ctx, id, v.ID, []string{metricBusy, metricPressure, metricIn, metricOut})
		if err == nil {
			one.Busy, one.BackPressured = ofSecond(m, metricBusy), ofSecond(m, metricPressure)
			one.In, one.Out = sum(m, metricIn), sum(m, metricOut)
		}
		into.Vertices = append(into.Vertices, one)
	}
	return nil
}

func ofSecond(m map[string]flinkrest.Aggregate, name string) *float64 {
	a, has := m[name]
	if !has {
		return nil
	}
	return view.Figure(float64(a.Avg) / 1000)
}

func sum(m map[string]flinkrest.Aggregate, name string) *float64 {
	a, has := m[name]
	if !has {
		return nil
	}
	return view.Figure(float64(a.Sum))
}

// restAt is where a JobManager answers.
type restAt struct {
	cluster string
	port    int
	tls     bool
}

// restOf is where the JobManager of a resource's cluster answers, by the cluster's spec and the settings.
func (l *lookout) restOf(ctx context.Context, object *unstructured.Unstructured) (restAt, error) {
	host, name := object, view.FamilyOf(object).Cluster
	if name == "" {
		return restAt{}, fmt.Errorf("%s has no Flink cluster", object.GetName())
	}
	if object.GetKind() == v1beta1.KindFlinkSessionJob {
		u, there, err := l.Kube.Get(ctx, kube.Object{
			Resource: v1beta1.FlinkDeploymentGVR, Namespace: object.GetNamespace(), Name: name,
		})
		switch {
		case err != nil:
			return restAt{}, err
		case !there:
			return restAt{}, fmt.Errorf("its session cluster %s is not there", name)
		}
		host = u
	}
	raw, _, _ := unstructured.NestedMap(host.Object, "spec", "flinkConfiguration")
	text, err := json.Marshal(raw)
	if err != nil {
		return restAt{}, err
	}
	own := flinkconf.Config{}
	if raw != nil {
		if own, err = flinkconf.Own(text); err != nil {
			return restAt{}, err
		}
	}
	version, _, _ := unstructured.NestedString(host.Object, "spec", "flinkVersion")
	config := l.settings.Operator.Default(host.GetNamespace(), v1beta1.FlinkVersion(version)).Merge(own)
	port, err := strconv.Atoi(config.Get(key.RestPort))
	if err != nil {
		return restAt{}, fmt.Errorf("rest.port is no number")
	}
	tls, _ := config.Bool(key.RestSSLEnabled)
	return restAt{name, port, tls}, nil
}

// flink is a client of the JobManager of a resource's cluster.
func (l *lookout) flink(ctx context.Context, object *unstructured.Unstructured) (*flinkrest.Client, error) {
	at, err := l.restOf(ctx, object)
	if err != nil {
		return nil, err
	}
	return l.way.Client(object.GetNamespace(), at.cluster, at.port, at.tls)
}
