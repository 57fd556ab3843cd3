package alerts

import (
	"slices"
	"strings"
	"testing"
)

// How the metrics come: pushed by the functions, or from kube-state-metrics.
const (
	fleet  = `job="flink/observe",k8s_namespace_name="team",flink_resource_kind="FlinkDeployment"`
	one    = fleet + `,flink_resource_name="demo"`
	state  = `customresource_kind="FlinkDeployment",namespace="team",name="demo"`
	job    = `customresource_kind="FlinkSessionJob",namespace="team",name="demo"`
	canary = `customresource_kind="FlinkDeployment",namespace="team",name="canary"`
)

// well is an hour in which one job runs: a sweep each minute, a checkpoint every 10 s, a change of a canary that is
// seen at once, and passes and reviews now and then, one of which refuses.
var well = map[string]string{
	"resources": series("flink_operator_resources", fleet, "1x60"),
	"stable":    series("flink_operator_resource_states", fleet+`,flink_state="STABLE"`, "0 0 1x58"),
	"deployed":  series("flink_operator_resource_states", fleet+`,flink_state="DEPLOYED"`, "1 1 0x58"),
	"failed":    series("flink_operator_resource_states", fleet+`,flink_state="FAILED"`, "0x60"),
	"stalled": series("flink_operator_resource_stalled_time_seconds", one+`,flink_operator_reason="InvalidSpec"`,
		"_x20 0 60 120 _x37"),
	"checkpoint": series("flink_operator_job_checkpoint_age_seconds", one, "_ _ 10x58"),
	"time":       series("flink_operator_sweep_time_seconds", `job="flink/observe"`, "0+60x60"),
	"complete":   series("flink_operator_sweep_complete", `job="flink/observe"`, "1x20 0 1x39"),
	"canary":     series("flink_operator_canary_unanswered_time_seconds", `job="flink/observe"`, "0x30 30 0x29"),
	"passes": series("flink_operator_pass_duration_seconds_count",
		`job="flink/reconcile",flink_resource_kind="FlinkDeployment",error_type=""`, "3 2 1 _x40 2 _x16"),
	"conflict": series("flink_operator_pass_duration_seconds_count",
		`job="flink/reconcile",flink_resource_kind="FlinkDeployment",error_type="Conflict"`, "_ 1 _x58"),
	"reviews": series("flink_operator_review_duration_seconds_count",
		`job="flink/admit",flink_operator_review_outcome="allowed"`, "1 _x40 1 _x18"),
	"refused": series("flink_operator_review_duration_seconds_count",
		`job="flink/admit",flink_operator_review_outcome="refused"`, "_x30 1 _x29"),
	"seen as": series("flinkdeployment_lifecycle_state", state+`,state="FAILED"`, "0x60"),
	"not stalled": series("flinkdeployment_condition_since", state+`,type="Stalled",status="False",reason="Running"`,
		"60x60"),
	"asked":      series("flinkdeployment_canary_asked", canary, "0+60x60"),
	"generation": series("flinkdeployment_generation", state, "1x30 2x29"),
	"observed":   series("flinkdeployment_observed_generation", state, "1x31 2x28"),
}

// with are the series of an hour that was well but for what is changed; an empty one did not come.
func with(changed map[string]string) []string {
	var all []string
	for name, usual := range well {
		if other, is := changed[name]; is {
			usual = other
		}
		if usual != "" {
			all = append(all, usual)
		}
	}
	for name, other := range changed {
		if _, usual := well[name]; !usual {
			all = append(all, other)
		}
	}
	slices.Sort(all)
	return all
}

// Each alert fires when what it is about happens, not sooner, and says where; other alerts tell of the same only where
// that is said.
func TestAlerts(t *testing.T) {
	file := readRules(t)
	rows := map[string]struct {
		then  map[string]string
		fires map[string]int // since which minute
		says  string         // in the first of them, by name
	}{
		"all is well": {nil, nil, ""},
		"a job fails for good": {
			map[string]string{"failed": series("flink_operator_resource_states", fleet+`,flink_state="FAILED"`, "0x19 1x40")},
			map[string]int{"FlinkJobFailed": 20}, "1 FlinkDeployment of namespace team are FAILED",
		},
		"a job does not become stable": {
			map[string]string{
				"deployed": series("flink_operator_resource_states", fleet+`,flink_state="DEPLOYED"`, "1x60"),
			},
			map[string]int{"FlinkResourceNotStable": 15}, "1 FlinkDeployment of namespace team",
		},
		"a resource waits for a person": {
			map[string]string{"stalled": series(
				"flink_operator_resource_stalled_time_seconds", one+`,flink_operator_reason="LastStateUnknown"`, "_x9 0+60x50",
			)},
			map[string]int{"FlinkResourceWaitsForAPerson": 15}, "FlinkDeployment team/demo is stalled (LastStateUnknown) for 6m",
		},
		"no checkpoint is completed": {
			map[string]string{"checkpoint": series("flink_operator_job_checkpoint_age_seconds", one, "0+60x60")},
			map[string]int{"FlinkJobWithoutCheckpoint": 36}, "FlinkDeployment team/demo is 36m",
		},
		"the clock dies": {
			map[string]string{
				"time": series("flink_operator_sweep_time_seconds", `job="flink/observe"`, "0+60x20 _x40"), "resources": "",
				"stable": "", "deployed": "", "complete": "", "checkpoint": "",
			},
			map[string]int{"FlinkSweepMissing": 31}, "11m",
		},
		"nothing was ever pushed": {
			map[string]string{
				"time": "", "resources": "", "stable": "", "deployed": "", "failed": "", "complete": "", "checkpoint": "",
				"canary": "", "passes": "", "conflict": "", "reviews": "", "refused": "", "stalled": "",
			},
			map[string]int{"FlinkSweepNeverSeen": 15}, "Neither observe nor the way of its metrics works",
		},
		"not all can be read": {
			map[string]string{"complete": series("flink_operator_sweep_complete", `job="flink/observe"`, "1x19 0x40")},
			map[string]int{"FlinkSweepIncomplete": 30}, "the log of observe says why",
		},
		"the source dies": {
			map[string]string{
				"canary": series("flink_operator_canary_unanswered_time_seconds", `job="flink/observe"`, "0x19 60+60x40"),
			},
			map[string]int{"FlinkSourceSilent": 22}, "was not seen for 3m",
		},
		"passes fail": {
			map[string]string{"denied": series("flink_operator_pass_duration_seconds_count",
				`job="flink/reconcile",flink_resource_kind="FlinkDeployment",error_type="Denied"`, "_x20 1x39")},
			map[string]int{"FlinkPassesFail": 30}, "Passes for FlinkDeployment fail (Denied)",
		},
		"one pass fails": {
			map[string]string{"denied": series("flink_operator_pass_duration_seconds_count",
				`job="flink/reconcile",flink_resource_kind="FlinkDeployment",error_type="Denied"`, "_x20 1 _x38")},
			nil, "",
		},
		"admit fails": {
			map[string]string{"admit": series("flink_operator_review_duration_seconds_count",
				`job="flink/admit",flink_operator_review_outcome="failed"`, "_x20 1 _x38")},
			map[string]int{"FlinkAdmissionFailing": 20}, "admit failed on 1 reviews",
		},
		"a job fails for good, by its status": {
			map[string]string{"seen as": series("flinkdeployment_lifecycle_state", state+`,state="FAILED"`, "0x19 1x40")},
			map[string]int{"FlinkJobFailedByState": 20}, "team/demo is FAILED",
		},
		"a session job fails for good, by its status": {
			map[string]string{"job": series("flinksessionjob_lifecycle_state", job+`,state="FAILED"`, "0x19 1x40")},
			map[string]int{"FlinkJobFailedByState": 20}, "team/demo is FAILED",
		},
		"a resource waits for a person, by its status": {
			map[string]string{"stalled now": series(
				"flinkdeployment_condition_since", state+`,type="Stalled",status="True",reason="InvalidSpec"`, "_x19 1200x40",
			)},
			map[string]int{"FlinkResourceWaitsForAPersonByState": 26}, "team/demo is stalled (InvalidSpec) for 6m",
		},
		"nobody changes the canary": {
			map[string]string{"asked": series("flinkdeployment_canary_asked", canary, "0+60x20 1200x40")},
			map[string]int{"FlinkCanarySilent": 36}, "Canary team/canary was changed 16m",
		},
		"nobody looks at a change": {
			map[string]string{"observed": series("flinkdeployment_observed_generation", state, "1x60")},
			map[string]int{"FlinkChangeNotSeen": 41}, "the newest spec of team/demo for 10 minutes",
		},
	}
	provoked := map[string]bool{}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := evaluate(t, file, 60, with(row.then)...)
			for alert, since := range row.fires {
				provoked[alert] = true
				switch a, is := got[alert]; {
				case !is:
					t.Errorf("%s does not fire, want it to from minute %d", alert, since)
				case a.minute != since || !strings.Contains(a.text, row.says):
					t.Errorf("%s fires from minute %d and says %q; want minute %d and %q", alert, a.minute, a.text, since, row.says)
				}
			}
			for alert, a := range got {
				if _, wanted := row.fires[alert]; !wanted {
					t.Errorf("%s fires from minute %d: %s", alert, a.minute, a.text)
				}
			}
		})
	}
	for _, alert := range file.alerts {
		if !provoked[alert] {
			t.Errorf("nothing provokes %s", alert)
		}
	}
}
