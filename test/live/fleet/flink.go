package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// jobManagers is one server for the JobManagers of all clusters, told apart by the host that is asked for. It answers
// what Flink's model answered when the shapes were recorded. Safe for concurrent use.
type jobManagers struct {
	looks  *looks
	server *http.Server
	at     string // its address
	ended  chan error

	requests atomic.Int64

	mu       sync.Mutex
	clusters map[string]*clusterAnswers // by host
	slow     time.Duration
}

// clusterAnswers are those of one JobManager.
type clusterAnswers struct {
	answers map[string]json.RawMessage
	jobs    []json.RawMessage // of /jobs/overview
	looks   map[string]string // which resource a path is a look at; "": the resource of the cluster
	self    string
	gone    bool
	slow    bool
}

const restPort = "8081"

// nowhere is an address at which nobody listens.
const nowhere = "127.0.0.1:1"

func hostOfCluster(namespace, name string) string { return name + "-rest." + namespace + ".svc" }

// startJobManagers listens at an address.
func startJobManagers(address string, l *looks) (*jobManagers, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return nil, err
	}
	j := &jobManagers{
		looks: l, at: listener.Addr().String(), clusters: map[string]*clusterAnswers{}, ended: make(chan error, 1),
	}
	j.server = &http.Server{Handler: j, ReadHeaderTimeout: time.Minute}
	go func() { j.ended <- j.server.Serve(listener) }()
	return j, nil
}

func (j *jobManagers) stop() error {
	err := j.server.Close()
	if ended := <-j.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// host says where a cluster's JobManager is. One that is gone is looked at by the attempt.
func (j *jobManagers) host(host string) (string, bool) {
	j.mu.Lock()
	c := j.clusters[host]
	j.mu.Unlock()
	switch {
	case c == nil:
		return "", false
	case c.gone:
		j.looks.saw(c.self, time.Now())
		return nowhere, true
	}
	return j.at, true
}

// served is how many requests came so far.
func (j *jobManagers) served() int64 { return j.requests.Load() }

// add makes a cluster known; its answers are those of a shape.
func (j *jobManagers) add(host, resource string, answers map[string]json.RawMessage) error {
	var overview struct{ Jobs []json.RawMessage }
	if err := json.Unmarshal(answers["/jobs/overview"], &overview); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clusters[host] = &clusterAnswers{
		answers: answers, jobs: overview.Jobs, self: resource, looks: map[string]string{},
	}
	return nil
}

// run adds a job with its answers to a session cluster.
func (j *jobManagers) run(host string, answers map[string]json.RawMessage) error {
	var overview struct{ Jobs []json.RawMessage }
	if err := json.Unmarshal(answers["/jobs/overview"], &overview); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.clusters[host]
	if c == nil {
		return fmt.Errorf("no cluster is at %s", host)
	}
	c.jobs = append(c.jobs, overview.Jobs...)
	for path, answer := range answers {
		if strings.HasPrefix(path, "/jobs/") && path != "/jobs/overview" {
			c.answers[path] = answer
		}
	}
	return nil
}

// answer adds a path to a cluster; asking for it is a look at a resource.
func (j *jobManagers) answer(host, path, resource string, answer json.RawMessage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c := j.clusters[host]; c != nil {
		c.answers[path], c.looks[path] = answer, resource
	}
}

// change changes a cluster.
func (j *jobManagers) change(host string, by func(*clusterAnswers)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c := j.clusters[host]; c != nil {
		by(c)
	}
}

// restart replaces the only job of a cluster by one of another ID that starts now.
func (c *clusterAnswers) restart(jobID string) {
	var job map[string]any
	if len(c.jobs) != 1 || json.Unmarshal(c.jobs[0], &job) != nil {
		return
	}
	old, _ := job["jid"].(string)
	now := time.Now().UnixMilli()
	job["jid"], job["start-time"], job["last-modification"], job["state"] = jobID, now, now, "RUNNING"
	job["end-time"], job["duration"] = -1, 0
	c.jobs[0], _ = json.Marshal(job)
	answers := map[string]json.RawMessage{}
	for path, text := range c.answers {
		answers[strings.ReplaceAll(path, old, jobID)] = json.RawMessage(strings.ReplaceAll(string(text), old, jobID))
	}
	c.answers = answers
}

// cancel ends a job.
func (c *clusterAnswers) cancel(jobID string) bool {
	for i := range c.jobs {
		var job map[string]any
		if json.Unmarshal(c.jobs[i], &job) != nil || job["jid"] != jobID {
			continue
		}
		now := time.Now().UnixMilli()
		job["state"], job["end-time"], job["last-modification"] = "CANCELED", now, now
		c.jobs[i], _ = json.Marshal(job)
		return true
	}
	return false
}

// ServeHTTP answers for the JobManager that the host names.
func (j *jobManagers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	j.requests.Add(1)
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	j.mu.Lock()
	c := j.clusters[host]
	if c == nil {
		j.mu.Unlock()
		http.Error(w, "no JobManager", http.StatusBadGateway)
		return
	}
	resource, looked := c.looks[path]
	if !looked {
		resource = c.self
	}
	wait := time.Duration(0)
	if c.slow {
		wait = j.slow
	}
	body, code := c.respond(r.Method, path)
	j.mu.Unlock()
	j.looks.saw(resource, time.Now())
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_, _ = w.Write(body) // the caller is gone
}

// respond is what Flink says.
func (c *clusterAnswers) respond(method, path string) ([]byte, int) {
	switch {
	case method == http.MethodPatch && c.cancel(strings.TrimPrefix(path, "/jobs/")):
		return []byte("{}"), http.StatusAccepted
	case method == http.MethodGet && path == "/jobs/overview":
		var out strings.Builder
		out.WriteString(`{"jobs":[`)
		for i, job := range c.jobs {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(job)
		}
		out.WriteString(`]}`)
		return []byte(out.String()), http.StatusOK
	case method == http.MethodGet && c.answers[path] != nil:
		return c.answers[path], http.StatusOK
	}
	return []byte(`{"errors":["the model has no answer to ` + method + " " + path + `"]}`), http.StatusNotFound
}
