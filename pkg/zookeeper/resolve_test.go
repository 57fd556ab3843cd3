package zookeeper

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
)

// TestNamesOfTheJobsNamespace: a name of a quorum is that of the JobManager's pod, and never one of the namespace of
// the functions.
func TestNamesOfTheJobsNamespace(t *testing.T) {
	for host, row := range map[string]struct {
		namespace string
		tries     []string
	}{
		"zk":                             {"jobs", []string{"zk.jobs.svc", "zk.svc", "zk."}},
		"zk.other":                       {"jobs", []string{"zk.other.jobs.svc", "zk.other.svc", "zk.other."}},
		"zk.b.svc":                       {"jobs", []string{"zk.b.svc.jobs.svc", "zk.b.svc.svc", "zk.b.svc", "zk.b.svc."}},
		"zk-0.zk.jobs.svc.cluster.local": {"jobs", []string{"zk-0.zk.jobs.svc.cluster.local."}},
		"zk.example.com.":                {"jobs", []string{"zk.example.com."}},
		"10.0.0.1":                       {"jobs", []string{"10.0.0.1"}},
		"fd00::1":                        {"jobs", []string{"fd00::1"}},
		"plain":                          {"", []string{"plain"}},
	} {
		if got := names(host, row.namespace); !slices.Equal(got, row.tries) {
			t.Errorf("%s tries %q, want %q", host, got, row.tries)
		}
	}
}

// TestTheFirstNameThatIsThere: names that are not there are passed over, and nothing else is.
func TestTheFirstNameThatIsThere(t *testing.T) {
	missing := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	refused, away := errors.New("connection refused"), &net.DNSError{Err: "timeout", IsTimeout: true}
	for behaviour, row := range map[string]struct {
		answers map[string]error // by name; what is not named is not there
		tried   int
		want    error
	}{
		"of the job's namespace":     {map[string]error{"zk.jobs.svc:2181": nil}, 1, nil},
		"of the domain":              {map[string]error{"zk.:2181": nil}, 3, nil},
		"a server that refuses":      {map[string]error{"zk.jobs.svc:2181": refused}, 1, refused},
		"a resolver that is away":    {map[string]error{"zk.jobs.svc:2181": away}, 1, away},
		"none of them":               {nil, 3, missing},
		"one that is there, but not": {map[string]error{"zk.svc:2181": refused}, 2, refused},
	} {
		t.Run(behaviour, func(t *testing.T) {
			var tried []string
			dial := func(_ context.Context, _, address string) (net.Conn, error) {
				tried = append(tried, address)
				err, there := row.answers[address]
				if !there {
					return nil, missing
				}
				return nil, err
			}
			_, err := dialAs(t.Context(), dial, "tcp", "zk:2181", "jobs")
			if len(tried) != row.tried {
				t.Errorf("tried %q, want %d", tried, row.tried)
			}
			if row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
			if row.want == missing && !strings.Contains(err.Error(), "lookup zk:") {
				t.Errorf("%v does not name the host as it is written", err)
			}
		})
	}
}
