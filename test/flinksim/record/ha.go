package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// playHA records what high availability keeps of a job, in an application cluster with ZooKeeper: of one that fails for
// good, of one whose result is there when its cluster starts, and of one that was restored from a savepoint.
func playHA(r *recorder, c *cluster, jar string) {
	placeJar(c, jar)
	keeper := c.port + keeperPort
	c.serveZooKeeper(keeper)
	results := filepath.Join(c.work, "results")
	conf := c.highlyAvailable(keeper)
	maps.Copy(conf, map[string]string{
		"job-result-store.storage-path":            "file://" + results,
		"job-result-store.delete-on-commit":        "false",
		"restart-strategy.type":                    "none",
		"execution.shutdown-on-application-finish": "false",
	})
	begin := func(id, interval string, more ...string) {
		args := append([]string{"--job-classname", "RecordJob", "--job-id", id}, more...)
		check(c.start(applicationClass, conf, append(args, "--checkpoint-ms", interval)...))
	}
	kept := func(id string) bool {
		// the older one goes after the newer has come
		return len(c.nodes(keeper, regexp.MustCompile("/jobs/"+id+`/checkpoints/\d+$`))) > 0
	}

	begin(job(60), "500")
	awaitState(r, job(60), "RUNNING")
	awaitCheckpoint(r, job(60))
	r.fact("ha-data-has-a-checkpoint-of-a-running-job", kept(job(60)))
	at := "/jobs/" + job(60) + "/savepoints"
	r.call(
		"", http.MethodPost, at, object{"target-directory": "file://" + c.work + "/savepoints", "triggerId": trigger(60)},
	)
	awaitOperation(r, at+"/"+trigger(60))
	savepoint := r.field(at+"/"+trigger(60), "operation.location")

	c.end(len(c.procs)-1, syscall.SIGTERM)
	awaitState(r, job(60), "FAILED")
	check(await("the result", func() bool {
		return len(r.files(results)) == 1 &&
			!strings.Contains(r.files(results)[0], "DIRTY")
	}))
	r.get("ha-jobs-after-its-taskmanager-left", "/jobs/overview")
	r.get("ha-checkpoints-after-its-taskmanager-left", "/jobs/"+job(60)+"/checkpoints")
	r.fact("ha-data-has-a-checkpoint-of-a-job-that-failed-because-its-taskmanager-left", kept(job(60)))
	r.fact("ha-job-result-of-a-job-that-failed", r.files(results))

	c.endAll()
	begin(job(60), "500")
	c.awaitJobs(r, "ha-jobs-after-a-start-over-a-result")

	c.endAll()
	result := filepath.Join(results, job(60))
	check(os.Rename(result+".json", result+"_DIRTY.json"))
	begin(job(60), "500")
	c.awaitJobs(r, "ha-jobs-after-a-start-over-a-dirty-result")
	r.get("ha-job-after-a-start-over-a-dirty-result", "/jobs/"+job(60))
	r.get("ha-checkpoints-after-a-start-over-a-dirty-result", "/jobs/"+job(60)+"/checkpoints")
	check(await("the result is clean", func() bool { return !strings.Contains(fmt.Sprint(r.files(results)), "DIRTY") }))
	r.fact("ha-job-result-after-a-start-over-a-dirty-one", r.files(results))

	c.endAll()
	begin(job(61), "3600000", "--fromSavepoint", savepoint)
	awaitState(r, job(61), "RUNNING")
	r.fact("ha-data-has-a-checkpoint-of-a-job-restored-from-a-savepoint", kept(job(61)))
	c.endAll()
	begin(job(61), "3600000")
	awaitState(r, job(61), "RUNNING")
	r.get("ha-checkpoints-of-a-job-that-was-restored-and-began-again", "/jobs/"+job(61)+"/checkpoints")
}

func (c *cluster) highlyAvailable(keeper int) map[string]string {
	return map[string]string{
		"high-availability.type":                "zookeeper",
		"high-availability.storageDir":          "file://" + c.work + "/ha",
		"high-availability.zookeeper.quorum":    fmt.Sprintf("127.0.0.1:%d", keeper),
		"high-availability.zookeeper.path.root": "/flink",
		"high-availability.cluster-id":          "/record",
	}
}

// playSessionHA records what the first list of jobs has that a session cluster gives after all its processes ended: it
// is asked again and again from the start of the JVM on.
func playSessionHA(r *recorder, c *cluster, jar string) {
	keeper := c.port + keeperPort
	c.serveZooKeeper(keeper)
	conf := c.highlyAvailable(keeper)
	check(c.start(sessionClass, conf))
	check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
	r.run(r.upload("", jar, "record.jar"), job(62), nil)
	awaitState(r, job(62), "RUNNING")
	for range 5 {
		c.endAll()
		check(c.start(sessionClass, conf))
		var list struct {
			Jobs []struct {
				ID string `json:"jid"`
			} `json:"jobs"`
		}
		for listed := false; !listed; {
			status, answer, err := get(r.base + "/jobs/overview")
			listed = err == nil && status == http.StatusOK && decode(answer, &list) == nil
		}
		if len(list.Jobs) != 1 || list.Jobs[0].ID != job(62) {
			r.fact(firstList, false)
			return
		}
		awaitState(r, job(62), "RUNNING")
	}
	r.fact(firstList, true)
}

const firstList = "first-list-of-a-session-cluster-has-the-job-that-it-recovers"

// awaitJobs records the list of jobs once the application's main has run.
func (c *cluster) awaitJobs(r *recorder, name string) {
	log := filepath.Join(c.work, "log", "jobmanager.log")
	check(await(name, func() bool {
		status, _, err := get(r.base + "/jobs/overview")
		text, _ := os.ReadFile(log) // it is not there before it is
		return err == nil && status == http.StatusOK &&
			strings.Contains(string(text), "ApplicationDispatcherBootstrap - Application ")
	}))
	r.get(name, "/jobs/overview")
}

func (r *recorder) files(dir string) []string {
	list, err := os.ReadDir(dir)
	check(err)
	var all []string
	for _, f := range list {
		all = append(all, f.Name())
	}
	return all
}

// keeperPort is how far the port of a ZooKeeper is above that of its cluster.
const keeperPort = 20

const shaded = "org.apache.flink.shaded.zookeeper3.org.apache.zookeeper."

// serveZooKeeper starts the ZooKeeper that is in flink-dist. It is no part of the cluster's processes: it outlives
// them.
func (c *cluster) serveZooKeeper(port int) {
	cmd := exec.Command("java", "-Xmx64m", "-Dzookeeper.admin.enableServer=false", "-cp", c.flink+"/lib/*",
		shaded+"server.ZooKeeperServerMain", fmt.Sprint(port), filepath.Join(c.work, "zookeeper"))
	cmd.Dir = c.work
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	check(cmd.Start())
}

// nodes lists the nodes of ZooKeeper whose path matches.
func (c *cluster) nodes(port int, path *regexp.Regexp) []string {
	cmd := exec.Command(
		"java", "-Xmx64m", "-cp", c.flink+"/lib/*", shaded+"ZooKeeperMain", "-server", fmt.Sprintf("127.0.0.1:%d", port),
		"ls", "-R", "/flink",
	)
	cmd.Dir = c.work
	out, err := cmd.Output()
	check(err)
	var found []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "/flink") && path.MatchString(line) {
			found = append(found, line)
		}
	}
	return found
}

// end ends one process.
func (c *cluster) end(n int, signal syscall.Signal) {
	check(c.procs[n].Process.Signal(signal))
	_ = c.procs[n].Wait() // it ends by a signal
}

// endAll kills the processes, as a machine that loses power does.
func (c *cluster) endAll() {
	for _, p := range c.procs {
		_ = p.Process.Kill() // it may have ended
		_ = p.Wait()
	}
	c.procs = nil
}
