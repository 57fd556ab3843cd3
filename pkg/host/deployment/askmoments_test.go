package deployment_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/fields"
)

// Each question is a request: a look asks for what its moment needs, and for no more.
func TestWhatIsAskedFor(t *testing.T) {
	const lostHA = "Pods TaskManagers ReplicaSets HAData"
	const going = "Pods TaskManagers ReplicaSets Owned HAData"
	const again = "Pods TaskManagers ReplicaSets Companions HAData Ingress" // of a start with a predecessor
	type steps []func(w *enginetest.Deployment)
	ha := enginetest.HighlyAvailable
	alone := enginetest.Standalone(enginetest.Application)
	haStateless := enginetest.With(ha, `"upgradeMode":"last-state"`, `"upgradeMode":"stateless"`)
	saves := enginetest.With(enginetest.Stateful, `"state.savepoints.dir"`,
		`"kubernetes.operator.periodic.savepoint.interval":"1h","state.savepoints.dir"`)
	exposed := enginetest.With(enginetest.Application, `"image":`, `"ingress":{"template":"/{{name}}"},"image":`)
	edits := func(change func(s *v1beta1.FlinkDeploymentSpec)) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) { w.Edit(change) }
	}
	changed, round, run := edits(
		enginetest.UpgradeImage,
	), func(w *enginetest.Deployment) { w.Round() }, func(w *enginetest.Deployment) { w.Run() }
	deleted, collected, gone, lost := (*enginetest.Deployment).Delete, (*enginetest.Deployment).Collects,
		(*enginetest.Deployment).Terminate, (*enginetest.Deployment).Lose
	prepared := func(w *enginetest.Deployment) {
		w.Round()
		w.Round()
	}
	in := func(state v1beta1.FlinkJobState) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			w.ServeJob(state)
			w.Run()
		}
	}
	begins, restarts, ends := in(v1beta1.FlinkJobCreated), in(v1beta1.FlinkJobRestarting), in(v1beta1.FlinkJobFailed)
	runs := func(w *enginetest.Deployment) {
		w.Run()
		in(v1beta1.FlinkJobRunning)(w)
		w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
		w.Run()
	}
	jobManager := func(change func(jm *appsv1.Deployment)) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			jm := w.Deployment().DeepCopy()
			change(jm)
			w.Snapshot.JobManager = plan.Present(jm)
		}
	}
	another := jobManager(func(jm *appsv1.Deployment) { jm.Annotations[v1beta1.AnnotationOperation] = "another" })
	unready := jobManager(func(jm *appsv1.Deployment) { jm.Status.AvailableReplicas = 0 })
	unknown := func(w *enginetest.Deployment) { w.Snapshot.JobManager = plan.Unknown[*appsv1.Deployment]("time-out") }
	available := edits(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
		)
	})
	invalid := func(w *enginetest.Deployment) { w.Snapshot.SpecProblem = "it is invalid" }
	held := func(w *enginetest.Deployment) {
		w.Snapshot.Resource.Finalizers = []string{v1beta1.FinalizerFlinkDeployment}
	}
	hidden := edits(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = nil })
	resumes := edits(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	later := func(w *enginetest.Deployment) { w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour) }
	healthy := func(w *enginetest.Deployment) {
		w.Health(0)
		w.Run()
		w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
	}
	unhealthy := func(w *enginetest.Deployment) {
		w.Health(100)
		w.Round()
	}
	suspends := edits(enginetest.Suspends)
	saved := func(w *enginetest.Deployment) {
		w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"})
	}
	fails := func(w *enginetest.Deployment) { // to become stable, for long
		for _, step := range (steps{runs, changed, run, gone, run, later}) {
			step(w)
		}
	}
	rows := map[string]struct {
		spec string
		then steps
		want string
	}{
		"never looked at":               {enginetest.Application, steps{}, ""},
		"the first start":               {enginetest.Application, steps{held}, "Pods TaskManagers"},
		"begins suspended":              {enginetest.Application, steps{held, suspends}, ""},
		"begins invalid":                {enginetest.Application, steps{held, invalid}, ""},
		"never looked at, HA":           {ha, steps{}, "HAData"},
		"prepared":                      {enginetest.Application, steps{prepared}, "Companions"},
		"prepared, HA":                  {ha, steps{prepared}, "Companions HAData"},
		"prepared, with Ingress":        {exposed, steps{prepared}, "Companions Ingress"},
		"prepared, then changed":        {enginetest.Application, steps{prepared, changed}, "Companions Owned"},
		"prepared by another operation": {enginetest.Application, steps{prepared, another}, "Owned"},
		"released":                      {enginetest.Application, steps{run}, "Pods"},
		"released, HA":                  {ha, steps{run}, "Pods HAData"},
		"released, standalone":          {alone, steps{run}, "Pods TaskManagerDeployment"},
		"its tasks begin":               {enginetest.Application, steps{run, begins}, "Flink Pods TaskManagers"},
		"its tasks begin again, HA":     {ha, steps{runs, restarts}, "Flink Pods TaskManagers"},
		"not available":                 {enginetest.Application, steps{runs, unready}, "Pods"},
		"runs":                          {enginetest.Application, steps{runs}, "Flink"},
		"runs, HA":                      {ha, steps{runs}, "Flink"},
		"runs, its data was not seen":   {onZooKeeper, steps{runs}, "Flink HANodes"},
		"runs, standalone":              {alone, steps{runs}, "Flink"},
		"runs, reactive":                {reactive(enginetest.Application), steps{runs}, "Flink TaskManagerDeployment"},
		"runs, with Ingress":            {exposed, steps{runs}, "Flink Ingress"},
		"runs, takes savepoints":        {saves, steps{runs}, "Flink Snapshots"},
		"failed, takes savepoints":      {saves, steps{runs, ends}, "Flink"},
		"deleted, takes savepoints":     {saves, steps{runs, deleted}, "Flink Pods Owned"},
		"stopped, takes savepoints":     {saves, steps{runs, changed, round}, "Flink Pods Stop"},
		"changed":                       {enginetest.Application, steps{runs, changed}, "Flink"},
		"changed, HA":                   {ha, steps{runs, changed}, "Flink HAData"},
		"changed, ZooKeeper":            {onZooKeeper, steps{runs, changed}, "Flink HANodes"},
		"changed, invalid, HA":          {ha, steps{runs, changed, invalid}, "Flink"},
		"its Ingress is dropped":        {exposed, steps{runs, hidden}, "Flink Ingress"},
		"stopped, savepoint":            {enginetest.Stateful, steps{runs, changed, round}, "Flink Pods Stop"},
		"stopped, last-state":           {ha, steps{runs, changed, round}, "Pods ReplicaSets Owned HAData"},
		"stopped, for long":             {ha, steps{runs, changed, round, collected, later}, "Pods TaskManagers HAData"},
		"stopped, and gone":             {ha, steps{runs, changed, round, gone}, lostHA},
		"starts from last state":        {ha, steps{runs, changed, round, gone, round}, again},
		"suspended":                     {ha, steps{runs, suspends, run, gone, run}, ""},
		"suspended, no HA":              {enginetest.Application, steps{runs, suspends, run, gone, run}, ""},
		"resumed, HA":                   {ha, steps{runs, suspends, run, gone, run, resumes}, lostHA},
		"lost":                          {enginetest.Application, steps{runs, lost}, "Pods TaskManagers ReplicaSets"},
		"lost, HA":                      {ha, steps{runs, lost}, lostHA},
		"collected, HA":                 {ha, steps{runs, collected}, "Pods TaskManagers"},
		"deleted":                       {enginetest.Application, steps{runs, deleted}, "Flink Pods Owned"},
		"deleted, HA":                   {ha, steps{runs, deleted}, "Flink Pods Owned HAData"},
		"deleted, saves first":          {enginetest.SavesFirst, steps{runs, deleted, round}, "Flink Pods Stop Owned"},
		"deleted, and gone, HA":         {ha, steps{runs, deleted, round, gone}, "Pods TaskManagers HAData"},
		"a session":                     {enginetest.Session, steps{runs}, "Flink"},
		"a session, stopped":            {enginetest.Session, steps{runs, changed, round}, "Flink Pods SessionJobs"},
		"a session, deleted":            {enginetest.Session, steps{runs, deleted}, "Flink Pods Owned SessionJobs"},
		"does not run, to roll back":    {enginetest.RollingBack, steps{fails}, "Pods HAData"},
		"does not run, not to":          {ha, steps{fails}, "Pods HAData"},
		"healthy, HA":                   {enginetest.Checked(ha), steps{runs, healthy}, "Flink"},
		"not healthy, HA":               {enginetest.Checked(ha), steps{runs, healthy, unhealthy}, "Flink HAData"},
		"deleted, with Ingress":         {exposed, steps{runs, deleted}, "Flink Pods Owned"},
		"stopped, with Ingress":         {exposed, steps{runs, changed, round}, "Pods ReplicaSets Owned"},
		"starts again, HA":              {ha, steps{runs, lost, round}, again},
		"starts again, stateless, HA":   {haStateless, steps{runs, lost, round}, again},
		"released again, HA":            {ha, steps{runs, lost, run}, "Pods HAData"},
		"retired":                       {ha, steps{runs, suspends, run}, "Pods ReplicaSets Owned HAData"},
		"retired, for long":             {ha, steps{runs, suspends, run, later}, going},
		"rolled back, stopped":          {enginetest.RollingBack, steps{fails, round}, "Pods ReplicaSets Owned"},
		"rolled back, for long":         {enginetest.RollingBack, steps{fails, round, later}, going},
		"rolled back, collected":        {enginetest.RollingBack, steps{fails, round, collected}, "Pods TaskManagers"},
		"rolled back, collected, late": {
			enginetest.RollingBack,
			steps{fails, round, collected, later},
			"Pods TaskManagers HAData",
		},
		"rolled back, gone":   {enginetest.RollingBack, steps{fails, round, gone}, lostHA},
		"rolled back, starts": {enginetest.RollingBack, steps{fails, round, gone, round}, again},
		"healed, stopped": {
			enginetest.Checked(ha),
			steps{runs, healthy, unhealthy, round},
			"Pods ReplicaSets Owned",
		},
		"suspended by savepoint, standalone": {
			enginetest.Standalone(enginetest.Stateful), steps{runs, suspends, round}, "Flink Pods TaskManagerDeployment Stop",
		},
		"suspended, standalone, retired": {
			enginetest.Standalone(
				enginetest.Stateful,
			), steps{runs, suspends, round, saved, run}, "Pods TaskManagerDeployment ReplicaSets Owned",
		},
		"finished long ago, retired": {
			enginetest.Ttl(enginetest.Application), steps{runs, ends, later, round}, "Pods ReplicaSets Owned",
		},
		"lost, standalone":        {alone, steps{runs, lost}, "Pods TaskManagers TaskManagerDeployment ReplicaSets"},
		"changed, standalone":     {alone, steps{runs, changed, round}, "Pods TaskManagerDeployment ReplicaSets Owned"},
		"suspended, lost":         {enginetest.Application, steps{runs, suspends, run, gone, run, lost}, ""},
		"not known, deleted":      {enginetest.Application, steps{runs, deleted, unknown}, ""},
		"not known":               {enginetest.Application, steps{runs, unknown}, ""},
		"never deployed, deleted": {enginetest.Application, steps{round, deleted}, "Pods TaskManagers HAData"},
		"a session, HA": {
			enginetest.Session, steps{runs, available, run, gone, round}, lostHA + " Ingress SessionJobs",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			for _, step := range row.then {
				step(w)
			}
			if got := fields.Set(deployment.Open(w.Snapshot).First()); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}
