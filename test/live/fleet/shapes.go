package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// shape is one recorded resource at rest: see test/scenario.
type shape struct {
	Name    string                     `json:"name"`
	Job     string                     `json:"job"`
	Objects []map[string]any           `json:"objects"`
	Answers map[string]json.RawMessage `json:"answers"`

	texts []string // of the objects
}

// The names of the shapes, and the names that are in them.
const (
	application     = "application"
	sessionCluster  = "session cluster"
	sessionJob      = "session job"
	snapshot        = "snapshot"
	finished        = "finished snapshot"
	shapeName       = "theshape"
	snapshotName    = "thesnapshot"
	hostName        = "thecluster"
	shapesOfProduct = "test/scenario/testdata/shapes.yaml"
)

// readShapes reads them from their file.
func readShapes(file string) (map[string]*shape, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	shapes := map[string]*shape{}
	for _, document := range bytes.Split(bytes.TrimPrefix(text, []byte("---\n")), []byte("\n---\n")) {
		s := &shape{}
		if err := yaml.Unmarshal(document, s); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range s.Objects {
			text, err := json.Marshal(o)
			if err != nil {
				return nil, err
			}
			s.texts = append(s.texts, string(text))
		}
		shapes[s.Name] = s
	}
	for _, name := range []string{application, sessionCluster, sessionJob, snapshot, finished} {
		if shapes[name] == nil {
			return nil, fmt.Errorf("%s has no shape %q", file, name)
		}
	}
	return shapes, nil
}

// stamp is what a copy of an object has of its own.
type stamp struct {
	namespace, name string
	// of is the name of the job's resource, for a snapshot.
	of string
	// host is the name of the cluster, for a session job.
	host string
	// job is the ID of the job.
	job string
	// uids are the UIDs of other objects, by those in the shape.
	uids map[string]string
}

// stamped is a copy of an object of a shape. Its own UID is left to the API server.
func (s *shape) stamped(object int, with stamp) (*unstructured.Unstructured, error) {
	pairs := []string{}
	for _, p := range [][2]string{
		{snapshotName, with.name}, {hostName, with.host}, {shapeName, firstOf(with.of, with.name)}, {s.Job, with.job},
	} {
		if p[0] != "" && p[1] != "" {
			pairs = append(pairs, p[0], p[1])
		}
	}
	for from, to := range with.uids {
		pairs = append(pairs, from, to)
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(s.texts[object])), &u.Object); err != nil {
		return nil, err
	}
	u.SetNamespace(with.namespace)
	u.SetUID("")
	return u, nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// uid is that of an object of the shape.
func (s *shape) uid(object int) string {
	uid, _, _ := unstructured.NestedString(s.Objects[object], "metadata", "uid")
	return uid
}

// answersOf are what Flink says of a job, by path.
func (s *shape) answersOf(name, job string) map[string]json.RawMessage {
	replace := strings.NewReplacer(shapeName, name, s.Job, job)
	if s.Job == "" {
		replace = strings.NewReplacer(shapeName, name)
	}
	out := map[string]json.RawMessage{}
	for path, answer := range s.Answers {
		out[replace.Replace(path)] = json.RawMessage(replace.Replace(string(answer)))
	}
	return out
}
