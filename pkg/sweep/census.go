package sweep

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Names of the columns that only a census reads.
const (
	columnNamespace = "Namespace"
	columnJob       = "Job Status"
	columnManager   = "JobManager"
	columnVersion   = "Flink"
	columnSince     = "Since"
)

// censusColumns are what a census counts by, beside those of columns. An older definition of a kind has them not.
var censusColumns = kube.Columns{
	columnNamespace: field("metadata", "namespace"),
	columnJob:       field("status", "jobStatus", "state"),
	columnManager:   field("status", "jobManagerDeploymentStatus"),
	columnVersion:   field("status", "clusterInfo", deployment.InfoVersion),
	columnSince:     field("status", "lifecycleSince"),
}

func field(path ...string) func(object map[string]any) any {
	return func(object map[string]any) any {
		text, _, _ := unstructured.NestedString(object, path...)
		return text
	}
}

// census counts how the resources of a sweep are. The tick makes it alone, of what it reads of each resource in any
// case, so that no shard has a part in a sum (ADR 0050). Nil counts nothing.
type census struct {
	at     time.Time
	counts map[counted]int
	// oldest are since when the one that is longest in a lifecycle state is in it.
	oldest map[counted]time.Time
	// partial is true when a definition of a kind does not have the columns.
	partial bool
}

// counted is what resources are counted by: what is equal, is one series.
type counted struct {
	gauge                  metrics.Gauge
	kind, namespace, value string
}

// newCensus begins one; nil without metrics.
func (o *Observer) newCensus() *census {
	if o.Metrics == nil {
		return nil
	}
	return &census{at: o.Gather.Now(), counts: map[counted]int{}, oldest: map[counted]time.Time{}}
}

// optional are the columns that are read for a census.
func (c *census) optional() kube.Columns {
	if c == nil {
		return nil
	}
	return censusColumns
}

// states are all that a resource of a kind can be in, so that one in which none is any more is told, too.
func states(k kind) map[metrics.Gauge][]string {
	all := map[metrics.Gauge][]string{metrics.States: {
		string(v1beta1.LifecycleCreated), string(v1beta1.LifecycleSuspended), string(v1beta1.LifecycleUpgrading),
		string(v1beta1.LifecycleDeployed), string(v1beta1.LifecycleStable), string(v1beta1.LifecycleRollingBack),
		string(v1beta1.LifecycleRolledBack), string(v1beta1.LifecycleFailed), string(v1beta1.LifecycleDeleting),
		string(v1beta1.LifecycleDeleted),
	}, metrics.Jobs: {
		string(v1beta1.FlinkJobInitializing), string(v1beta1.FlinkJobCreated), string(v1beta1.FlinkJobRunning),
		string(v1beta1.FlinkJobFailing), string(v1beta1.FlinkJobFailed), string(v1beta1.FlinkJobCancelling),
		string(v1beta1.FlinkJobCanceled), string(v1beta1.FlinkJobFinished), string(v1beta1.FlinkJobRestarting),
		string(v1beta1.FlinkJobSuspended), string(v1beta1.FlinkJobReconciling),
	}}
	if k.JobManager {
		all[metrics.JobManagers] = []string{
			string(v1beta1.JobManagerReady), string(v1beta1.JobManagerDeployedNotReady), string(v1beta1.JobManagerDeploying),
			string(v1beta1.JobManagerMissing), string(v1beta1.JobManagerError),
		}
	}
	return all
}

// addObject counts a resource. A canary is none.
func (c *census) addObject(k kind, u *unstructured.Unstructured) {
	if c == nil || !k.Counted || v1beta1.IsOnlyCanary(u) {
		return
	}
	c.add(k, u.GetNamespace(), func(column string) string {
		if of, there := censusColumns[column]; there {
			text, _ := of(u.Object).(string)
			return text
		}
		text, _ := columns[column](u.Object).(string)
		return text
	})
}

// addRow counts a resource by its columns, of one namespace or of any.
func (c *census) addRow(k kind, namespace string, row kube.Row) {
	if c == nil || !k.Counted {
		return
	}
	if namespace == "" {
		namespace = row.Text(columnNamespace)
		c.partial = c.partial || namespace == ""
	}
	c.add(k, namespace, row.Text)
}

func (c *census) add(k kind, namespace string, text func(column string) string) {
	total := counted{metrics.Resources, k.Name, namespace, ""}
	if c.counts[total] == 0 {
		for gauge, all := range states(k) {
			for _, state := range all {
				c.counts[counted{gauge, k.Name, namespace, state}] += 0
			}
		}
	}
	c.counts[total]++
	one := func(gauge metrics.Gauge, value string) {
		if value != "" {
			c.counts[counted{gauge, k.Name, namespace, value}]++
		}
	}
	one(metrics.States, text(columnLifecycle))
	c.age(counted{metrics.StateAge, k.Name, namespace, text(columnLifecycle)}, text(columnSince))
	one(metrics.Jobs, text(columnJob))
	if k.JobManager {
		one(metrics.JobManagers, text(columnManager))
		version := text(columnVersion)
		if version == "" {
			version = "UNKNOWN" // the Java operator's word
		}
		one(metrics.Versions, version)
	}
}

// age keeps the time of whoever is longest in a state. A status of the Java operator does not say since when.
func (c *census) age(of counted, since string) {
	at, err := time.Parse(time.RFC3339, since)
	if oldest, known := c.oldest[of]; err == nil && of.value != "" && (!known || at.Before(oldest)) {
		c.oldest[of] = at
	}
}

// tell tells what a full sweep has counted, if it has seen all, and that it was made. Everything has the sweep's time.
func (c *census) tell(o *Observer, complete bool) {
	if c == nil {
		return
	}
	whole := 0.0
	if complete {
		whole = 1
	}
	o.Metrics.Set(metrics.SweepTime, c.at, float64(c.at.UnixMilli())/1000)
	o.Metrics.Set(metrics.SweepComplete, c.at, whole)
	o.Metrics.Set(metrics.SweepInterval, c.at, o.Clock.Every().Seconds())
	if c.partial {
		o.Log.Warnw("the fleet is not counted: install the CustomResourceDefinitions again, they are too old")
	}
	if !complete || c.partial {
		return
	}
	for k, n := range c.counts {
		value := metrics.State(k.value)
		if k.gauge == metrics.Versions {
			value = metrics.Version(k.value)
		}
		o.Metrics.Set(k.gauge, c.at, float64(n), metrics.Kind(k.kind), metrics.Namespace(k.namespace), value)
	}
	for k, since := range c.oldest {
		o.Metrics.Set(
			k.gauge, c.at, max(0, c.at.Sub(since).Seconds()), metrics.Kind(k.kind), metrics.Namespace(k.namespace),
			metrics.State(k.value),
		)
	}
}

// errorType is the kind of an error, for metrics.
func errorType(err error) metrics.Attribute { return metrics.ErrorType(string(fail.KindOf(err))) }

// measure records how long something took that began then.
func (o *Observer) measure(
	ctx context.Context, name metrics.Histogram, began time.Time, what metrics.Attribute, err error,
) {
	o.Metrics.Time(ctx, name, time.Since(began), what, errorType(err))
}
