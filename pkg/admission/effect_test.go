package admission

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// edited is the review of an edit: the spec acted on last, the wanted one, the job's state in Flink, and whether the
// spec changes at all.
func edited(t *testing.T, last, wanted, state string, changes bool) *admissionv1.AdmissionRequest {
	t.Helper()
	object := func(spec string, generation int) []byte {
		record := fmt.Sprintf(`{"spec":{%s},"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1"}}`, last)
		return fmt.Appendf(nil, `{"apiVersion":"flink.apache.org/v1beta1","kind":"FlinkDeployment","metadata":{"name":"demo",
			"generation":%d},"spec":{%s},"status":{"jobStatus":{"state":%q},"reconciliationStatus":{"lastReconciledSpec":%q}}}`,
			generation, spec, state, record)
	}
	generation := 1
	if changes {
		generation = 2
	}
	r := &admissionv1.AdmissionRequest{
		Operation: admissionv1.Update, Namespace: "team", Name: "demo",
		OldObject: runtime.RawExtension{Raw: object(last, 1)}, Object: runtime.RawExtension{Raw: object(wanted, generation)},
	}
	r.Kind.Group, r.Kind.Version, r.Kind.Kind = v1beta1.Group, v1beta1.Version, v1beta1.KindFlinkDeployment
	return r
}

// An edit is answered with a warning that says what it will do, by the record in status alone.
func TestM10AnEditIsAnsweredWithWhatItWillDo(t *testing.T) {
	spec := func(mode, state, more string) string {
		return `"image":"flink:2.2","flinkVersion":"v2_2","serviceAccount":"flink",
			"jobManager":{"resource":{"memory":"1024m","cpu":0.5}},"taskManager":{"resource":{"memory":"1024m","cpu":0.5}},
			"flinkConfiguration":{"execution.checkpointing.dir":"s3://c","execution.checkpointing.savepoint-dir":"s3://s",
			"high-availability.type":"kubernetes","high-availability.storageDir":"s3://h"` + more + `},
			"job":{"jarURI":"local:///j.jar","parallelism":1,"upgradeMode":"` + mode + `","state":"` + state + `"}`
	}
	const other = `,"taskmanager.numberOfTaskSlots":"4"`
	cluster := strings.Split(spec("savepoint", "running", ""), `,
			"job"`)[0]
	rows := map[string]struct {
		last, wanted, state string
		off                 bool
		says                string
	}{
		"with a savepoint": {
			spec("savepoint", "running", ""), spec("savepoint", "running", other), "RUNNING", false,
			"the job is restarted: it is stopped with a savepoint, and starts from it",
		},
		"by its last state": {
			spec("last-state", "running", ""), spec("last-state", "running", other), "RUNNING", false,
			"the job is restarted from its newest state",
		},
		"without state": {
			spec("stateless", "running", ""), spec("stateless", "running", other), "RUNNING", false,
			"the job is restarted and loses its state",
		},
		"while it restarts": {
			spec("savepoint", "running", ""), spec("savepoint", "running", other), "RESTARTING", false,
			"the job is restarted; it is not RUNNING, and kn flink plan says from which state it can start",
		},
		"a suspension": {
			spec("savepoint", "running", ""), spec("savepoint", "suspended", ""), "RUNNING", false,
			"the job is stopped with a savepoint",
		},
		"a resumption": {
			spec("savepoint", "suspended", ""), spec("savepoint", "running", ""), "FINISHED", false,
			"the job is started from its last state",
		},
		"an edit of a suspended job": {
			spec("savepoint", "suspended", ""), spec("savepoint", "suspended", other), "FINISHED", false, "",
		},
		"an option that is ignored": {
			spec("savepoint", "running", ""),
			spec("savepoint", "running", `,"kubernetes.operator.savepoint.history.max.count":"5"`), "RUNNING", false, "",
		},
		"a redeployment": {
			spec("savepoint", "running", ""),
			strings.Replace(spec("savepoint", "running", ""), `"parallelism":1`,
				`"parallelism":1,"initialSavepointPath":"s3://p","savepointRedeployNonce":1`, 1), "RUNNING", false,
			"the job is started from spec.job.initialSavepointPath; the state that it has now is given up",
		},
		"a session cluster": {
			cluster, strings.Replace(cluster, "flink:2.2", "flink:2.2.1", 1), "", false,
			"the session cluster is restarted; its jobs come back with high availability only",
		},
		"switched off": {
			spec("savepoint", "running", ""), spec("savepoint", "running", other), "RUNNING", true, "",
		},
		"a label alone": {spec("savepoint", "running", ""), spec("savepoint", "running", ""), "RUNNING", false, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			settings := map[string]string{}
			if row.off {
				settings["config.yaml"] = "kubernetes.operator.webhook.effect-warnings.enabled: false"
			}
			config, err := flinkconf.LoadDir(settings)
			if err != nil {
				t.Fatal(err)
			}
			h := Handler{Judge: Judges{Operator: flinkconf.NewOperator(config)}.Judge, Log: zap.NewNop().Sugar()}
			response, err := h.validate(t.Context(), edited(t, row.last, row.wanted, row.state, name != "a label alone"))
			if err != nil || !response.Allowed {
				t.Fatalf("denied: %+v %v", response, err)
			}
			want := ""
			if row.says != "" {
				want = row.says + " (spec)"
			}
			if said := strings.Join(response.Warnings, "\n"); said != want {
				t.Errorf("the warning is %q, want %q", said, want)
			}
		})
	}
}

// A record that cannot be read gives no warning, and no refusal.
func TestM10ARecordThatCannotBeReadIsNoWarning(t *testing.T) {
	r := edited(t, `"job":{"parallelism":"x"}`, `"image":"flink:2.2","flinkVersion":"v2_2","serviceAccount":"flink",
		"jobManager":{"resource":{"memory":"1024m"}},"taskManager":{"resource":{"memory":"1024m"}}`, "RUNNING", true)
	h := Handler{Judge: Judges{Operator: flinkconf.NewOperator(nil)}.Judge, Log: zap.NewNop().Sugar()}
	response, err := h.validate(t.Context(), r)
	if err != nil || !response.Allowed || len(response.Warnings) > 0 {
		t.Errorf("it is %+v %v, want allowed without a warning", response, err)
	}
}
