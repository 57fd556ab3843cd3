package process

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// phase is how far a JobManager process is.
//
//	starting   the JVM starts; nobody listens
//	listening  REST answers /config, and 503 to everything else: no leader yet (or this one stands by)
//	leading    REST answers; the job list is empty until the application's main has submitted
//	running    the application has submitted; a session cluster is here as soon as it leads: its first list has the jobs
//	           that it recovers
type phase int

const (
	starting phase = iota
	listening
	leading
	running
)

// unprobed is how many steps a process takes to listen that no kubelet probes.
const unprobed = 2

// leaseDuration is high-availability.kubernetes.leader-election.lease-duration: a JobManager that cannot reach the API
// server for so long is no leader any more and suspends its jobs.
const leaseDuration = 15 * time.Second

// retryPeriod is high-availability.kubernetes.leader-election.retry-period: how often a leader renews its lease.
const retryPeriod = 5 * time.Second

// JobManager is one JobManager process.
type JobManager struct {
	// Cluster is namespace and cluster-id.
	Cluster types.NamespacedName
	// Pod is the uid of its pod.
	Pod types.UID
	// Config is what it read.
	Config Config
	// Files is what REST keeps in this process and loses with it: uploaded jars, results of disposals.
	Files map[string]any

	flink      *Flink
	serial     int
	attempt    int
	deployment types.UID
	pod        string
	node       string
	native     bool
	phase      phase
	waited     int
	fenced     bool
	fatal      string // why it ends by itself
	hangs      bool
	renewed    time.Time
	leased     time.Time
	asked      time.Time // when it last looked for TaskManagers, and how often in that moment
	asks       int
	identity   string
	jobs       []*job.Job
	recorded   map[string]bool
	cleanUp    map[string]int  // steps since the end of a job, while its data is cleared up
	known      map[string]bool // the IDs of all jobs that it ever ran
	mains      []mainRun
	image      string
}

func (f *Flink) newJobManager(pod *corev1.Pod, cluster types.NamespacedName, owner types.UID) *JobManager {
	jm := &JobManager{
		Cluster: cluster, Pod: pod.UID, flink: f, serial: f.serial, attempt: f.attempts[owner], deployment: owner,
		pod:  pod.Name,
		node: pod.Spec.NodeName, native: pod.Labels["type"] == "flink-native-kubernetes",
		renewed: f.kube.Clock.Now().Add(f.ahead(pod.Spec.NodeName)), recorded: map[string]bool{}, cleanUp: map[string]int{},
		known: map[string]bool{},
		Files: map[string]any{}, image: pod.Spec.Containers[0].Image,
	}
	u := f.kube.Peek(kubesim.ConfigMaps, cluster.Namespace, "flink-config-"+cluster.Name)
	if u == nil {
		f.t.Errorf(
			"flink model: JobManager %s of %s started without ConfigMap flink-config-%s: does its pod mount it?", pod.Name,
			cluster, cluster.Name,
		)
		jm.Config = Config{}
		return jm
	}
	data := map[string]string{}
	if fields, ok := u.Object["data"].(map[string]any); ok {
		for name, text := range fields {
			data[name] = fmt.Sprint(text)
		}
	}
	config, err := ReadConfig(data)
	if err != nil {
		f.t.Errorf("flink model: JobManager of %s: ConfigMap flink-config-%s: %v", cluster, cluster.Name, err)
	}
	jm.Config = config
	if jm.Application() && config["execution.shutdown-on-application-finish"] != "false" {
		f.t.Errorf("flink model: %s: execution.shutdown-on-application-finish other than false is not modelled", cluster)
	}
	return jm
}

// Now is the simulated time by the clock of its machine.
func (jm *JobManager) Now() time.Time { return jm.flink.kube.Clock.Now().Add(jm.flink.ahead(jm.node)) }

// Script is what the test wants to happen to this cluster.
func (jm *JobManager) Script() Script { return jm.flink.scripts[jm.Cluster] }

// Application says whether it runs one application's job: by its target, or by the mode of a standalone cluster.
func (jm *JobManager) Application() bool {
	return jm.Config["execution.target"] == "kubernetes-application" ||
		jm.Config["kubernetes.internal.cluster-mode"] == "APPLICATION"
}

// step moves the process by one step.
func (jm *JobManager) step() {
	if jm.isCutOff() {
		jm.stepAlone()
		return
	}
	jm.renewed = jm.Now()
	if jm.Config.node() != "" {
		jm.flink.zookeeper.attend(jm)
	}
	if jm.fenced {
		jm.campaign()
	}
	switch jm.phase {
	case starting:
		if !jm.waits(unprobed) {
			return
		}
		jm.phase, jm.waited = listening, 0
	case listening:
		switch {
		case !jm.waits(jm.Script().ElectionSteps) || !jm.elect():
		case jm.Application():
			jm.phase, jm.waited = leading, 0
		default:
			jm.phase = running
			jm.recover()
		}
	case leading:
		if jm.waits(jm.Script().MainSteps) {
			jm.phase = running
			jm.submit()
		}
	case running:
		jm.stepMains()
		jm.stepJobs()
		jm.askForTaskManagers()
	}
	jm.renew()
	jm.forgetJobs()
	jm.sync()
}

// waits counts the steps of the present phase and says whether they are enough.
func (jm *JobManager) waits(steps int) bool {
	if jm.waited < steps {
		jm.waited++
		return false
	}
	return true
}

// isCutOff says whether a process cannot write its high-availability data.
func (jm *JobManager) isCutOff() bool { return jm.flink.isDown(jm.node) || jm.isRefused() }

// isRefused says whether the API server refuses a process that keeps its high-availability data there: the token of a
// pod is valid for as long as the pod exists (local/controlplane, TestTheTokenOfADeletedPodIsRefused). The process runs
// on where nobody is left to end it, on a node whose kubelet is dead.
func (jm *JobManager) isRefused() bool {
	if !jm.Config.HA() || jm.Config.node() != "" {
		return false
	}
	pod := jm.flink.kube.Peek(kubesim.Pods, jm.Cluster.Namespace, jm.pod)
	return pod == nil || pod.GetUID() != jm.Pod
}

// stepAlone is a process that cannot reach the others: its jobs go on, until its lease is over. With high availability
// none of their checkpoints counts meanwhile, because the data cannot be written, so nothing of them is modelled to
// change.
func (jm *JobManager) stepAlone() {
	switch {
	case jm.phase < leading:
	case !jm.Config.HA():
		jm.stepJobs()
	case jm.Now().Sub(jm.renewed) >= leaseDuration:
		jm.fence()
	}
}

// campaign lets a process that lost its leadership, and can be reached again, stand for it again. What it knows of
// ended jobs stays.
func (jm *JobManager) campaign() {
	jm.fenced, jm.phase, jm.waited = false, listening, 0
	jm.jobs = slices.DeleteFunc(jm.jobs, func(j *job.Job) bool { return !j.State.Ended() })
}

// fence takes the leadership away: the jobs are suspended.
func (jm *JobManager) fence() {
	jm.fenced = true
	jm.suspend()
}

func (jm *JobManager) suspend() {
	for _, j := range jm.jobs {
		j.Suspend(jm.Now())
	}
}

func (jm *JobManager) stepJobs() {
	free := jm.Slots()
	adaptive := jm.Adaptive()
	for _, j := range jm.jobs {
		need := jm.Need(j)
		enough := free >= need || adaptive && free > 0
		if free >= need {
			j.Rescale(jm.Now())
		}
		if !j.State.Ended() && j.State != job.Suspended {
			free = max(0, free-need)
		}
		before := j.State
		j.Step(jm.Now(), enough)
		if before != job.Running && j.State == job.Running && j.Restarts > 0 {
			jm.flink.began(jm, j, "fail-over")
		}
	}
}

// Adaptive says whether its jobs run under the adaptive scheduler.
func (jm *JobManager) Adaptive() bool {
	return strings.EqualFold(jm.Config["jobmanager.scheduler"], "adaptive") ||
		strings.EqualFold(jm.Config["scheduler-mode"], "reactive")
}

// submit begins the application's job.
func (jm *JobManager) submit() {
	options := jm.options()
	for _, g := range jm.readGraphs() {
		if g.Options.ID != options.ID || g.Options.Parallelism != options.Parallelism {
			jm.flink.violate(
				"%s starts over the job graph of an earlier start, which Flink would run: %s", jm.Cluster, g.Options.ID,
			)
		}
	}
	if store := jm.Config["job-result-store.storage-path"]; jm.Config.HA() && store != "" {
		if result, ended := jm.flink.storage.Result(store, options.ID); ended {
			jm.finishEarlier(options, result)
			return // the job result store keeps an ended job from running again
		}
	}
	jm.begin(options, jm.Config.recoveryPath(), jm.recovers(options.ID))
}

// finishEarlier is what becomes of a job that an earlier process has seen the end of. When that one did not come to
// clear up after it, this one does, and lists the job by its ID and state alone; else nothing is known of it.
func (jm *JobManager) finishEarlier(options job.Options, result job.Result) {
	if !result.Dirty {
		return
	}
	jm.jobs = append(jm.jobs, job.Sparse(options.ID, result.End, jm.Now()))
}

func (jm *JobManager) options() job.Options { return jm.OptionsOf(jm.Config) }

// OptionsOf are the options of a job with this configuration. Without a job ID one is drawn.
func (jm *JobManager) OptionsOf(c Config) job.Options {
	id := c["$internal.pipeline.job-id"]
	if id == "" {
		id = jm.flink.NextID("job")
	}
	name := c["pipeline.name"]
	if name == "" {
		name = jm.Cluster.Name
	}
	code := jm.flink.jobScripts[name]
	return job.Options{
		ID: id, Name: name, Parallelism: c.number("parallelism.default", 1), Version: c.Version(),
		Overrides:     c.overrides(),
		Interval:      cmp.Or(code.Interval, c.duration("execution.checkpointing.interval")),
		Timeout:       cmp.Or(code.Timeout, c.duration("execution.checkpointing.timeout"), 10*time.Minute),
		CheckpointDir: c.First("execution.checkpointing.dir", "state.checkpoints.dir"),
		SavepointDir:  c.First("execution.checkpointing.savepoint-dir", "state.savepoints.dir"),
		Retain:        retention(c, code),
		Attempts:      c.attempts(),
		Adaptive:      jm.Adaptive(),
		Batch:         c["execution.runtime-mode"] == "BATCH",
		Claim:         c.First("execution.state-recovery.claim-mode", "execution.savepoint-restore-mode"),
	}
}

// retention is the code's, else the configuration's.
func retention(c Config, code job.Script) string {
	if code.Retain != "" {
		return code.Retain
	}
	return c["execution.checkpointing.externalized-checkpoint-retention"]
}

// Begin starts a job from the newest checkpoint of its high-availability data, else from the given path, else from
// nothing. A path that is not there fails the job, it never starts empty.
func (jm *JobManager) Begin(options job.Options, path string) *job.Job {
	return jm.begin(options, path, false)
}

// begin starts a job, or one whose graph lies in the high-availability data. When that one cannot start the process
// ends, so that the next one tries again (Dispatcher.handleJobManagerRunnerResult); the job is nil then.
func (jm *JobManager) begin(options job.Options, path string, recovered bool) *job.Job {
	how, named := "path", path
	if newest := jm.newestCheckpoint(options.ID); newest != "" {
		path, how = newest, "high-availability data"
	}
	var from *job.Snapshot
	snapshot, found := jm.flink.storage.Get(path)
	if found {
		from = &snapshot
	}
	if path == "" {
		how = "nothing"
	}
	missing := "FileNotFoundException: Cannot find checkpoint or savepoint file/directory '" + path +
		"' on file system 'file'."
	if path != "" && !found && recovered {
		jm.fatal = "FlinkException: JobMaster for job " + options.ID +
			" failed. <- JobInitializationException: Could not start the JobMaster. <- " + missing
		return nil
	}
	j := job.New(options, jm.flink.storage, from, jm.Now())
	j.Script = jm.flink.jobScripts[options.Name]
	jm.jobs, jm.known[j.ID] = append(jm.jobs, j), true
	if path != "" && !found {
		j.FailToStart("java.io."+missing, jm.Now())
		jm.sync()
		return j
	}
	jm.flink.began(jm, j, how)
	jm.writeGraph(j, named)
	jm.sync()
	jm.flink.watch()
	return j
}

// jobsRemembered is jobstore.expiration-time: how long an ended job is known.
const jobsRemembered = time.Hour

func (jm *JobManager) forgetJobs() {
	var kept []*job.Job
	for _, j := range jm.jobs {
		if !j.State.Ended() || jm.Now().Sub(j.End) <= jobsRemembered {
			kept = append(kept, j)
		}
	}
	jm.jobs = kept
}

// Job returns the newest job of this ID; nil if none.
func (jm *JobManager) Job(id string) *job.Job {
	for i := len(jm.jobs) - 1; i >= 0; i-- {
		if jm.jobs[i].ID == id {
			return jm.jobs[i]
		}
	}
	return nil
}

// Jobs returns the jobs that this process lists, oldest first: of an ID the newest run, as Flink's dispatcher does
// where it has the result of another one.
func (jm *JobManager) Jobs() []*job.Job {
	var all []*job.Job
	for _, j := range jm.jobs {
		if jm.Job(j.ID) == j {
			all = append(all, j)
		}
	}
	return all
}

// NextID draws a new 32-hex identifier.
func (jm *JobManager) NextID(of string) string { return jm.flink.NextID(of) }

// Metrics returns what SetMetric set for a scope.
func (jm *JobManager) Metrics(scope string) map[string]string { return jm.flink.metrics[scope] }

// Storage is the world's.
func (jm *JobManager) Storage() *job.Storage { return jm.flink.storage }
