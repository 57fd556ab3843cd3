package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	// The processes are bound to the thread that started them, see cluster.java.
	runtime.LockOSThread()
	var o options
	flag.StringVar(&o.flink, "flink", "", "directory with the lib/ of a Flink distribution")
	flag.StringVar(&o.version, "version", "", "its version, such as 1.20.5")
	flag.StringVar(&o.out, "out", "", "directory for the recordings")
	flag.StringVar(&o.source, "job", "test/flinksim/record/RecordJob.java", "the job's source")
	flag.IntVar(&o.port, "port", 18081, "REST port; the next forty are used too")
	flag.StringVar(
		&o.only,
		"only",
		"session,application,ends,ha,session-ha,adaptive,stop,warm",
		"what to record, of these",
	)
	flag.Parse()
	if o.flink == "" || o.version == "" || o.out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	flink, version, out, source, only string
	port                              int
}

func run(o options) (err error) {
	work, err := os.MkdirTemp("", "flink-record")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w (the logs are kept in %s)", err, work)
			return
		}
		_ = os.RemoveAll(work) // a temporary directory
	}()
	defer func() {
		if broken, ok := recover().(failure); ok {
			err = broken.error
		}
	}()
	flink, err := filepath.Abs(o.flink)
	check(err)
	check(os.MkdirAll(o.out, 0o755))

	part := func(n int) *cluster {
		name := parts[n].name
		c := &cluster{flink: flink, version: o.version, work: filepath.Join(work, name), port: o.port + 2*n}
		check(os.MkdirAll(c.work, 0o755))
		return c
	}
	facts, jar := readFacts(o.out), filepath.Join(work, "record.jar")
	check(part(0).compile(o.source, jar))
	for n, p := range parts {
		if !slices.Contains(strings.Split(o.only, ","), p.name) {
			continue
		}
		c := part(n)
		defer c.stop()
		r := newRecorder(c, o.out)
		r.facts = facts
		if p.name == "session" || p.name == "ends" {
			check(c.start(sessionClass, nil))
		}
		p.play(r, c, jar)
		c.stop()
		r.write("facts", facts)
	}
	return nil
}

// parts are what is recorded, each of a cluster of its own.
var parts = []struct {
	name string
	play func(r *recorder, c *cluster, jar string)
}{
	{"session", playSession}, {"application", playApplication}, {"ends", playEnds}, {"ha", playHA},
	{"session-ha", playSessionHA}, {"adaptive", playAdaptive}, {"stop", playAdaptiveStop}, {"warm", playWarm},
}
