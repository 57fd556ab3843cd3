package sessionjob_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Whoever may create a session job chooses the host of its jar.
func TestWhoGetsTheHeadersOfAJar(t *testing.T) {
	const header, hosts = "kubernetes.operator.user.artifacts.http.header",
		"kubernetes.operator.user.artifacts.allowed-hosts"
	rows := map[string]struct {
		operator, cluster, own string // the headers that each sets
		allowed                string
		want                   string
	}{
		"the operator's": {"A:secret", "", "", "", "map[]"},
		"the operator's, to a host that it names":    {"A:secret", "", "", "repo", "map[A:secret]"},
		"the operator's, to another host":            {"A:secret", "", "", "repo.example.net", "map[]"},
		"the job's":                                  {"", "", "A:mine", "", "map[A:mine]"},
		"the job's over the operator's":              {"A:secret", "", "A:mine", "", "map[A:mine]"},
		"the cluster's":                              {"A:secret", "A:ours", "", "", "map[A:ours]"},
		"the operator's, repeated by who knows them": {"A:secret", "", "A:secret", "", "map[A:secret]"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			base := map[string]string{}
			if row.operator != "" {
				base[header] = row.operator
			}
			if row.allowed != "" {
				base[hosts] = row.allowed
			}
			w.Snapshot.Operator = flinkconf.NewOperator(base)
			if row.cluster != "" {
				w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster(header, row.cluster))
			}
			if row.own != "" {
				w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
					s.FlinkConfiguration = v1beta1.FlinkConfiguration(fmt.Sprintf(`{%q:%q}`, header, row.own))
				})
			}
			w.Opens()
			for _, a := range decides(w, nil).Actions {
				if u, is := a.(plan.UploadJar); is {
					if got := fmt.Sprint(u.Header); got != row.want {
						t.Errorf("%s is sent %s, want %s", u.URI, got, row.want)
					}
					return
				}
			}
			t.Error("no upload")
		})
	}
}

// Whoever waits for a jar sees what was answered, and how long the wait is: the pauses grow.
func TestAFailedDownloadSaysWhenItIsTried(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Missing = w.Snapshot.Resource.Spec.Job.JarURI
	uploads := func() int { return strings.Count(strings.Join(w.Log, "\n"), "upload ") }
	for i, pause := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		w.Run()
		next := w.Snapshot.Now.Add(pause)
		want := "response 404; next attempt at " + next.UTC().Format(time.RFC3339)
		for _, when := range []time.Duration{0, pause - time.Second} { // at once, and while it waits
			w.Snapshot.Now = next.Add(when - pause)
			w.Run()
			if told := w.Condition(
				"Reconciling",
			); !strings.HasPrefix(told, "JarNotFound: ") ||
				!strings.Contains(told, want) {
				t.Errorf("attempt %d, after %s: Reconciling says %q, want %q", i+1, when, told, want)
			}
		}
		if n := uploads(); n != i+1 {
			t.Errorf("attempt %d: it was tried %d times\n%q", i+1, n, w.Log)
		}
		w.Snapshot.Now = next
	}
	w.Missing = ""
	w.UntilSteady()
	if told := w.Condition("Reconciling"); strings.Contains(told, "next attempt") || w.Status().Retry != nil {
		t.Errorf("it runs, and says %q", told)
	}
}
