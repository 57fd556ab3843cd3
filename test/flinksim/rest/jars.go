package rest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/warmup"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// jar is one uploaded jar: a file of the JobManager process that goes with it.
type jar struct {
	id       string
	name     string
	uploaded time.Time
}

const jarFiles = "jars"

func (c *call) jars() []jar {
	jars, _ := c.jm.Files[jarFiles].([]jar)
	return jars
}

func listJars(c *call) (any, error) {
	files := []any{}
	for _, j := range slices.Backward(c.jars()) {
		files = append(files, object{"id": j.id, "name": j.name, "uploaded": millis(j.uploaded, 0), "entry": []any{}})
	}
	return object{"address": "http://" + c.r.Host, "files": files}, nil
}

func uploadJar(c *call) (any, error) {
	_, parameters, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "The upload is no form: %v", err)
	}
	part, err := multipart.NewReader(bytes.NewReader(c.body), parameters["boundary"]).NextPart()
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "Exactly 1 file must be sent, received 0.")
	}
	if !strings.HasSuffix(part.FileName(), ".jar") {
		return nil, refuse(http.StatusBadRequest, "Only Jar files are allowed.")
	}
	raw := c.jm.NextID("jar")
	j := jar{
		id:   fmt.Sprintf("%s-%s-%s-%s-%s_%s", raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:], part.FileName()),
		name: part.FileName(), uploaded: c.jm.Now(),
	}
	c.jm.Files[jarFiles] = append(c.jars(), j)
	c.effect("upload jar %s", j.name)
	return object{"filename": "/tmp/flink-web-upload/" + j.id, "status": "success"}, nil
}

// findJar returns -1 when it is not there.
func (c *call) findJar() int {
	return slices.IndexFunc(c.jars(), func(j jar) bool { return j.id == c.r.PathValue("jar") })
}

func deleteJar(c *call) (any, error) {
	at := c.findJar()
	if at < 0 {
		return nil, refuse(http.StatusBadRequest, "File %s does not exist in /tmp/flink-web-upload.", c.r.PathValue("jar"))
	}
	c.effect("delete jar %s", c.jars()[at].name)
	c.jm.Files[jarFiles] = slices.Delete(c.jars(), at, at+1)
	return object{}, nil
}

// noJarThere is what a run and a plan of a jar end with that is not there.
func (c *call) noJarThere() error {
	missing := "org.apache.flink.runtime.rest.handler.RestHandlerException: " +
		"Jar file /tmp/flink-web-upload/" + c.r.PathValue("jar") + " does not exist"
	return errors.New("java.util.concurrent.CompletionException: " + missing + "\nCaused by: " + missing)
}

// planJar runs main up to its submission.
func planJar(c *call) (any, error) {
	if c.findJar() < 0 {
		return nil, c.noJarThere()
	}
	var body struct {
		Parallelism int               `json:"parallelism"`
		Config      map[string]string `json:"flinkConfiguration"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	options := c.jobOptions(c.jm.NextID("job"), body.Config)
	if cause := c.jm.MainFails(options.Name); cause != "" {
		_, message, _ := strings.Cut(cause, ": ")
		return nil, errors.New("org.apache.flink.client.program.ProgramInvocationException: The main method caused an " +
			"error: " + message + "\nCaused by: " + cause)
	}
	j := &job.Job{Options: options}
	nodes := []any{}
	for i := range j.Vertices() {
		nodes = append(nodes, planNode(j, i, max(body.Parallelism, 1)))
	}
	return object{"plan": planOf(j, nodes)}, nil
}

func runJar(c *call) (any, error) {
	at := c.findJar()
	if at < 0 {
		return nil, c.noJarThere()
	}
	var body struct {
		EntryClass  string            `json:"entryClass"`
		JobID       string            `json:"jobId"`
		Parallelism int               `json:"parallelism"`
		Path        string            `json:"savepointPath"`
		Config      map[string]string `json:"flinkConfiguration"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	id := body.JobID
	if id == "" {
		id = c.jm.NextID("job")
	} else if !hex32.MatchString(id) {
		return nil, refuse(
			http.StatusBadRequest,
			"Request did not match expected format JarRunRequestBody.\nCaused by: Cannot parse JobID from %q.", id,
		)
	}
	if c.jm.Knows(id) {
		return nil, mainFailed(
			"org.apache.flink.runtime.client.DuplicateJobSubmissionException: Job has already been submitted.",
		)
	}
	options := c.jobOptions(id, body.Config)
	if body.Parallelism > 0 {
		options.Parallelism = body.Parallelism
	}
	options.Small = body.EntryClass == warmup.Class
	j, cause, later := c.jm.Run(options, body.Path)
	if cause != "" {
		return nil, mainFailed(cause)
	}
	c.effect("run jar %s as job %s", c.jars()[at].name, id)
	if later || c.jm.Script().RunTimesOut {
		panic(http.ErrAbortHandler)
	}
	if j.State == job.Failed {
		why := j.Failures[0]
		return nil, mainFailed(why.Class + ": " + why.Message + "\nCaused by: " + why.Cause)
	}
	return object{"jobid": id}, nil
}

// mainFailed is what main ended with. A submission that is refused, or fails, is one of its causes.
func mainFailed(cause string) error {
	return refuse(http.StatusBadRequest, "Could not execute application.\n"+
		"Caused by: org.apache.flink.client.program.ProgramInvocationException: The main method caused an error: Failed "+
		"to execute job.\nCaused by: %s", cause)
}

// jobOptions are the cluster's options with the run's own configuration on top.
func (c *call) jobOptions(id string, own map[string]string) job.Options {
	merged := maps.Clone(c.jm.Config)
	maps.Copy(merged, own)
	merged["$internal.pipeline.job-id"] = id
	if own["pipeline.name"] == "" {
		merged["pipeline.name"] = "Flink Streaming Job " + id
	}
	return c.jm.OptionsOf(merged)
}
