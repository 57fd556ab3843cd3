package unsupported

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const id = "6e8f0a3c5b7d49e1a2c4e6f8091b3d5f"

// held is a resource as the Java operator left it, marked for deletion some time ago.
func held(kind, finalizer string, ago time.Duration, content map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1beta1.APIVersion, "kind": kind,
		"metadata": map[string]any{"namespace": "flink", "name": "mine", "generation": int64(2),
			"finalizers":        []any{finalizer},
			"deletionTimestamp": start.Add(-ago).Format(time.RFC3339)}}}
	for name, value := range content {
		u.Object[name] = value
	}
	return u
}

func sessionJobOf(state string, configuration map[string]any) map[string]any {
	return map[string]any{
		"spec": map[string]any{
			"deploymentName": "session", "flinkConfiguration": configuration,
			"job": map[string]any{"jarURI": "https://x/j.jar"},
		},
		"status": map[string]any{"jobStatus": map[string]any{"jobId": id, "state": state}},
	}
}

func TestAResourceThatTheJavaOperatorHolds(t *testing.T) {
	cluster := &v1beta1.FlinkDeployment{}
	cluster.Namespace, cluster.Name = "flink", "session"
	cluster.Spec.FlinkVersion = v1beta1.FlinkV1_20
	there := plan.Present(cluster)
	lists := func(state v1beta1.FlinkJobState) plan.Observed[v1beta1.FlinkJobState] { return plan.Present(state) }
	running := sessionJobOf("RUNNING", nil)
	silent := plan.Unknown[v1beta1.FlinkJobState]("connection refused")
	rows := map[string]struct {
		content map[string]any
		waited  time.Duration
		cluster plan.Observed[*v1beta1.FlinkDeployment]
		job     plan.Observed[v1beta1.FlinkJobState]
		does    string
		warns   string
		says    string
		reason  string
	}{
		"its job runs": {
			running, 0, there, lists("RUNNING"), "cancel job " + id, "", "is being cancelled", "6.4, row 7",
		},
		"its job is being cancelled": {
			running, 0, there, lists("CANCELLING"), "", "", "is being cancelled", "6.4, row 6",
		},
		"its job restarts": {
			running, 0, there, lists("RESTARTING"), "cancel job " + id, "", "is being cancelled", "it has not ended",
		},
		"its job is cancelled": {
			running, 0, there, lists("CANCELED"), "remove finalizer", "", "", "6.4, row 8",
		},
		"its job is not listed": {
			running, 0, there, plan.Absent[v1beta1.FlinkJobState](), "remove finalizer", "", "", "6.4, row 1",
		},
		"its job had ended": {
			sessionJobOf("FINISHED", nil), 0, there, silent, "remove finalizer", "", "", "6.4, row 1",
		},
		"it was never submitted": {
			map[string]any{"spec": running["spec"]}, 0, there, silent, "remove finalizer", "", "", "6.4, row 1",
		},
		"its cluster is gone": {
			running, 0, plan.Absent[*v1beta1.FlinkDeployment](), silent, "remove finalizer", "", "", "6.4, row 2",
		},
		"its cluster does not answer": {running, 0, there, silent, "", "", "12:05:00", "6.4, row 5, with a deadline"},
		"its cluster cannot be read": {
			running, 0, plan.Unknown[*v1beta1.FlinkDeployment]("forbidden"), silent, "", "", "forbidden", "Unknown waits",
		},
		"its cluster never answers": {
			running, 6 * time.Minute, there, silent, "remove finalizer",
			"may run on in session cluster session: Flink does not respond: connection refused", "", "a deletion ends",
		},
		"its job does not end": {
			running, 6 * time.Minute, there, lists("CANCELLING"), "remove finalizer", "may run on", "", "a deletion ends",
		},
		"a first look that comes late": {running, 0, there, silent, "", "", "12:05:00", "the job was not asked before"},
		"its own timeout has passed": {
			sessionJobOf("RUNNING", map[string]any{"kubernetes.operator.resource.cleanup.timeout": "10 s"}), 11 * time.Second,
			there, silent, "remove finalizer", "within 10s", "", "the option of the resource",
		},
		"a savepoint is asked for": {
			sessionJobOf("RUNNING", map[string]any{"kubernetes.operator.job.savepoint-on-deletion": "true"}), 0, there,
			lists("RUNNING"), "remove finalizer", "stop it with: flink stop " + id, "", "its state is not given up",
		},
		"a savepoint, and it ended": {
			sessionJobOf("RUNNING", map[string]any{"kubernetes.operator.job.savepoint-on-deletion": "true"}), 0, there,
			lists("FAILED"), "remove finalizer", "", "", "there is nothing to save",
		},
		"the spec cannot be read any more": {
			map[string]any{"spec": map[string]any{"deploymentName": int64(1)}, "status": running["status"]}, 0, there, silent,
			"remove finalizer", "", "", "a deletion ends",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := Snapshot{Now: start, Operator: flinkconf.NewOperator(nil), Cluster: row.cluster, Job: row.job,
				Resource: held(v1beta1.KindFlinkSessionJob, v1beta1.FinalizerFlinkSessionJob, time.Hour, row.content)}
			if row.waited > 0 {
				began := s
				began.Now = start.Add(-row.waited)
				s.Resource.Object["status"] = *waiting(began, "it is waited for")
			}
			p := Make(s)
			if got := strings.TrimPrefix(strings.TrimPrefix(p.String(), "Deleting"), ": "); got != row.does {
				t.Errorf("it does %q, want %q: %s", got, row.does, row.reason)
			}
			warning := ""
			for _, e := range p.Events {
				if e.Warning {
					warning = e.Message
				}
			}
			if !strings.Contains(warning, row.warns) || (row.warns == "" && warning != "") {
				t.Errorf("it warns %q, want %q: %s", warning, row.warns, row.reason)
			}
			if status := fmt.Sprint(p.Status); (p.Status != nil) != (row.says != "") || (row.says != "" &&
				!strings.Contains(fmt.Sprint(*p.Status.(*map[string]any)), row.says)) {
				t.Errorf("it says %s, want %q: %s", status, row.says, row.reason)
			}
			if p.Status == nil {
				return
			}
			s.Resource.Object["status"] = *p.Status.(*map[string]any)
			if again := Make(s); again.Status != nil || len(again.Events) > 0 {
				t.Errorf("what was told is told again: %+v", again)
			}
		})
	}
}

func TestWhatNobodyHoldsIsLeftAlone(t *testing.T) {
	for name, row := range map[string]struct {
		kind, finalizer string
		goes            bool
	}{
		"another finalizer": {v1beta1.KindFlinkSessionJob, "example.com/mine", false},
		"a blue/green deployment": {
			v1beta1.KindFlinkBlueGreenDeployment, v1beta1.FinalizerFlinkBlueGreenDeployment, true,
		},
		"a blue/green deployment, not of ours": {v1beta1.KindFlinkBlueGreenDeployment, "example.com/mine", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := Snapshot{
				Now: start, Operator: flinkconf.NewOperator(nil), Resource: held(row.kind, row.finalizer, time.Hour, nil),
			}
			p := Make(s)
			want := plan.Action(plan.RemoveFinalizer{Finalizer: row.finalizer})
			if slices.Contains(p.Finish, want) != row.goes || len(p.Actions) > 0 || p.Status != nil {
				t.Errorf("it does %s, want to let it go: %t", p, row.goes)
			}
		})
	}
}

func TestWhyTheJobIsNotKnownTellsNoSecret(t *testing.T) {
	cluster := &v1beta1.FlinkDeployment{}
	cluster.Namespace, cluster.Name = "flink", "session"
	cluster.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"s3.secret-key":"kQx7Zw"}`)
	content := sessionJobOf("RUNNING", nil)
	content["spec"].(map[string]any)["job"] = map[string]any{
		"jarURI": "https://x/j.jar", "args": []any{"--token", "hunter2"},
	}
	s := Snapshot{
		Now: start, Operator: flinkconf.NewOperator(nil), Cluster: plan.Present(cluster),
		Job:      plan.Unknown[v1beta1.FlinkJobState]("no access with kQx7Zw, hunter2"),
		Resource: held(v1beta1.KindFlinkSessionJob, v1beta1.FinalizerFlinkSessionJob, time.Hour, content),
	}
	for range 2 { // it waits, then it lets the job go
		p := Make(s)
		told := fmt.Sprintf("%+v", p.Events)
		if p.Status != nil {
			s.Resource.Object["status"] = *p.Status.(*map[string]any)
			told += fmt.Sprint(s.Resource.Object["status"])
		}
		if strings.Contains(told, "kQx7Zw") || strings.Contains(told, "hunter2") ||
			!strings.Contains(told, "with ******, ******") {
			t.Errorf("told %s", told)
		}
		if again := Make(s); p.Status != nil && again.Status != nil {
			t.Errorf("it is told again: %+v", again)
		}
		s.Now = s.Now.Add(time.Hour)
	}
}
