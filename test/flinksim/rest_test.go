package flinksim

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

const trigger = "11111111111111111111111111111111"

// must returns what a call gave and fails the test on an error.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestReadsOfARunningJob(t *testing.T) {
	w := running(t, application(nil))
	c, ctx := client(t, w), t.Context()
	w.Flink.SetMetric("job/demo", "own", "1.5")
	w.Flink.SetMetric("vertex/"+job.VertexID("demo", "source"), "busyTimeMsPerSecond", "NaN")
	w.Flink.SetMetric("jobmanager", "taskSlotsTotal", "2")
	w.Flink.SetMetric("taskmanagers", "Status.JVM.CPU.Load", "0.5")

	if o := must(c.Overview(ctx))(t); o.TaskManagers != 1 || o.SlotsTotal != 2 || o.SlotsAvailable != 0 ||
		o.JobsRunning != 1 || o.FlinkVersion != "1.20.5" {
		t.Errorf("overview %+v", o)
	}
	if o := must(c.ClusterConfig(ctx))(t); o.FlinkVersion != "1.20.5" || o.Features.WebSubmit {
		t.Errorf("config %+v: an application cluster takes no submits", o)
	}
	if tms := must(c.TaskManagers(ctx))(t); len(tms) != 1 || tms[0].ID != "demo-taskmanager-1-1" || tms[0].Slots != 2 {
		t.Errorf("TaskManagers %+v", tms)
	}
	if o := must(c.JobManagerConfig(ctx))(t); o["pipeline.name"] != "demo" {
		t.Errorf("JobManager config %v", o)
	}
	if jobs := must(c.Jobs(ctx))(t); len(jobs) != 1 || jobs[0].ID != jobA || jobs[0].State != flinkrest.Running ||
		jobs[0].EndTime != -1 || jobs[0].StartTime.Time().IsZero() {
		t.Errorf("jobs %+v", jobs)
	}
	if j := must(c.Job(ctx, jobA))(t); len(j.Vertices) != 2 || j.Vertices[1].Parallelism != 2 || len(j.Plan.Nodes) != 2 ||
		j.Plan.Nodes[1].Inputs[0].ID != j.Vertices[0].ID {
		t.Errorf("job %+v", j)
	}
	if o := must(c.JobConfig(ctx, jobA))(t); o.Execution.Parallelism != 2 {
		t.Errorf("job config %+v", o)
	}
	if e := must(c.JobExceptions(ctx, jobA, 10))(t); len(e.Entries) != 0 {
		t.Errorf("exceptions %+v", e)
	}
	if r := must(c.ExecutionResult(ctx, jobA))(t); r.Done {
		t.Errorf("result %+v of a running job", r)
	}
	if m := must(c.Metrics(
		ctx, jobA, []string{"numRestarts", "numberOfCompletedCheckpoints", "own", "nothing"},
	))(t); m["numRestarts"] != "0" || m["numberOfCompletedCheckpoints"] != "2" || m["own"] != "1.5" || len(m) != 3 {
		t.Errorf("metrics %v", m)
	}
	if m := must(c.Metrics(ctx, jobB, []string{"numRestarts"}))(t); len(m) != 0 {
		t.Errorf("metrics %v of a job that is not there, want none and no error", m)
	}
	if m := must(c.JobManagerMetrics(ctx, []string{"taskSlotsTotal"}))(t); m["taskSlotsTotal"] != "2" {
		t.Errorf("JobManager metrics %v", m)
	}
	if m := must(c.TaskManagerMetrics(ctx, []string{"Status.JVM.CPU.Load"}))(t); m["Status.JVM.CPU.Load"].Max != 0.5 {
		t.Errorf("TaskManager metrics %v", m)
	}
	source := job.VertexID("demo", "source")
	if n := must(c.VertexMetricNames(ctx, jobA, source))(t); len(n) != 1 || n[0] != "busyTimeMsPerSecond" {
		t.Errorf("vertex metric names %v", n)
	}
	if m := must(c.VertexMetrics(ctx, jobA, source, []string{"busyTimeMsPerSecond", "nothing"}))(t); len(m) != 0 {
		t.Errorf("vertex metrics %v, want Flink's empty answer when one name has no value", m)
	}
	s := must(c.CheckpointStatistics(ctx, jobA))(t)
	if s.Counts.Completed != 2 || s.Latest.Completed.ExternalPath != "s3://c/"+jobA+"/chk-2" ||
		s.Latest.Restored != nil || len(s.History) != 2 || s.History[0].ID != 2 || !s.History[1].Discarded {
		t.Errorf("checkpoints %+v", s)
	}
	if d := must(c.CheckpointDetails(ctx, jobA, 2))(t); d.Status != flinkrest.CheckpointCompleted {
		t.Errorf("details %+v", d)
	}
	if o := must(c.CheckpointConfig(ctx, jobA))(t); o.Interval != 60000 || !o.Externalization.Enabled {
		t.Errorf("checkpoint config %+v", o)
	}
	if n := len(w.Tap.Effects()); n != 0 {
		t.Errorf("%d effects of reads", n)
	}
}

func TestRefusals(t *testing.T) {
	w := running(t, application(map[string]string{"state.savepoints.dir": ""}))
	w.Flink.ScriptJob("demo", job.Script{})
	c, ctx := client(t, w), t.Context()
	ended := func() error {
		w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { j.Finish(w.Clock.Now()) })
		return c.Cancel(ctx, jobA)
	}
	first := func(_ any, err error) error { return err }
	rows := []struct {
		name string
		err  error
		want error
		why  string
	}{
		{"job", first(c.Job(ctx, jobB)), flinkrest.ErrNotFound, "nobody knows it"},
		{"statistics", first(c.CheckpointStatistics(ctx, jobB)), flinkrest.ErrNotFound, "nobody knows it"},
		{"details", first(c.CheckpointDetails(ctx, jobA, 99)), flinkrest.ErrNotFound, "it left the history"},
		{"no id", first(c.Job(ctx, "nonsense")), flinkrest.ErrRejected, "not a job ID"},
		{"cancel", c.Cancel(ctx, jobB), flinkrest.ErrNotFound, "nobody knows it"},
		{
			"savepoint without a place", first(c.TriggerSavepoint(ctx, jobA, flinkrest.SavepointRequest{})),
			flinkrest.ErrRejected, "no directory anywhere",
		},
		{"jars", first(c.Jars(ctx)), flinkrest.ErrNoEndpoint, "an application cluster has none"},
		{"shutdown", c.ShutdownCluster(ctx), flinkrest.ErrNoEndpoint, "not modelled"},
		{
			"rescale", c.SetResourceRequirements(ctx, jobA, flinkrest.Requirements{}), flinkrest.ErrRejected,
			"the default scheduler cannot",
		},
		{"cancel too late", ended(), flinkrest.ErrTerminal, "it has ended otherwise"},
	}
	for _, row := range rows {
		if !errors.Is(row.err, row.want) {
			t.Errorf("%s: got %v, want %v: %s", row.name, row.err, row.want, row.why)
		}
	}
	for name, look := range map[string]func() (flinkrest.Operation, error){
		"savepoint":  func() (flinkrest.Operation, error) { return c.SavepointStatus(ctx, jobA, trigger) },
		"checkpoint": func() (flinkrest.Operation, error) { return c.CheckpointStatus(ctx, jobA, trigger) },
		"disposal":   func() (flinkrest.Operation, error) { return c.DisposalStatus(ctx, trigger) },
	} {
		if o, err := look(); err != nil || o.State != flinkrest.OperationNotKnown {
			t.Errorf("%s: %+v %v, want an operation nobody knows", name, o, err)
		}
	}
	must(c.StopWithSavepoint(ctx, jobB, flinkrest.StopRequest{TriggerID: trigger, TargetDirectory: "s3://t"}))(t)
	if o := must(c.SavepointStatus(ctx, jobB, trigger))(t); o.State != flinkrest.OperationFailed ||
		!strings.Contains(o.Failure.Summary(), "Could not find Flink job") {
		t.Errorf("stop of a job that is not there: %+v; it is accepted, its status says so", o)
	}
	if n := len(w.Tap.Effects()); n != 0 {
		t.Errorf("%d effects of refused calls", n)
	}
}

func TestSavepointIsIdempotent(t *testing.T) {
	w := running(t, application(nil))
	c, ctx := client(t, w), t.Context()
	for range 2 {
		if id := must(c.TriggerSavepoint(ctx, jobA, flinkrest.SavepointRequest{TriggerID: trigger}))(t); id != trigger {
			t.Errorf("trigger %s, want ours", id)
		}
	}
	if o := must(c.SavepointStatus(ctx, jobA, trigger))(t); o.State != flinkrest.OperationInProgress {
		t.Errorf("at once: %+v", o)
	}
	if s := must(c.CheckpointStatistics(ctx, jobA))(t); s.Counts.InProgress != 1 {
		t.Errorf("counts %+v, want one in progress", s.Counts)
	}
	w.Settle()
	o := must(c.SavepointStatus(ctx, jobA, trigger))(t)
	if o.State != flinkrest.OperationCompleted || !strings.HasPrefix(o.Location, "s3://s/savepoint-aaaaaa-") {
		t.Errorf("in the end: %+v", o)
	}
	if n := len(w.Tap.Effects()); n != 1 {
		t.Errorf("effects %v, want one savepoint", w.Tap.Effects())
	}
	w.Clock.Advance(6 * time.Minute)
	if o := must(c.SavepointStatus(ctx, jobA, trigger))(t); o.State != flinkrest.OperationNotKnown {
		t.Errorf("after rest.async.store-duration: %+v", o)
	}
	id := must(c.DisposeSavepoint(ctx, o.Location))(t)
	if d := must(c.DisposalStatus(ctx, id))(t); d.State != flinkrest.OperationCompleted {
		t.Errorf("disposal %+v", d)
	}
	again := must(c.DisposeSavepoint(ctx, o.Location))(t)
	if d := must(c.DisposalStatus(ctx, again))(t); d.State != flinkrest.OperationFailed {
		t.Errorf("disposal of what is gone: %+v", d)
	}
}

func TestCheckpointAndStop(t *testing.T) {
	w := running(t, withHA(nil))
	c, ctx := client(t, w), t.Context()
	must(c.TriggerCheckpoint(ctx, jobA, flinkrest.CheckpointRequest{TriggerID: trigger}))(t)
	w.Settle()
	if o := must(c.CheckpointStatus(ctx, jobA, trigger))(t); o.State != flinkrest.OperationCompleted ||
		o.CheckpointID != 3 {
		t.Errorf("checkpoint %+v, want the third", o)
	}
	must(c.StopWithSavepoint(ctx, jobA, flinkrest.StopRequest{TriggerID: trigger, TargetDirectory: "s3://t"}))(t)
	w.Settle()
	o := must(c.SavepointStatus(ctx, jobA, trigger))(t)
	if o.State != flinkrest.OperationCompleted || !strings.HasPrefix(o.Location, "s3://t/savepoint-") {
		t.Errorf("stop %+v", o)
	}
	if j := must(c.Job(ctx, jobA))(t); j.State != flinkrest.Finished || j.EndTime <= 0 {
		t.Errorf("job %s, want FINISHED and still known", j.State)
	}
	var paths []string
	for _, s := range w.Storage.Snapshots() {
		paths = append(paths, s.Path)
	}
	if diff := cmp.Diff([]string{o.Location}, paths); diff != "" {
		t.Errorf("a finished job keeps no checkpoint\n%s", diff)
	}
	w.Tick(61 * time.Minute)
	if _, err := c.Job(ctx, jobA); !errors.Is(err, flinkrest.ErrNotFound) {
		t.Errorf("after jobstore.expiration-time: %v", err)
	}
	noViolations(t, w)
}

// A stop whose savepoint is complete and whose tasks then fail ends the job, whatever its scheduler and its restart
// strategy.
func TestFailedStop(t *testing.T) {
	for name, row := range map[string]struct{ strategy, scheduler string }{
		"none":              {"none", "default"},
		"exponential-delay": {"exponential-delay", "default"},
		"adaptive":          {"exponential-delay", "adaptive"},
	} {
		t.Run(name, func(t *testing.T) {
			w := running(t, application(map[string]string{
				"restart-strategy.type": row.strategy, "jobmanager.scheduler": row.scheduler,
			}))
			w.Flink.ScriptJob("demo", job.Script{StopFails: true})
			c, ctx := client(t, w), t.Context()
			must(c.StopWithSavepoint(ctx, jobA, flinkrest.StopRequest{TriggerID: trigger}))(t)
			w.Settle()
			o := must(c.SavepointStatus(ctx, jobA, trigger))(t)
			if _, stored := w.Storage.Get(o.Location); o.State != flinkrest.OperationFailed || !stored {
				t.Errorf("%+v: the savepoint that was completed must be found in the failure", o)
			}
			if e := must(c.JobExceptions(ctx, jobA, 1))(t); len(e.Entries) != 1 || e.Entries[0].StackTrace == "" {
				t.Errorf("exceptions %+v", e)
			}
			if j := must(c.Job(ctx, jobA))(t); j.State != flinkrest.Failed {
				t.Errorf("state %s", j.State)
			}
		})
	}
}

// Flink 1.15.0 restarts such a job under the adaptive scheduler, from its last checkpoint, and the failure of the stop
// names no path.
func TestAFailedStopThatRestartsTheJob(t *testing.T) {
	w := running(t, application(map[string]string{
		"jobmanager.scheduler": "adaptive", "restart-strategy.type": "exponential-delay",
	}))
	w.Flink.ScriptJob("demo", job.Script{StopRestarts: true})
	c, ctx := client(t, w), t.Context()
	must(c.StopWithSavepoint(ctx, jobA, flinkrest.StopRequest{TriggerID: trigger}))(t)
	w.Settle()
	if o := must(c.SavepointStatus(ctx, jobA, trigger))(t); o.State != flinkrest.OperationFailed || o.Location != "" {
		t.Errorf("%+v: the stop failed, and its failure names no savepoint", o)
	}
	j := mustState(t, w, jobA, job.Running)
	if made := j.Latest(true); made == nil || !made.Stop || j.Restored != nil && j.Restored.Savepoint {
		t.Errorf("savepoint %+v, restored from %+v: the savepoint is there, and nothing restarts from it", made, j.Restored)
	}
}

func TestCancel(t *testing.T) {
	w := running(t, application(nil))
	c, ctx := client(t, w), t.Context()
	for range 2 {
		if err := c.Cancel(ctx, jobA); err != nil {
			t.Fatal(err)
		}
	}
	if j := must(c.Job(ctx, jobA))(t); j.State != flinkrest.Cancelling {
		t.Errorf("state %s, want CANCELLING", j.State)
	}
	w.Settle()
	w.Tick(3 * time.Second) // the answer was in a cache
	if j := must(c.Job(ctx, jobA))(t); j.State != flinkrest.Canceled {
		t.Errorf("state %s, want CANCELED", j.State)
	}
	if err := c.Cancel(ctx, jobA); err != nil {
		t.Errorf("cancelling what is cancelled: %v, want success", err)
	}
	if n := len(w.Tap.Effects()); n != 1 || w.Tap.Effects()[0].Text != "cancel job "+jobA+" in flink/demo" {
		t.Errorf("effects %v, want one", w.Tap.Effects())
	}
	if tms := must(c.TaskManagers(ctx))(t); len(tms) != 0 {
		t.Errorf("TaskManagers %v of an ended job", tms)
	}
}

func TestSession(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, session(map[string]string{"high-availability.type": "kubernetes"}))
	w.Settle()
	c, ctx := client(t, w), t.Context()
	id := must(c.JarUpload(ctx, "op.jar", strings.NewReader("jar")))(t)
	if jars := must(c.Jars(ctx))(t); len(jars) != 1 || jars[0].ID != id || jars[0].Name != "op.jar" {
		t.Errorf("jars %+v", jars)
	}
	request := flinkrest.RunRequest{
		Version: flinkrest.Version{Major: 1, Minor: 20}, JobID: jobA, Parallelism: 3,
		Configuration: map[string]string{"pipeline.name": "first", "execution.checkpointing.interval": "10 s"},
	}
	if got := must(c.JarRun(ctx, id, request))(t); got != jobA {
		t.Errorf("job %s, want ours", got)
	}
	if _, err := c.JarRun(ctx, id, request); !errors.Is(err, flinkrest.ErrDuplicateJob) {
		t.Errorf("the same ID again: %v", err)
	}
	request.JobID, request.SavepointPath = jobB, "s3://gone"
	request.Configuration = map[string]string{"pipeline.name": "second"}
	if _, err := c.JarRun(ctx, id, request); !errors.Is(err, flinkrest.ErrRejected) {
		t.Errorf("a savepoint that is not there: %v", err)
	}
	if _, err := c.JarRun(ctx, "no_such.jar", request); !errors.Is(err, flinkrest.ErrNotFound) {
		t.Errorf("a jar that is not there: %v", err)
	}
	w.Settle()
	if j := mustState(t, w, jobA, job.Running); j.Interval != 10*time.Second || j.Name != "first" {
		t.Errorf("job %+v: the run's own configuration counts", j.Options)
	}
	if tms := must(c.TaskManagers(ctx))(t); len(tms) != 2 {
		t.Errorf("%d TaskManagers, want 2 for parallelism 3", len(tms))
	}
	w.Tick(time.Minute)
	w.Nodes.Crash("flink", jobManagerPod(w), "oom")
	w.Settle()
	if j := mustState(t, w, jobA, job.Running); j.Restored == nil {
		t.Error("the recovered job started empty")
	}
	if jars := must(c.Jars(ctx))(t); len(jars) != 0 {
		t.Errorf("jars %+v outlived their process", jars)
	}
	if err := c.JarDelete(ctx, id); !errors.Is(err, flinkrest.ErrNotFound) {
		t.Errorf("deleting a lost jar: %v", err)
	}
	noViolations(t, w)
}

func TestTwoRunsOfOneSessionJob(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, session(nil))
	w.Settle()
	c, ctx := client(t, w), t.Context()
	id := must(c.JarUpload(ctx, "op.jar", strings.NewReader("jar")))(t)
	for _, jobID := range []string{jobA, jobB} {
		must(c.JarRun(ctx, id, flinkrest.RunRequest{
			Version: flinkrest.Version{Major: 1, Minor: 20}, JobID: jobID,
			Configuration: map[string]string{"pipeline.name": "mine"},
		}))(t)
	}
	want := []string{"two live jobs of flink/demo mine: " + jobA + " and " + jobB}
	if diff := cmp.Diff(want, w.Flink.Violations()); diff != "" {
		t.Error(diff)
	}
	if err := c.JarDelete(ctx, id); err != nil {
		t.Errorf("a jar in use can be deleted: %v", err)
	}
}

func TestARunThatIsNotAnswered(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, session(nil))
	w.Settle()
	w.Flink.Script("flink", "demo", process.Script{RunTimesOut: true})
	c, ctx := client(t, w), t.Context()
	id := must(c.JarUpload(ctx, "op.jar", strings.NewReader("jar")))(t)
	if _, err := c.JarRun(ctx, id, flinkrest.RunRequest{JobID: jobA}); !errors.Is(err, flinkrest.ErrUnreachable) {
		t.Errorf("got %v, want no answer", err)
	}
	if jobs := must(c.Jobs(ctx))(t); len(jobs) != 1 || jobs[0].ID != jobA {
		t.Errorf("jobs %+v: the run goes on in the JobManager", jobs)
	}
	if n := len(w.Tap.Effects()); n != 2 {
		t.Errorf("effects %v, want the upload and the run", w.Tap.Effects())
	}
}

func TestRescale(t *testing.T) {
	w := running(t, application(map[string]string{"jobmanager.scheduler": "adaptive"}))
	c, ctx := client(t, w), t.Context()
	r := must(c.ResourceRequirements(ctx, jobA))(t)
	source := job.VertexID("demo", "source")
	if got := r[source].Parallelism; got != (flinkrest.Bounds{Lower: 1, Upper: 2}) {
		t.Errorf("requirements %+v", got)
	}
	r[source] = flinkrest.Requirement{Parallelism: flinkrest.Bounds{Lower: 1, Upper: 5}}
	for range 2 {
		if err := c.SetResourceRequirements(ctx, jobA, r); err != nil {
			t.Fatal(err)
		}
	}
	w.Settle()
	if tms := must(c.TaskManagers(ctx))(t); len(tms) != 3 {
		t.Errorf("%d TaskManagers, want 3 for parallelism 5", len(tms))
	}
	if j := must(c.Job(ctx, jobA))(t); j.Vertices[0].Parallelism != 5 || j.Vertices[1].Parallelism != 2 {
		t.Errorf("vertices %+v", j.Vertices)
	}
	if n := len(w.Tap.Effects()); n != 1 {
		t.Errorf("%d effects, want one for two equal calls", n)
	}
}

func TestOneLogOverBothSystems(t *testing.T) {
	w := running(t, application(nil))
	kube := w.Dynamic("test")
	w.Tap.CrashAfterEffect("test", 2)
	c, ctx := client(t, w), t.Context()
	must(c.TriggerSavepoint(ctx, jobA, flinkrest.SavepointRequest{TriggerID: trigger}))(t)
	deleted := kube.Resource(kubesim.ConfigMaps).Namespace("flink").Delete(
		ctx, "flink-config-demo", metav1.DeleteOptions{},
	)
	if deleted == nil {
		t.Error("the second effect was answered")
	}
	if _, err := c.Jobs(ctx); !errors.Is(err, flinkrest.ErrUnreachable) {
		t.Errorf("a dead client reached Flink: %v", err)
	}
	other := http.Client{Transport: w.Transport("other")}
	response, err := other.Get("http://" + Host("flink", "demo") + "/v1/jobs")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	var texts []string
	for _, e := range w.Tap.Effects() {
		texts = append(texts, e.System+" "+e.Text)
	}
	want := []string{
		"flink trigger savepoint " + trigger + " of job " + jobA + " in flink/demo",
		"kube delete configmaps flink/flink-config-demo",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	flinkReads := w.Tap.Count(func(r wire.Request) bool {
		return r.System == "flink" && r.Resource == "jobs" && r.Agent == "other" && r.Name == "demo"
	})
	if flinkReads != 1 {
		t.Errorf("%d requests of the other client recorded, want 1", flinkReads)
	}
}
