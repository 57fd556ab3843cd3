package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// cluster is one Flink cluster of a JobManager and a TaskManager process.
type cluster struct {
	flink   string // directory that holds lib/
	version string
	work    string // everything the processes write goes below
	port    int
	procs   []*exec.Cmd
}

const (
	sessionClass     = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
	applicationClass = "org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint"
	taskClass        = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
)

// conf is the configuration; flat keys are valid in both formats of the file.
func (c *cluster) conf(extra map[string]string) string {
	values := map[string]string{
		"jobmanager.rpc.address":                                    "127.0.0.1",
		"jobmanager.rpc.port":                                       fmt.Sprint(c.port + 1),
		"jobmanager.bind-host":                                      "127.0.0.1",
		"rest.address":                                              "127.0.0.1",
		"rest.bind-address":                                         "127.0.0.1",
		"rest.port":                                                 fmt.Sprint(c.port),
		"web.tmpdir":                                                c.work + "/web",
		"web.upload.dir":                                            c.work + "/upload",
		"io.tmp.dirs":                                               c.work + "/tmp",
		"taskmanager.host":                                          "127.0.0.1",
		"taskmanager.bind-host":                                     "127.0.0.1",
		"taskmanager.resource-id":                                   "taskmanager-1",
		"taskmanager.numberOfTaskSlots":                             "4",
		"taskmanager.cpu.cores":                                     "1",
		"taskmanager.memory.task.heap.size":                         "256m",
		"taskmanager.memory.task.off-heap.size":                     "0b",
		"taskmanager.memory.network.min":                            "32m",
		"taskmanager.memory.network.max":                            "32m",
		"taskmanager.memory.framework.heap.size":                    "64m",
		"taskmanager.memory.framework.off-heap.size":                "64m",
		"taskmanager.memory.jvm-metaspace.size":                     "128m",
		"taskmanager.memory.jvm-overhead.min":                       "64m",
		"taskmanager.memory.jvm-overhead.max":                       "64m",
		"taskmanager.memory.managed.size":                           "32m",
		"restart-strategy.type":                                     "fixed-delay",
		"restart-strategy":                                          "fixed-delay",
		"restart-strategy.fixed-delay.attempts":                     "1",
		"restart-strategy.fixed-delay.delay":                        "200ms",
		"state.checkpoints.dir":                                     "file://" + c.work + "/checkpoints",
		"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
	}
	if c.standardYAML() || strings.HasPrefix(c.version, "1.18") || strings.HasPrefix(c.version, "1.17") {
		delete(values, "restart-strategy")
	}
	for key, value := range extra {
		values[key] = value
	}
	text := ""
	for _, key := range sorted(values) {
		text += key + ": " + values[key] + "\n"
	}
	return text
}

func (c *cluster) standardYAML() bool {
	for _, old := range []string{"1.15", "1.16", "1.17", "1.18"} {
		if strings.HasPrefix(c.version, old) {
			return false
		}
	}
	return true
}

// start writes the configuration and starts the two processes.
func (c *cluster) start(class string, extra map[string]string, args ...string) error {
	name := "config.yaml"
	if !c.standardYAML() {
		name = "flink-conf.yaml"
	}
	for _, dir := range []string{"conf", "web", "upload", "tmp", "log", "usrlib"} {
		if err := os.MkdirAll(filepath.Join(c.work, dir), 0o755); err != nil {
			return err
		}
	}
	// Flink looks for usrlib next to the lib directory that it is told.
	if err := os.Symlink(c.flink+"/lib", filepath.Join(c.work, "lib")); err != nil && !os.IsExist(err) {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.work, "conf", name), []byte(c.conf(extra)), 0o644); err != nil {
		return err
	}
	log := "rootLogger.level = INFO\nrootLogger.appenderRef.out.ref = Out\nappender.out.name = Out\n" +
		"appender.out.type = CONSOLE\nappender.out.layout.type = PatternLayout\nappender.out.layout.pattern = %d %-5p %c " +
		"- %m%n\n"
	if err := os.WriteFile(filepath.Join(c.work, "conf", "log4j.properties"), []byte(log), 0o644); err != nil {
		return err
	}
	if err := c.java("jobmanager", class, args...); err != nil {
		return err
	}
	return c.java("taskmanager", taskClass)
}

// opens are the packages that Flink reaches into on Java 17.
var opens = []string{
	"lang", "net", "io", "nio", "lang.reflect", "text", "time", "util", "util.concurrent", "util.concurrent.atomic",
}

func (c *cluster) java(name, class string, args ...string) error {
	out, err := os.Create(filepath.Join(c.work, "log", name+".log"))
	if err != nil {
		return err
	}
	defer out.Close()
	options := []string{"-Xmx512m", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + c.work + "/tmp",
		"-Dlog4j.configurationFile=file:" + c.work + "/conf/log4j.properties"}
	for _, p := range opens {
		options = append(options, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	options = append(
		options, "--add-exports=java.base/sun.net.util=ALL-UNNAMED", "-cp", c.flink+"/lib/*", class, "--configDir",
		c.work+"/conf",
	)
	cmd := exec.Command("java", append(options, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.work, out, out
	cmd.Env = append(os.Environ(), "FLINK_CONF_DIR="+c.work+"/conf", "FLINK_LIB_DIR="+c.work+"/lib", "FLINK_HOME="+c.work)
	// The processes end with this one, whatever ends it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	c.procs = append(c.procs, cmd)
	return nil
}

// stop ends the processes that start has started.
func (c *cluster) stop() {
	for _, p := range c.procs {
		_ = p.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	}
	for _, p := range c.procs {
		ended := make(chan struct{})
		go func() { _ = p.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = p.Process.Kill()
			<-ended
		}
	}
	c.procs = nil
}

// compile builds the job against the version.
func (c *cluster) compile(source, jar string) error {
	classes := filepath.Join(c.work, "classes")
	for _, argv := range [][]string{
		{"javac", "--release", "11", "-nowarn", "-cp", c.flink + "/lib/*", "-d", classes, source},
		{"jar", "--create", "--file", jar, "--main-class", "RecordJob", "-C", classes, "."},
	} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "JDK_JAVAC_OPTIONS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", argv[0], err, out)
		}
	}
	return nil
}

// await calls probe until it succeeds, for at most three minutes.
func await(what string, probe func() bool) error {
	deadline := time.Now().Add(3 * time.Minute)
	for time.Now().Before(deadline) {
		if probe() {
			return nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return errors.New("waited too long for " + what)
}

func get(url string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return send(ctx, http.MethodGet, url, nil, "")
}
