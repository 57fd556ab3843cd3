package lookout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// atOnce is how many jobs are asked at the same time.
const atOnce = 8

// Loads asks Flink about each, some at the same time.
func (l *Lookout) Loads(ctx context.Context, all []*unstructured.Unstructured) []view.Load {
	loads := make([]view.Load, len(all))
	places := make(chan struct{}, atOnce)
	var asked sync.WaitGroup
	for i, object := range all {
		asked.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			loads[i] = view.LoadOf(object)
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
	metricRestarts = "numRestarts"
	// metricPending ends the names of those that count the records that wait in front of a source.
	metricPending = ".pendingRecords"
)

// load asks the JobManager of a job for its figures.
func (l *Lookout) load(ctx context.Context, object *unstructured.Unstructured, into *view.Load) error {
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
	if m, err := client.Metrics(ctx, id, []string{metricRestarts}); err == nil {
		into.Restarts = m[metricRestarts]
	}
	sources := map[string]bool{}
	for _, n := range job.Plan.Nodes {
		sources[n.ID] = len(n.Inputs) == 0
	}
	for _, v := range job.Vertices {
		one := view.VertexLoad{ID: v.ID, Name: v.Name, Parallelism: v.Parallelism}
		m, err := client.VertexMetrics(ctx, id, v.ID, []string{metricBusy, metricPressure, metricIn, metricOut})
		if err == nil {
			one.Busy, one.BackPressured = ofSecond(m, metricBusy), ofSecond(m, metricPressure)
			one.In, one.Out = sum(m, metricIn), sum(m, metricOut)
		}
		if sources[v.ID] {
			one.Lag = lagOf(ctx, client, id, v.ID)
		}
		into.Vertices = append(into.Vertices, one)
	}
	return nil
}

// lagOf is how many records wait in front of a source; nil where it does not count them.
func lagOf(ctx context.Context, client *flinkrest.Client, job, vertex string) *float64 {
	all, err := client.VertexMetricNames(ctx, job, vertex)
	if err != nil {
		return nil
	}
	names := slices.DeleteFunc(all, func(name string) bool { return !strings.HasSuffix(name, metricPending) })
	if len(names) == 0 {
		return nil
	}
	m, err := client.VertexMetrics(ctx, job, vertex, names)
	if err != nil || len(m) == 0 {
		return nil
	}
	lag := 0.0
	for _, a := range m {
		lag += float64(a.Sum)
	}
	return view.Figure(lag)
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

// Rest is where a JobManager answers.
type Rest struct {
	// Cluster is the name of its Deployment.
	Cluster string
	// Port is that of its REST interface.
	Port int
	// TLS is whether it speaks TLS there.
	TLS bool
}

// RestOf is where the JobManager of a resource's cluster answers, by the cluster's spec and the settings.
func (l *Lookout) RestOf(ctx context.Context, object *unstructured.Unstructured) (Rest, error) {
	host, name := object, view.FamilyOf(object).Cluster
	if name == "" {
		return Rest{}, fmt.Errorf("%s has no Flink cluster", object.GetName())
	}
	if object.GetKind() == v1beta1.KindFlinkSessionJob {
		u, there, err := l.gatherer.Kube.Get(ctx, kube.Object{
			Resource: v1beta1.FlinkDeploymentGVR, Namespace: object.GetNamespace(), Name: name,
		})
		switch {
		case err != nil:
			return Rest{}, err
		case !there:
			return Rest{}, fmt.Errorf("its session cluster %s is not there", name)
		}
		host = u
	}
	raw, _, _ := unstructured.NestedMap(host.Object, "spec", "flinkConfiguration")
	text, err := json.Marshal(raw)
	if err != nil {
		return Rest{}, err
	}
	own := flinkconf.Config{}
	if raw != nil {
		if own, err = flinkconf.Own(text); err != nil {
			return Rest{}, err
		}
	}
	version, _, _ := unstructured.NestedString(host.Object, "spec", "flinkVersion")
	config := l.settings.Operator.Default(host.GetNamespace(), v1beta1.FlinkVersion(version)).Merge(own)
	port, err := strconv.Atoi(config.Get(key.RestPort))
	if err != nil {
		return Rest{}, fmt.Errorf("rest.port is no number")
	}
	tls, _ := config.Bool(key.RestSSLEnabled)
	return Rest{name, port, tls}, nil
}

// flink is a client of the JobManager of a resource's cluster.
func (l *Lookout) flink(ctx context.Context, object *unstructured.Unstructured) (*flinkrest.Client, error) {
	at, err := l.RestOf(ctx, object)
	if err != nil {
		return nil, err
	}
	return l.way.Client(object.GetNamespace(), at.Cluster, at.Port, at.TLS)
}
