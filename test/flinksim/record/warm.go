package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/pkg/warmup"
)

// playWarm makes a session cluster warm before a job comes: plans of its jar, and a small job that ends by itself. Each
// job of this cluster makes checkpoints unless its code says otherwise.
func playWarm(r *recorder, c *cluster, jar string) {
	check(c.start(sessionClass, map[string]string{"execution.checkpointing.interval": "100ms"}))
	check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
	jarID := r.upload("jar-upload-to-plan", jar, "operation.jar")
	plan := func(name, jarID string, body object) {
		r.call(name, http.MethodPost, "/jars/"+jarID+"/plan", body)
	}
	options := object{"pipeline.name": "named by flinkConfiguration"}
	args := []string{"--checkpoint-ms", "500"}
	plan("jar-plan", jarID, object{"parallelism": 2, "programArgsList": args, "flinkConfiguration": options})
	plan("jar-plan-main-fails", jarID, object{"programArgsList": []string{"--fail-main"}})
	plan("jar-plan-no-class", jarID, object{"entryClass": "no.such.Main"})
	plan("jar-plan-unknown-jar", "no-such.jar", object{})

	emptyID := r.upload("jar-upload-empty", written(c, "empty.jar", jarsource.Empty()), "operation.jar")
	content, err := os.Open(jar)
	check(err)
	defer content.Close()
	onPath := object{
		"entryClass": "RecordJob", "programArgsList": args, "parallelism": 2,
		"flinkConfiguration": object{"pipeline.classpaths": "file://" + written(c, "usrlib/record.jar", content)},
	}
	plan("jar-plan-class-path", emptyID, onPath)
	onPath["jobId"] = job(21)
	r.call("jar-run-class-path", http.MethodPost, "/jars/"+emptyID+"/run", onPath)
	awaitState(r, job(21), "RUNNING")
	r.call("", http.MethodPatch, "/jobs/"+job(21)+"?mode=cancel", nil)

	warmID := r.upload("jar-upload-warm-up", written(c, "warm-up.jar", bytes.NewReader(warmup.Jar())), "operation.jar")
	r.call("jar-run-warm-up", http.MethodPost, "/jars/"+warmID+"/run", object{
		"entryClass": warmup.Class, "parallelism": 4, "jobId": job(22), "flinkConfiguration": warmup.Configuration(),
	})
	awaitState(r, job(22), "FINISHED")
	r.get("job-warm-up", "/jobs/"+job(22))
	r.get("checkpoints-warm-up", "/jobs/"+job(22)+"/checkpoints")
	r.get("overview-warm", "/overview")
}

// written writes what content has into a file of the cluster's directory.
func written(c *cluster, name string, content io.Reader) string {
	text, err := io.ReadAll(content)
	check(err)
	file := filepath.Join(c.work, name)
	check(os.WriteFile(file, text, 0o644))
	return file
}
