package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
)

// playApplication records what is different in an application cluster: no jars, the adaptive scheduler, one fixed job.
func playApplication(r *recorder, c *cluster, jar string) {
	placeJar(c, jar)
	check(c.start(applicationClass, map[string]string{
		"jobmanager.scheduler":                     "adaptive",
		"web.submit.enable":                        "false",
		"execution.shutdown-on-application-finish": "false",
	}, "--job-classname", "RecordJob", "--job-id", job(20), "--checkpoint-ms", "1000", "--main-ms", "2000"))
	check(await("an answer", func() bool {
		status, _, err := get(r.base + "/jobs/overview")
		return err == nil && status == http.StatusOK
	}))
	r.get("application-jobs-before-submit", "/jobs/overview")
	r.get("application-job-before-submit", "/jobs/"+job(20))
	awaitState(r, job(20), "RUNNING")
	at := "/jobs/" + job(20)
	r.get("application-jobs", "/jobs/overview")
	r.get("application-job", at)
	r.get("application-jars", "/jars")
	r.call("application-jar-run", http.MethodPost, "/jars/x.jar/run", object{})
	playRequirements(r, at)
	r.call("application-cancel", http.MethodPatch, at+"?mode=cancel", nil)
	awaitState(r, job(20), "CANCELED")
	r.get("application-overview-after-cancel", "/overview")
	r.call("application-cluster-shutdown", http.MethodDelete, "/cluster", nil)
}

// placeJar puts the job where an application cluster looks for it.
func placeJar(c *cluster, jar string) {
	usrlib := filepath.Join(c.work, "usrlib")
	check(os.MkdirAll(usrlib, 0o755))
	content, err := os.ReadFile(jar)
	check(err)
	check(os.WriteFile(filepath.Join(usrlib, "record.jar"), content, 0o644))
}

func playRequirements(r *recorder, at string) {
	status, answer := r.call("resource-requirements", http.MethodGet, at+"/resource-requirements", nil)
	if status != http.StatusOK {
		return // before 1.18
	}
	var wanted map[string]any
	check(json.Unmarshal(answer, &wanted))
	for vertex := range wanted {
		wanted[vertex] = object{"parallelism": object{"lowerBound": 1, "upperBound": 2}}
	}
	r.call("resource-requirements-set", http.MethodPut, at+"/resource-requirements", wanted)
	check(await("the new parallelism", func() bool {
		_, answer, err := get(r.base + at)
		var details struct{ Vertices []struct{ Parallelism int } }
		return err == nil && json.Unmarshal(answer, &details) == nil && len(details.Vertices) > 0 &&
			details.Vertices[0].Parallelism == 2
	}))
	for vertex := range wanted {
		wanted[vertex] = object{"parallelism": object{"lowerBound": 3, "upperBound": 2}}
	}
	r.call("resource-requirements-bad", http.MethodPut, at+"/resource-requirements", wanted)
}
