package team

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// Server is the model API server with logs of pods, which it does not have itself.
type Server struct {
	*kubesim.Server
	// Logs are the logs by the names of pods.
	Logs map[string]string

	t testing.TB
}

// Empty is a server without a resource.
func Empty(t testing.TB) *Server {
	t.Helper()
	return &Server{kubesim.New(t, kubesim.NewClock(), wire.New()), map[string]string{}, t}
}

// New is a server with what the team has, most of it in namespace flink; root is the path to the root of the
// repository.
func New(t testing.TB, root string) *Server {
	t.Helper()
	s := Empty(t)
	text, err := os.ReadFile(filepath.Join(root, "pkg/cli/testdata/team.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatal(err)
		}
		s.Add(u)
	}
	return s
}

// Resource is where objects of a kind are.
func Resource(kind string) schema.GroupVersionResource {
	if k, ours := kinds.Of(kind); ours {
		return k.Resource
	}
	return map[string]schema.GroupVersionResource{"Pod": kube.Pods, "Event": kube.Events}[kind]
}

// Add stores an object with its status, in namespace flink if it names none.
func (s *Server) Add(u *unstructured.Unstructured) {
	s.t.Helper()
	u = u.DeepCopy()
	if u.GetNamespace() == "" {
		u.SetNamespace("flink")
	}
	u.SetResourceVersion("")
	u.SetUID("")
	gvr := Resource(u.GetKind())
	status, _ := u.Object["status"].(map[string]any)
	if _, err := s.Create(gvr, u); err != nil {
		s.t.Fatal(err)
	}
	if status != nil {
		if _, err := s.UpdateStatus(gvr, u.GetNamespace(), u.GetName(), status); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Client is a client of the server, which has the logs, all rights and a version, too.
func (s *Server) Client() *kube.Client {
	s.t.Helper()
	config := s.Config("kn-flink")
	config.Transport = logTransport{config.Transport, s.Logs}
	client, err := kube.ForConfig(config, "kn-flink")
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// logTransport answers requests for logs, for rights and for the version itself.
type logTransport struct {
	next http.RoundTripper
	logs map[string]string
}

func (l logTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if pod, is := strings.CutSuffix(r.URL.Path, "/log"); is {
		answer := httptest.NewRecorder()
		fmt.Fprint(answer, l.logs[filepath.Base(pod)])
		return answer.Result(), nil
	}
	if strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
		answer := httptest.NewRecorder()
		answer.Header().Set("Content-Type", "application/json")
		fmt.Fprint(answer, `{"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
			"status": {"allowed": true}}`)
		return answer.Result(), nil
	}
	if r.URL.Path == "/version" {
		answer := httptest.NewRecorder()
		fmt.Fprint(answer, `{"major": "1", "minor": "33", "gitVersion": "v1.33.1"}`)
		return answer.Result(), nil
	}
	return l.next.RoundTrip(r)
}
