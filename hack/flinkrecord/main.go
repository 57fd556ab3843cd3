package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

func main() {
	// The processes are bound to the thread that started them, see cluster.java.
	runtime.LockOSThread()
	flink := flag.String("flink", "", "directory with the lib/ of a Flink distribution")
	version := flag.String("version", "", "its version, such as 1.20.5")
	out := flag.String("out", "", "directory for the recordings")
	source := flag.String("job", "hack/flinkrecord/RecordJob.java", "the job's source")
	port := flag.Int("port", 18081, "REST port; the next three are used too")
	flag.Parse()
	if *flink == "" || *version == "" || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*flink, *version, *out, *source, *port); err != nil {
		fmt.Fprintln(os.Stderr, "flinkrecord:", err)
		os.Exit(1)
	}
}

func run(flink, version, out, source string, port int) (err error) {
	work, err := os.MkdirTemp("", "flinkrecord")
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
	flink, err = filepath.Abs(flink)
	check(err)
	check(os.MkdirAll(out, 0o755))

	session := &cluster{flink: flink, version: version, work: filepath.Join(work, "session"), port: port}
	check(os.MkdirAll(session.work, 0o755))
	jar := filepath.Join(session.work, "record.jar")
	check(session.compile(source, jar))
	r := newRecorder(session, out)
	defer session.stop()
	check(session.start(sessionClass, nil))
	playSession(r, session, jar)
	session.stop()

	application := &cluster{flink: flink, version: version, work: filepath.Join(work, "application"), port: port + 2}
	defer application.stop()
	a := newRecorder(application, out)
	a.facts = r.facts
	playApplication(a, application, jar)
	r.write("facts", r.facts)
	return nil
}
