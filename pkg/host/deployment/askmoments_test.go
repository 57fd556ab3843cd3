package deployment

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/fields"
)

// Each question is a request: a look asks for what its moment needs, and for no more.
func TestWhatIsAskedFor(t *testing.T) {
	const lostHA = "Pods TaskManagers ReplicaSets HAData"
	const going = "Pods TaskManagers ReplicaSets Owned HAData"
	const again = "Pods TaskManagers ReplicaSets Companions HAData Ingress" // of a start with a predecessor
	type steps []func(w *fixture)
	ha := highlyAvailable
	alone := standalone(application)
	haStateless := with(ha, `"upgradeMode":"last-state"`, `"upgradeMode":"stateless"`)
	saves := with(stateful, `"state.savepoints.dir"`,
		`"kubernetes.operator.periodic.savepoint.interval":"1h","state.savepoints.dir"`)
	exposed := with(application, `"image":`, `"ingress":{"template":"/{{name}}"},"image":`)
	edits := func(change func(s *v1beta1.FlinkDeploymentSpec)) func(w *fixture) {
		return func(w *fixture) { w.edit(change) }
	}
	changed, round, run := edits(upgradeImage), func(w *fixture) { w.round() }, func(w *fixture) { w.run() }
	deleted, collected, gone, lost := (*fixture).delete, (*fixture).collects, (*fixture).terminate, (*fixture).lose
	prepared := func(w *fixture) {
		w.round()
		w.round()
	}
	in := func(state v1beta1.FlinkJobState) func(w *fixture) {
		return func(w *fixture) {
			w.serveJob(state)
			w.run()
		}
	}
	begins, restarts, ends := in(v1beta1.FlinkJobCreated), in(v1beta1.FlinkJobRestarting), in(v1beta1.FlinkJobFailed)
	runs := func(w *fixture) {
		w.run()
		in(v1beta1.FlinkJobRunning)(w)
		w.s.HAData = haMaps(w.status().JobStatus.JobID)
		w.run()
	}
	jobManager := func(change func(jm *appsv1.Deployment)) func(w *fixture) {
		return func(w *fixture) {
			jm := w.deployment().DeepCopy()
			change(jm)
			w.s.JobManager = plan.Present(jm)
		}
	}
	another := jobManager(func(jm *appsv1.Deployment) { jm.Annotations[v1beta1.AnnotationOperation] = "another" })
	unready := jobManager(func(jm *appsv1.Deployment) { jm.Status.AvailableReplicas = 0 })
	unknown := func(w *fixture) { w.s.JobManager = plan.Unknown[*appsv1.Deployment]("time-out") }
	available := edits(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
		)
	})
	invalid := func(w *fixture) { w.s.SpecProblem = "it is invalid" }
	held := func(w *fixture) { w.s.Resource.Finalizers = []string{v1beta1.FinalizerFlinkDeployment} }
	hidden := edits(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = nil })
	resumes := edits(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	later := func(w *fixture) { w.s.Now = w.s.Now.Add(time.Hour) }
	healthy := func(w *fixture) {
		w.health(0)
		w.run()
		w.s.Now = w.s.Now.Add(time.Minute)
	}
	unhealthy := func(w *fixture) {
		w.health(100)
		w.round()
	}
	suspends := edits(suspends)
	saved := func(w *fixture) { w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"}) }
	fails := func(w *fixture) { // to become stable, for long
		for _, step := range (steps{runs, changed, run, gone, run, later}) {
			step(w)
		}
	}
	rows := map[string]struct {
		spec string
		then steps
		want string
	}{
		"never looked at":               {application, steps{}, ""},
		"the first start":               {application, steps{held}, "Pods TaskManagers"},
		"begins suspended":              {application, steps{held, suspends}, ""},
		"begins invalid":                {application, steps{held, invalid}, ""},
		"never looked at, HA":           {ha, steps{}, "HAData"},
		"prepared":                      {application, steps{prepared}, "Companions"},
		"prepared, HA":                  {ha, steps{prepared}, "Companions HAData"},
		"prepared, with Ingress":        {exposed, steps{prepared}, "Companions Ingress"},
		"prepared, then changed":        {application, steps{prepared, changed}, "Companions Owned"},
		"prepared by another operation": {application, steps{prepared, another}, "Owned"},
		"released":                      {application, steps{run}, "Pods"},
		"released, HA":                  {ha, steps{run}, "Pods HAData"},
		"released, standalone":          {alone, steps{run}, "Pods TaskManagerDeployment"},
		"its tasks begin":               {application, steps{run, begins}, "Flink Pods TaskManagers"},
		"its tasks begin again, HA":     {ha, steps{runs, restarts}, "Flink Pods TaskManagers"},
		"not available":                 {application, steps{runs, unready}, "Pods"},
		"runs":                          {application, steps{runs}, "Flink"},
		"runs, HA":                      {ha, steps{runs}, "Flink"},
		"runs, its data was not seen":   {onZooKeeper, steps{runs}, "Flink HANodes"},
		"runs, standalone":              {alone, steps{runs}, "Flink"},
		"runs, reactive":                {reactive(application), steps{runs}, "Flink TaskManagerDeployment"},
		"runs, with Ingress":            {exposed, steps{runs}, "Flink Ingress"},
		"runs, takes savepoints":        {saves, steps{runs}, "Flink Snapshots"},
		"failed, takes savepoints":      {saves, steps{runs, ends}, "Flink"},
		"deleted, takes savepoints":     {saves, steps{runs, deleted}, "Flink Pods Owned"},
		"stopped, takes savepoints":     {saves, steps{runs, changed, round}, "Flink Pods Stop"},
		"changed":                       {application, steps{runs, changed}, "Flink"},
		"changed, HA":                   {ha, steps{runs, changed}, "Flink HAData"},
		"changed, ZooKeeper":            {onZooKeeper, steps{runs, changed}, "Flink HANodes"},
		"changed, invalid, HA":          {ha, steps{runs, changed, invalid}, "Flink"},
		"its Ingress is dropped":        {exposed, steps{runs, hidden}, "Flink Ingress"},
		"stopped, savepoint":            {stateful, steps{runs, changed, round}, "Flink Pods Stop"},
		"stopped, last-state":           {ha, steps{runs, changed, round}, "Pods ReplicaSets Owned HAData"},
		"stopped, for long":             {ha, steps{runs, changed, round, collected, later}, "Pods TaskManagers HAData"},
		"stopped, and gone":             {ha, steps{runs, changed, round, gone}, lostHA},
		"starts from last state":        {ha, steps{runs, changed, round, gone, round}, again},
		"suspended":                     {ha, steps{runs, suspends, run, gone, run}, ""},
		"suspended, no HA":              {application, steps{runs, suspends, run, gone, run}, ""},
		"resumed, HA":                   {ha, steps{runs, suspends, run, gone, run, resumes}, lostHA},
		"lost":                          {application, steps{runs, lost}, "Pods TaskManagers ReplicaSets"},
		"lost, HA":                      {ha, steps{runs, lost}, lostHA},
		"collected, HA":                 {ha, steps{runs, collected}, "Pods TaskManagers"},
		"deleted":                       {application, steps{runs, deleted}, "Flink Pods Owned"},
		"deleted, HA":                   {ha, steps{runs, deleted}, "Flink Pods Owned HAData"},
		"deleted, saves first":          {savesFirst, steps{runs, deleted, round}, "Flink Pods Stop Owned"},
		"deleted, and gone, HA":         {ha, steps{runs, deleted, round, gone}, "Pods TaskManagers HAData"},
		"a session":                     {session, steps{runs}, "Flink"},
		"a session, stopped":            {session, steps{runs, changed, round}, "Flink Pods SessionJobs"},
		"a session, deleted":            {session, steps{runs, deleted}, "Flink Pods Owned SessionJobs"},
		"does not run, to roll back":    {rollingBack, steps{fails}, "Pods HAData"},
		"does not run, not to":          {ha, steps{fails}, "Pods HAData"},
		"healthy, HA":                   {checked(ha), steps{runs, healthy}, "Flink"},
		"not healthy, HA":               {checked(ha), steps{runs, healthy, unhealthy}, "Flink HAData"},
		"deleted, with Ingress":         {exposed, steps{runs, deleted}, "Flink Pods Owned"},
		"stopped, with Ingress":         {exposed, steps{runs, changed, round}, "Pods ReplicaSets Owned"},
		"starts again, HA":              {ha, steps{runs, lost, round}, again},
		"starts again, stateless, HA":   {haStateless, steps{runs, lost, round}, again},
		"released again, HA":            {ha, steps{runs, lost, run}, "Pods HAData"},
		"retired":                       {ha, steps{runs, suspends, run}, "Pods ReplicaSets Owned HAData"},
		"retired, for long":             {ha, steps{runs, suspends, run, later}, going},
		"rolled back, stopped":          {rollingBack, steps{fails, round}, "Pods ReplicaSets Owned"},
		"rolled back, for long":         {rollingBack, steps{fails, round, later}, going},
		"rolled back, collected":        {rollingBack, steps{fails, round, collected}, "Pods TaskManagers"},
		"rolled back, collected, late":  {rollingBack, steps{fails, round, collected, later}, "Pods TaskManagers HAData"},
		"rolled back, gone":             {rollingBack, steps{fails, round, gone}, lostHA},
		"rolled back, starts":           {rollingBack, steps{fails, round, gone, round}, again},
		"healed, stopped":               {checked(ha), steps{runs, healthy, unhealthy, round}, "Pods ReplicaSets Owned"},
		"suspended by savepoint, standalone": {
			standalone(stateful), steps{runs, suspends, round}, "Flink Pods TaskManagerDeployment Stop",
		},
		"suspended, standalone, retired": {
			standalone(stateful), steps{runs, suspends, round, saved, run}, "Pods TaskManagerDeployment ReplicaSets Owned",
		},
		"finished long ago, retired": {
			ttl(application), steps{runs, ends, later, round}, "Pods ReplicaSets Owned",
		},
		"lost, standalone":        {alone, steps{runs, lost}, "Pods TaskManagers TaskManagerDeployment ReplicaSets"},
		"changed, standalone":     {alone, steps{runs, changed, round}, "Pods TaskManagerDeployment ReplicaSets Owned"},
		"suspended, lost":         {application, steps{runs, suspends, run, gone, run, lost}, ""},
		"not known, deleted":      {application, steps{runs, deleted, unknown}, ""},
		"not known":               {application, steps{runs, unknown}, ""},
		"never deployed, deleted": {application, steps{round, deleted}, "Pods TaskManagers HAData"},
		"a session, HA": {
			session, steps{runs, available, run, gone, round}, lostHA + " Ingress SessionJobs",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			for _, step := range row.then {
				step(w)
			}
			if got := fields.Set(Open(w.s).First()); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}
