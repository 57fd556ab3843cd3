package process

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// sessionTimeout is how long a JobManager that was killed, or that nobody reaches, still has its session in ZooKeeper.
const sessionTimeout = 40 * time.Second

// Node is one node of the model ZooKeeper, relative to its cluster's.
type Node struct {
	// Path has no slashes at its ends; empty for the cluster's node.
	Path string
	// Zxid is the transaction that wrote it last.
	Zxid int64
	// Created is the transaction that made it; 0 but for the nodes of jobs.
	Created int64
	// Ephemeral tells that a session holds it.
	Ephemeral bool
}

// ensemble is the model ZooKeeper: for each cluster's node what a ConfigMap would hold, by the same names, and the open
// sessions. With the lock of Flink.
type ensemble struct {
	zxid     int64
	maps     map[string]map[string]map[string]any
	written  map[string]int64
	created  map[string]int64 // of each entry
	sessions map[string]map[int]time.Time
}

func newEnsemble() *ensemble {
	return &ensemble{
		maps: map[string]map[string]map[string]any{}, written: map[string]int64{},
		created: map[string]int64{}, sessions: map[string]map[int]time.Time{},
	}
}

// node is the cluster's node; empty without ZooKeeper.
func (c Config) node() string {
	if !strings.EqualFold(c.First("high-availability.type", "high-availability"), "zookeeper") {
		return ""
	}
	root := c.First("high-availability.zookeeper.path.root")
	if root == "" {
		root = "/flink"
	}
	return root + "/" + c["high-availability.cluster-id"]
}

// edit changes an entry of a cluster, making it if it is not there.
func (e *ensemble) edit(node, name string, change func(u *unstructured.Unstructured, data map[string]any)) {
	if e.maps[node] == nil {
		e.maps[node] = map[string]map[string]any{}
	}
	if e.maps[node][name] == nil {
		e.maps[node][name] = map[string]any{}
		e.created[node+" "+name] = e.zxid + 1
	}
	change(&unstructured.Unstructured{Object: map[string]any{}}, e.maps[node][name])
	e.zxid++
	e.written[node] = e.zxid
}

// attend keeps the session of a process open.
func (e *ensemble) attend(jm *JobManager) {
	node := jm.Config.node()
	if e.sessions[node] == nil {
		e.sessions[node] = map[int]time.Time{}
	}
	e.sessions[node][jm.serial] = jm.Now()
}

// Nodes are the nodes of a cluster, parents before children; none when there is nothing.
func (f *Flink) Nodes(node string) []Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.zookeeper.nodes(node, f.kube.Clock.Now())
}

func (e *ensemble) nodes(node string, now time.Time) []Node {
	seen := map[string]bool{}
	var all []Node
	add := func(path string, ephemeral bool) {
		for i, c := range path + "/" {
			if c == '/' && !seen[path[:i]] {
				seen[path[:i]] = true
				all = append(all, Node{Path: path[:i], Zxid: e.written[node], Ephemeral: ephemeral && i == len(path)})
			}
		}
	}
	created := map[string]int64{}
	for name, data := range e.maps[node] {
		id := strings.TrimSuffix(name[strings.LastIndex(strings.TrimSuffix(name, "-config-map"), "-")+1:], "-config-map")
		if !strings.HasSuffix(name, "-cluster-config-map") {
			add("jobs/"+id+"/checkpoint_id_counter", false)
			created["jobs/"+id] = e.created[node+" "+name]
		}
		for key := range data {
			switch kind, of, _ := strings.Cut(key, "-"); kind {
			case "checkpointID":
				add("jobs/"+id+"/checkpoints/"+of, false)
			case "jobGraph":
				add("jobgraphs/"+of, false)
			case "executionPlan":
				add("execution-plans/"+of, false)
			}
		}
	}
	for serial, at := range e.sessions[node] {
		if now.Sub(at) < sessionTimeout {
			add(fmt.Sprintf("leader/latch/%d", serial), true)
		}
	}
	if len(all) > 0 || e.maps[node] != nil {
		all = append(all, Node{Zxid: e.written[node]})
	}
	for i := range all {
		all[i].Created = created[all[i].Path]
	}
	slices.SortFunc(all, func(a, b Node) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Ensemble is the model ZooKeeper as one behind a Tap: GET makes a request count as a look, DELETE as a write.
func (f *Flink) Ensemble() wire.System {
	return wire.System{
		Name: "zookeeper",
		Classify: func(r *http.Request) wire.Request {
			return wire.Request{
				Path: r.URL.Path, Verb: map[string]string{"GET": "get", "DELETE": "delete"}[r.Method], Resource: "nodes",
				Name: r.URL.Path,
			}
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete && f.removeNodes(r.URL.Path, r.URL.Query()) {
				wire.Note(r.Context(), "remove nodes "+r.URL.Path)
			}
			w.WriteHeader(http.StatusOK)
		}),
		Refuse: func(w http.ResponseWriter, status int) { w.WriteHeader(status) },
	}
}

// ForgetNodes removes a cluster's node, as a person with zkCli.sh does.
func (f *Flink) ForgetNodes(node string) { f.removeNodes(node, nil) }

// removeNodes removes a cluster's node, or what is below the given ones. It says whether there was anything.
func (f *Flink) removeNodes(node string, query url.Values) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, changed := f.zookeeper, false
	if !query.Has("below") {
		changed = e.maps[node] != nil
		delete(e.maps, node)
		return changed
	}
	for _, data := range e.maps[node] {
		for key := range data {
			if strings.HasPrefix(key, graphPrefix) || strings.HasPrefix(key, planPrefix) {
				delete(data, key)
				changed = true
			}
		}
	}
	return changed
}
